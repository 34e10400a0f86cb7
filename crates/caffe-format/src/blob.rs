//! `BlobProto`: shape and values as a file gives them, checked against each other.
//!
//! Files written before Caffe had shapes of any length carry `num`, `channels`, `height` and
//! `width`; some carry doubles. Both are handled here.

use std::borrow::Cow;

use crate::{BlobProto, BlobShape};

/// Most values one blob may hold: Caffe's `INT_MAX`, and a bound on what a bad file can allocate.
pub const BLOB_VALUES_MAX: usize = i32::MAX as usize;

/// Most axes one blob may have, as in Caffe.
pub const BLOB_AXES_MAX: usize = 32;

/// What is wrong with a blob, or a datum, of a file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BlobError {
    /// A negative dimension.
    #[error("axis {axis} has {dim} values")]
    BadAxis {
        /// From 0.
        axis: usize,
        /// As written.
        dim: i64,
    },
    /// More axes than [`BLOB_AXES_MAX`].
    #[error("{axes} axes, but a blob has at most {BLOB_AXES_MAX}")]
    TooManyAxes {
        /// As written.
        axes: usize,
    },
    /// More values than [`BLOB_VALUES_MAX`].
    #[error("shape {dims:?} has more than {BLOB_VALUES_MAX} values")]
    TooLarge {
        /// As written.
        dims: Vec<i64>,
    },
    /// Shape and values disagree.
    #[error("shape {dims:?} has {want} values, but {got} are given")]
    Count {
        /// As written.
        dims: Vec<usize>,
        /// What the shape says.
        want: usize,
        /// What there is.
        got: usize,
    },
}

impl BlobProto {
    /// A blob with these values.
    ///
    /// # Panics
    ///
    /// If `data` has not as many values as `dims` says: both come from one blob of ours.
    pub fn from_values(dims: &[usize], data: Vec<f32>) -> Self {
        assert_eq!(dims.iter().product::<usize>(), data.len(), "shape and values of one blob");
        let dim = dims.iter().map(|&dim| i64::try_from(dim).expect("a blob fits memory"));
        let shape = BlobShape { dim: dim.collect(), ..BlobShape::EMPTY };
        Self { shape: Some(shape), data, ..Self::EMPTY }
    }

    /// The shape, whichever way it is written; as in Caffe, the old way wins if both are.
    ///
    /// # Errors
    ///
    /// If no blob can have it.
    pub fn dims(&self) -> Result<Vec<usize>, BlobError> {
        match self.legacy() {
            Some(dims) => checked(&dims),
            None => checked(&self.shape().dim),
        }
    }

    /// The values of `data` or `double_data`.
    ///
    /// # Errors
    ///
    /// If they are not as many as the shape says.
    pub fn values(&self) -> Result<Cow<'_, [f32]>, BlobError> {
        matching(self.dims()?, &self.data, &self.double_data)
    }

    /// Whether a blob of shape `dims` can take these values: shapes may differ in leading and
    /// trailing axes of length 1, which move no value. Caffe lets the old four numbers have leading
    /// ones (a bias of 1×1×1×N) and refuses the rest.
    pub fn fits(&self, dims: &[usize]) -> bool {
        self.dims().is_ok_and(|own| without_outer_ones(&own) == without_outer_ones(dims))
    }

    /// `num`, `channels`, `height`, `width`, if one of them is written.
    fn legacy(&self) -> Option<[i64; 4]> {
        let dims = [self.num, self.channels, self.height, self.width];
        let any = dims.iter().any(Option::is_some);
        any.then(|| dims.map(|dim| i64::from(dim.unwrap_or(0))))
    }
}

/// Without axes of length 1 at either end.
fn without_outer_ones(dims: &[usize]) -> &[usize] {
    let first = dims.iter().position(|&dim| dim != 1).unwrap_or(dims.len());
    let end = dims.iter().rposition(|&dim| dim != 1).map_or(first, |last| last + 1);
    &dims[first..end]
}

/// `dims` as sizes, if a blob can have them.
pub(crate) fn checked(dims: &[i64]) -> Result<Vec<usize>, BlobError> {
    if dims.len() > BLOB_AXES_MAX {
        return Err(BlobError::TooManyAxes { axes: dims.len() });
    }
    let mut count = 1_usize;
    let mut sizes = Vec::with_capacity(dims.len());
    for (axis, &dim) in dims.iter().enumerate() {
        let size = usize::try_from(dim).map_err(|_| BlobError::BadAxis { axis, dim })?;
        let product = count.checked_mul(size).filter(|&count| count <= BLOB_VALUES_MAX);
        count = product.ok_or_else(|| BlobError::TooLarge { dims: dims.to_vec() })?;
        sizes.push(size);
    }
    Ok(sizes)
}

#[expect(clippy::cast_possible_truncation, reason = "values are f32; a file may have been f64")]
fn matching<'a>(
    dims: Vec<usize>,
    floats: &'a [f32],
    doubles: &[f64],
) -> Result<Cow<'a, [f32]>, BlobError> {
    let want = dims.iter().product();
    let got = if doubles.is_empty() { floats.len() } else { doubles.len() };
    match (got == want, doubles.is_empty()) {
        (false, _) => Err(BlobError::Count { dims, want, got }),
        (true, true) => Ok(Cow::Borrowed(floats)),
        (true, false) => Ok(Cow::Owned(doubles.iter().map(|&value| value as f32).collect())),
    }
}

#[cfg(test)]
mod tests;
