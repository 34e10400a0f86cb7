//! The nets of these tests, one line per layer.

use caffe_format::NetParameter;
use train::files::net_from_text;

/// A net, and what its sizes give.
pub(super) struct ForkNet {
    pub(super) name: &'static str,
    /// See [`written`].
    pub(super) lines: &'static [&'static str],
    /// Without running statistics.
    pub(super) learned_params: usize,
    /// Of convolutions and inner products, for the whole batch.
    pub(super) multiply_adds: u64,
}

pub(super) const FORK_NETS: [ForkNet; 7] = [
    ForkNet {
        name: "SENet block: Axpy scales channels and adds the shortcut",
        lines: &[
            "DATA 2 8 6 6",
            "LABELS 2",
            "Convolution data > a | CONV { num_output: 8 kernel_size: 3 pad: 1 NO_BIAS }",
            "BatchNorm a > b",
            "Scale b > c | scale_param { bias_term: true }",
            "Pooling c > squeeze | pooling_param { pool: AVE global_pooling: true }",
            "Convolution squeeze > down | CONV { num_output: 2 kernel_size: 1 XAVIER }",
            "ReLU down > down",
            "Convolution down > up | CONV { num_output: 8 kernel_size: 1 XAVIER }",
            "Sigmoid up > up",
            "Axpy up c data > sum",
            "ReLU sum > sum",
            "InnerProduct sum > score | inner_product_param { num_output: 3 XAVIER }",
            "SoftmaxWithLoss score label > loss",
        ],
        learned_params: 576 + 16 + 18 + 24 + 867,
        multiply_adds: 2 * (576 * 36 + 16 + 16 + 864),
    },
    ForkNet {
        name: "SegNet encoder and decoder: BN and Upsample with the mask of Pooling",
        lines: &[
            "DATA 2 3 8 8",
            "LABELS 2 1 8 8",
            "Convolution data > a | CONV { num_output: 4 kernel_size: 3 pad: 1 XAVIER }",
            "BN a > b | SEGNET_BN",
            "ReLU b > b",
            "Pooling b > pool mask | pooling_param { pool: MAX kernel_size: 2 stride: 2 }",
            "Upsample pool mask > up | upsample_param { scale: 2 }",
            "Convolution up > d | CONV { num_output: 4 kernel_size: 3 pad: 1 XAVIER }",
            "BN d > e | SEGNET_BN",
            "Convolution e > score | CONV { num_output: 3 kernel_size: 1 XAVIER }",
            "SoftmaxWithLoss score label > loss | \
             loss_param { weight_by_label_freqs: true class_weighting: [0.3, 1.5, 2] }",
        ],
        learned_params: 112 + 8 + 148 + 8 + 15,
        multiply_adds: 2 * 64 * (108 + 144 + 12),
    },
    ForkNet {
        name: "PSPNet pyramid: pooled at three scales, BN, Interp and Concat",
        lines: &[
            "DATA 2 4 6 6",
            "LABELS 2 1 11 11",
            "Convolution data > a | \
             CONV { num_output: 4 kernel_size: 3 pad: 2 dilation: 2 NO_BIAS }",
            "Pooling a > p1 | pooling_param { pool: AVE kernel_size: 6 stride: 6 }",
            "Convolution p1 > c1 | CONV { num_output: 2 kernel_size: 1 NO_BIAS }",
            "BN c1 > b1 | TSN_BN",
            "ReLU b1 > b1",
            "Interp b1 > i1 | interp_param { height: 6 width: 6 }",
            "Pooling a > p2 | pooling_param { pool: AVE kernel_size: 3 stride: 3 }",
            "Convolution p2 > c2 | CONV { num_output: 2 kernel_size: 1 NO_BIAS }",
            "BN c2 > b2 | TSN_BN",
            "ReLU b2 > b2",
            "Interp b2 > i2 | interp_param { height: 6 width: 6 }",
            "Pooling a > p3 | pooling_param { pool: AVE kernel_size: 2 stride: 2 }",
            "Convolution p3 > c3 | CONV { num_output: 2 kernel_size: 1 NO_BIAS }",
            "BN c3 > b3 | TSN_BN",
            "ReLU b3 > b3",
            "Interp b3 > i3 | interp_param { height: 6 width: 6 }",
            "Concat a i1 i2 i3 > all",
            "Convolution all > f | CONV { num_output: 3 kernel_size: 3 pad: 1 XAVIER }",
            "Interp f > score | interp_param { zoom_factor: 2 }",
            "SoftmaxWithLoss score label > loss | loss_param { ignore_label: 255 }",
        ],
        learned_params: 144 + 3 * (8 + 4) + 273,
        multiply_adds: 2 * (144 * 36 + 8 * (1 + 4 + 9) + 270 * 36),
    },
    ForkNet {
        name: "MobileNet units: DepthwiseConvolution, ConvolutionDepthwise, ReLU6, relu6",
        lines: &[
            "DATA 2 3 9 9",
            "LABELS 2",
            "Convolution data > a | CONV { num_output: 8 kernel_size: 3 stride: 2 pad: 1 NO_BIAS }",
            "BatchNorm a > b",
            "Scale b > c | scale_param { bias_term: true }",
            "ReLU c > d | relu_param { relu6: true }",
            "DepthwiseConvolution d > e | \
             CONV { num_output: 8 kernel_size: 3 pad: 1 group: 8 NO_BIAS }",
            "ReLU6 e > f",
            "Convolution f > g | CONV { num_output: 12 kernel_size: 1 NO_BIAS }",
            "ConvolutionDepthwise g > h | \
             CONV { num_output: 12 kernel_size: 3 stride: 2 pad: 1 NO_BIAS }",
            "ReLU h > h",
            "Pooling h > pool | pooling_param { pool: AVE global_pooling: true }",
            "Convolution pool > score | CONV { num_output: 3 kernel_size: 1 XAVIER }",
            "SoftmaxWithLoss score label > loss",
        ],
        learned_params: 216 + 16 + 72 + 96 + 108 + 39,
        multiply_adds: 2 * (216 * 25 + 72 * 25 + 96 * 25 + 108 * 9 + 36),
    },
    ForkNet {
        name: "ShuffleNet units: ShuffleChannel between grouped convolutions, stride 1 and 2",
        lines: &[
            "DATA 2 6 6 6",
            "LABELS 2",
            "Convolution data > a | CONV { num_output: 6 kernel_size: 1 group: 3 NO_BIAS }",
            "BatchNorm a > a",
            "Scale a > a | scale_param { bias_term: true }",
            "ReLU a > a",
            "ShuffleChannel a > b | shuffle_channel_param { group: 3 }",
            "ConvolutionDepthwise b > c | CONV { num_output: 6 kernel_size: 3 pad: 1 NO_BIAS }",
            "Convolution c > d | CONV { num_output: 6 kernel_size: 1 group: 3 NO_BIAS }",
            "Eltwise data d > e | eltwise_param { operation: SUM }",
            "ReLU e > e",
            "Pooling e > f | pooling_param { pool: AVE kernel_size: 3 stride: 2 }",
            "ConvolutionDepthwise e > g | \
             CONV { num_output: 6 kernel_size: 3 stride: 2 pad: 1 NO_BIAS }",
            "Convolution g > h | CONV { num_output: 6 kernel_size: 1 group: 3 NO_BIAS }",
            "Concat f h > i",
            "Pooling i > pool | pooling_param { pool: AVE global_pooling: true }",
            "InnerProduct pool > score | inner_product_param { num_output: 3 XAVIER }",
            "SoftmaxWithLoss score label > loss",
        ],
        learned_params: 12 + 12 + 54 + 12 + 54 + 12 + 39,
        multiply_adds: 2 * (36 * (12 + 54 + 12) + 9 * (54 + 12) + 36),
    },
    ForkNet {
        name: "Fast R-CNN head: ROIPooling, SmoothL1Loss with inside and outside weights",
        lines: &[
            "DATA 2 3 16 16",
            "BOXES 6",
            "LABELS 6",
            "TARGETS 6 12",
            "Convolution data > a | CONV { num_output: 6 kernel_size: 3 stride: 2 pad: 1 XAVIER }",
            "ReLU a > a",
            "ROIPooling a rois > pool | \
             roi_pooling_param { pooled_h: 3 pooled_w: 3 spatial_scale: 0.5 }",
            "InnerProduct pool > fc6 | inner_product_param { num_output: 8 XAVIER }",
            "ReLU fc6 > fc6",
            "Dropout fc6 > fc6 | dropout_param { dropout_ratio: 0.5 scale_train: false }",
            "InnerProduct fc6 > cls_score | inner_product_param { num_output: 3 XAVIER }",
            "InnerProduct fc6 > bbox_pred | inner_product_param { num_output: 12 XAVIER }",
            "SoftmaxWithLoss cls_score label > loss_cls",
            "SmoothL1Loss bbox_pred targets inside outside > loss_bbox",
        ],
        learned_params: 168 + 440 + 27 + 108,
        multiply_adds: 2 * 162 * 64 + 6 * (432 + 24 + 96),
    },
    ForkNet {
        name: "R-FCN head: PSROIPooling, SmoothL1Loss with one weight, PRE_FIXED",
        lines: &[
            "DATA 2 3 16 16",
            "BOXES 6",
            "LABELS 6",
            "TARGETS 6 8 1 1",
            "Convolution data > a | CONV { num_output: 6 kernel_size: 3 stride: 2 pad: 1 XAVIER }",
            "ReLU a > a",
            "Convolution a > cls_maps | CONV { num_output: 12 kernel_size: 1 XAVIER }",
            "Convolution a > bbox_maps | CONV { num_output: 32 kernel_size: 1 XAVIER }",
            "PSROIPooling cls_maps rois > cls | \
             psroi_pooling_param { output_dim: 3 group_size: 2 spatial_scale: 0.5 }",
            "Pooling cls > cls_score | pooling_param { pool: AVE kernel_size: 2 stride: 2 }",
            "PSROIPooling bbox_maps rois > bbox | \
             psroi_pooling_param { output_dim: 8 group_size: 2 spatial_scale: 0.5 }",
            "Pooling bbox > bbox_pred | pooling_param { pool: AVE kernel_size: 2 stride: 2 }",
            "SoftmaxWithLoss cls_score label > loss_cls",
            "SmoothL1Loss bbox_pred targets inside > loss_bbox | \
             loss_param { normalization: PRE_FIXED pre_fixed_normalizer: 6 }",
            "Silence outside >",
        ],
        learned_params: 168 + 84 + 224,
        multiply_adds: 2 * 64 * (162 + 72 + 192),
    },
];

const SHORT_FORMS: [(&str, &str); 5] = [
    ("CONV {", "convolution_param {"),
    ("NO_BIAS", "bias_term: false XAVIER"),
    ("XAVIER", r#"weight_filler { type: "xavier" }"#),
    (
        "SEGNET_BN",
        r#"bn_param { scale_filler { type: "constant" value: 1 }
                      shift_filler { type: "constant" value: 0.001 } }"#,
    ),
    (
        "TSN_BN",
        r#"bn_param { slope_filler { type: "constant" value: 1 }
                      bias_filler { type: "constant" value: 0 } momentum: 0.95 frozen: false }"#,
    ),
];

/// The net of lines `TYPE BOTTOMS > TOPS | OPTIONS`. `DATA`, `LABELS`, `BOXES` and `TARGETS` are
/// DummyData of a size: images, zeros and ones, boxes of two images of 16 pixels (some reach
/// beyond), and what a loss of boxes takes.
pub(super) fn written(lines: &[&str]) -> NetParameter {
    let mut text = String::new();
    for (index, line) in lines.iter().enumerate() {
        let (kind, rest) = line.split_once(' ').unwrap();
        match kind {
            "DATA" => text += &dummy("data", rest, "type: \"gaussian\""),
            "LABELS" => text += &coins("label", rest),
            "BOXES" => text += &boxes(rest),
            "TARGETS" => {
                text += &dummy("targets", rest, "type: \"gaussian\" std: 2");
                text += &(coins("inside", rest) + &coins("outside", rest));
            }
            _ => {
                let (blobs, options) = rest.split_once('|').unwrap_or((rest, ""));
                let (bottoms, tops) = blobs.split_once('>').unwrap();
                text += &layer(&format!("{index}"), kind, bottoms, tops, options);
            }
        }
    }
    for (short, long) in SHORT_FORMS {
        text = text.replace(short, long);
    }
    net_from_text("net", &text).unwrap()
}

fn layer(name: &str, kind: &str, bottoms: &str, tops: &str, options: &str) -> String {
    let blobs = |field: &str, names: &str| -> String {
        names.split_whitespace().map(|name| format!(" {field}: \"{name}\"")).collect()
    };
    let (bottoms, tops) = (blobs("bottom", bottoms), blobs("top", tops));
    format!("layer {{ name: \"{name}\" type: \"{kind}\"{bottoms}{tops} {options} }}\n")
}

fn dummy(top: &str, dims: &str, filler: &str) -> String {
    let dims = dims.split(' ').map(|dim| format!("dim: {dim} ")).collect::<String>();
    let options = format!("dummy_data_param {{ shape {{ {dims}}} data_filler {{ {filler} }} }}");
    layer(top, "DummyData", "", top, &options)
}

/// Zeros and ones.
fn coins(top: &str, dims: &str) -> String {
    let draws = format!("{top}_draws");
    let threshold = "threshold_param { threshold: 0.5 }";
    dummy(&draws, dims, "type: \"uniform\"") + &layer(top, "Threshold", &draws, top, threshold)
}

fn boxes(count: &str) -> String {
    let two = format!("{count} 2");
    coins("image", &format!("{count} 1"))
        + &dummy("near", &two, "type: \"uniform\" min: 0 max: 7")
        + &dummy("far", &two, "type: \"uniform\" min: 8 max: 20")
        + &layer("rois", "Concat", "image near far", "rois", "")
}
