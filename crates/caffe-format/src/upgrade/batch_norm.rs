//! BatchNorm's three `param`s, whose rates had to be written as zero, set to zero.
//!
//! The layer's blobs are running sums that no solver may touch; nets written when Caffe relied on
//! the user for that list three `param`s. Other numbers of `param`s are left alone, as Caffe does.

use super::UpgradeChange;
use crate::NetParameter;

pub(super) fn net(net: &mut NetParameter, changes: &mut Vec<UpgradeChange>) {
    let old =
        |layer: &&mut crate::LayerParameter| layer.type_() == "BatchNorm" && layer.param.len() == 3;
    let mut layers = 0;
    for layer in net.layer.iter_mut().filter(old) {
        for param in &mut layer.param {
            param.lr_mult = Some(0.0);
            param.decay_mult = Some(0.0);
        }
        layers += 1;
    }
    if layers > 0 {
        changes.push(UpgradeChange::BatchNormRates { layers });
    }
}
