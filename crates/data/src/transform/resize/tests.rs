use caffe_format::{Phase, TransformationParameter, text};

use crate::error::{DataError, SampleProblem};
use crate::paths::PathRoot;
use crate::sample::{PixelValues, Sample};
use crate::transform::{Chw, TransformBuffers, Transformer};

fn transformer(options: &str) -> Result<Transformer, DataError> {
    let param: TransformationParameter = text::read("test", options).unwrap();
    let mut transformer = Transformer::new(&param, Phase::Test, &PathRoot::default())?;
    transformer.seed(&mut base::random::Mt19937::new(1));
    Ok(transformer)
}

/// What becomes of a sample: size and values.
fn transform(options: &str, size: Chw, values: PixelValues<'_>) -> (Chw, Vec<f32>) {
    let mut transformer = transformer(options).unwrap();
    let mut buffers = TransformBuffers::default();
    let drawn = transformer.draw(size).unwrap();
    let (rules, sample) = (transformer.rules(), Sample::whole(size, values, 3));
    let output = rules.output(rules.resized_size(size)).unwrap();
    let mut out = vec![0.0; output.iter().product()];
    rules.apply(&sample, drawn, &mut buffers, &mut out).unwrap();
    (output, out)
}

/// Halves are means of 2 by 2 pixels, the rest is bilinear; then mean and scale.
#[test]
fn records_are_resized_before_anything_else() {
    let image: Vec<u8> = (0..16).map(|at| 10 * at).collect();
    let planar = PixelValues::Planar(&image);
    let half = "resize_param { height: 2 width: 2 }";
    assert_eq!(transform(half, [1, 4, 4], planar), ([1, 2, 2], vec![25.0, 45.0, 105.0, 125.0]));
    let scaled = format!("{half} scale: 2 mean_value: 5 mirror: false");
    assert_eq!(transform(&scaled, [1, 4, 4], planar).1, [40.0, 80.0, 200.0, 240.0]);
    let cropped = "resize_param { height: 4 width: 8 } crop_size: 2";
    let (size, values) = transform(cropped, [1, 4, 4], planar);
    // Columns 3 and 4 of 8 look at 1.25 and 1.75 of 4; rows 1 and 2 stay.
    assert_eq!((size, values), ([1, 2, 2], vec![53.0, 58.0, 93.0, 98.0]));
}

/// The aspect ratio stays, and both sides are at least what is asked for.
#[test]
fn the_smaller_side_fits() {
    let options = "resize_param { height: 6 width: 6 resize_mode: FIT_SMALL_SIZE }";
    let rules = transformer(options).unwrap();
    for (size, want) in [
        ([1, 12, 24], [1, 6, 12]),
        ([3, 25, 12], [3, 12, 6]),
        ([3, 7, 7], [3, 6, 6]),
        ([1, 2, 3], [1, 6, 9]),
    ] {
        assert_eq!(rules.rules().resized_size(size), want);
    }
    let rows: Vec<u8> = (0..4).flat_map(|row| [row * 10; 2]).collect();
    let fits = "resize_param { height: 1 width: 1 resize_mode: FIT_SMALL_SIZE }";
    let (size, values) = transform(fits, [1, 4, 2], PixelValues::Planar(&rows));
    assert_eq!((size, values), ([1, 2, 1], vec![5.0, 25.0]));
}

#[test]
fn channels_may_lie_apart_or_together() {
    let planar: Vec<u8> = (0..48).map(|at| at * 5).collect();
    let interleaved: Vec<u8> = (0..48).map(|at| planar[at % 3 * 16 + at / 3]).collect();
    let options =
        "resize_param { resize_mode: WARP interp_mode: LINEAR prob: 1 height: 3 width: 5 }";
    let apart = transform(options, [3, 4, 4], PixelValues::Planar(&planar));
    assert_eq!(apart.0, [3, 3, 5]);
    assert_eq!(apart, transform(options, [3, 4, 4], PixelValues::Interleaved(&interleaved)));
}

#[test]
fn a_record_of_that_size_stays_as_it_is_and_others_of_floats_cannot_be_resized() {
    let floats = [0.5, 1.5, 2.5, 3.5];
    let options = "resize_param { height: 2 width: 2 }";
    assert_eq!(transform(options, [1, 2, 2], PixelValues::Floats(&floats)).1, floats);
    let sample = Sample::whole([1, 1, 4], PixelValues::Floats(&floats), 0);
    let transformer = transformer(options).unwrap();
    let mut buffers = TransformBuffers::default();
    let problem = transformer.rules().resize(&sample, &mut buffers.resized).unwrap_err();
    assert!(matches!(problem, SampleProblem::ResizeFloats));
}

#[test]
fn what_is_not_done_is_refused_by_name() {
    let check = |options: &str, want: &str| {
        assert_eq!(transformer(options).unwrap_err().to_string(), want);
    };
    let field = "transform_param.resize_param";
    check(
        "resize_param { height: 3 width: 3 resize_mode: FIT_LARGE_SIZE_AND_PAD }",
        &format!(
            "`{field}.resize_mode` is FIT_LARGE_SIZE_AND_PAD, expected WARP or FIT_SMALL_SIZE"
        ),
    );
    check(
        "resize_param { height: 3 width: 3 interp_mode: LINEAR interp_mode: CUBIC }",
        &format!(
            "`{field}.interp_mode` is CUBIC, expected LINEAR alone, or nothing, which means the same"
        ),
    );
    check(
        "resize_param { height: 3 width: 3 prob: 0.5 }",
        &format!("`{field}.prob` is 0.5, expected 1: every record is resized"),
    );
    check(
        "resize_param { height: 3 }",
        &format!("`{field}.height` and `{field}.width` must be set and above 0"),
    );
    check(
        "resize_param { height: 4294967295 width: 4294967295 }",
        &format!("an image of `height` and `width` of `{field}`"),
    );
}
