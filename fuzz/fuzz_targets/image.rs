//! Any bytes as a JPEG or PNG file: an error or as many pixels as the header says; a region is the
//! crop of the whole.
#![no_main]

use data::image::{Color, DecodedImage, ImageDecoder, PixelRegion, decode, size};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    for color in [Color::AsStored, Color::Bgr, Color::Gray] {
        let Ok(image) = decode(bytes, color) else { continue };
        let (c, h, w) = (image.channels, image.height, image.width);
        assert_eq!(size(bytes, color).expect("it was decoded"), [c, h, w]);
        assert_eq!(image.pixels.len(), c * h * w);
        let (top, left) = (h / 3, w / 4);
        let region = PixelRegion { top, left, height: h - top, width: w - left };
        let mut cropped = DecodedImage::default();
        let decoded = ImageDecoder::default().decode_region(bytes, color, region, &mut cropped);
        decoded.expect("the whole was decoded");
        let rows = image.pixels.chunks_exact(w * c).skip(top);
        assert!(rows.zip(cropped.pixels.chunks_exact((w - left) * c)).all(|(a, b)| a[left * c..] == *b));
    }
});
