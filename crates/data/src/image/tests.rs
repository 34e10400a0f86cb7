//! Against OpenCV 4: FNV-1a hashes of the pixels that `cv2.imread` gives for `test_data/images`
//! (drawn for these tests) with `IMREAD_COLOR`, `IMREAD_GRAYSCALE` and `IMREAD_UNCHANGED`. Then
//! the same files damaged.

use std::path::Path;

use super::resize::{ImageResizer, resize};
use super::{Color, DecodedImage, ImageDecoder, ImageError, PixelRegion, decode, size};

fn file(name: &str) -> Vec<u8> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("test_data/images");
    std::fs::read(folder.join(name)).unwrap()
}

fn hash(bytes: &[u8]) -> u64 {
    let mix = |h: u64, b: &u8| (h ^ u64::from(*b)).wrapping_mul(0x0100_0000_01b3);
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, mix)
}

#[rustfmt::skip]
const OPENCV: &[(&str, [u64; 3])] = &[
    ("411_baseline_restart0.jpg", [0xcfdb_4fed_b34e_b23c, 0x93f5_3e90_5f14_777f, 0xcfdb_4fed_b34e_b23c]),
    ("411_progressive_restart0.jpg", [0x6834_2d95_240c_f056, 0x70dc_83b0_eae4_15d9, 0x6834_2d95_240c_f056]),
    ("420_baseline_restart2.jpg", [0x5e54_f81c_9142_88a7, 0xcbbb_1f1e_6c18_6de1, 0x5e54_f81c_9142_88a7]),
    ("420_progressive_restart3.jpg", [0x91f0_fd08_17c0_6744, 0xd311_b1e5_f217_a7af, 0x91f0_fd08_17c0_6744]),
    ("422_baseline_restart1.jpg", [0xd3a5_97c0_f97a_ff53, 0x43ca_4aaa_9b8c_da65, 0xd3a5_97c0_f97a_ff53]),
    ("422_progressive_restart0.jpg", [0x112b_d42d_1083_1f0f, 0xadbb_b8f3_d1ec_7d40, 0x112b_d42d_1083_1f0f]),
    ("440_baseline_restart0.jpg", [0x43de_78a5_8ee9_e8a8, 0x221b_cdee_0860_e649, 0x43de_78a5_8ee9_e8a8]),
    ("440_progressive_restart0.jpg", [0xb1f2_06d8_8b37_92e1, 0x92de_853d_b5b3_7acf, 0xb1f2_06d8_8b37_92e1]),
    ("444_baseline_restart0.jpg", [0x3f1f_9fed_8417_12b9, 0xad5b_bbd3_f578_23cd, 0x3f1f_9fed_8417_12b9]),
    ("444_progressive_restart0.jpg", [0xd81d_f9b5_7418_23be, 0xcdeb_cd16_8c00_af9c, 0xd81d_f9b5_7418_23be]),
    ("bits1.png", [0x3ba2_b48f_f478_18aa, 0x16b1_6ab5_e20e_7fb0, 0x16b1_6ab5_e20e_7fb0]),
    ("cmyk.jpg", [0xbfe2_c45c_1281_40e5, 0x18fa_454c_99a5_eeae, 0xbfe2_c45c_1281_40e5]),
    ("gray16.png", [0xd7b3_fb8b_7946_7156, 0x3f98_c6a1_739c_0fbc, 0]),
    ("gray_alpha.png", [0x08c7_d56f_4e11_e5cb, 0x73aa_7a96_d2b7_2db7, 0x22d9_b091_9a9e_d856]),
    ("gray_baseline.jpg", [0x8135_92ed_abe4_27f4, 0x95ca_c282_f268_6ace, 0x95ca_c282_f268_6ace]),
    ("gray_progressive.jpg", [0xfd8e_a14f_5e8e_219f, 0x2acb_fdee_dc01_8827, 0x2acb_fdee_dc01_8827]),
    ("noise.jpg", [0xbf33_4cbf_8fc4_7b28, 0xbe54_fc85_21d4_6a86, 0xbf33_4cbf_8fc4_7b28]),
    ("palette4.png", [0xfda1_22c3_33c0_7f01, 0xf3f7_c959_083f_1fc7, 0xfda1_22c3_33c0_7f01]),
    ("rgba.png", [0x78d6_0bd0_3bf7_6761, 0xf931_bdfc_56a0_4f38, 0xd70b_9548_4dd8_ba08]),
    ("turned2.jpg", [0x5c14_d92e_637a_77d7, 0x9e88_9914_25b6_4325, 0x5e54_f81c_9142_88a7]),
    ("turned5.jpg", [0x6021_1f63_bde6_5c87, 0x6fc7_fb88_9004_f761, 0x5e54_f81c_9142_88a7]),
    ("turned6.jpg", [0x43bf_9ce6_f4ad_d907, 0x0d5a_c273_92b8_b425, 0x5e54_f81c_9142_88a7]),
    ("turned8.jpg", [0x3bbb_031d_e7e8_16ff, 0x13f9_dc6a_81bc_9b3d, 0x5e54_f81c_9142_88a7]),
];

/// One decoder and one image for all: what a file before left in the memory does not matter.
#[test]
fn pixels_are_those_of_opencv() {
    let (mut decoder, mut image) = (ImageDecoder::default(), DecodedImage::default());
    for &(name, want) in OPENCV {
        let bytes = file(name);
        for (color, want) in [Color::Bgr, Color::Gray, Color::AsStored].into_iter().zip(want) {
            match decoder.decode(&bytes, color, &mut image) {
                Ok(()) => {
                    assert_eq!(hash(&image.pixels), want, "{name} {color:?}");
                    assert_eq!(image, decode(&bytes, color).unwrap(), "{name} {color:?}, alone");
                }
                Err(error) => assert!(matches!(error, ImageError::Deep) && want == 0, "{name}"),
            }
        }
    }
}

/// Regions at borders and in the middle of every file, and what [`size`] says of it.
#[test]
fn a_region_is_the_crop_of_the_image() {
    let (mut decoder, mut image) = (ImageDecoder::default(), DecodedImage::default());
    for &(name, want) in OPENCV {
        let bytes = file(name);
        for color in [Color::Bgr, Color::Gray, Color::AsStored] {
            if color == Color::AsStored && want[2] == 0 {
                assert!(matches!(size(&bytes, color), Err(ImageError::Deep)), "{name}");
                continue;
            }
            let whole = decode(&bytes, color).unwrap();
            let (h, w, c) = (whole.height, whole.width, whole.channels);
            assert_eq!(size(&bytes, color).unwrap(), [c, h, w], "{name} {color:?}");
            let mut regions = vec![(0, 0, h, w), (0, 0, 1, 1), (h - 1, w - 1, 1, 1)];
            regions.extend((0..h.min(w) / 2).map(|i| (i, i / 2, h - i - i / 2, w - i)));
            for (top, left, height, width) in regions {
                let region = PixelRegion { top, left, height, width };
                decoder.decode_region(&bytes, color, region, &mut image).unwrap();
                assert_eq!((image.height, image.width, image.channels), (height, width, c));
                let rows = (top..top + height).map(|y| &whole.pixels[(y * w + left) * c..]);
                let crop: Vec<u8> = rows.flat_map(|row| &row[..width * c]).copied().collect();
                assert!(image.pixels == crop, "{name} {color:?} {region:?}");
            }
            for (top, left, height, width) in
                [(0, 0, h + 1, w), (0, w, 1, 1), (0, 0, 0, w), (usize::MAX, 0, 1, 1)]
            {
                let region = PixelRegion { top, left, height, width };
                let refused = decoder.decode_region(&bytes, color, region, &mut image);
                assert!(matches!(refused, Err(ImageError::Region { .. })), "{name} {region:?}");
            }
        }
    }
}

/// Cut in many places, or one of many bytes changed: an error or some picture, never a panic.
#[test]
fn damaged_files_do_not_panic() {
    for &(name, _) in OPENCV {
        let good = file(name);
        for len in (0..good.len() - 2).step_by(7) {
            if let Ok(image) = decode(&good[..len], Color::Bgr) {
                // Only the end is missing.
                assert!(good.len() - len <= 12, "{name} cut to {len} of {}", good.len());
                assert_eq!(image.channels, 3);
            }
        }
        for at in (0..good.len()).filter(|at| at % 3 == 0 || *at < 200) {
            for flip in [0x01, 0xff] {
                let mut bad = good.clone();
                bad[at] ^= flip;
                _ = decode(&bad, Color::AsStored);
                _ = size(&bad, Color::Bgr);
            }
        }
    }
}

#[test]
fn announced_sizes_are_checked_first() {
    let mut jpeg = file("444_baseline_restart0.jpg");
    let sof = jpeg.windows(2).position(|pair| pair == [0xff, 0xc0]).unwrap();
    jpeg[sof + 5..sof + 9].copy_from_slice(&[0xff; 4]);
    assert!(matches!(decode(&jpeg, Color::Bgr), Err(ImageError::TooLarge { .. })));
    jpeg[sof + 5..sof + 9].copy_from_slice(&[0; 4]);
    assert!(matches!(decode(&jpeg, Color::Bgr), Err(ImageError::Empty { .. })));
    assert!(matches!(decode(b"GIF89a", Color::Bgr), Err(ImageError::UnknownFormat)));
    assert!(matches!(decode(b"", Color::Bgr), Err(ImageError::UnknownFormat)));
}

/// `cv2.resize` of two of the recorded pictures, one of them halved.
#[test]
fn resizing_is_opencvs() {
    #[rustfmt::skip]
    let cases = [
        ("img03.png", 20, 24, 0x3b6f_221f_5d61_a75c),
        ("img03.png", 98, 116, 0xcc2a_dc43_8ae1_5612),
        ("img03.png", 10, 10, 0x48bd_88df_b2fa_927e),
        ("img03.png", 58, 49, 0x2086_d942_c9fe_ae86),
        ("img03.png", 1, 1, 0x9b72_e319_6af2_9ebf),
        ("img03.png", 7, 3, 0xdb08_6e20_47a2_303a),
        ("img00.jpg", 20, 32, 0xa5e6_ec20_ec1b_1df4),
        ("img00.jpg", 20, 64, 0x0308_05d9_c5df_df3b),
        ("img00.jpg", 80, 128, 0xf4a1_0cfd_f10b_7cb2),
    ];
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/golden/data/images");
    let (mut resizer, mut resized) = (ImageResizer::default(), DecodedImage::default());
    for (name, height, width, want) in cases {
        let image = decode(&std::fs::read(folder.join(name)).unwrap(), Color::Bgr).unwrap();
        resizer.resize(&image, height, width, &mut resized);
        assert_eq!((resized.height, resized.width), (height, width));
        assert_eq!(hash(&resized.pixels), want, "{name} to {height} by {width}");
    }
    let image = DecodedImage { channels: 1, height: 1, width: 1, pixels: vec![7] };
    assert!(resize(&image, 3, 5).pixels.iter().all(|&pixel| pixel == 7));
}

/// Files that fuzzing starts from and those it found; `fuzz/fuzz_targets/image.rs` runs the same.
#[test]
fn hostile_files_are_survived() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("test_data/hostile/image");
    for file in std::fs::read_dir(folder).unwrap() {
        let bytes = std::fs::read(file.unwrap().path()).unwrap();
        for color in [Color::AsStored, Color::Bgr, Color::Gray] {
            if let Ok(image) = decode(&bytes, color) {
                let size = size(&bytes, color).unwrap();
                assert_eq!(size, [image.channels, image.height, image.width]);
                assert_eq!(image.pixels.len(), size.iter().product());
            }
        }
    }
}
