//! Image files to a database, as Caffe's `convert_imageset`: keys `00000012_folder/name.jpg`.
//!
//! Raw records hold the pixels, channel after channel. Encoded ones hold an image file: the
//! original where nothing changes, else a new one (JPEG with quality 95 as OpenCV, or PNG). The
//! number in the key is the line's, so skipped images leave gaps, as in Caffe.

use std::{
    fs,
    path::{Path, PathBuf},
};

use base::random::Mt19937;
use caffe_format::{DataParameterDb, Datum};

use super::DatabaseWriter;
use crate::{
    ProgressFn,
    error::{DataError, SampleProblem, chain},
    image::{self, Color, DecodedImage, encode, encode::ImageFormat, resize::resize},
    source::{OnBadSample, list},
};

/// How images are converted; Caffe's flags.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImagesOptions {
    /// Text in front of the names in the list; a folder needs its slash.
    pub root: String,
    /// Height and width, or as they are.
    pub resize: Option<(usize, usize)>,
    /// One channel or three.
    pub color: Color,
    /// Seed of the order; `None` keeps the list's.
    pub shuffle: Option<u32>,
    /// What a record holds.
    pub encoding: ImageEncoding,
    /// Whether all records must be of one size.
    pub check_size: bool,
    /// What kind of database.
    pub backend: DataParameterDb,
    /// What happens to a file that cannot be read.
    pub on_bad_sample: OnBadSample,
}

/// What a record holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ImageEncoding {
    /// Pixels.
    Raw,
    /// A file of the kind that its name says.
    AsNamed,
    /// A file of this kind.
    As(ImageFormat),
}

/// What was done.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ConvertedImages {
    /// Records written.
    pub records: u64,
    /// Files that were left out, with the reason.
    pub skipped: Vec<String>,
}

/// Converts the files of `list` to a new database.
pub fn images(
    list: &Path,
    database: &Path,
    options: &ImagesOptions,
    progress: ProgressFn<'_>,
) -> Result<ConvertedImages, DataError> {
    let mut lines = list::read(list)?;
    if let Some(seed) = options.shuffle {
        Mt19937::new(seed).shuffle(&mut lines);
    }
    if let Some((height, width)) = options.resize {
        image::check_size(height, width).map_err(DataError::NewSize)?;
    }
    let mut writer = DatabaseWriter::create(database, options.backend)?;
    let mut converted = ConvertedImages::default();
    let mut size = None;
    for (number, line) in lines.iter().enumerate() {
        let datum = datum(&line.name, line.label, options).and_then(|(datum, got)| {
            let want = *size.get_or_insert(got);
            if options.check_size && got != want {
                return Err(SampleProblem::OtherSize { size: got, want });
            }
            Ok(datum)
        });
        match datum {
            Ok(datum) => {
                writer.put(&format!("{number:08}_{}", line.name), &datum)?;
                converted.records += 1;
            }
            Err(problem) => {
                let error =
                    DataError::Sample { path: list.to_owned(), record: line.name.clone(), problem };
                match options.on_bad_sample {
                    OnBadSample::Fail => return Err(error),
                    OnBadSample::Skip => converted.skipped.push(chain(&error)),
                }
            }
        }
        progress(number as u64 + 1, lines.len() as u64);
    }
    if converted.records == 0 {
        return Err(DataError::AllBad { path: list.to_owned() });
    }
    writer.finish()?;
    Ok(converted)
}

/// One file as a record, and its size.
fn datum(
    name: &str,
    label: i32,
    options: &ImagesOptions,
) -> Result<(Datum, [usize; 3]), SampleProblem> {
    let path = PathBuf::from(format!("{}{name}", options.root));
    let bytes = fs::read(&path).map_err(SampleProblem::Read)?;
    let mut image = image::decode(&bytes, options.color).map_err(SampleProblem::Image)?;
    if let Some((height, width)) = options.resize {
        image = resize(&image, height, width);
    }
    let size = [image.channels, image.height, image.width];
    let mut datum = Datum { label: Some(label), ..Datum::EMPTY };
    match encoding(&path, options.encoding)? {
        None => raw(&image, &mut datum),
        Some(format) => {
            // The file itself, where it is what was asked for.
            let same = options.resize.is_none() && named(&path) == Some(format);
            datum.data = Some(if same { bytes } else { encode::encode(&image, format) });
            datum.encoded = Some(true);
        }
    }
    Ok((datum, size))
}

fn encoding(path: &Path, encoding: ImageEncoding) -> Result<Option<ImageFormat>, SampleProblem> {
    Ok(match encoding {
        ImageEncoding::Raw => None,
        ImageEncoding::As(format) => Some(format),
        ImageEncoding::AsNamed => Some(named(path).ok_or(SampleProblem::Extension)?),
    })
}

/// What the file's extension says.
fn named(path: &Path) -> Option<ImageFormat> {
    path.extension()?.to_str()?.parse().ok()
}

fn raw(image: &DecodedImage, datum: &mut Datum) {
    let side = |side: usize| i32::try_from(side).ok();
    datum.channels = side(image.channels);
    datum.height = side(image.height);
    datum.width = side(image.width);
    datum.encoded = Some(false);
    let planes = (0..image.channels)
        .flat_map(|c| image.pixels.iter().skip(c).step_by(image.channels).copied());
    datum.data = Some(planes.collect());
}
