//! `cargo xtask verify jpeg`: our JPEG decoder against libjpeg-turbo, every byte of every pixel.
//!
//! A seeded script makes 1,000 files: baseline and progressive, grey and colour, all common
//! samplings, sides from 1 to 240, qualities from 5 to 100, with and without restart markers and
//! codes of their own. libjpeg-turbo decodes them to colour and to grey; so do we, whole and a
//! region.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use data::image::{Color, DecodedImage, ImageDecoder, PixelRegion};

use crate::jpeg_peer::{JpegPeer, files};
use crate::shell;

const COUNT: usize = 1000;
const SEED: usize = 1701;

pub(crate) fn run(args: &[String]) -> Result<()> {
    ensure!(args.is_empty(), "usage: cargo xtask verify jpeg");
    let peer = JpegPeer::prepare()?;
    let folder = peer.empty_folder("mixed")?;
    let (count, seed) = (COUNT.to_string(), SEED.to_string());
    shell::run(peer.script("mix").arg(&folder).args(["--count", &count, "--seed", &seed]))?;
    shell::run(peer.script("decode").arg(&folder))?;
    let (mut decoder, mut passed, mut differ) = (ImageDecoder::default(), 0, 0);
    let files = files(&folder)?;
    ensure!(files.len() == COUNT, "{} files instead of {COUNT}", files.len());
    for file in &files {
        for (color, ending) in [(Color::Bgr, "bgr"), (Color::Gray, "gray")] {
            let compared = compare(&mut decoder, file, color, ending);
            match compared.with_context(|| file.display().to_string())? {
                None => passed += 1,
                Some(what) => {
                    println!("FAILED {} {ending}: {what}", file.display());
                    differ += 1;
                }
            }
        }
    }
    ensure!(differ == 0, "{differ} of {} images differ", 2 * COUNT);
    println!("{passed} images of {COUNT} files passed: the bytes are libjpeg-turbo's");
    Ok(())
}

/// How our image differs from libjpeg-turbo's, if it does.
fn compare(
    decoder: &mut ImageDecoder,
    file: &Path,
    color: Color,
    ending: &str,
) -> Result<Option<String>> {
    let (bytes, want) = (fs::read(file)?, fs::read(file.with_extension(ending))?);
    let mut image = DecodedImage::default();
    decoder.decode(&bytes, color, &mut image)?;
    if image.pixels.len() != want.len() {
        return Ok(Some(format!("{} bytes instead of {}", image.pixels.len(), want.len())));
    }
    let (h, w, c) = (image.height, image.width, image.channels);
    if let Some(at) = image.pixels.iter().zip(&want).position(|(a, b)| a != b) {
        let (row, column) = (at / c / w, at / c % w);
        return Ok(Some(format!("row {row}, column {column} of {h} by {w}")));
    }
    let region =
        PixelRegion { top: h / 5, left: w / 3, height: h.div_ceil(2), width: w.div_ceil(2) };
    decoder.decode_region(&bytes, color, region, &mut image)?;
    let rows = (region.top..region.top + region.height).map(|y| (y * w + region.left) * c);
    let crop: Vec<u8> = rows.flat_map(|at| &want[at..at + region.width * c]).copied().collect();
    Ok((image.pixels != crop).then(|| format!("the region {region:?}")))
}
