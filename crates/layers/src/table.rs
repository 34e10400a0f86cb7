//! The layer table.

mod accuracy;
mod concat;
mod convolution;
mod data;
mod dummy_data;
mod eltwise;
mod euclidean_loss;
mod flatten;
mod inner_product;
mod input;
mod power;
mod relu;
mod reshape;
mod sigmoid;
mod silence;
mod slice;
mod softmax;
mod softmax_with_loss;
mod split;
mod tanh;

use crate::LayerKind;

/// Every layer type, sorted by name.
///
/// To add one: write `src/table/<name>.rs` with a `KIND`, add a `mod` line above and a row below.
pub const LAYERS: &[LayerKind] = &[
    accuracy::KIND,
    concat::KIND,
    convolution::KIND,
    data::KIND,
    dummy_data::KIND,
    eltwise::KIND,
    euclidean_loss::KIND,
    flatten::KIND,
    inner_product::KIND,
    input::KIND,
    power::KIND,
    relu::KIND,
    reshape::KIND,
    sigmoid::KIND,
    silence::KIND,
    slice::KIND,
    softmax::KIND,
    softmax_with_loss::KIND,
    split::KIND,
    tanh::KIND,
];

/// Looks up the string after `type:` in a prototxt.
#[must_use]
pub fn find(name: &str) -> Option<&'static LayerKind> {
    LAYERS.iter().find(|kind| kind.name == name)
}

#[cfg(test)]
mod tests {
    use super::LAYERS;
    use crate::gradient_check::check;

    #[test]
    fn table_is_sorted_so_names_are_unique() {
        assert!(LAYERS.is_sorted_by(|a, b| a.name < b.name));
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
