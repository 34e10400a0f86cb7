//! `Datum`: one record of a database, an image with its label.
//!
//! The pixels are raw bytes, floats, or a whole JPEG or PNG file (`encoded`), whose size is only
//! known when it is decoded.

use crate::blob::checked;
use crate::{BlobError, Datum};

impl Datum {
    /// A raw image: `data` is channel after channel, row after row.
    ///
    /// # Panics
    ///
    /// If `data` has not `channels * height * width` bytes: the caller made both.
    pub fn raw([channels, height, width]: [u32; 3], data: Vec<u8>, label: i32) -> Self {
        let want = [channels, height, width].iter().map(|&dim| dim as usize).product::<usize>();
        assert_eq!(want, data.len(), "size and pixels of one image");
        let size = |dim: u32| Some(i32::try_from(dim).expect("an image's side fits an i32"));
        Self {
            channels: size(channels),
            height: size(height),
            width: size(width),
            data: Some(data),
            label: Some(label),
            ..Self::EMPTY
        }
    }

    /// Channels, height and width of an image that is not encoded; the pixels are as many.
    ///
    /// # Errors
    ///
    /// If a side is negative, the image too large, or the pixels are more or fewer.
    pub fn dims(&self) -> Result<[usize; 3], BlobError> {
        let written = [self.channels(), self.height(), self.width()].map(i64::from);
        let dims = checked(&written)?;
        let want = dims.iter().product();
        let bytes = self.data().len();
        let got = if bytes > 0 { bytes } else { self.float_data.len() };
        match <[usize; 3]>::try_from(dims) {
            Ok(dims) if got == want => Ok(dims),
            Ok(dims) => Err(BlobError::Count { dims: dims.to_vec(), want, got }),
            Err(dims) => unreachable!("three numbers went in, {} came out", dims.len()),
        }
    }
}
