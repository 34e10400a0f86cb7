//! The layer table.

mod absval;
mod accuracy;
mod annotated_data;
mod argmax;
mod axpy;
mod batch_norm;
mod batch_reindex;
mod bias;
mod bn;
mod bnll;
mod clip;
mod concat;
mod contrastive_loss;
mod convolution;
mod crop;
mod data;
mod deconvolution;
mod depthwise_convolution;
mod detection_evaluate;
mod detection_output;
mod dropout;
mod dummy_data;
mod eltwise;
mod elu;
mod embed;
mod euclidean_loss;
mod exp;
mod filter;
mod flatten;
mod hdf5_data;
mod hdf5_output;
mod hinge_loss;
mod im2col;
mod image_data;
mod infogain_loss;
mod inner_product;
mod input;
mod interp;
mod log;
mod lrn;
mod lstm;
mod lstm_unit;
mod memory_data;
mod multibox_loss;
mod multinomial_logistic_loss;
mod mvn;
mod normalize;
mod parameter;
mod permute;
mod pooling;
mod power;
mod prelu;
mod prior_box;
mod psroi_pooling;
mod reduction;
mod relu;
mod relu6;
mod reshape;
mod rnn;
mod roi_pooling;
mod scale;
mod shuffle_channel;
mod sigmoid;
mod sigmoid_cross_entropy_loss;
mod silence;
mod slice;
mod smooth_l1_loss;
mod softmax;
mod softmax_with_loss;
mod split;
mod spp;
mod swish;
mod tanh;
mod threshold;
mod tile;
mod upsample;
mod window_data;

use crate::LayerKind;

/// Every layer type, sorted by name.
///
/// To add one: write `src/table/<name>.rs` with a `KIND`, add a `mod` line above and a row below.
pub const LAYERS: &[LayerKind] = &[
    absval::KIND,
    accuracy::KIND,
    annotated_data::KIND,
    argmax::KIND,
    axpy::KIND,
    bn::KIND,
    bnll::KIND,
    batch_norm::KIND,
    batch_reindex::KIND,
    bias::KIND,
    clip::KIND,
    concat::KIND,
    contrastive_loss::KIND,
    convolution::KIND,
    depthwise_convolution::OTHER_NAME,
    crop::KIND,
    data::KIND,
    deconvolution::KIND,
    depthwise_convolution::KIND,
    detection_evaluate::KIND,
    detection_output::KIND,
    dropout::KIND,
    dummy_data::KIND,
    elu::KIND,
    eltwise::KIND,
    embed::KIND,
    euclidean_loss::KIND,
    exp::KIND,
    filter::KIND,
    flatten::KIND,
    hdf5_data::KIND,
    hdf5_output::KIND,
    hinge_loss::KIND,
    im2col::KIND,
    image_data::KIND,
    infogain_loss::KIND,
    inner_product::KIND,
    input::KIND,
    interp::KIND,
    lrn::KIND,
    lstm::KIND,
    lstm_unit::KIND,
    log::KIND,
    mvn::KIND,
    memory_data::KIND,
    multibox_loss::KIND,
    multinomial_logistic_loss::KIND,
    normalize::KIND,
    prelu::KIND,
    psroi_pooling::KIND,
    parameter::KIND,
    permute::KIND,
    pooling::KIND,
    power::KIND,
    prior_box::KIND,
    rnn::KIND,
    roi_pooling::KIND,
    relu::KIND,
    relu6::KIND,
    reduction::KIND,
    reshape::KIND,
    spp::KIND,
    scale::KIND,
    shuffle_channel::KIND,
    sigmoid::KIND,
    sigmoid_cross_entropy_loss::KIND,
    silence::KIND,
    slice::KIND,
    smooth_l1_loss::KIND,
    softmax::KIND,
    softmax_with_loss::KIND,
    split::KIND,
    swish::KIND,
    tanh::KIND,
    threshold::KIND,
    tile::KIND,
    upsample::KIND,
    window_data::KIND,
];

/// Looks up the string after `type:` in a prototxt.
#[must_use]
pub fn find(name: &str) -> Option<&'static LayerKind> {
    LAYERS.iter().find(|kind| kind.name == name)
}

#[cfg(test)]
mod tests {
    use super::{LAYERS, find};
    use crate::gradient_check::{check, check_draws};
    use crate::{BottomFill, GradientCase};

    #[test]
    fn table_is_sorted_so_names_are_unique() {
        assert!(LAYERS.is_sorted_by(|a, b| a.name < b.name));
    }

    /// Data and output layers, and those that have no gradient by definition.
    const WITHOUT_GRADIENT: [&str; 10] = [
        "Accuracy",
        "ArgMax",
        "Data",
        "DummyData",
        "HDF5Data",
        "HDF5Output",
        "ImageData",
        "Input",
        "MemoryData",
        "WindowData",
    ];

    #[test]
    fn every_layer_with_a_gradient_has_cases() {
        let run = LAYERS.iter().filter(|kind| !kind.shapes_only);
        let without = run.filter(|kind| kind.cases.is_empty()).map(|kind| kind.name);
        assert_eq!(without.collect::<Vec<_>>(), WITHOUT_GRADIENT);
    }

    /// Options with which a layer draws, and which the gradient checker cannot try.
    const DRAWING: [(&str, GradientCase); 3] = [
        ("DummyData", GradientCase { options: DRAWN_DATA, bottoms: &[], tops: 1 }),
        (
            "Pooling",
            GradientCase { options: "pooling_param { pool: STOCHASTIC kernel_size: 2 }", ..POOLED },
        ),
        (
            "SPP",
            GradientCase { options: "spp_param { pool: STOCHASTIC pyramid_height: 2 }", ..POOLED },
        ),
    ];
    const DRAWN_DATA: &str =
        r#"dummy_data_param { shape { dim: 3 } data_filler { type: "gaussian" } }"#;
    const POOLED: GradientCase = GradientCase {
        options: "",
        bottoms: &[(&[1, 2, 4, 4], BottomFill::Uniform(0.1, 1.0))],
        tops: 1,
    };

    /// Whether test nets may be divided among workers depends on it.
    #[test]
    fn a_layer_that_draws_says_so() {
        for kind in LAYERS {
            kind.cases.iter().for_each(|case| _ = check_draws(kind, case));
        }
        for (name, case) in DRAWING {
            assert!(check_draws(find(name).unwrap(), &case), "{name} draws");
        }
    }

    #[test]
    fn every_layer_passes_the_gradient_check() {
        for kind in LAYERS {
            for case in kind.cases {
                check(kind, case);
            }
        }
    }
}
