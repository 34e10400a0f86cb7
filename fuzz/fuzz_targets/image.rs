//! Any bytes as a JPEG or PNG file: an error or as many pixels as the size says.
#![no_main]

use data::image::{Color, decode};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    for color in [Color::AsStored, Color::Bgr, Color::Gray] {
        if let Ok(image) = decode(bytes, color) {
            assert_eq!(image.pixels.len(), image.height * image.width * image.channels);
        }
    }
});
