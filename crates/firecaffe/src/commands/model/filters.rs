//! `firecaffe model filters`: the weights of a convolution as a PNG.
//!
//! Filters with three inputs are shown in colour (Caffe's order is blue, green, red), others as one
//! grey square per output and input. Each filter is scaled by itself; zero is grey.

use std::path::PathBuf;

use anyhow::{Context, Result, ensure};
use caffe_format::{BlobProto, NetParameter};

use crate::options::root;
use crate::output::print;

const EXAMPLES: &str = "\
Example:
  firecaffe model filters lenet_iter_10000.caffemodel filters.png --layer conv1";

/// Pixels of a weight's side.
const SCALE: usize = 4;
/// Squares of an image at most: more than a thousand by a thousand nobody looks at.
const SQUARES_MAX: usize = 1 << 20;

/// Options of `model filters`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct FiltersArgs {
    /// The model: `.caffemodel` or `.caffemodel.h5`
    #[arg(value_name = "MODEL")]
    model: PathBuf,
    /// The PNG to write
    #[arg(value_name = "OUT.png")]
    out: PathBuf,
    /// The layer [default: the first that has filters]
    #[arg(long, value_name = "NAME")]
    layer: Option<String>,
}

pub(super) fn run(args: &FiltersArgs) -> Result<()> {
    let model = snapshot::load_model(&root().join(&args.model))?;
    let (name, filters) =
        find(&model, args.layer.as_deref()).with_context(|| args.model.display().to_string())?;
    let image = filters.image();
    snapshot::atomic::write(&root().join(&args.out), &image.png()?)?;
    let ConvolutionFilters { outputs, inputs, height, width, .. } = filters;
    let out = args.out.display();
    print(&format!("{name}: {outputs} filters of {inputs} x {height} x {width} in {out}\n"))?;
    Ok(())
}

/// The filters of `layer`, or of the first layer that has any.
fn find(model: &NetParameter, layer: Option<&str>) -> Result<(String, ConvolutionFilters)> {
    if let Some(name) = layer {
        let mut layers = model.layer.iter();
        let layer = layers.find(|layer| layer.name() == name);
        let layer = layer.with_context(|| format!("there is no layer `{name}`"))?;
        let blob = layer.blobs.first().with_context(|| format!("layer `{name}` has no weights"))?;
        let filters = ConvolutionFilters::of(blob).with_context(|| format!("layer `{name}`"))?;
        return Ok((name.to_owned(), filters));
    }
    let first = model.layer.iter().find_map(|layer| {
        let filters = ConvolutionFilters::of(layer.blobs.first()?).ok()?;
        (filters.height * filters.width > 1).then(|| (layer.name().to_owned(), filters))
    });
    first.context("no layer has filters of several weights")
}

/// Weights of shape outputs x inputs x height x width.
#[derive(Debug, PartialEq)]
struct ConvolutionFilters {
    outputs: usize,
    inputs: usize,
    height: usize,
    width: usize,
    values: Vec<f32>,
}

impl ConvolutionFilters {
    fn of(blob: &BlobProto) -> Result<Self> {
        let dims = blob.dims()?;
        let [outputs, inputs, height, width] = dims[..] else {
            anyhow::bail!("its weights have the shape {dims:?}: expected that of a convolution");
        };
        let values = blob.values()?.into_owned();
        ensure!(!values.is_empty() && height < 1000 && width < 1000, "its filters are too large");
        Ok(Self { outputs, inputs, height, width, values })
    }

    /// All filters in a grid that is about as wide as high, a pixel apart.
    fn image(&self) -> FilterImage {
        let in_color = self.inputs == 3;
        let squares = if in_color { self.outputs } else { self.outputs * self.inputs };
        let squares = squares.min(SQUARES_MAX);
        // In colour there is one square per output; else a row shows the inputs of one output.
        let columns = match self.inputs {
            1 | 3 => squares.isqrt() + usize::from(squares.isqrt().pow(2) < squares),
            inputs => inputs,
        };
        let rows = squares / columns + usize::from(!squares.is_multiple_of(columns));
        let (step_x, step_y) = (self.width * SCALE + SCALE, self.height * SCALE + SCALE);
        let (width, height) = (columns * step_x + SCALE, rows * step_y + SCALE);
        let mut pixels = vec![255; width * height * 3];
        let size = self.height * self.width;
        for square in 0..squares {
            let inputs = if in_color { 3 } else { 1 };
            let weights = &self.values[square * inputs * size..][..inputs * size];
            let most = weights.iter().fold(0.0_f32, |most, weight| most.max(weight.abs()));
            let (left, top) = (square % columns * step_x, square / columns * step_y);
            for y in 0..self.height * SCALE {
                for x in 0..self.width * SCALE {
                    let at = y / SCALE * self.width + x / SCALE;
                    let pixel = (top + SCALE + y) * width + left + SCALE + x;
                    for (place, channel) in [2, 1, 0].into_iter().enumerate() {
                        let weight = weights[if in_color { channel * size + at } else { at }];
                        pixels[3 * pixel + place] = brightness(weight, most);
                    }
                }
            }
        }
        FilterImage { width, height, pixels }
    }
}

/// From black for `-most` to white for `most`.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and 255")]
fn brightness(weight: f32, most: f32) -> u8 {
    let share = if most > 0.0 { weight / most } else { 0.0 };
    (127.5 + 127.5 * share).clamp(0.0, 255.0) as u8
}

/// RGB, three bytes per pixel.
struct FilterImage {
    width: usize,
    height: usize,
    pixels: Vec<u8>,
}

impl FilterImage {
    fn png(&self) -> Result<Vec<u8>> {
        let [width, height] = [self.width, self.height].map(u32::try_from);
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, width?, height?);
        encoder.set_color(png::ColorType::Rgb);
        encoder.write_header()?.write_image_data(&self.pixels)?;
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests {
    use caffe_format::BlobProto;

    use super::{ConvolutionFilters, SCALE};

    #[test]
    fn a_filter_is_scaled_by_itself_and_zero_is_grey() {
        let blob = BlobProto::from_values(&[2, 1, 1, 2], vec![-4.0, 4.0, 0.0, 0.25]);
        let image = ConvolutionFilters::of(&blob).unwrap().image();
        let row = SCALE * image.width * 3;
        let at = |x: usize| image.pixels[row + 3 * SCALE * x];
        assert_eq!([at(0), at(1), at(2), at(3)], [255, 0, 255, 255]);
        assert_eq!([at(4), at(5)], [127, 255]);
        assert!(ConvolutionFilters::of(&BlobProto::from_values(&[2], vec![1.0; 2])).is_err());
    }

    #[test]
    fn three_inputs_are_blue_green_and_red() {
        let blob = BlobProto::from_values(&[1, 3, 1, 1], vec![1.0, 0.0, -1.0]);
        let image = ConvolutionFilters::of(&blob).unwrap().image();
        let pixel = 3 * (SCALE * image.width + SCALE);
        assert_eq!(image.pixels[pixel..pixel + 3], [0, 127, 255]);
    }
}
