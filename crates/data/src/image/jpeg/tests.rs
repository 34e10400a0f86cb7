//! Files of every kind that an encoder can write: the SIMD levels agree, and the image is what was
//! encoded. `image/tests.rs` and `cargo xtask verify jpeg` compare with other decoders.

use jpeg_encoder::{ColorType, Encoder, SamplingFactor};
use kernels::Simd;

use super::JpegBuffers;
use crate::image::{Color, DecodedImage, ImageError, JpegProblem};

/// A picture of waves: red across, green down, blue both.
fn waves(height: usize, width: usize) -> Vec<u8> {
    let wave = |at: usize| u8::try_from(6 * (at % 64).min(63 - at % 64) + 30).unwrap();
    let pixel = move |y: usize, x: usize| [wave(x), wave(y), wave(x + y)];
    (0..height).flat_map(|y| (0..width).flat_map(move |x| pixel(y, x))).collect()
}

fn encode(
    (height, width): (usize, usize),
    sampling: SamplingFactor,
    progressive: bool,
    restart: u16,
) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut encoder = Encoder::new(&mut bytes, 90);
    encoder.set_sampling_factor(sampling);
    encoder.set_progressive(progressive);
    encoder.set_restart_interval(restart);
    // The encoder counts codes for tables of its own as if there were no restarts.
    encoder.set_optimized_huffman_tables(restart == 0 && height % 2 == 1);
    let pixels = waves(height, width);
    let side = |side: usize| u16::try_from(side).unwrap();
    encoder.encode(&pixels, side(width), side(height), ColorType::Rgb).unwrap();
    bytes
}

fn decode(simd: Simd, bytes: &[u8], color: Color) -> Result<DecodedImage, ImageError> {
    let (mut image, mut spare) = (DecodedImage::default(), Vec::new());
    let mut buffers = JpegBuffers { simd, ..JpegBuffers::default() };
    buffers.decode(bytes, color, None, &mut image, &mut spare).map(|()| image)
}

const SAMPLINGS: [SamplingFactor; 8] = [
    SamplingFactor::F_1_1,
    SamplingFactor::F_2_1,
    SamplingFactor::F_1_2,
    SamplingFactor::F_2_2,
    SamplingFactor::F_4_1,
    SamplingFactor::F_4_2,
    SamplingFactor::F_1_4,
    SamplingFactor::F_2_4,
];

#[test]
fn every_kind_of_file_is_decoded_on_every_level() {
    let sizes = [(1, 1), (3, 2), (8, 5), (16, 16), (17, 33), (40, 67), (9, 130)];
    for (sampling, size) in SAMPLINGS.iter().flat_map(|&s| sizes.map(|size| (s, size))) {
        for (progressive, restart) in [(false, 0), (false, 3), (true, 0), (true, 2)] {
            let bytes = encode(size, sampling, progressive, restart);
            let name = format!("{size:?} {sampling:?} {progressive} {restart}");
            for color in [Color::Bgr, Color::Gray] {
                let plain = decode(Simd::Portable, &bytes, color).expect(&name);
                assert_eq!((plain.height, plain.width), size);
                let fast = decode(Simd::detect(), &bytes, color).expect(&name);
                assert!(plain == fast, "{name} {color:?}");
            }
            let image = decode(Simd::detect(), &bytes, Color::Bgr).expect(&name);
            let want = waves(size.0, size.1);
            let pixels = image.pixels.as_chunks::<3>().0.iter().zip(want.as_chunks::<3>().0);
            let error = |([b, g, r], [red, green, blue]): (&[u8; 3], &[u8; 3])| {
                let luma = |r: u8, g: u8, b: u8| {
                    0.299 * f32::from(r) + 0.587 * f32::from(g) + 0.114 * f32::from(b)
                };
                (luma(*r, *g, *b) - luma(*red, *green, *blue)).abs()
            };
            let count = pixels.len() as f32;
            let mean = pixels.map(error).sum::<f32>() / count;
            assert!(mean < 5.0, "{name}: luma is wrong by {mean} on average");
        }
    }
}

/// Data that ends within a scan, at each of its bytes; then restart markers that are missing.
#[test]
fn data_that_ends_early_is_an_error() {
    for (progressive, restart) in [(false, 0), (false, 1), (true, 0)] {
        let bytes = encode((24, 40), SamplingFactor::F_2_2, progressive, restart);
        let scan = bytes.windows(2).position(|pair| pair == [0xff, 0xda]).unwrap();
        // The last byte of the data may hold nothing but padding.
        for len in scan..bytes.len() - 3 {
            let cut = decode(Simd::detect(), &bytes[..len], Color::Bgr);
            assert!(matches!(cut, Err(ImageError::Jpeg(_))), "{len} of {} bytes", bytes.len());
        }
    }
    let mut bytes = encode((24, 40), SamplingFactor::F_2_2, false, 1);
    let marker = bytes.windows(2).position(|pair| pair == [0xff, 0xd1]).unwrap();
    bytes[marker + 1] = 0xe5;
    let missing = decode(Simd::detect(), &bytes, Color::Bgr).unwrap_err();
    assert!(
        matches!(missing, ImageError::Jpeg(JpegProblem::Damaged(what)) if what.contains("restart"))
    );
}
