use crate::testing::{backward, error, forward, shapes};

fn layer(options: &str) -> String {
    format!("type: \"Interp\" interp_param {{ {options} }}")
}

#[test]
fn corners_stay_and_the_rest_is_interpolated() {
    let image: (&[usize], &[f32]) = (&[1, 1, 2, 2], &[0.0, 1.0, 2.0, 3.0]);
    let want = [0.0, 0.5, 1.0, 1.0, 1.5, 2.0, 2.0, 2.5, 3.0];
    for options in ["height: 3 width: 3", "zoom_factor: 2"] {
        assert_eq!(forward(&layer(options), &[image], 1).unwrap()[0].1, want);
    }
    // A row of one output looks at the first row.
    assert_eq!(forward(&layer("height: 1 width: 2"), &[image], 1).unwrap()[0].1, [0.0, 1.0]);
    let dx = backward(&layer("zoom_factor: 2"), &[image], &[&[4.0; 9]]).unwrap().remove(0);
    assert_eq!(dx, [9.0; 4], "each corner is read with weight 1 + 1/2 + 1/2 + 1/4");
}

#[test]
fn pixels_are_left_out_and_get_no_gradient() {
    let values: Vec<f32> = (0..25_u8).map(f32::from).collect();
    let image: (&[usize], &[f32]) = (&[1, 1, 5, 5], &values);
    let options = layer("shrink_factor: 2 pad_beg: -1 pad_end: -1");
    assert_eq!(forward(&options, &[image], 1).unwrap()[0].1, [6.0, 8.0, 16.0, 18.0]);
    let dx = backward(&options, &[image], &[&[1.0, 2.0, 3.0, 4.0]]).unwrap().remove(0);
    let read: Vec<_> = (0..25).filter(|&i| dx[i] != 0.0).map(|i| (i, dx[i])).collect();
    assert_eq!(read, [(6, 1.0), (8, 2.0), (16, 3.0), (18, 4.0)]);
}

/// The sizes of DeepLab and PSPNet.
#[test]
fn sizes_are_the_forks() {
    let size = |options: &str, input: usize| {
        let top = shapes(&layer(options), &[&[1, 2, input, input]], 1).unwrap().remove(0);
        assert_eq!(top.dims()[2], top.dims()[3]);
        top.dims()[2]
    };
    assert_eq!(size("zoom_factor: 8", 41), 321);
    assert_eq!(size("zoom_factor: 8", 60), 473);
    assert_eq!(size("shrink_factor: 8", 473), 60);
    assert_eq!(size("shrink_factor: 8 pad_beg: -1", 322), 41);
    assert_eq!(size("shrink_factor: 8 zoom_factor: 2", 473), 119);
    assert_eq!(size("shrink_factor: 8 zoom_factor: 2 height: 5 width: 5", 473), 5);
    assert_eq!(size("zoom_factor: 2 height: 5 width: 5", 473), 945);
    let top = shapes("type: \"Interp\"", &[&[1, 2, 9, 9], &[3, 4, 5, 6]], 1).unwrap().remove(0);
    assert_eq!(top.dims(), [1, 2, 5, 6]);
}

#[test]
fn invalid_options_and_bottoms_are_reported() {
    let check = |options: &str, bottom: &[usize], want: &str| {
        assert_eq!(error(&layer(options), &[bottom], 1), want);
    };
    let image = &[1, 1, 4, 4];
    check(
        "height: 3",
        image,
        "`interp_param.height` is missing: both `height` and `width`, a factor, or a second bottom \
         of that size",
    );
    check(
        "zoom_factor: 0",
        image,
        "`interp_param.zoom_factor` is 0, expected from 1 to 2147483647",
    );
    check(
        "zoom_factor: 2 pad_end: 1",
        image,
        "`interp_param.pad_end` is 1, expected 0, or less to leave pixels out, as in the forks",
    );
    let want = "images with pixels, also without those that are left out";
    check(
        "zoom_factor: 2 pad_beg: -2 pad_end: -2",
        image,
        &format!("bottom 0 has shape 1 1 4 4 (16), expected {want}"),
    );
    check(
        "zoom_factor: 2 pad_beg: -2147483648",
        image,
        &format!("bottom 0 has shape 1 1 4 4 (16), expected {want}"),
    );
    check("zoom_factor: 2", &[4, 4], "bottom 0 has shape 4 4 (16), expected 4 axes");
    assert!(error(&layer("zoom_factor: 2147483647"), &[&[1, 1, 9, 9]], 1).contains("values"));
}
