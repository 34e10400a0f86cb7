//! What a layer may touch while it runs: its bottoms, tops and params, borrowed for one call.

use base::Shape;
use base::random::Mt19937;
use kernels::half::UnaryValues;
use kernels::{Cpu, HalfFormat, StridedRows, StridedRowsMut, Unary, Values, Write};
use smallvec::SmallVec;
use tensor::{Layout, Slab};

use crate::DataSource;

/// A list of what one call lends a layer, one entry per blob or param. Up to six entries are on the
/// stack, so that an iteration of most nets allocates nothing.
pub type InlineVec<T> = SmallVec<[T; 6]>;

/// Everything one `forward` sees.
pub struct Forward<'a> {
    /// Threads and SIMD level.
    pub cpu: &'a Cpu,
    /// Inputs.
    pub bottoms: InlineVec<Bottom<'a>>,
    /// Outputs, to overwrite.
    pub tops: InlineVec<Top<'a>>,
    /// Learned params in Caffe's order, then those of absorbed layers.
    pub params: InlineVec<&'a [f32]>,
    /// Running params in Caffe's order.
    pub running: InlineVec<&'a mut [f32]>,
    /// The replica's random stream.
    pub rng: &'a mut Mt19937,
    /// The source of a data layer.
    pub source: Option<&'a mut (dyn DataSource + 'static)>,
    /// The format that values are rounded to where an absorbed layer begins.
    pub rounding: Option<HalfFormat>,
    /// The first of the images that this call is about: 0 but for layers that run
    /// [by image](crate::BlobAccess::ByImage).
    pub first_image: usize,
    /// Bottom 0 and top 0 of a layer that takes [16 bits](crate::BlobAccess::SixteenBits), where
    /// both are stored so. `bottoms` and `tops` then lend no values.
    pub half: Option<HalfForward<'a>>,
}

/// 16-bit blobs during forward.
pub struct HalfForward<'a> {
    /// Their format.
    pub format: HalfFormat,
    /// Values of bottom 0.
    pub x: &'a [u16],
    /// Values of top 0, to overwrite.
    pub y: &'a mut [u16],
}

/// An input blob.
#[derive(Clone, Copy)]
pub struct Bottom<'a> {
    /// Caffe's shape.
    pub shape: &'a Shape,
    /// Memory order of the data.
    pub layout: Layout,
    /// Where its values are.
    pub memory: BottomMemory<'a>,
}

/// Where the values of a bottom are during forward.
#[derive(Clone, Copy)]
pub enum BottomMemory<'a> {
    /// In memory that no top uses.
    OutOfPlace(&'a [f32]),
    /// In top 0, which overwrites them: see [`Forward::unary`].
    InPlace,
}

impl<'a> Bottom<'a> {
    /// The values.
    ///
    /// # Panics
    ///
    /// If the layer runs in place: layers that may do so use [`Forward::unary`] or
    /// [`Forward::input`].
    #[must_use]
    pub fn data(&self) -> &'a [f32] {
        match self.memory {
            BottomMemory::OutOfPlace(data) => data,
            BottomMemory::InPlace => panic!("in place, a bottom's values are in the top"),
        }
    }
}

/// An output blob.
pub struct Top<'a> {
    /// Caffe's shape.
    pub shape: &'a mut Shape,
    /// Memory order of the data.
    pub layout: Layout,
    /// Memory of at least `shape.count()` values.
    pub slab: &'a mut Slab,
    /// Where the rows are in `slab`, if they are some channels of a wider blob; only for layers
    /// that are [`OwnOrPlaced`](crate::TopMemory::OwnOrPlaced).
    pub placement: Option<RowPlacement>,
    /// Values of the images that this call is about; `None` for all of the blob.
    pub block: Option<usize>,
}

/// Where rows of channels are in the memory of a wider, channels-last blob.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RowPlacement {
    /// Channels of the wider blob.
    pub stride: usize,
    /// Which of them is the first.
    pub offset: usize,
}

impl RowPlacement {
    /// The given placement, or that of a blob whose rows of `c` channels are contiguous.
    fn or_dense(placement: Option<Self>, c: usize) -> Self {
        placement.unwrap_or(Self { stride: c, offset: 0 })
    }
}

impl Top<'_> {
    /// The values as rows of `c` channels.
    pub fn rows(&mut self, c: usize) -> StridedRowsMut<'_> {
        let RowPlacement { stride, offset } = RowPlacement::or_dense(self.placement, c);
        StridedRowsMut { data: self.slab, stride, offset }
    }

    /// The values.
    pub fn data(&mut self) -> &mut [f32] {
        let count = self.block.unwrap_or_else(|| self.shape.count());
        &mut self.slab[..count]
    }

    /// Gives the blob another shape, for layers whose top depends on values (Filter, ImageData).
    pub fn resize(&mut self, shape: &Shape) {
        if *self.shape != *shape {
            self.shape.clone_from(shape);
            self.slab.grow(shape.count());
        }
    }
}

impl Forward<'_> {
    /// Bottom 0 and top 0 of an elementwise layer, in place or not.
    pub fn unary(&mut self) -> Unary<'_> {
        let y = self.tops[0].data();
        match self.bottoms[0].memory {
            BottomMemory::OutOfPlace(x) => Unary::OutOfPlace { x, y },
            BottomMemory::InPlace => Unary::InPlace(y),
        }
    }

    /// Values of bottom 0, before the layer writes top 0.
    pub fn input(&mut self) -> &[f32] {
        match self.bottoms[0].memory {
            BottomMemory::OutOfPlace(x) => x,
            BottomMemory::InPlace => self.tops[0].data(),
        }
    }

    /// As [`unary`](Self::unary), for a layer that takes 16 bits.
    pub fn unary_values(&mut self) -> UnaryValues<'_> {
        match self.half {
            Some(HalfForward { format, x, ref mut y }) => UnaryValues::Half { format, x, y },
            None => self.unary().into(),
        }
    }

    /// As [`input`](Self::input), for a layer that takes 16 bits.
    pub fn input_values(&mut self) -> Values<'_> {
        match self.half {
            Some(HalfForward { format, x, .. }) => Values::Half(format, x),
            None => self.input().into(),
        }
    }
}

/// Everything one `backward` sees.
pub struct Backward<'a> {
    /// Threads and SIMD level.
    pub cpu: &'a Cpu,
    /// Outputs of forward and what came back for them.
    pub tops: InlineVec<TopDiff<'a>>,
    /// Inputs of forward and where their diffs go.
    pub bottoms: InlineVec<BottomDiff<'a>>,
    /// Learned params in Caffe's order, then those of absorbed layers.
    pub params: InlineVec<&'a [f32]>,
    /// Where the gradient of each of `params` goes; `None` when nobody wants it (`lr_mult: 0`).
    pub gradients: InlineVec<Option<ParamGradient<'a>>>,
    /// As [`Forward::rounding`], for diffs.
    pub rounding: Option<HalfFormat>,
    /// As [`Forward::first_image`].
    pub first_image: usize,
    /// As [`Forward::half`].
    pub half: Option<HalfBackward<'a>>,
}

/// 16-bit blobs during backward, out of place.
pub struct HalfBackward<'a> {
    /// Their format.
    pub format: HalfFormat,
    /// Values of bottom 0.
    pub x: &'a [u16],
    /// ParamGradient of top 0, masked or not.
    pub dy: &'a [u16],
    /// Where the gradient of bottom 0 goes; `None` when nobody wants it.
    pub dx: Option<&'a mut [u16]>,
}

/// An output blob during backward.
pub struct TopDiff<'a> {
    /// Caffe's shape.
    pub shape: &'a Shape,
    /// Memory order of data and diff.
    pub layout: Layout,
    /// Values; after in-place layers above, what they made of them. In mixed precision they are
    /// lent only to layers that [read](crate::BackwardReads) them.
    pub data: &'a [f32],
    /// Where its gradient is. Loss layers find their loss weight in the first value.
    pub gradient: TopGradient<'a>,
    /// Where the rows are in data and diff, as in [`Top::placement`].
    pub placement: Option<RowPlacement>,
}

/// Where the gradient of a top is during backward.
pub enum TopGradient<'a> {
    /// In memory that no bottom's diff uses.
    OutOfPlace(&'a [f32]),
    /// In the diff of bottom 0, which the layer overwrites: see [`Backward::unary`].
    InPlace,
    /// In memory that no bottom's diff uses, but without the mask of the ReLU that this layer
    /// absorbed, which applies it.
    Unmasked(&'a mut [f32]),
    /// Nowhere: nothing was written, so it is all zeros. They are in memory for layers that read
    /// them all the same; `None` where the layer skips such tops (Split).
    Zero(Option<&'a [f32]>),
}

impl<'a> TopDiff<'a> {
    /// The values as rows of `c` channels.
    #[must_use]
    pub fn rows(&self, c: usize) -> StridedRows<'a> {
        let RowPlacement { stride, offset } = RowPlacement::or_dense(self.placement, c);
        StridedRows { data: self.data, stride, offset }
    }

    /// The gradient as rows of `c` channels.
    #[must_use]
    pub fn diff_rows(&self, c: usize) -> StridedRows<'_> {
        StridedRows { data: self.diff(), ..self.rows(c) }
    }

    /// Whether nothing was written, so that the gradient is all zeros.
    #[must_use]
    pub fn is_zero(&self) -> bool {
        matches!(self.gradient, TopGradient::Zero(_))
    }

    /// The gradient, masked or not.
    ///
    /// # Panics
    ///
    /// If it has no memory of its own: layers that may run in place use [`Backward::unary`] or
    /// [`TopDiff::diff_beside`], and Split asks [`TopDiff::is_zero`] first.
    #[must_use]
    pub fn diff(&self) -> &[f32] {
        match &self.gradient {
            TopGradient::OutOfPlace(diff) | TopGradient::Zero(Some(diff)) => diff,
            TopGradient::Unmasked(diff) => diff,
            TopGradient::InPlace | TopGradient::Zero(None) => {
                panic!("the top's gradient has no memory of its own")
            }
        }
    }

    /// The gradient of a layer that may run in place: its own, or what `bottom`'s diff holds still.
    ///
    /// # Panics
    ///
    /// As [`diff`](Self::diff), where the layer does not run in place.
    #[must_use]
    pub fn diff_beside<'s>(&'s self, bottom: &'s BottomDiff<'_>) -> &'s [f32] {
        match (&self.gradient, bottom.diff.as_deref()) {
            (TopGradient::InPlace, Some(diff)) => diff,
            _ => self.diff(),
        }
    }

    /// The gradient as operand and `dx` as result of an elementwise operation, in place or not.
    ///
    /// # Panics
    ///
    /// As [`diff`](Self::diff), where the layer does not run in place.
    pub fn unary<'s>(&'s self, dx: &'s mut [f32]) -> Unary<'s> {
        match &self.gradient {
            TopGradient::InPlace => Unary::InPlace(dx),
            _ => Unary::OutOfPlace { x: self.diff(), y: dx },
        }
    }
}

/// An input blob during backward.
pub struct BottomDiff<'a> {
    /// Caffe's shape.
    pub shape: &'a Shape,
    /// Memory order of data and diff.
    pub layout: Layout,
    /// Values; in place, the top's. Lent as [`TopDiff::data`] is.
    pub data: &'a [f32],
    /// Where the gradient goes (overwrite); `None` when nobody wants it.
    pub diff: Option<&'a mut [f32]>,
    /// Slope of the ReLU that made `data`, when this layer is to apply its mask to `diff`; only for
    /// layers whose diffs can be [`Masked`](crate::BottomDiffs::Masked).
    pub relu: Option<f32>,
}

/// Where the gradient of one param goes.
pub struct ParamGradient<'a> {
    /// In the pool, Caffe's order.
    pub values: &'a mut [f32],
    /// Whether this is the first contribution (`Set`) or one of several (`Add`).
    pub write: Write,
}

impl Backward<'_> {
    /// Zeros for every bottom from `first` on that wants a diff: there is no gradient by them.
    pub fn no_gradient(&mut self, first: usize) {
        for diff in self.bottoms[first..].iter_mut().filter_map(|b| b.diff.as_deref_mut()) {
            diff.fill(0.0);
        }
    }

    /// Diffs of top 0 (as `x`) and bottom 0 (as `y`) of an elementwise layer, in place or not;
    /// `None` when nobody wants the bottom's.
    pub fn unary(&mut self) -> Option<Unary<'_>> {
        Some(self.tops[0].unary(self.bottoms[0].diff.as_deref_mut()?))
    }

    /// As [`unary`](Self::unary), for a layer that takes 16 bits.
    pub fn unary_values(&mut self) -> Option<UnaryValues<'_>> {
        match self.half {
            Some(HalfBackward { format, dy, ref mut dx, .. }) => {
                Some(UnaryValues::Half { format, x: dy, y: dx.as_deref_mut()? })
            }
            None => self.unary().map(UnaryValues::F32),
        }
    }
}
