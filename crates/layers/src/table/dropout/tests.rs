//! The order of draws, forks' fields, and invalid ratios.

use base::Shape;
use base::random::Mt19937;
use caffe_format::{LayerParameter, Phase};
use tensor::Layout;

use super::draw_channels_last;
use crate::testing::{LayerMemory, error, forward, values};
use crate::{LayerError, LayerSpec};

#[test]
fn the_same_values_are_dropped_in_both_layouts() {
    let [n, c, pixels] = [2, 3, 4];
    let mut rng = Mt19937::new(1701);
    let row_major = [(); 24].map(|()| rng.bernoulli(0.6));
    let mut channels_last = [0; 24];
    draw_channels_last(&mut Mt19937::new(1701), 0.6, [n, c, pixels], &mut channels_last);
    for (i, &keep) in row_major.iter().enumerate() {
        let (image, channel, pixel) = (i / (c * pixels), i / pixels % c, i % pixels);
        let at = (image * pixels + pixel) * c + channel;
        assert_eq!(channels_last[at], u8::from(keep), "value {i}");
    }
}

fn text(options: &str) -> String {
    format!("type: \"Dropout\" dropout_param {{ {options} }}")
}

const X: [f32; 4] = [1.0, -2.0, 4.0, 8.0];

/// The top in testing.
fn in_testing(options: &str) -> Result<Vec<f32>, LayerError> {
    let layer: LayerParameter = caffe_format::text::read("test", &text(options)).unwrap();
    let (phase, in_place, source_shapes) = (Phase::Test, false, &[]);
    let spec = LayerSpec { layer: &layer, phase, in_place, bottoms: 1, tops: 1, source_shapes };
    let mut layer = (super::KIND.build)(&spec)?;
    let bottoms = vec![(Shape::new(&[4]).unwrap(), X.to_vec())];
    let mut memory = LayerMemory::new(&mut *layer, Layout::RowMajor, false, bottoms)?;
    memory.forward(&mut *layer, &mut Mt19937::new(1701), None)?;
    Ok(values(&memory).remove(0).1)
}

#[test]
fn testing_multiplies_where_training_does_not_divide() {
    let in_training =
        |options: &str| forward(&text(options), &[(&[4], &X)], 1).unwrap().remove(0).1;
    assert_eq!(in_testing("dropout_ratio: 0.75").unwrap(), X);
    assert_eq!(in_testing("dropout_ratio: 0.75 scale_train: false").unwrap(), X.map(|x| x / 4.0));
    let plain = in_training("dropout_ratio: 0.75 scale_train: false");
    let divided = in_training("dropout_ratio: 0.75");
    assert_eq!(divided, plain.iter().map(|y| 4.0 * y).collect::<Vec<_>>());
    assert!(plain.iter().zip(X).all(|(&y, x)| y == 0.0 || y == x), "{plain:?}");
    assert_eq!(in_testing("dropout_ratio: 0.75 sample_weights_test: true").unwrap(), divided);
}

#[test]
fn a_ratio_of_one_is_accepted_where_nothing_is_divided_by_zero() {
    assert_eq!(in_testing("dropout_ratio: 1").unwrap(), X);
    let none = [0.0; 4];
    assert_eq!(in_testing("dropout_ratio: 1 scale_train: false").unwrap(), none);
    let dropped = forward(&text("dropout_ratio: 1 scale_train: false"), &[(&[4], &X)], 1);
    assert_eq!(dropped.unwrap()[0].1, none);
    let want = "`dropout_param.dropout_ratio` is 1, expected less than 1: all would be dropped, and \
                divided by 0";
    assert_eq!(error(&text("dropout_ratio: 1"), &[&[1, 2]], 1), want);
    let error = in_testing("dropout_ratio: 1 sample_weights_test: true").unwrap_err();
    assert_eq!(error.to_string(), want);
}

#[test]
fn a_ratio_that_is_none_is_refused() {
    for (ratio, got) in [("1.1", "1.1"), ("-0.1", "-0.1"), ("nan", "NaN")] {
        assert_eq!(
            error(&text(&format!("dropout_ratio: {ratio}")), &[&[1, 2]], 1),
            format!("`dropout_param.dropout_ratio` is {got}, expected from 0 to 1")
        );
    }
}
