//! What a layer may touch while it runs: its bottoms, tops and params, borrowed for one call.

use base::Shape;
use base::random::Mt19937;
use kernels::{Cpu, StridedRows, StridedRowsMut, Unary, Write};
use smallvec::SmallVec;
use tensor::{Layout, Slab};

use crate::DataSource;

/// What one call lends a layer, one a blob or a param: on the stack, so that an iteration allocates nothing,
/// unless a layer has more of them than most.
pub type Few<T> = SmallVec<[T; 6]>;

/// Everything one `forward` sees.
pub struct Forward<'a> {
    /// Threads and SIMD level.
    pub cpu: &'a Cpu,
    /// Inputs. In place, the data of a bottom that is also a top is empty: see [`Forward::unary`].
    pub bottoms: Few<Bottom<'a>>,
    /// Outputs, to overwrite.
    pub tops: Few<Top<'a>>,
    /// Learned params in Caffe's order; a running one has an empty slice here.
    pub params: Few<&'a [f32]>,
    /// Running params in Caffe's order; a learned one has an empty slice here.
    pub running: Few<&'a mut [f32]>,
    /// The replica's random stream.
    pub rng: &'a mut Mt19937,
    /// The source of a data layer.
    pub source: Option<&'a mut (dyn DataSource + 'static)>,
}

/// An input blob.
#[derive(Clone, Copy)]
pub struct Bottom<'a> {
    /// Caffe's shape.
    pub shape: &'a Shape,
    /// Memory order of `data`.
    pub layout: Layout,
    /// Values.
    pub data: &'a [f32],
}

/// An output blob.
pub struct Top<'a> {
    /// Caffe's shape.
    pub shape: &'a mut Shape,
    /// Memory order of the data.
    pub layout: Layout,
    /// Memory of at least `shape.count()` values.
    pub slab: &'a mut Slab,
    /// Where the rows lie in `slab`, if they are part of a wider blob; only for layers that
    /// [take a place](crate::Layer::takes_place).
    pub place: Option<Place>,
}

/// Where rows of channels lie in the memory of a wider, channels-last blob.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// Channels of the wider blob.
    pub stride: usize,
    /// Which of them is the first.
    pub offset: usize,
}

impl Place {
    /// A blob of rows of `c` by itself, or the given place.
    fn or_dense(place: Option<Self>, c: usize) -> Self {
        place.unwrap_or(Self { stride: c, offset: 0 })
    }
}

impl Top<'_> {
    /// The values as rows of `c` channels.
    pub fn rows(&mut self, c: usize) -> StridedRowsMut<'_> {
        let Place { stride, offset } = Place::or_dense(self.place, c);
        StridedRowsMut { data: self.slab, stride, offset }
    }

    /// The values.
    pub fn data(&mut self) -> &mut [f32] {
        let count = self.shape.count();
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
        let x = self.bottoms[0].data;
        let y = self.tops[0].data();
        if x.is_empty() { Unary::InPlace(y) } else { Unary::OutOfPlace { x, y } }
    }
}

/// Everything one `backward` sees.
pub struct Backward<'a> {
    /// Threads and SIMD level.
    pub cpu: &'a Cpu,
    /// Outputs of forward and what came back for them.
    pub tops: Few<TopDiff<'a>>,
    /// Inputs of forward and where their diffs go.
    pub bottoms: Few<BottomDiff<'a>>,
    /// Learned params in Caffe's order; a running one has an empty slice here.
    pub params: Few<&'a [f32]>,
    /// Where each learned param's gradient goes; `None` when nobody wants it (`lr_mult: 0`, running).
    pub gradients: Few<Option<Gradient<'a>>>,
    /// The diff of top 0, when this layer absorbed a ReLU whose mask it lacks yet. The slice in `tops`
    /// is empty then.
    pub unmasked: Option<&'a mut [f32]>,
}

/// An output blob during backward.
#[derive(Clone, Copy)]
pub struct TopDiff<'a> {
    /// Caffe's shape.
    pub shape: &'a Shape,
    /// Memory order of data and diff.
    pub layout: Layout,
    /// Values; after in-place layers above, what they made of them.
    pub data: &'a [f32],
    /// Gradient. In place, empty when it lies in the bottom's diff: see [`Backward::unary`].
    /// Loss layers find their loss weight in `diff[0]`.
    pub diff: &'a [f32],
    /// Whether anything was written to `diff`; all zeros otherwise.
    pub live: bool,
    /// Where the rows lie in `data` and `diff`, as in [`Top::place`].
    pub place: Option<Place>,
}

impl<'a> TopDiff<'a> {
    /// The values as rows of `c` channels.
    #[must_use]
    pub fn rows(&self, c: usize) -> StridedRows<'a> {
        let Place { stride, offset } = Place::or_dense(self.place, c);
        StridedRows { data: self.data, stride, offset }
    }

    /// The gradient as rows of `c` channels.
    #[must_use]
    pub fn diff_rows(&self, c: usize) -> StridedRows<'a> {
        StridedRows { data: self.diff, ..self.rows(c) }
    }

    /// The gradient of a layer that may run in place: `diff`, or what lies in `bottom`'s instead.
    #[must_use]
    pub fn gradient<'s>(&'s self, bottom: &'s BottomDiff<'_>) -> &'s [f32] {
        match bottom.diff.as_deref() {
            Some(diff) if self.diff.is_empty() => diff,
            _ => self.diff,
        }
    }
}

/// An input blob during backward.
pub struct BottomDiff<'a> {
    /// Caffe's shape.
    pub shape: &'a Shape,
    /// Memory order of data and diff.
    pub layout: Layout,
    /// Values; in place, the top's.
    pub data: &'a [f32],
    /// Where the gradient goes (overwrite); `None` when nobody wants it.
    pub diff: Option<&'a mut [f32]>,
    /// Slope of the ReLU that made `data`, when this layer is to apply its mask to `diff`; only for
    /// layers that [mask](crate::Layer::masks).
    pub relu: Option<f32>,
}

/// Where the gradient of one param goes.
pub struct Gradient<'a> {
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
        let dy = self.tops[0].diff;
        let dx = self.bottoms[0].diff.as_deref_mut()?;
        Some(if dy.is_empty() { Unary::InPlace(dx) } else { Unary::OutOfPlace { x: dy, y: dx } })
    }
}
