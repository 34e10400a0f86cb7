//! An LMDB of drawn images: raw `Datum`s of 3 x 256 x 256, as ImageNet is usually stored for Caffe.
//!
//! 256 records (50 MB) with values from a small generator: what they show does not matter for
//! speed, that they are read, cropped and mirrored does. Made once; a later run finds it.

use std::path::{Path, PathBuf};

use anyhow::Result;
use caffe_format::{DataParameterDb, Datum};
use data::convert::DatabaseWriter;

const RECORDS: usize = 256;
const SIDE: u32 = 256;
const CLASSES: i32 = 1000;

/// The database in `folder`.
pub(in crate::bench) fn draw(folder: &Path) -> Result<PathBuf> {
    let path = folder.join("images_lmdb");
    if path.exists() {
        return Ok(path); // a writer gives a database its name when it is complete
    }
    let mut writer = DatabaseWriter::create(&path, DataParameterDb::Lmdb)?;
    let mut noise = RecordNoise(1);
    for record in 0..RECORDS {
        let pixels = (0..3 * SIDE * SIDE).map(|_| noise.next()).collect();
        let label = i32::from(noise.next()) * 4 % CLASSES;
        let datum = Datum::raw([3, SIDE, SIDE], pixels, label);
        writer.put(&format!("{record:08}"), &datum)?;
    }
    writer.finish()?;
    Ok(path)
}

/// Knuth's linear congruential generator; its high bits are good enough for pixels.
struct RecordNoise(u64);

impl RecordNoise {
    fn next(&mut self) -> u8 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0.to_be_bytes()[0]
    }
}
