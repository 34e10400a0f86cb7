//! Four channels of 4 by 4 pixels; pixel `i` of channel `q` is `100 q + i`.

use crate::testing::{backward, error, forward};

const LAYER: &str = "type: \"PSROIPooling\" psroi_pooling_param { output_dim: 1 group_size: 2 ";

fn image() -> Vec<f32> {
    (0..64_u8).map(|at| 100.0 * f32::from(at / 16) + f32::from(at % 16)).collect()
}

fn bins(scale: &str, region: [f32; 5]) -> Vec<f32> {
    let text = format!("{LAYER} spatial_scale: {scale} }}");
    let tops = forward(&text, &[(&[1, 4, 4, 4], &image()), (&[1, 5], &region)], 1).unwrap();
    assert_eq!(tops[0].0.dims(), [1, 1, 2, 2]);
    tops[0].1.clone()
}

#[test]
fn each_bin_is_the_mean_of_its_own_channel() {
    assert_eq!(bins("1", [0.0, 0.0, 0.0, 3.0, 3.0]), [2.5, 104.5, 210.5, 312.5]);
    // From 0 to 1.5 in bins of 0.75: pixels 0..1 and 0..2.
    assert_eq!(bins("0.5", [0.0, 0.0, 0.0, 2.0, 2.0]), [0.0, 100.5, 202.0, 302.5]);
}

#[test]
fn boxes_of_any_size_have_a_result() {
    assert_eq!(bins("1", [0.0, -9.0, -9.0, -5.0, -5.0]), [0.0; 4], "outside");
    // 0.1 pixels from (3, 2) on, in two bins that both touch that pixel only.
    assert_eq!(bins("1", [0.0, 2.0, 3.0, 0.0, 0.0]), [14.0, 114.0, 214.0, 314.0], "exchanged");
    assert_eq!(bins("1", [0.0, -1e38, -1e38, 1e38, 1e38])[3], 307.5, "the second half is all");
    assert_eq!(bins("1e38", [0.0, -1e38, -1e38, 1e38, 1e38]).len(), 4);
}

#[test]
fn gradients_are_spread_over_the_bins() {
    let region = [0.0, 0.0, 0.0, 3.0, 3.0];
    let bottoms: [(&[usize], &[f32]); 2] = [(&[1, 4, 4, 4], &image()), (&[1, 5], &region)];
    let text = format!("{LAYER} spatial_scale: 1 }}");
    let dx = backward(&text, &bottoms, &[&[4.0, 8.0, 12.0, 16.0]]).unwrap().remove(0);
    for (q, first) in [(0, 0), (1, 2), (2, 8), (3, 10)] {
        let mut want = [0.0; 16];
        for pixel in [first, first + 1, first + 4, first + 5] {
            want[pixel] = (q + 1) as f32;
        }
        assert_eq!(dx[16 * q..][..16], want, "channel {q}");
    }
}

#[test]
fn invalid_options_and_bottoms_are_reported() {
    let check = |options: &str, bottoms: [&[usize]; 2], want: &str| {
        let text = format!("type: \"PSROIPooling\" psroi_pooling_param {{ {options} }}");
        assert_eq!(error(&text, &bottoms, 1), want);
    };
    let bottoms: [&[usize]; 2] = [&[1, 4, 4, 4], &[3, 5]];
    check(
        "output_dim: 1 group_size: 0 spatial_scale: 1",
        bottoms,
        "`psroi_pooling_param.group_size` is 0, expected from 1 to 2147483647",
    );
    check(
        "output_dim: 2 group_size: 2 spatial_scale: 1",
        bottoms,
        "bottom 0 has shape 1 4 4 4 (64), expected 4 axes and 8 channels, output_dim times \
         group_size squared",
    );
    check(
        "output_dim: 1 group_size: 2 spatial_scale: 1",
        [&[1, 4, 4, 4], &[3, 5, 2]],
        "bottom 1 has shape 3 5 2 (30), expected boxes of 5 values: image, left, top, right, bottom",
    );
}
