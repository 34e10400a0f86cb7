//! Layer types of the program that embeds us: rows beside those of the table.
//!
//! A layer whose code is not ours (`type: "Python"`) needs what we know nothing about. Whoever can
//! run it brings a row, which is handed down as an argument; without one, the error names the
//! layer.

use std::any::Any;
use std::fmt;

use crate::{LayerKind, find};

/// Rows of layer types that are not in [`LAYERS`](crate::LAYERS); none unless a program has some.
#[derive(Clone, Copy, Default)]
pub struct AddedLayers(pub &'static [LayerKind]);

impl AddedLayers {
    /// The row of a layer type: one of the table, or else one of these.
    #[must_use]
    pub fn find(self, name: &str) -> Option<&'static LayerKind> {
        find(name).or_else(|| self.0.iter().find(|kind| kind.name == name))
    }
}

impl fmt::Debug for AddedLayers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.0.iter().map(|kind| kind.name)).finish()
    }
}

/// What such a layer keeps for one replica and nobody here looks into, such as a Python object.
/// `None` until the layer makes it: at `reshape`, or at the first forward of another replica.
pub type LayerObject = Option<Box<dyn Any + Send>>;

#[cfg(test)]
mod tests {
    use super::AddedLayers;
    use crate::LayerKind;

    #[test]
    fn rows_stand_beside_the_table_and_never_before_it() {
        const ADDED: &[LayerKind] = &[
            LayerKind { name: "ReLU", formula: "mine", ..LayerKind::UNARY },
            LayerKind { name: "Mine", ..LayerKind::UNARY },
        ];
        assert_eq!(AddedLayers(ADDED).find("Mine").map(|kind| kind.name), Some("Mine"));
        assert_ne!(AddedLayers(ADDED).find("ReLU").unwrap().formula, "mine");
        assert!(AddedLayers::default().find("Mine").is_none());
        assert_eq!(format!("{:?}", AddedLayers(ADDED)), r#"["ReLU", "Mine"]"#);
    }
}
