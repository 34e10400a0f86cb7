//! What a layer allows the compiler to do with it, and what the compiler decided.
//!
//! A net may run several layers as one, place a branch in the memory of its Concat, and let diffs
//! share memory. All of it gives the bits of the net as written. A layer describes itself once with
//! [`LayerTraits`]; where it has to behave differently, [`Fusion`] tells it so.

/// What may be done with a layer beyond running it as written, for the shapes it has.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct LayerTraits {
    /// Where the tops are.
    pub tops: TopMemory,
    /// What backward does to the bottoms' diffs.
    pub bottom_diffs: BottomDiffs,
    /// Which bottoms have a gradient, when `force_backward` asks for all.
    pub gradient_bottoms: GradientBottoms,
    /// What running in place costs.
    pub in_place: InPlaceCost,
    /// What it is to the layer before it, when it runs in place and that layer could do its work.
    pub follower: Option<Follower>,
    /// Whose work it can do on its top 0, in its own passes.
    pub absorbs: AbsorbableFollowers,
    /// Which tops mixed precision rounds.
    pub top_precision: TopPrecision,
    /// How it takes blobs that are stored in 16 bits.
    pub access: BlobAccess,
    /// Which values backward reads besides gradients.
    pub backward_reads: BackwardReads,
    /// Whether forward draws from the replica's random stream.
    pub draws: bool,
    /// Whether forward computes with its running params as they are instead of updating them: a
    /// BatchNorm in testing or with `use_global_stats`.
    pub reads_running: bool,
    /// Whether what a forward computes may depend on earlier ones in ways that nobody here sees, so
    /// that one copy of the layer must run them all in order, and no snapshot has its state.
    pub remembers: bool,
}

/// Which of a layer's tops are in half precision, where any of its bottoms with a gradient is or it
/// has params.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TopPrecision {
    /// All.
    #[default]
    Half,
    /// The first; others are indices or statistics.
    FirstHalf,
    /// Each as its bottom.
    LikeBottom,
    /// None.
    Full,
}

/// How a layer takes blobs that are stored in 16 bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum BlobAccess {
    /// Expanded to f32, all at once.
    #[default]
    Whole,
    /// Expanded to f32, some images at a time: forward and backward treat each image by itself, and
    /// gradients of params add up. The length of a slice says how many images there are.
    ByImage,
    /// As [`ByImage`](Self::ByImage), more images at a time: matrix products of few images are
    /// slow.
    ByManyImages,
    /// As they are, where bottom 0 and top 0 are stored so:
    /// [`Forward::half`](crate::Forward::half).
    SixteenBits,
}

/// Which values backward reads besides gradients and params. In mixed precision others are not
/// expanded, and the layer finds no values there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum BackwardReads {
    /// Those of bottoms and tops.
    #[default]
    All,
    /// Those of bottoms, and those that a ReLU's mask needs.
    Bottoms,
    /// Those that a ReLU's mask needs.
    Masks,
}

/// Where a layer's tops are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TopMemory {
    /// In memory of their own.
    #[default]
    Own,
    /// In memory of its own, or some channels of a wider blob:
    /// [`Top::placement`](crate::Top::placement).
    OwnOrPlaced,
    /// The bottoms side by side: where they are channels-last, their makers may write them there.
    JoinedChannels,
    /// The bottom's data under other names, with diffs of their own: Split, whose backward adds.
    /// Forward does not run.
    BottomData,
    /// The bottom's data and diff under another name: Flatten and Reshape; neither forward nor
    /// backward runs.
    BottomDataAndDiff,
}

impl TopMemory {
    /// Whether the tops' data is the bottom's, so that forward has nothing to do.
    #[must_use]
    pub fn is_bottom_data(self) -> bool {
        matches!(self, Self::BottomData | Self::BottomDataAndDiff)
    }
}

/// What backward does to the bottoms' diffs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum BottomDiffs {
    /// It computes them.
    #[default]
    Computed,
    /// It computes them and can apply the mask of a ReLU that made the bottom:
    /// [`BottomDiff::relu`](crate::BottomDiff::relu).
    Masked,
    /// It copies the top's diff to each, so that they may share its memory.
    CopyOfTop,
}

/// Which bottoms of a layer have a gradient; labels, for instance, have none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum GradientBottoms {
    /// Every one.
    #[default]
    All,
    /// None: the layer is not differentiable.
    None,
    /// The one with this index.
    Only(usize),
    /// All but the one with this index.
    AllBut(usize),
    /// Those before this index.
    First(usize),
}

impl GradientBottoms {
    /// Whether the bottom at `index` has one.
    #[must_use]
    pub fn contains(self, index: usize) -> bool {
        match self {
            Self::All => true,
            Self::None => false,
            Self::Only(only) => index == only,
            Self::AllBut(other) => index != other,
            Self::First(count) => index < count,
        }
    }

    /// The traits of a layer that has no others.
    pub(crate) fn traits(self) -> LayerTraits {
        LayerTraits { gradient_bottoms: self, ..LayerTraits::default() }
    }
}

/// What a layer does to run in place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum InPlaceCost {
    /// Nothing.
    #[default]
    Free,
    /// It keeps a copy of its bottom for backward, which [`Fusion::MoveApart`] saves.
    CopiesBottom,
}

/// A layer whose work the one before it can do.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Follower {
    /// `y = x · gamma + beta` per channel, both params.
    Affine,
    /// `y = x` where `x > 0`, else `slope · x`.
    Relu {
        /// Caffe's `negative_slope`, 0 or more.
        slope: f32,
    },
}

/// A [`Follower`] without its numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FollowerKind {
    /// [`Follower::Affine`].
    Affine,
    /// [`Follower::Relu`].
    Relu,
}

/// Whose work a layer can do, with the same bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AbsorbableFollowers {
    /// In the order in which they may follow; each may be missing.
    pub followers: &'static [FollowerKind],
    /// Whether it can do so where backward runs.
    pub backward: bool,
}

impl Default for AbsorbableFollowers {
    fn default() -> Self {
        Self { followers: &[], backward: true }
    }
}

impl AbsorbableFollowers {
    /// How many of the followers are used up once `next` is absorbed too; `None` if it cannot be.
    #[must_use]
    pub fn absorb(&self, used: usize, next: Follower) -> Option<usize> {
        let kind = match next {
            Follower::Affine => FollowerKind::Affine,
            Follower::Relu { .. } => FollowerKind::Relu,
        };
        let at = self.followers[used..].iter().position(|&follower| follower == kind)?;
        Some(used + at + 1)
    }
}

/// What the compiler decided for a layer whose [`LayerTraits`] allow it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Fusion {
    /// The layer does this follower's work on its top 0 from now on; the follower's params come
    /// after its own.
    Absorb(Follower),
    /// The layer was in place and gets a bottom of its own.
    MoveApart,
}

#[cfg(test)]
mod tests {
    use super::{AbsorbableFollowers, Follower, FollowerKind};

    #[test]
    fn followers_are_absorbed_in_order_and_once() {
        let absorbs = AbsorbableFollowers {
            followers: &[FollowerKind::Affine, FollowerKind::Relu],
            ..AbsorbableFollowers::default()
        };
        let (affine, relu) = (Follower::Affine, Follower::Relu { slope: 0.0 });
        let cases = [
            (0, affine, Some(1)),
            (0, relu, Some(2)),
            (1, affine, None),
            (1, relu, Some(2)),
            (2, affine, None),
            (2, relu, None),
        ];
        for (used, next, want) in cases {
            assert_eq!(absorbs.absorb(used, next), want, "{next:?} after {used}");
        }
        assert_eq!(AbsorbableFollowers::default().absorb(0, relu), None);
    }
}
