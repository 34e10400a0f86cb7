//! Classifies a picture with a deploy net and a trained model, and prints the five likeliest
//! classes.
//!
//! ```text
//! cargo run --release -p train --example classify -- \
//!     examples/lenet/deploy.prototxt lenet_iter_10000.caffemodel t10k-images-idx3-ubyte \
//!     --record 7 --scale 0.00390625
//! ```
//!
//! The picture is a JPEG or PNG file, resized to the net's input, or a record of an idx file
//! (MNIST's form). Values are `(pixel - mean) * scale`, channels blue first, as in training with
//! Caffe.

#![expect(clippy::print_stdout, reason = "a program, and printing is what it is for")]

use std::error::Error;
use std::fs;
use std::path::PathBuf;

use data::image::{self, Color, DecodedImage};
use train::{NetConfig, Single};

const USAGE: &str = "usage: classify DEPLOY WEIGHTS IMAGE [--record N] [--mean V or B,G,R] \
                     [--scale S] [--labels FILE]";

/// How many classes are printed.
const SHOWN: usize = 5;

struct ClassifyOptions {
    /// Deploy net, model, picture.
    files: Vec<PathBuf>,
    /// Which picture of an idx file.
    record: usize,
    /// One value, or one per channel.
    mean: Vec<f32>,
    scale: f32,
    /// Names of the classes, one per line.
    labels: Option<PathBuf>,
}

fn main() -> Result<(), Box<dyn Error>> {
    let options = parse(std::env::args().skip(1))?;
    let [deploy, weights, picture] = &options.files[..] else { return Err(USAGE.into()) };
    let config = NetConfig { weights: vec![weights.clone()], ..NetConfig::new(deploy) };
    let mut single = Single::open(&config, &mut |_| {})?;

    let input = single.net().blob_names().next().ok_or("the net has no blobs")?.to_owned();
    let shape = single.net().blob_shape(&input).ok_or("the net has no input")?.dims().to_vec();
    let [n, channels, height, width] = shape[..] else {
        return Err(format!("input `{input}` is {shape:?}, not (N, C, H, W)").into());
    };
    let image = read(&fs::read(picture)?, options.record, channels)?;
    let image = image::resize::resize(&image, height, width);
    let values = planar(&image, &options).repeat(n);
    single.set_blob(&input, &values)?;
    single.forward()?;

    let outputs = single.net().outputs(single.cpu());
    let output = outputs.first().ok_or("the net has no output")?;
    let probabilities = &output.values[..output.values.len() / n];
    let names = options.labels.as_ref().map(fs::read_to_string).transpose()?.unwrap_or_default();
    let names: Vec<&str> = names.lines().collect();
    let mut order: Vec<usize> = (0..probabilities.len()).collect();
    order.sort_by(|&a, &b| probabilities[b].total_cmp(&probabilities[a]));
    for class in order.into_iter().take(SHOWN) {
        let name = names.get(class).copied().unwrap_or_default();
        println!("{:8.4} %  class {class} {name}", 100.0 * probabilities[class]);
    }
    Ok(())
}

fn parse(mut args: impl Iterator<Item = String>) -> Result<ClassifyOptions, Box<dyn Error>> {
    let mut options = ClassifyOptions {
        files: Vec::new(),
        record: 0,
        mean: Vec::new(),
        scale: 1.0,
        labels: None,
    };
    while let Some(arg) = args.next() {
        let mut value = || args.next().ok_or(USAGE);
        match arg.as_str() {
            "--record" => options.record = value()?.parse()?,
            "--scale" => options.scale = value()?.parse()?,
            "--labels" => options.labels = Some(value()?.into()),
            "--mean" => {
                options.mean = value()?.split(',').map(str::parse).collect::<Result<_, _>>()?;
            }
            _ if arg.starts_with("--") => return Err(USAGE.into()),
            _ => options.files.push(arg.into()),
        }
    }
    Ok(options)
}

/// A picture file, or record `record` of an idx file of pictures.
fn read(bytes: &[u8], record: usize, channels: usize) -> Result<DecodedImage, Box<dyn Error>> {
    let Some(idx) = bytes.strip_prefix(&[0, 0, 8, 3]) else {
        let color = if channels == 1 { Color::Gray } else { Color::Bgr };
        return Ok(image::decode(bytes, color)?);
    };
    let side = |at: usize| {
        let bytes = idx.get(4 * at..)?.first_chunk()?;
        usize::try_from(u32::from_be_bytes(*bytes)).ok()
    };
    let (Some(height), Some(width)) = (side(1), side(2)) else {
        return Err("the idx file ends in its header".into());
    };
    let len = height.checked_mul(width).ok_or("impossible sizes in the idx file")?;
    let start = len.checked_mul(record).and_then(|start| start.checked_add(12));
    let pixels = start.and_then(|start| idx.get(start..)?.get(..len));
    let pixels = pixels.ok_or_else(|| format!("the idx file has no record {record}"))?.to_vec();
    Ok(DecodedImage { channels: 1, height, width, pixels })
}

/// A channel after the other, mean and scale applied.
fn planar(image: &DecodedImage, options: &ClassifyOptions) -> Vec<f32> {
    let mean = |c: usize| options.mean.get(c).or(options.mean.first()).copied().unwrap_or(0.0);
    let channel = |c: usize| image.pixels.iter().skip(c).step_by(image.channels);
    (0..image.channels)
        .flat_map(|c| channel(c).map(move |&x| (f32::from(x) - mean(c)) * options.scale))
        .collect()
}
