//! One channel of 4 by 4 pixels, 0 to 15 in memory order.

use crate::testing::{backward, error, forward};

const TWO_BY_TWO: &str = "type: \"ROIPooling\" roi_pooling_param { pooled_h: 2 pooled_w: 2";

fn image() -> Vec<f32> {
    (0..16_u8).map(f32::from).collect()
}

/// The four bins of one box.
fn bins(options: &str, region: [f32; 5]) -> Vec<f32> {
    let text = format!("{TWO_BY_TWO} {options} }}");
    let tops = forward(&text, &[(&[1, 1, 4, 4], &image()), (&[1, 5], &region)], 1).unwrap();
    assert_eq!(tops[0].0.dims(), [1, 1, 2, 2]);
    tops[0].1.clone()
}

#[test]
fn each_bin_gives_its_largest_value() {
    assert_eq!(bins("", [0.0, 0.0, 0.0, 3.0, 3.0]), [5.0, 7.0, 13.0, 15.0]);
    // Three pixels in two bins of 1.5: both have the middle one.
    assert_eq!(bins("", [0.0, 1.0, 1.0, 3.0, 3.0]), [10.0, 11.0, 14.0, 15.0]);
    // 2 and 7 become 1 and 4 (3.5 rounds away from zero), the second bin is clipped.
    assert_eq!(bins("spatial_scale: 0.5", [0.0, 2.0, 2.0, 7.0, 7.0]), [10.0, 11.0, 14.0, 15.0]);
}

#[test]
fn boxes_of_any_size_have_a_result() {
    assert_eq!(bins("", [0.0, -9.0, -9.0, -5.0, -5.0]), [0.0; 4], "outside");
    assert_eq!(bins("", [0.0, 2.0, 3.0, 1.0, 1.0]), [14.0; 4], "exchanged: the first pixel");
    assert_eq!(bins("", [0.0, -1e38, -1e38, 1e38, 1e38]), [0.0, 0.0, 0.0, 15.0], "huge");
    assert_eq!(bins("spatial_scale: 1e38", [0.0, 0.0, 0.0, 1e38, 1e38]), [15.0, 0.0, 0.0, 0.0]);
    assert_eq!(bins("", [0.9, 0.0, 0.0, 0.0, 0.0]), [0.0; 4], "the image's index is truncated");
}

#[test]
fn a_box_that_is_none_is_reported() {
    let text = format!("{TWO_BY_TWO} }}");
    let error = |region: [f32; 5]| {
        let bottoms: [(&[usize], &[f32]); 2] = [(&[1, 1, 4, 4], &image()), (&[1, 5], &region)];
        forward(&text, &bottoms, 1).unwrap_err().to_string()
    };
    assert_eq!(
        error([1.0, 0.0, 0.0, 3.0, 3.0]),
        "box 0 is [1, 0, 0, 3, 3], expected an image index below 1"
    );
    assert_eq!(
        error([0.0, f32::NAN, 0.0, 3.0, f32::INFINITY]),
        "box 0 is [0, NaN, 0, 3, inf], expected finite edges"
    );
}

#[test]
fn gradients_of_boxes_that_share_a_largest_value_add_up() {
    let boxes = [0.0, 0.0, 0.0, 3.0, 3.0, 0.0, 2.0, 2.0, 3.0, 3.0];
    let bottoms: [(&[usize], &[f32]); 2] = [(&[1, 1, 4, 4], &image()), (&[2, 5], &boxes)];
    let text = format!("{TWO_BY_TWO} }}");
    let dy = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0];
    let dx = backward(&text, &bottoms, &[&dy]).unwrap().remove(0);
    let mut want = [0.0; 16];
    // Bins of box 0: 5, 7, 13, 15; of box 1: 10, 11, 14, 15.
    for (pixel, gradient) in
        [(5, 1.0), (7, 2.0), (13, 3.0), (15, 12.0), (10, 5.0), (11, 6.0), (14, 7.0)]
    {
        want[pixel] = gradient;
    }
    assert_eq!(dx, want);
}

#[test]
fn invalid_options_and_bottoms_are_reported() {
    let check = |options: &str, bottoms: [&[usize]; 2], want: &str| {
        let text = format!("type: \"ROIPooling\" roi_pooling_param {{ {options} }}");
        assert_eq!(error(&text, &bottoms, 1), want);
    };
    let bottoms: [&[usize]; 2] = [&[1, 1, 4, 4], &[3, 5]];
    check(
        "pooled_w: 2",
        bottoms,
        "`roi_pooling_param.pooled_h` is missing: the number of bins, 1 or more",
    );
    check(
        "pooled_h: 1 pooled_w: 1 spatial_scale: -1",
        bottoms,
        "`roi_pooling_param.spatial_scale` is -1, expected a positive number",
    );
    check(
        "pooled_h: 1 pooled_w: 1",
        [&[1, 1, 4, 4], &[3, 4]],
        "bottom 1 has shape 3 4 (12), expected boxes of 5 values: image, left, top, right, bottom",
    );
    check(
        "pooled_h: 1 pooled_w: 1",
        [&[4, 4], &[3, 5]],
        "bottom 0 has shape 4 4 (16), expected 4 axes",
    );
}
