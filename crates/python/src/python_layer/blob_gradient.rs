//! What a Python layer finds in the diff of a param before it adds to it.

use kernels::Write;
use layers::ParamGradient;

/// Python code adds to a diff or sets it, as in Caffe, where diffs are zero at first: so does a
/// first contribution here find zeros.
pub(super) fn begin(gradient: &mut ParamGradient<'_>) {
    if gradient.write == Write::Set {
        gradient.values.fill(0.0);
    }
}
