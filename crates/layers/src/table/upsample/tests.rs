use crate::testing::{backward, error, forward, shapes};

fn layer(options: &str) -> String {
    format!("type: \"Upsample\" upsample_param {{ {options} }}")
}

/// Pooling's mask is Caffe's: the index of the pixel in its channel, row by row.
#[test]
fn unpooling_undoes_pooling() {
    #[rustfmt::skip]
    let image = [
        1.0, 9.0, 2.0, 3.0, 8.0,
        4.0, 5.0, 7.0, 6.0, 1.0,
        3.0, 2.0, 1.0, 4.0, 5.0,
    ];
    let pooling = "type: \"Pooling\" pooling_param { kernel_size: 2 stride: 2 }";
    let pooled = forward(pooling, &[(&[1, 1, 3, 5], &image)], 2).unwrap();
    let [(shape, values), (_, mask)] = &pooled[..] else { panic!("two tops") };
    assert_eq!(mask, &[1.0, 7.0, 4.0, 10.0, 13.0, 14.0]);
    let bottoms: [(&[usize], &[f32]); 2] = [(shape.dims(), values), (shape.dims(), mask)];
    for options in ["upsample_h: 3 upsample_w: 5", "pad_out_h: true pad_out_w: true"] {
        let tops = forward(&layer(options), &bottoms, 1).unwrap();
        assert_eq!(tops[0].0.dims(), [1, 1, 3, 5]);
        let kept = |at: usize| if mask.contains(&(at as f32)) { image[at] } else { 0.0 };
        assert_eq!(tops[0].1, (0..15).map(kept).collect::<Vec<_>>());
        let dx = backward(&layer(options), &bottoms, &[&image]).unwrap().remove(0);
        assert_eq!(dx, *values);
    }
}

#[test]
fn a_mask_that_leaves_the_top_is_reported() {
    let run = |mask: [f32; 4]| {
        let bottoms: [(&[usize], &[f32]); 2] =
            [(&[1, 1, 2, 2], &[1.0, 2.0, 3.0, 4.0]), (&[1, 1, 2, 2], &mask)];
        forward(&layer(""), &bottoms, 1).map(|tops| tops[0].1.iter().sum::<f32>())
    };
    assert_eq!(run([0.0, 15.0, -1.0, 3.0]).unwrap(), 7.0, "-1 is no pixel");
    for value in ["16", "-2", "NaN", "inf"] {
        let text = run([0.0, 1.0, 2.0, value.parse().unwrap()]).unwrap_err().to_string();
        let want = "is not one of the 16 pixels of the top: give the layer the size of the blob \
                    that was pooled";
        assert_eq!(text, format!("mask value {value} {want}"));
    }
}

#[test]
fn sizes_are_the_forks() {
    let size = |options: &str| {
        let bottom: &[usize] = &[2, 3, 23, 30];
        shapes(&layer(options), &[bottom, bottom], 1).unwrap().remove(0).dims()[2..].to_vec()
    };
    assert_eq!(size(""), [46, 60]);
    assert_eq!(size("scale: 2 pad_out_h: true"), [45, 60]);
    assert_eq!(size("scale: 2 upsample_w: 60 upsample_h: 45"), [45, 60]);
    assert_eq!(size("scale_h: 3 scale_w: 2"), [69, 60]);
}

#[test]
fn invalid_options_and_bottoms_are_reported() {
    let check = |options: &str, mask: &[usize], want: &str| {
        assert_eq!(error(&layer(options), &[&[1, 2, 3, 4], mask], 1), want);
    };
    let mask = &[1, 2, 3, 4];
    check("scale: 1", mask, "`upsample_param.scale` is 1, expected from 2 to 2147483647");
    check(
        "upsample_w: 7",
        mask,
        "`upsample_param.upsample_h` is missing: both, or neither and a scale",
    );
    check(
        "scale: 2 scale_w: 3",
        mask,
        "`upsample_param.scale` and `upsample_param.scale_h` exclude each other: write the scale \
         once, or as `scale_h` and `scale_w`",
    );
    check("scale_h: 3", mask, "`upsample_param.scale_w` is missing: both `scale_h` and `scale_w`");
    check(
        "scale: 3 pad_out_w: true",
        mask,
        "`upsample_param.pad_out_w` is true with a scale of 3, expected a scale of 2, or the size as \
         `upsample_h` and `upsample_w`",
    );
    check(
        "",
        &[1, 2, 3, 5],
        "bottom 1 has shape 1 2 3 5 (30), expected a mask of the shape of bottom 0, 1 2 3 4 (24)",
    );
}
