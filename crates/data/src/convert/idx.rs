//! MNIST's idx files to a database, as Caffe's `convert_mnist_data`: keys `00000000` and on.
//!
//! An idx file is a magic number, the sizes, all big-endian, and then bytes: 2051, items, rows,
//! columns and pixels; or 2049, items and labels. Both files must be exactly as long as they say.

use std::{
    fs::File,
    io::{BufReader, Read},
    path::Path,
};

use caffe_format::{DataParameterDb, Datum};

use super::DatabaseWriter;
use crate::{
    ProgressFn,
    error::{DataError, IdxProblem},
    image::PIXELS_MAX,
};

const IMAGES_MAGIC: u32 = 2051;
const LABELS_MAGIC: u32 = 2049;
/// Progress is reported after so many items.
const PROGRESS_ITEMS: u32 = 1000;

/// Converts a file of images and a file of labels to a new database; returns the number of records.
pub fn idx(
    images: &Path,
    labels: &Path,
    database: &Path,
    backend: DataParameterDb,
    progress: ProgressFn<'_>,
) -> Result<u64, DataError> {
    let mut images = IdxFile::open(images, IMAGES_MAGIC, 3)?;
    let mut labels = IdxFile::open(labels, LABELS_MAGIC, 1)?;
    let &[items, rows, columns] = images.sizes.as_slice() else { unreachable!("three were read") };
    if labels.sizes != [items] {
        let problem = IdxProblem::Labels { images: items, labels: labels.sizes[0] };
        return Err(images.bad(problem));
    }
    let pixels = (rows as usize).saturating_mul(columns as usize);
    if pixels == 0 || pixels > PIXELS_MAX {
        return Err(images.bad(IdxProblem::Size { rows, columns }));
    }
    let mut datum = Datum {
        channels: Some(1),
        height: i32::try_from(rows).ok(),
        width: i32::try_from(columns).ok(),
        ..Datum::EMPTY
    };
    let mut writer = DatabaseWriter::create(database, backend)?;
    let (mut image, mut label) = (vec![0; pixels], [0]);
    for item in 0..items {
        images.read(&mut image)?;
        labels.read(&mut label)?;
        datum.data = Some(image.clone());
        // Caffe reads the byte as a signed one.
        datum.label = Some(i32::from(label[0].cast_signed()));
        writer.put(&format!("{item:08}"), &datum)?;
        if (item + 1).is_multiple_of(PROGRESS_ITEMS) {
            progress(u64::from(item) + 1, u64::from(items));
        }
    }
    images.end()?;
    labels.end()?;
    writer.finish()?;
    progress(u64::from(items), u64::from(items));
    Ok(u64::from(items))
}

/// An idx file whose header is read.
struct IdxFile<'a> {
    path: &'a Path,
    file: BufReader<File>,
    sizes: Vec<u32>,
}

impl<'a> IdxFile<'a> {
    fn open(path: &'a Path, magic: u32, axes: usize) -> Result<Self, DataError> {
        let file =
            File::open(path).map_err(|source| DataError::Read { path: path.to_owned(), source })?;
        let mut idx = Self { path, file: BufReader::new(file), sizes: Vec::new() };
        let got = idx.number()?;
        if got != magic {
            return Err(idx.bad(IdxProblem::Magic { got, want: magic }));
        }
        for _ in 0..axes {
            let size = idx.number()?;
            idx.sizes.push(size);
        }
        Ok(idx)
    }

    fn number(&mut self) -> Result<u32, DataError> {
        let mut bytes = [0; 4];
        self.read(&mut bytes)?;
        Ok(u32::from_be_bytes(bytes))
    }

    fn read(&mut self, bytes: &mut [u8]) -> Result<(), DataError> {
        self.file
            .read_exact(bytes)
            .map_err(|source| DataError::Read { path: self.path.to_owned(), source })
    }

    fn end(&mut self) -> Result<(), DataError> {
        match self.file.read(&mut [0]) {
            Ok(0) => Ok(()),
            Ok(_) => Err(self.bad(IdxProblem::Trailing)),
            Err(source) => Err(DataError::Read { path: self.path.to_owned(), source }),
        }
    }

    fn bad(&self, problem: IdxProblem) -> DataError {
        DataError::Idx { path: self.path.to_owned(), problem }
    }
}
