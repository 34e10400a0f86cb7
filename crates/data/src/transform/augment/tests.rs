use base::random::Mt19937;
use caffe_format::{Phase, TransformationParameter, text};

use super::RecordRandom;
use crate::{
    error::{DataError, SampleProblem},
    image::{DecodedImage, resize},
    paths::PathRoot,
    sample::{PixelValues, Sample},
    transform::{Chw, TransformBuffers, Transformer},
};

fn transformer(options: &str, phase: Phase) -> Result<Transformer, DataError> {
    let param: TransformationParameter = text::read("test", options).unwrap();
    let mut transformer = Transformer::new(&param, phase, &PathRoot::default())?;
    transformer.seed(&mut Mt19937::new(1));
    Ok(transformer)
}

/// The next record's values, of `size` as stored.
fn transform(transformer: &mut Transformer, sample: &Sample<'_>) -> Vec<f32> {
    let drawn = transformer.draw(sample.size).unwrap();
    let rules = transformer.rules();
    let mut out = vec![0.0; rules.output(sample.size).unwrap().iter().product()];
    rules.apply(sample, drawn, &mut TransformBuffers::default(), &mut out).unwrap();
    out
}

const SIZE: Chw = [3, 40, 60];

fn interleaved() -> Vec<u8> {
    (0..3 * 40 * 60).map(|at| u8::try_from(at * 31 % 253).unwrap()).collect()
}

fn planar(interleaved: &[u8]) -> Vec<u8> {
    (0..3).flat_map(|c| interleaved.iter().skip(c).step_by(3).copied()).collect()
}

/// A region within bounds of area and aspect, resized; the same of raw and of decoded records.
#[test]
fn a_random_region_is_resized_to_the_crop() {
    let options = "crop_size: 16 mean_value: 3
                   random_resized_crop { min_area: 0.2 max_area: 0.7 max_aspect_ratio: 1.5 }";
    let (pixels, mut regions) = (interleaved(), Vec::new());
    let planes = planar(&pixels);
    let mut raw = transformer(options, Phase::Train).unwrap();
    let mut decoded = transformer(options, Phase::Train).unwrap();
    for _ in 0..50 {
        let region = transformer(options, Phase::Train).map(|_| raw_region(&mut raw)).unwrap();
        let area = region.height * region.width;
        assert!((0.19 * 2400.0..0.71 * 2400.0).contains(&(area as f64)), "{region:?}");
        let aspect = region.height as f64 / region.width as f64;
        assert!((0.64..1.57).contains(&aspect), "{region:?}");
        regions.push(region);
        let got =
            transform(&mut decoded, &Sample::whole(SIZE, PixelValues::Interleaved(&pixels), 0));
        let mut image = DecodedImage { channels: 3, height: 40, width: 60, pixels: pixels.clone() };
        image.crop(region).unwrap();
        let want = planar(&resize::resize(&image, 16, 16).pixels);
        assert!(got.iter().zip(want).all(|(&got, want)| got == f32::from(want) - 3.0));
    }
    regions.sort_unstable_by_key(|r| (r.top, r.left, r.height, r.width));
    regions.dedup();
    assert!(regions.len() > 45, "regions differ");
    let mut again = [0, 1].map(|_| transformer(options, Phase::Train).unwrap());
    let samples = [PixelValues::Interleaved(&pixels), PixelValues::Planar(&planes)];
    let [a, b] = [0, 1].map(|i| transform(&mut again[i], &Sample::whole(SIZE, samples[i], 0)));
    assert!(a == b, "raw and decoded records");
}

fn raw_region(transformer: &mut Transformer) -> crate::image::PixelRegion {
    transformer.draw(SIZE).unwrap().region
}

/// In the TEST phase, and where no region fits, the centre.
#[test]
fn tests_crop_the_centre() {
    let options = "crop_size: 16 random_resized_crop {} color_jitter { brightness: 1 }";
    let pixels = interleaved();
    let sample = Sample::whole(SIZE, PixelValues::Interleaved(&pixels), 0);
    let mut plain = transformer("crop_size: 16", Phase::Test).unwrap();
    let want = transform(&mut plain, &sample);
    assert!(transform(&mut transformer(options, Phase::Test).unwrap(), &sample) == want);
    let mut narrow = transformer(options, Phase::Train).unwrap();
    let region = narrow.draw([3, 2, 4000]).unwrap().region;
    assert!(region.height == 2 && region.width == 2 && region.left == 1999, "{region:?}");
}

/// Skipped records draw what transformed ones draw, also with crops and mirrors.
#[test]
fn skipping_draws_as_much() {
    for options in [
        "crop_size: 16 mirror: true color_jitter { contrast: 0.4 }",
        "crop_size: 16 mirror: true random_resized_crop {} lighting {}",
        "lighting { std: 0.5 }",
    ] {
        let mut drawn = transformer(options, Phase::Train).unwrap();
        let mut skipped = transformer(options, Phase::Train).unwrap();
        (0..7).for_each(|_| _ = drawn.draw(SIZE).unwrap());
        skipped.skip(7);
        assert_eq!(drawn.rng(), skipped.rng(), "{options}");
    }
}

/// Against the definitions, pixel by pixel in f64; factors of all strengths are drawn.
#[test]
fn colours_follow_their_definitions() {
    let pixels = interleaved();
    let sample = Sample::whole(SIZE, PixelValues::Interleaved(&pixels), 0);
    let plain = transform(&mut transformer("", Phase::Train).unwrap(), &sample);
    let gray = |at: usize, of: &[f32]| {
        0.114 * f64::from(of[at])
            + 0.587 * f64::from(of[2400 + at])
            + 0.299 * f64::from(of[4800 + at])
    };
    let mean_gray = (0..2400).map(|at| gray(at, &plain)).sum::<f64>() / 2400.0;
    for (field, other) in
        [("brightness", None), ("contrast", Some(mean_gray)), ("saturation", None)]
    {
        let options = format!("color_jitter {{ {field}: 0.5 }}");
        let mut jitter = transformer(&options, Phase::Train).unwrap();
        let mut factors = Vec::new();
        for _ in 0..20 {
            let got = transform(&mut jitter, &sample);
            let base = |at: usize| match field {
                "brightness" => 0.0,
                "saturation" => gray(at % 2400, &plain),
                _ => other.unwrap(),
            };
            let far = (0..7200).max_by(|&a, &b| {
                let distance = |at: usize| (f64::from(plain[at]) - base(at)).abs();
                distance(a).total_cmp(&distance(b))
            });
            let far = far.unwrap();
            let factor = (f64::from(got[far]) - base(far)) / (f64::from(plain[far]) - base(far));
            assert!((0.5..1.5).contains(&factor), "{field} {factor}");
            for at in 0..7200 {
                let want = factor * f64::from(plain[at]) + (1.0 - factor) * base(at);
                assert!((f64::from(got[at]) - want).abs() < 1e-2, "{field} {at}");
            }
            factors.push(factor);
        }
        factors.sort_by(f64::total_cmp);
        assert!(factors[0] < 0.75 && factors[19] > 1.25, "{factors:?}");
    }
    let mut light = transformer("lighting { std: 0.1 }", Phase::Train).unwrap();
    let got = transform(&mut light, &sample);
    for c in 0..3 {
        let shift = got[c * 2400] - plain[c * 2400];
        assert!(shift != 0.0 && shift.abs() < 60.0);
        let same = |at: usize| (got[at] - plain[at] - shift).abs() < 1e-4;
        assert!((c * 2400..(c + 1) * 2400).all(same), "one offset per channel");
    }
}

/// A run repeats to the bit: what is drawn does not change between versions or machines.
#[test]
fn draws_do_not_change() {
    let mut random = RecordRandom::new(1701);
    let drawn = [random.unit(), random.between(2.0, 3.0), random.normal()];
    assert_eq!(drawn.map(f64::to_bits), DRAWN, "{:#x?}", drawn.map(f64::to_bits));
    let options = "crop_size: 8 random_resized_crop {}
                   color_jitter { brightness: 0.4 contrast: 0.4 saturation: 0.4 } lighting {}";
    let pixels = interleaved();
    let sample = Sample::whole(SIZE, PixelValues::Interleaved(&pixels), 0);
    let mut transformer = transformer(options, Phase::Train).unwrap();
    let values: Vec<f32> = (0..4).flat_map(|_| transform(&mut transformer, &sample)).collect();
    let hash = values.iter().fold(0_u64, |hash, value| {
        (hash ^ u64::from(value.to_bits())).wrapping_mul(0x100_0000_01b3)
    });
    assert_eq!(hash, HASH, "{hash:#x}");
}

const DRAWN: [u64; 3] = [0x3fee_abbf_5840_0000, 0x4004_1c6d_ab88_0000, 0x3fdc_516e_04c0_0000];
const HASH: u64 = 0xd785_aa74_fcd6_3e81;

#[test]
fn what_makes_no_sense_is_refused_by_name() {
    let check = |options: &str, want: &str| {
        let error = transformer(options, Phase::Train).unwrap_err().to_string();
        assert!(error.contains(want), "{error}");
    };
    check("random_resized_crop {}", "`transform_param.crop_size` for `random_resized_crop`");
    let crop = "crop_size: 4 random_resized_crop";
    check(&format!("{crop} {{ min_area: 0 }}"), "min_area` is 0, expected above 0");
    check(&format!("{crop} {{ max_area: 0.01 }}"), "max_area` is 0.01, expected from `min_area`");
    check(&format!("{crop} {{ max_aspect_ratio: 0.5 }}"), "max_aspect_ratio` is 0.5");
    check("color_jitter { contrast: 2 }", "contrast` is 2, expected from 0 to 1");
    check("lighting { eigenvalue: 1 }", "1 eigenvalues and 0 of eigenvectors");
    let mut colors = transformer("color_jitter { contrast: 0.5 }", Phase::Train).unwrap();
    let (gray, floats) = ([7; 4], [0.5; 12]);
    let gray = Sample::whole([1, 2, 2], PixelValues::Planar(&gray), 0);
    let floats = Sample::whole([3, 2, 2], PixelValues::Floats(&floats), 0);
    assert!(matches!(colors.draw(gray.size), Err(SampleProblem::Colors { size: [1, 2, 2] })));
    let drawn = colors.draw(floats.size).unwrap();
    let mut out = [0.0; 12];
    let applied = colors.rules().apply(&floats, drawn, &mut TransformBuffers::default(), &mut out);
    assert!(matches!(applied, Err(SampleProblem::ResizeFloats)));
}
