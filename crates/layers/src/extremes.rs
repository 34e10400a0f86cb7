//! Sizes in a prototxt may be anything: no value of an option makes a layer panic or overflow while
//! it is built and shaped. Tries random combinations of the values at which arithmetic breaks.

use base::Shape;
use base::random::Mt19937;
use caffe_format::{LayerParameter, Phase};

use crate::LayerSpec;

const SIZES: [&str; 9] =
    ["0", "1", "2", "3", "5", "65535", "2147483647", "2147483648", "4294967295"];
const AXES: [&str; 8] = ["0", "1", "2", "3", "-1", "-4", "2147483647", "-2147483648"];
/// Of bottoms; (2, 3, 5) and (2, 3) fit recurrent layers together, (3, 5) holds boxes.
const SHAPES: [&[usize]; 11] = [
    &[],
    &[7],
    &[6, 4],
    &[2, 3],
    &[2, 3, 5],
    &[3, 5],
    &[1, 1, 3, 2],
    &[2, 4, 6, 5],
    &[0, 4, 6, 5],
    &[2, 4, 0, 5],
    &[1, 2, 3, 2, 3],
];
const SAMPLES: usize = 3000;

/// Builds and shapes layers with the options `fixed` and a random choice of `sizes` and `axes`.
#[track_caller]
fn check(kind: &str, message: &str, fixed: &str, sizes: &[&str], axes: &[&str]) {
    let kind = crate::find(kind).unwrap();
    let mut rng = Mt19937::new(1701);
    let mut below = |n: usize| rng.next_u32() as usize % n;
    let mut shaped = 0;
    for _ in 0..SAMPLES {
        let mut options = fixed.to_owned();
        for field in sizes {
            if below(2) == 0 {
                options += &format!(" {field}: {}", SIZES[below(SIZES.len())]);
            }
        }
        for field in axes {
            if below(3) == 0 {
                options += &format!(" {field}: {}", AXES[below(AXES.len())]);
            }
        }
        let text = format!("name: \"l\" type: \"{}\" {message} {{ {options} }}", kind.name);
        let layer: LayerParameter = caffe_format::text::read("case", &text).unwrap();
        let bottoms = kind.bottoms.min + below(2).min(kind.bottoms.max - kind.bottoms.min);
        let tops = if kind.tops_equal_bottoms { bottoms } else { kind.tops.min };
        let shapes: Vec<_> =
            (0..bottoms).map(|_| Shape::new(SHAPES[below(SHAPES.len())]).unwrap()).collect();
        let (phase, in_place, source_shapes) = (Phase::Train, false, &[]);
        let spec = LayerSpec { layer: &layer, phase, in_place, bottoms, tops, source_shapes };
        let Ok(mut layer) = (kind.build)(&spec) else { continue };
        if layer.reshape(&shapes).is_ok() {
            shaped += 1;
            layer.params();
            layer.layouts();
            layer.multiply_adds();
            layer.workspace_bytes();
        }
    }
    assert!(shaped > 0, "{}: no sample is valid, so nothing was tried", kind.name);
}

#[test]
fn windows_of_any_size_do_not_panic() {
    let sizes = ["num_output", "kernel_size", "stride", "pad", "dilation", "group"];
    let pairs = ["kernel_h", "kernel_w", "stride_h", "stride_w", "pad_h", "pad_w"];
    for kind in ["Convolution", "Deconvolution", "Im2col"] {
        check(kind, "convolution_param", "", &sizes, &["axis"]);
        check(kind, "convolution_param", "num_output: 4", &sizes[1..], &[]);
        check(kind, "convolution_param", "num_output: 2", &pairs, &[]);
    }
    check("Pooling", "pooling_param", "", &["kernel_size", "stride", "pad"], &[]);
    check("Pooling", "pooling_param", "pool: AVE round_mode: FLOOR", &pairs, &[]);
    check("SPP", "spp_param", "pool: AVE", &["pyramid_height"], &[]);
    check("LRN", "lrn_param", "", &["local_size"], &[]);
    check("LRN", "lrn_param", "norm_region: WITHIN_CHANNEL", &["local_size"], &[]);
}

#[test]
fn other_layers_of_any_size_do_not_panic() {
    check("InnerProduct", "inner_product_param", "", &["num_output"], &["axis"]);
    check("Embed", "embed_param", "", &["num_output", "input_dim"], &[]);
    check("Scale", "scale_param", "bias_term: true", &[], &["axis", "num_axes"]);
    check("Bias", "bias_param", "", &[], &["axis", "num_axes"]);
    check("LSTM", "recurrent_param", "", &["num_output"], &[]);
    check("RNN", "recurrent_param", "", &["num_output"], &[]);
    check("BatchNorm", "batch_norm_param", "", &[], &[]);
    check("MVN", "mvn_param", "", &[], &[]);
    check("PReLU", "prelu_param", "", &[], &[]);
}

#[test]
fn sizes_of_forks_do_not_panic() {
    let sides = ["upsample_h", "upsample_w", "scale", "scale_h", "scale_w"];
    check("Upsample", "upsample_param", "", &sides, &[]);
    check("ROIPooling", "roi_pooling_param", "", &["pooled_h", "pooled_w"], &[]);
    for (output_dim, group) in AXES.iter().flat_map(|dim| AXES.map(|group| (dim, group))) {
        // All fields are required, so none is left to chance; an error is as good as shapes.
        let options = format!("spatial_scale: 0.5 output_dim: {output_dim} group_size: {group}");
        let text = format!("type: \"PSROIPooling\" psroi_pooling_param {{ {options} }}");
        SHAPES.iter().for_each(|shape| _ = crate::testing::shapes(&text, &[shape, &[3, 5]], 1));
    }
    check("Interp", "interp_param", "", &[], &["height", "width", "pad_beg", "pad_end"]);
    check("Interp", "interp_param", "", &[], &["zoom_factor", "shrink_factor", "pad_beg"]);
}
