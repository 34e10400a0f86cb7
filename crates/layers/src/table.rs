//! The layer table.

mod relu;
mod split;

use crate::LayerKind;

/// Every layer type, sorted by name.
///
/// To add one: write `src/table/<name>.rs` with a `KIND`, add a `mod` line above and a row below.
pub const LAYERS: &[LayerKind] = &[relu::KIND, split::KIND];

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
