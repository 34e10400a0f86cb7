//! The order of draws, and invalid ratios.

use base::random::Mt19937;

use super::draw_channels_last;
use crate::testing::error;

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

#[test]
fn a_ratio_that_keeps_nothing_is_refused() {
    for ratio in ["1", "-0.1", "nan"] {
        let text = format!("type: \"Dropout\" dropout_param {{ dropout_ratio: {ratio} }}");
        let error = error(&text, &[&[1, 2]], 1);
        assert!(error.contains("dropout_param.dropout_ratio"), "{error}");
    }
}
