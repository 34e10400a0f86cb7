//! How fast JPEG files are decoded: the counterpart of `bench/jpeg_peer.py time`.
//!
//! `jpeg_speed FOLDER[:CROP]..` reads all `.jpg` files of each folder. For each line `INDEX PASSES`
//! on standard input it decodes the files of a folder so often, on one thread, and prints the
//! seconds it took. With a crop, only a centred square of that side is decoded.
//! `cargo xtask bench jpeg` alternates between this program and libjpeg-turbo.

use std::{error::Error, fs, io, time::Instant};

use data::image::{Color, DecodedImage, ImageDecoder, PixelRegion, size};

/// Files, and the part of each that is decoded.
struct JpegFiles {
    files: Vec<Vec<u8>>,
    crop: Option<usize>,
}

#[expect(clippy::print_stdout, reason = "the answers are what this program is for")]
#[expect(clippy::disallowed_methods, reason = "measures real time")]
fn main() -> Result<(), Box<dyn Error>> {
    let folders = std::env::args().skip(1).map(|folder| JpegFiles::read(&folder));
    let folders: Vec<JpegFiles> = folders.collect::<Result<_, _>>()?;
    let (mut decoder, mut image) = (ImageDecoder::default(), DecodedImage::default());
    for line in io::stdin().lines() {
        let line = line?;
        let (index, passes) = line.split_once(' ').ok_or("a line is `INDEX PASSES`")?;
        let (index, passes): (usize, usize) = (index.parse()?, passes.parse()?);
        let folder = folders.get(index).ok_or("no such folder")?;
        let begin = Instant::now();
        for bytes in (0..passes).flat_map(|_| &folder.files) {
            match folder.crop {
                None => decoder.decode(bytes, Color::Bgr, &mut image)?,
                Some(side) => {
                    let [_, height, width] = size(bytes, Color::Bgr)?;
                    let (top, left) =
                        (height.saturating_sub(side) / 2, width.saturating_sub(side) / 2);
                    let region = PixelRegion { top, left, height: side, width: side };
                    decoder.decode_region(bytes, Color::Bgr, region, &mut image)?;
                }
            }
        }
        println!("{}", begin.elapsed().as_secs_f64());
    }
    Ok(())
}

impl JpegFiles {
    fn read(argument: &str) -> Result<Self, Box<dyn Error>> {
        let (folder, crop) = match argument.rsplit_once(':') {
            Some((folder, crop)) => (folder, Some(crop.parse()?)),
            None => (argument, None),
        };
        let mut paths = Vec::new();
        for entry in fs::read_dir(folder)? {
            paths.push(entry?.path());
        }
        paths.retain(|path| path.extension().is_some_and(|ending| ending == "jpg"));
        paths.sort();
        let files = paths.iter().map(fs::read).collect::<Result<_, _>>()?;
        Ok(Self { files, crop })
    }
}
