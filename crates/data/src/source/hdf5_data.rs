//! `HDF5Data`: rows of datasets, as they are. Caffe's `hdf5_data_layer.cpp`.
//!
//! The list names HDF5 files; each has a dataset for every top, named like it, with the rows on its
//! first axis. One file is in memory at a time. Replicas take rows in turn. Nothing is transformed
//! and nothing is drawn from the main stream: Caffe shuffles with the C library's `rand`, whose
//! numbers depend on the system, so the order here comes from a seed of its own, made anew for
//! every epoch.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, atomic::AtomicBool},
};

use base::{Shape, ShapeError, random::Mt19937};

use super::{
    OpenedSource, Prefetch, RecordSource, SourceKind, SourceRequest, ended, hdf5::Hdf5Table,
    order::RecordOrder, required,
};
use crate::{
    batch::{BatchOrigin, SampleBatch},
    error::DataError,
    paths::{PathField, PathRoot},
    state::StreamState,
};

/// This source's row in [`SOURCES`](super::SOURCES).
pub(super) const KIND: SourceKind =
    SourceKind { name: "HDF5Data", prefetch: Prefetch::Thread, open };

const SOURCE: PathField =
    PathField { name: "hdf5_data_param.source", what: "the list of HDF5 files" };

struct Hdf5Source {
    files: Arc<[PathBuf]>,
    /// Datasets to read.
    tops: Vec<String>,
    batch_size: usize,
    /// Which rows are this replica's.
    rows: RecordOrder,
    shuffle_seed: Option<u32>,
    /// Indices of `files` in the order of this epoch.
    order: Vec<u32>,
    /// The current file, as an index of `order`.
    file: usize,
    /// That file, and the order of its rows.
    table: Option<(Hdf5Table, Vec<u32>)>,
    row: usize,
}

fn open(request: SourceRequest<'_>) -> Result<OpenedSource, DataError> {
    let SourceRequest { layer, phase, options, rng } = request;
    let param = layer.hdf5_data_param();
    let batch_size = required(param.batch_size(), "hdf5_data_param.batch_size")?;
    if layer.top.is_empty() {
        return Err(DataError::Tops { got: 0, want: "needs one for each dataset" });
    }
    if layer.transform_param.is_some() {
        return Err(DataError::NoTransform { name: KIND.name });
    }
    let list = options.root.readable(param.source(), SOURCE)?;
    let files: Arc<[PathBuf]> = read_list(&list, &options.root)?.into();
    let count = u32::try_from(files.len()).map_err(|_| DataError::LongList { path: list })?;
    let mut source = Hdf5Source {
        files,
        tops: layer.top.clone(),
        batch_size,
        rows: RecordOrder::new(options.slice.in_phase(phase)),
        // Not a draw: the main stream stays where it is.
        shuffle_seed: param.shuffle().then(|| rng.clone().next_u32()),
        order: (0..count).collect(),
        file: 0,
        table: None,
        row: 0,
    };
    source.order_files();
    let shapes = Hdf5Table::shapes(source.path(), &source.tops)?
        .into_iter()
        .map(|mut dims| {
            dims[0] = batch_size;
            Shape::new(&dims)
        })
        .collect::<Result<_, _>>()
        .map_err(|error| source.too_large(error))?;
    let files = Arc::clone(&source.files);
    let names = Box::new(move |id| row_name(&files, id));
    Ok(OpenedSource { source: Box::new(source), shapes, notices: Vec::new(), names })
}

/// A row's number in a batch: its file above, its row below.
fn row_id(file: u32, row: u32) -> u64 {
    u64::from(file) << 32 | u64::from(row)
}

fn row_name(files: &[PathBuf], id: u64) -> Option<String> {
    let file = files.get(usize::try_from(id >> 32).ok()?)?;
    Some(format!("{} row {}", file.display(), id & u64::from(u32::MAX)))
}

/// Names between white space, as Caffe reads them.
fn read_list(list: &Path, root: &PathRoot) -> Result<Vec<PathBuf>, DataError> {
    let text = std::fs::read_to_string(list)
        .map_err(|source| DataError::Read { path: list.to_owned(), source })?;
    let files: Vec<PathBuf> = text.split_whitespace().map(|name| root.join(name)).collect();
    if files.is_empty() {
        return Err(DataError::NoRecords { path: list.to_owned() });
    }
    Ok(files)
}

impl Hdf5Source {
    fn path(&self) -> &Path {
        &self.files[self.order[self.file] as usize]
    }

    fn too_large(&self, source: ShapeError) -> DataError {
        DataError::Hdf5Batch { path: self.path().to_owned(), source }
    }

    /// The order of the files in this epoch.
    fn order_files(&mut self) {
        self.order.sort_unstable();
        if let Some(seed) = self.shuffle_seed {
            stream(seed, self.rows.epochs(), u64::MAX).shuffle(&mut self.order);
        }
    }

    /// Loads the current file, unless it is loaded, and gives it with the order of its rows.
    fn load(&mut self) -> Result<&(Hdf5Table, Vec<u32>), DataError> {
        if self.table.is_none() {
            let table = Hdf5Table::read(self.path(), &self.tops)?;
            let rows = u32::try_from(table.rows)
                .map_err(|_| DataError::LongList { path: self.path().to_owned() })?;
            let mut order: Vec<u32> = (0..rows).collect();
            if let Some(seed) = self.shuffle_seed {
                stream(seed, self.rows.epochs(), self.file as u64).shuffle(&mut order);
            }
            self.table = Some((table, order));
        }
        Ok(self.table.as_ref().expect("loaded above"))
    }

    /// To the next row, file or epoch.
    fn next(&mut self, origin: &mut BatchOrigin) -> Result<(), DataError> {
        let rows = self.load()?.0.rows;
        self.rows.advance();
        self.row += 1;
        if self.row < rows {
            return Ok(());
        }
        self.row = 0;
        self.file += 1;
        // One file in one order stays in memory.
        if self.files.len() > 1 || self.shuffle_seed.is_some() {
            self.table = None;
        }
        if self.file == self.files.len() {
            self.file = 0;
            self.rows.end_epoch();
            origin.epochs_ended += 1;
            self.order_files();
        }
        Ok(())
    }

    /// Copies the current row to `item` of every top.
    fn put(&mut self, item: usize, batch: &mut SampleBatch) -> Result<(), DataError> {
        self.load()?;
        let (table, order) = self.table.as_ref().expect("loaded above");
        let row = order[self.row];
        for (top, dataset) in table.datasets.iter().enumerate() {
            let dims = dataset.batch_dims(self.batch_size);
            if item > 0 && batch.shape(top).dims() != &*dims {
                return Err(DataError::Hdf5Shape {
                    path: self.path().to_owned(),
                    dataset: self.tops[top].clone(),
                    dims: dataset.dims.clone(),
                    want: batch.shape(top).clone(),
                });
            }
            let width: usize = dims[1..].iter().product();
            let values = batch.top_mut(top, &dims).map_err(|error| self.too_large(error))?;
            values[item * width..][..width]
                .copy_from_slice(&dataset.values[row as usize * width..][..width]);
        }
        batch.origin.records.push(row_id(self.order[self.file], row));
        Ok(())
    }
}

/// The generator of one file order or row order: the same whenever it is asked for.
fn stream(seed: u32, epoch: u64, file: u64) -> Mt19937 {
    let mut bits = u64::from(seed);
    for word in [epoch, file] {
        // Splitmix64's finaliser (Steele et al. 2014).
        bits = (bits ^ word).wrapping_add(0x9e37_79b9_7f4a_7c15);
        bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^= bits >> 31;
    }
    Mt19937::new(u32::try_from(bits >> 32).expect("the upper half"))
}

impl RecordSource for Hdf5Source {
    fn fill(&mut self, batch: &mut SampleBatch, stop: &AtomicBool) -> Result<(), DataError> {
        batch.clear(self.tops.len());
        for item in 0..self.batch_size {
            ended(stop)?;
            while !self.rows.is_ours() {
                self.next(&mut batch.origin)?;
            }
            self.put(item, batch)?;
            self.next(&mut batch.origin)?;
        }
        Ok(())
    }

    fn state(&self) -> StreamState {
        let shuffle_seed = self.shuffle_seed.unwrap_or(0);
        StreamState { shuffle_seed, ..self.rows.state(KIND.name) }
    }

    fn restore(&mut self, state: &StreamState) -> Result<(), DataError> {
        self.shuffle_seed = self.shuffle_seed.map(|_| state.shuffle_seed);
        self.rows.restore(state);
        (self.file, self.table) = (0, None);
        self.order_files();
        let mut left = state.record;
        loop {
            let rows = Hdf5Table::rows(self.path(), &self.tops)? as u64;
            if left < rows {
                break;
            }
            left -= rows;
            self.file += 1;
            if self.file == self.files.len() {
                return Err(DataError::State { what: "the files have fewer rows" });
            }
        }
        self.row = usize::try_from(left).expect("below the file's number of rows");
        Ok(())
    }
}
