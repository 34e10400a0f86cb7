//! Fields that are written once for all of something, or once for each.

use crate::LayerError;

/// The values of `option` for each of `count` things, of which `what` is the plural.
pub(crate) fn once_or_each<T: Clone>(
    option: &'static str,
    written: &[T],
    count: usize,
    what: &str,
) -> Result<Vec<T>, LayerError> {
    match written {
        [all] => Ok(vec![all.clone(); count]),
        each if each.len() == count => Ok(each.to_vec()),
        other => Err(LayerError::Option {
            option,
            got: format!("written {} times", other.len()),
            want: format!("once, or once for each of the {count} {what}"),
        }),
    }
}
