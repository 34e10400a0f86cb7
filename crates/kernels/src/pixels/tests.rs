//! Every kernel against its formula, value by value, on every SIMD level: equal to the bit.

use super::{BLOCK, ColorMatrix, ImagePixels, PixelMean, PixelTransform, channel_sums};
use crate::{Simd, testing::noise};

fn levels() -> impl Iterator<Item = Simd> {
    [Simd::Portable, Simd::Avx2].into_iter().filter(|simd| simd.is_supported())
}

fn bytes(len: usize) -> Vec<u8> {
    (0..len).map(|at| u8::try_from(at * 89 % 251).unwrap()).collect()
}

/// Widths around those of vectors and blocks, and the crop of a 256 by 256 image to 227.
const WIDTHS: [usize; 9] = [1, 7, 8, 31, 33, 227, BLOCK, BLOCK + 1, 2 * BLOCK + 5];

#[test]
fn crops_are_the_formula_whatever_the_layout_mean_and_direction() {
    for width in WIDTHS {
        for (channels, interleaved) in
            [(1, false), (3, false), (1, true), (3, true), (4, true), (5, true)]
        {
            let (full, top, left) = ([channels, 6, width + 4], 1, 3);
            let (values, means) =
                (bytes(channels * 6 * (width + 4)), noise(full.iter().product(), 7));
            let at = |c: usize, y: usize, x: usize| (c * full[1] + y) * full[2] + x;
            let stored = |c, y, x| match interleaved {
                true => values[(y * full[2] + x) * channels + c],
                false => values[at(c, y, x)],
            };
            let source = match interleaved {
                true => ImagePixels::interleaved(&values, full),
                false => ImagePixels::planar(&values, full),
            };
            let image = PixelMean::Image(ImagePixels::planar(&means, full).below(top, left));
            let per_channel = PixelMean::Channels(&means[..channels]);
            for (mean, mirror) in [
                (image, false),
                (image, true),
                (per_channel, true),
                (PixelMean::Channels(&means[..1]), false),
                (PixelMean::Channels(&[]), true),
            ] {
                let size = [channels, 4, width];
                let want = |c: usize, y: usize, x: usize| {
                    let column = left + if mirror { width - 1 - x } else { x };
                    let mean = match mean {
                        PixelMean::Image(_) => means[at(c, top + y, column)],
                        PixelMean::Channels([]) => 0.0,
                        PixelMean::Channels([one]) => *one,
                        PixelMean::Channels(several) => several[c],
                    };
                    (f32::from(stored(c, top + y, column)) - mean) * 0.37
                };
                for simd in levels() {
                    let mut out = vec![f32::NAN; size.iter().product()];
                    let transform = PixelTransform { mean, scale: 0.37, mirror };
                    transform.run(simd, source.below(top, left), size, &mut out);
                    for (index, got) in out.into_iter().enumerate() {
                        let (c, y, x) = (index / width / 4, index / width % 4, index % width);
                        let want = want(c, y, x);
                        assert_eq!(got.to_bits(), want.to_bits(), "{simd} {size:?} {c} {y} {x}");
                    }
                }
            }
        }
    }
}

#[test]
fn floats_are_transformed_like_bytes() {
    let values = noise(2 * 3 * 5, 3);
    let source = ImagePixels::planar(&values, [2, 3, 5]).below(1, 2);
    let transform = PixelTransform { mean: PixelMean::Channels(&[0.5]), scale: 2.0, mirror: true };
    for simd in levels() {
        let mut out = [0.0; 2 * 2 * 2];
        transform.run(simd, source, [2, 2, 2], &mut out);
        let want = [8, 7, 13, 12, 23, 22, 28, 27].map(|at: usize| (values[at] - 0.5) * 2.0);
        assert_eq!(out, want);
    }
}

#[test]
fn colours_are_the_product_of_matrix_and_pixel() {
    let matrix = ColorMatrix {
        factors: [[0.9, 0.1, -0.2], [0.3, 1.1, 0.05], [0.0, 0.25, 0.7]],
        offsets: [3.5, -2.25, 0.125],
    };
    for width in WIDTHS {
        let values = bytes(3 * 3 * (width + 1));
        let source = ImagePixels::interleaved(&values, [3, 3, width + 1]).below(1, 1);
        let pixel = |y: usize, x: usize| &values[((y + 1) * (width + 1) + x + 1) * 3..][..3];
        let mut sums = [0; 3];
        for (y, x) in (0..2).flat_map(|y| (0..width).map(move |x| (y, x))) {
            sums.iter_mut().zip(pixel(y, x)).for_each(|(sum, &x)| *sum += u64::from(x));
        }
        assert_eq!(channel_sums(source, [2, width]), sums);
        for simd in levels() {
            let mut out = vec![0.0; 3 * 2 * width];
            matrix.run(simd, source, [2, width], &mut out);
            for (index, got) in out.into_iter().enumerate() {
                let (c, y, x) = (index / width / 2, index / width % 2, index % width);
                let [f0, f1, f2] = matrix.factors[c];
                let &[x0, x1, x2] = pixel(y, x).as_array().unwrap();
                let [x0, x1, x2] = [x0, x1, x2].map(f32::from);
                let want = f0 * x0 + f1 * x1 + f2 * x2 + matrix.offsets[c];
                assert_eq!(got.to_bits(), want.to_bits(), "{simd} {width} {c} {y} {x}");
            }
        }
    }
}
