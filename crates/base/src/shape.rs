//! Caffe's logical shape of a blob: up to 32 axes, outermost first, (N, C, H, W) for images.

use std::fmt;

/// Most values one blob may hold: Caffe's `INT_MAX`, and a bound on what a bad file can allocate.
pub const BLOB_VALUES_MAX: usize = i32::MAX as usize;

/// Most axes a blob may have, as in Caffe.
pub const AXES_MAX: usize = 32;

/// Sizes of a blob's axes. The product never exceeds [`BLOB_VALUES_MAX`], so `count` cannot
/// overflow.
#[derive(Clone, PartialEq, Eq, Hash, Default)]
pub struct Shape(Vec<usize>);

/// Why a list of sizes is not a shape.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ShapeError {
    /// An axis is negative or does not fit this machine.
    BadAxis {
        /// Which axis.
        axis: usize,
        /// What was written.
        dim: i64,
    },
    /// The product exceeds [`BLOB_VALUES_MAX`].
    TooLarge {
        /// What was written.
        dims: Vec<i64>,
    },
    /// More than 32 axes.
    TooManyAxes {
        /// How many.
        axes: usize,
    },
}

impl std::error::Error for ShapeError {}

impl fmt::Display for ShapeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BadAxis { axis, dim } => write!(f, "axis {axis} has size {dim}"),
            Self::TooLarge { dims } => {
                write!(f, "shape {dims:?} holds more than {BLOB_VALUES_MAX} values")
            }
            Self::TooManyAxes { axes } => write!(f, "{axes} axes, at most {AXES_MAX} are possible"),
        }
    }
}

impl Shape {
    /// Checks sizes that come from outside or from arithmetic on such.
    pub fn new(dims: &[usize]) -> Result<Self, ShapeError> {
        let signed: Vec<i64> = dims.iter().map(|&d| i64::try_from(d).unwrap_or(i64::MAX)).collect();
        Self::from_i64(&signed)
    }

    /// Checks sizes as a file states them.
    pub fn from_i64(dims: &[i64]) -> Result<Self, ShapeError> {
        if dims.len() > AXES_MAX {
            return Err(ShapeError::TooManyAxes { axes: dims.len() });
        }
        let mut count = 1_usize;
        let mut checked = Vec::with_capacity(dims.len());
        for (axis, &dim) in dims.iter().enumerate() {
            let size = usize::try_from(dim).map_err(|_| ShapeError::BadAxis { axis, dim })?;
            count = count
                .checked_mul(size)
                .filter(|&count| count <= BLOB_VALUES_MAX && size <= BLOB_VALUES_MAX)
                .ok_or_else(|| ShapeError::TooLarge { dims: dims.to_vec() })?;
            checked.push(size);
        }
        Ok(Self(checked))
    }

    /// The shape of a single value: no axes.
    #[must_use]
    pub fn scalar() -> Self {
        Self(Vec::new())
    }

    /// Sizes, outermost first.
    #[must_use]
    pub fn dims(&self) -> &[usize] {
        &self.0
    }

    /// Number of axes.
    #[must_use]
    pub fn axes(&self) -> usize {
        self.0.len()
    }

    /// Number of values.
    #[must_use]
    pub fn count(&self) -> usize {
        self.0.iter().product()
    }

    /// Number of values over the axes from `start` on.
    #[must_use]
    pub fn count_from(&self, start: usize) -> usize {
        self.0[start..].iter().product()
    }

    /// Number of values over the axes before `end`.
    #[must_use]
    pub fn count_to(&self, end: usize) -> usize {
        self.0[..end].iter().product()
    }

    /// Resolves an axis that may count from the end (`-1` is the last); `None` when out of range.
    #[must_use]
    pub fn axis(&self, axis: i32) -> Option<usize> {
        let axes = i64::try_from(self.axes()).ok()?;
        let axis = i64::from(axis);
        let axis = if axis < 0 { axis + axes } else { axis };
        usize::try_from(axis).ok().filter(|&axis| axis < self.axes())
    }

    /// The four sizes of an image blob, or `None` when there are not four axes.
    #[must_use]
    pub fn nchw(&self) -> Option<[usize; 4]> {
        self.0.as_slice().try_into().ok()
    }

    /// The same shape with `axis` resized; checked, since sizes add up in Concat.
    pub fn with(&self, axis: usize, size: usize) -> Result<Self, ShapeError> {
        let mut dims = self.0.clone();
        dims[axis] = size;
        Self::new(&dims)
    }
}

impl fmt::Debug for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

/// As Caffe's `Blob::shape_string`: `64 1 28 28 (50176)`.
impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for dim in &self.0 {
            write!(f, "{dim} ")?;
        }
        write!(f, "({})", self.count())
    }
}

#[cfg(test)]
mod tests {
    use super::{Shape, ShapeError};

    #[test]
    fn sizes_from_outside_are_checked() {
        assert_eq!(Shape::from_i64(&[2, 3]).map(|s| s.count()), Ok(6));
        assert_eq!(Shape::from_i64(&[2, -1]), Err(ShapeError::BadAxis { axis: 1, dim: -1 }));
        assert!(matches!(Shape::from_i64(&[1 << 40, 1 << 40]), Err(ShapeError::TooLarge { .. })));
        assert!(matches!(Shape::from_i64(&[0, 1 << 40]), Err(ShapeError::TooLarge { .. })));
        assert!(matches!(Shape::from_i64(&[1; 33]), Err(ShapeError::TooManyAxes { axes: 33 })));
    }

    #[test]
    fn axes_count_from_both_ends() {
        let shape = Shape::new(&[2, 3, 4]).unwrap();
        assert_eq!(shape.axis(-1), Some(2));
        assert_eq!(shape.axis(0), Some(0));
        assert_eq!(shape.axis(3), None);
        assert_eq!(shape.axis(-4), None);
        assert_eq!(shape.count_from(1), 12);
        assert_eq!(shape.to_string(), "2 3 4 (24)");
    }
}
