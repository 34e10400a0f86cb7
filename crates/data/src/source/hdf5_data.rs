//! `HDF5Data`: rows of datasets, as they are. Caffe's `hdf5_data_layer.cpp`.
//!
//! The list names HDF5 files; each has a dataset for every top, named like it, with the rows on its
//! first axis. One file is in memory at a time. Rows are dealt to replicas in turn. Nothing is
//! transformed and nothing is drawn from the main stream: Caffe shuffles with the C library's
//! `rand`, whose numbers nobody can repeat, so the order here comes from a seed of its own, made anew
//! for every pass.

use std::{
    path::{Path, PathBuf},
    sync::atomic::{AtomicBool, Ordering},
};

use base::{Phase, Shape, ShapeError, random::Mt19937};

use super::{Ahead, Deal, Opened, Request, Source, SourceKind, hdf5::Table};
use crate::{batch::Batch, error::DataError, state::StreamState};

/// This source's row in [`SOURCES`](super::SOURCES).
pub(super) const KIND: SourceKind = SourceKind { name: "HDF5Data", ahead: Ahead::Thread, open };

struct Hdf5Data {
    files: Vec<PathBuf>,
    /// Datasets to read.
    tops: Vec<String>,
    batch_size: usize,
    deal: Deal,
    shuffle_seed: Option<u32>,
    /// Indices of `files` in the order of this pass.
    order: Vec<u32>,
    /// Where we are in `order`.
    file: usize,
    /// That file, and the order of its rows.
    table: Option<(Table, Vec<u32>)>,
    row: usize,
    /// Rows passed in all, and in this pass.
    position: u64,
    record: u64,
    passes: u64,
}

fn open(request: Request<'_>) -> Result<Opened, DataError> {
    let Request { layer, phase, options, rng } = request;
    let param = layer.hdf5_data_param();
    let batch_size = param.batch_size() as usize;
    if batch_size == 0 {
        return Err(DataError::Required { field: "hdf5_data_param.batch_size" });
    }
    if layer.top.is_empty() {
        return Err(DataError::Tops { got: 0, want: "needs one for each dataset" });
    }
    if layer.transform_param.is_some() {
        return Err(DataError::NoTransform { name: KIND.name });
    }
    let list = options.root.join(param.source());
    let files = read_list(&list, &options.root)?;
    let count = u32::try_from(files.len()).map_err(|_| DataError::LongList { path: list })?;
    let mut source = Hdf5Data {
        files,
        tops: layer.top.clone(),
        batch_size,
        deal: if phase == Phase::Test { Deal::ALL } else { options.deal },
        // Not a draw: the main stream stays where it is.
        shuffle_seed: param.shuffle().then(|| rng.clone().next_u32()),
        order: (0..count).collect(),
        file: 0,
        table: None,
        row: 0,
        position: 0,
        record: 0,
        passes: 0,
    };
    source.order_files();
    let shapes = Table::shapes(source.path(), &source.tops)?
        .into_iter()
        .map(|mut dims| {
            dims[0] = batch_size;
            Shape::new(&dims)
        })
        .collect::<Result<_, _>>()
        .map_err(|error| source.too_large(error))?;
    Ok(Opened { source: Box::new(source), shapes, notices: Vec::new() })
}

/// Names between white space, as Caffe reads them.
fn read_list(list: &Path, root: &Path) -> Result<Vec<PathBuf>, DataError> {
    let text = std::fs::read_to_string(list)
        .map_err(|source| DataError::Read { path: list.to_owned(), source })?;
    let files: Vec<PathBuf> = text.split_whitespace().map(|name| root.join(name)).collect();
    if files.is_empty() {
        return Err(DataError::NoRecords { path: list.to_owned() });
    }
    Ok(files)
}

impl Hdf5Data {
    fn path(&self) -> &Path {
        &self.files[self.order[self.file] as usize]
    }

    fn too_large(&self, source: ShapeError) -> DataError {
        DataError::Hdf5Batch { path: self.path().to_owned(), source }
    }

    /// The order of the files in this pass.
    fn order_files(&mut self) {
        self.order.sort_unstable();
        if let Some(seed) = self.shuffle_seed {
            stream(seed, self.passes, u64::MAX).shuffle(&mut self.order);
        }
    }

    /// Loads the current file, unless it is loaded, and gives it with the order of its rows.
    fn load(&mut self) -> Result<&(Table, Vec<u32>), DataError> {
        if self.table.is_none() {
            let table = Table::read(self.path(), &self.tops)?;
            let rows = u32::try_from(table.rows)
                .map_err(|_| DataError::LongList { path: self.path().to_owned() })?;
            let mut order: Vec<u32> = (0..rows).collect();
            if let Some(seed) = self.shuffle_seed {
                stream(seed, self.passes, self.file as u64).shuffle(&mut order);
            }
            self.table = Some((table, order));
        }
        Ok(self.table.as_ref().expect("loaded above"))
    }

    /// To the next row, file or pass.
    fn next(&mut self, batch: &mut Batch) -> Result<(), DataError> {
        let rows = self.load()?.0.rows;
        self.position += 1;
        self.record += 1;
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
            (self.file, self.record) = (0, 0);
            self.passes += 1;
            batch.restarts += 1;
            self.order_files();
        }
        Ok(())
    }

    /// Copies the current row to `item` of every top.
    fn put(&mut self, item: usize, batch: &mut Batch) -> Result<(), DataError> {
        self.load()?;
        let (table, order) = self.table.as_ref().expect("loaded above");
        let row = order[self.row] as usize;
        for (top, dataset) in table.datasets.iter().enumerate() {
            let mut dims = dataset.dims.clone();
            dims[0] = self.batch_size;
            if item > 0 && batch.shape(top).dims() != dims {
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
                .copy_from_slice(&dataset.values[row * width..][..width]);
        }
        batch.push_record(format!("{} row {row}", self.path().display()));
        Ok(())
    }
}

/// A generator for one purpose, the same in every run.
fn stream(seed: u32, pass: u64, file: u64) -> Mt19937 {
    let mut bits = u64::from(seed);
    for part in [pass, file] {
        // Splitmix64's finaliser (Steele et al. 2014).
        bits = (bits ^ part).wrapping_add(0x9e37_79b9_7f4a_7c15);
        bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^= bits >> 31;
    }
    Mt19937::new(u32::try_from(bits >> 32).expect("the upper half"))
}

impl Source for Hdf5Data {
    fn fill(&mut self, batch: &mut Batch, stop: &AtomicBool) -> Result<(), DataError> {
        batch.clear(self.tops.len());
        for item in 0..self.batch_size {
            if stop.load(Ordering::Relaxed) {
                return Err(DataError::Ended);
            }
            while self.position % self.deal.replicas as u64 != self.deal.replica as u64 {
                self.next(batch)?;
            }
            self.put(item, batch)?;
            self.next(batch)?;
        }
        batch.state = self.state();
        Ok(())
    }

    fn state(&self) -> StreamState {
        StreamState {
            source: KIND.name.to_owned(),
            position: self.position,
            record: self.record,
            passes: self.passes,
            shuffle_seed: self.shuffle_seed.unwrap_or(0),
            ..StreamState::default()
        }
    }

    fn restore(&mut self, state: &StreamState) -> Result<(), DataError> {
        self.shuffle_seed = self.shuffle_seed.map(|_| state.shuffle_seed);
        (self.position, self.passes) = (state.position, state.passes);
        (self.record, self.file, self.table) = (state.record, 0, None);
        self.order_files();
        let mut left = state.record;
        loop {
            let rows = Table::rows(self.path(), &self.tops)? as u64;
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
