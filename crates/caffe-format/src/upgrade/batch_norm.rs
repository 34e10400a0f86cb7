//! BatchNorm's three `param`s, whose rates had to be written as zero, set to zero.
//!
//! The layer's blobs are running sums that no solver may touch; nets written when Caffe relied on
//! the user for that list three `param`s. Other numbers of `param`s are left alone, as Caffe does.

use crate::NetParameter;

pub(super) fn net(net: &mut NetParameter, notices: &mut Vec<String>) {
    let old =
        |layer: &&mut crate::LayerParameter| layer.type_() == "BatchNorm" && layer.param.len() == 3;
    let mut count = 0;
    for layer in net.layer.iter_mut().filter(old) {
        for param in &mut layer.param {
            param.lr_mult = Some(0.0);
            param.decay_mult = Some(0.0);
        }
        count += 1;
    }
    if count > 0 {
        notices.push(format!("set the rates of {count} BatchNorm layers' `param`s to 0"));
    }
}
