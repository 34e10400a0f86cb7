//! Params that several layer types declare alike.

use base::Shape;
use caffe_format::FillerParameter;

use crate::ParamDecl;

/// Weights and, with `bias_term`, a bias: the params of every layer that computes `W x + b`.
pub(crate) fn weights_and_bias(
    (weights, weight_filler): (&Shape, &FillerParameter),
    (bias, bias_filler): (&Shape, &FillerParameter),
    bias_term: bool,
) -> Vec<ParamDecl> {
    let mut params = vec![ParamDecl::learned(weights, weight_filler)];
    params.extend(bias_term.then(|| ParamDecl::learned(bias, bias_filler)));
    params
}
