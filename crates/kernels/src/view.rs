//! Views of operands: strided matrices, strided rows, elementwise operands in place or out of
//! place.

/// Whether a result overwrites its destination or is added to it (gradients of shared weights,
/// `iter_size`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Write {
    /// `into = value`.
    Set,
    /// `into += value`.
    Add,
}

impl Write {
    /// Writes or adds one value.
    #[inline(always)]
    pub(crate) fn put(self, value: f32, into: &mut f32) {
        match self {
            Self::Set => *into = value,
            Self::Add => *into += value,
        }
    }
}

/// A matrix to read: element (i, j) is `data[i * row_stride + j * col_stride]`.
#[derive(Debug, Clone, Copy)]
pub struct MatrixView<'a> {
    pub(crate) data: &'a [f32],
    pub(crate) row_stride: usize,
    pub(crate) col_stride: usize,
}

impl<'a> MatrixView<'a> {
    /// Row-major, rows `stride` apart.
    #[must_use]
    pub fn new(data: &'a [f32], stride: usize) -> Self {
        Self { data, row_stride: stride, col_stride: 1 }
    }

    /// The transpose of a row-major matrix whose rows are `stride` apart.
    #[must_use]
    pub fn transposed(data: &'a [f32], stride: usize) -> Self {
        Self { data, row_stride: 1, col_stride: stride }
    }

    /// The transpose of this view; no memory moves.
    #[must_use]
    pub fn transpose(self) -> Self {
        Self { data: self.data, row_stride: self.col_stride, col_stride: self.row_stride }
    }

    /// Panics unless all of a (rows, cols) matrix lies inside `data`.
    pub(crate) fn check(&self, rows: usize, cols: usize) {
        if rows > 0 && cols > 0 {
            let last = (rows - 1) * self.row_stride + (cols - 1) * self.col_stride;
            assert!(
                last < self.data.len(),
                "({rows}, {cols}) matrix in {} floats",
                self.data.len()
            );
        }
    }

    /// Pointer to element (i, j).
    pub(crate) fn at(&self, i: usize, j: usize) -> *const f32 {
        self.data.as_ptr().wrapping_add(i * self.row_stride + j * self.col_stride)
    }
}

/// Rows to read: row `r` begins at `data[r * stride + offset]`.
///
/// A stride longer than a row selects some channels of a channels-last blob, such as one branch of
/// a Concat.
#[derive(Debug, Clone, Copy)]
pub struct StridedRows<'a> {
    /// The blob that holds the rows.
    pub data: &'a [f32],
    /// Floats from a row to the next.
    pub stride: usize,
    /// Where the first row begins.
    pub offset: usize,
}

impl<'a> StridedRows<'a> {
    /// Contiguous rows of `len`.
    #[must_use]
    pub fn dense(data: &'a [f32], len: usize) -> Self {
        Self { data, stride: len, offset: 0 }
    }

    /// Panics unless `rows` rows of `len` lie inside `data`.
    pub(crate) fn check(&self, rows: usize, len: usize) {
        check_rows(self.data.len(), (self.stride, self.offset), rows, len);
    }

    /// Pointer to value `at` of row `r`.
    pub(crate) fn at(&self, r: usize, at: usize) -> *const f32 {
        self.data.as_ptr().wrapping_add(r * self.stride + self.offset + at)
    }

    /// The values of row `r`.
    pub(crate) fn row(&self, r: usize, len: usize) -> &'a [f32] {
        &self.data[r * self.stride + self.offset..][..len]
    }
}

/// Rows to write: row `r` begins at `data[r * stride + offset]`. Floats between rows are not
/// touched.
#[derive(Debug)]
pub struct StridedRowsMut<'a> {
    /// The blob that holds the rows.
    pub data: &'a mut [f32],
    /// Floats from a row to the next.
    pub stride: usize,
    /// Where the first row begins.
    pub offset: usize,
}

impl<'a> StridedRowsMut<'a> {
    /// Contiguous rows of `len`.
    pub fn dense(data: &'a mut [f32], len: usize) -> Self {
        Self { data, stride: len, offset: 0 }
    }

    /// Panics unless `rows` rows of `len` lie inside `data` without overlapping.
    pub(crate) fn check(&self, rows: usize, len: usize) {
        assert!(rows <= 1 || len <= self.stride, "rows of {len} overlap at stride {}", self.stride);
        check_rows(self.data.len(), (self.stride, self.offset), rows, len);
    }
}

fn check_rows(floats: usize, (stride, offset): (usize, usize), rows: usize, len: usize) {
    if rows > 0 {
        let end = (rows - 1) * stride + offset + len;
        assert!(end <= floats, "{rows} rows of {len}, {stride} apart, end at {end} of {floats}");
    }
}

/// The operand of an elementwise kernel that may run in place.
#[derive(Debug)]
pub enum Unary<'a> {
    /// Input and output are the same memory.
    InPlace(&'a mut [f32]),
    /// Two slices of one length.
    OutOfPlace {
        /// Input.
        x: &'a [f32],
        /// Output.
        y: &'a mut [f32],
    },
}

impl Unary<'_> {
    /// Number of values.
    ///
    /// # Panics
    ///
    /// If input and output differ in length.
    #[must_use]
    pub fn count(&self) -> usize {
        match self {
            Self::InPlace(y) => y.len(),
            Self::OutOfPlace { x, y } => {
                assert_eq!(x.len(), y.len(), "input and output have one length");
                y.len()
            }
        }
    }
}
