//! Memory of blobs between layers: f32, or 16 bits in mixed precision.
//!
//! Layers compute in f32. What is stored in 16 bits is expanded for the layer that reads it, and
//! compressed, which rounds, when the layer that wrote it has run: some images at a time where the
//! layer allows it ([`BlobAccess::ByImage`](layers::BlobAccess)), so that the f32 values stay in
//! the cache.

use kernels::half::{self, HalfRows};
use kernels::{Cpu, HalfFormat};
use layers::BlobAccess;
use tensor::Slab;

use crate::executable::ExecutableBlob;

/// Values that a block of images has at most, unless it is one image; `None` for a layer that takes
/// all images at once. 4 MiB of f32 stay in the cache. Matrix products take 16 MiB: ResNet-50's
/// convolutions are a tenth faster than with 4 (bench/results.md).
pub(crate) fn block_limit(access: BlobAccess) -> Option<usize> {
    match access {
        BlobAccess::ByImage => Some(1 << 20),
        BlobAccess::ByManyImages => Some(1 << 22),
        BlobAccess::Whole | BlobAccess::SixteenBits => None,
    }
}

/// Values and format of a buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct BufferSize {
    pub(crate) values: usize,
    /// `None` for f32.
    pub(crate) format: Option<HalfFormat>,
}

impl BufferSize {
    pub(crate) fn bytes(self) -> usize {
        self.values * if self.format.is_some() { size_of::<u16>() } else { size_of::<f32>() }
    }
}

/// One buffer.
#[derive(Debug)]
pub(crate) enum BlobMemory {
    F32(Slab),
    Half(HalfFormat, Slab<u16>),
}

impl BlobMemory {
    pub(crate) fn zeros(size: BufferSize) -> Self {
        match size.format {
            None => Self::F32(Slab::zeros(size.values)),
            Some(format) => Self::Half(format, Slab::zeros(size.values)),
        }
    }

    /// Makes room for `len` values; new ones are zero.
    pub(crate) fn grow(&mut self, len: usize) {
        match self {
            Self::F32(slab) => slab.grow(len),
            Self::Half(_, slab) => slab.grow(len),
        }
    }

    pub(crate) fn bytes(&self) -> usize {
        match self {
            Self::F32(slab) => size_of_val(&**slab),
            Self::Half(_, slab) => size_of_val(&**slab),
        }
    }

    /// The value at `at`, for whoever looks at few of them.
    pub(crate) fn value(&self, at: usize) -> f32 {
        match self {
            Self::F32(slab) => slab[at],
            Self::Half(format, slab) => format.value(slab[at]),
        }
    }

    /// The values, where they are f32.
    pub(crate) fn floats(&self) -> Option<&Slab> {
        match self {
            Self::F32(slab) => Some(slab),
            Self::Half(..) => None,
        }
    }

    /// Lends the values to a layer that writes them, where they are f32.
    pub(crate) fn take_floats(&mut self) -> Option<Slab> {
        match self {
            Self::F32(slab) => Some(std::mem::take(slab)),
            Self::Half(..) => None,
        }
    }

    /// The values, where they are 16 bits.
    pub(crate) fn halves(&self) -> Option<(HalfFormat, &[u16])> {
        match self {
            Self::F32(_) => None,
            Self::Half(format, slab) => Some((*format, slab)),
        }
    }

    /// As [`take_floats`](Self::take_floats), for 16 bits.
    pub(crate) fn take_halves(&mut self) -> Option<Slab<u16>> {
        match self {
            Self::F32(_) => None,
            Self::Half(_, slab) => Some(std::mem::take(slab)),
        }
    }

    /// Sets the first `count` values.
    pub(crate) fn fill(&mut self, cpu: &Cpu, count: usize, value: f32) {
        match self {
            Self::F32(slab) => slab[..count].fill(value),
            Self::Half(format, slab) => {
                let mut stored = [0];
                half::compress(cpu, *format, HalfRows::dense(), &[value], &mut stored);
                slab[..count].fill(stored[0]);
            }
        }
    }

    /// Puts the values of a blob's images into the contiguous floats `to`.
    pub(crate) fn read(&self, cpu: &Cpu, place: BlobPlace, to: &mut [f32]) {
        match self {
            Self::F32(slab) => match place.rows {
                None => to.copy_from_slice(&slab[place.start..][..to.len()]),
                Some(HalfRows { stride, offset, len }) => {
                    for (row, to) in to.chunks_exact_mut(len).enumerate() {
                        to.copy_from_slice(&slab[place.start + row * stride + offset..][..len]);
                    }
                }
            },
            Self::Half(format, slab) => {
                let rows = place.rows.unwrap_or_else(HalfRows::dense);
                half::expand(cpu, *format, rows, &slab[place.start..], to);
            }
        }
    }

    /// Stores contiguous floats as the values of a blob's images; 16 bits are rounded to.
    ///
    /// # Panics
    ///
    /// If the blob is some channels of a wider one in f32: makers write such a blob themselves.
    pub(crate) fn write(&mut self, cpu: &Cpu, place: BlobPlace, from: &[f32]) {
        match self {
            Self::F32(slab) => {
                assert!(place.rows.is_none(), "rows with gaps are written in place");
                slab[place.start..][..from.len()].copy_from_slice(from);
            }
            Self::Half(format, slab) => {
                let rows = place.rows.unwrap_or_else(HalfRows::dense);
                half::compress(cpu, *format, rows, from, &mut slab[place.start..]);
            }
        }
    }
}

/// Where the values of some images of a blob are in its memory.
#[derive(Clone, Copy)]
pub(crate) struct BlobPlace {
    pub(crate) start: usize,
    /// How many values there are.
    pub(crate) count: usize,
    /// Rows from `start` on, if they are some channels of a wider blob.
    pub(crate) rows: Option<HalfRows>,
}

/// Some images of a batch, or all that a layer is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ImageBlock {
    All,
    /// `count` of `total` images, from `first` on.
    Some {
        first: usize,
        count: usize,
        total: usize,
    },
}

impl ImageBlock {
    pub(crate) fn first(self) -> usize {
        match self {
            Self::All => 0,
            Self::Some { first, .. } => first,
        }
    }

    /// Where these images of `blob` are.
    pub(crate) fn place(self, blob: &ExecutableBlob) -> BlobPlace {
        let all = blob.shape.count();
        let (before, count) = match self {
            Self::All => (0, all),
            Self::Some { first, count, total } => (all / total * first, all / total * count),
        };
        match (blob.placement, blob.shape.nchw()) {
            (Some(place), Some([_, c, ..])) if c > 0 => BlobPlace {
                start: before / c * place.stride,
                count,
                rows: Some(HalfRows { stride: place.stride, offset: place.offset, len: c }),
            },
            _ => BlobPlace { start: before, count, rows: None },
        }
    }

    /// Divides `total` images, of which the largest blob has `values` in all, into blocks of
    /// nearly equal size of at most `limit` values. Depends on the shapes only, as the sums of
    /// gradients over blocks do.
    pub(crate) fn divide(total: usize, values: usize, limit: usize) -> impl Iterator<Item = Self> {
        let size = block_images(total, values, limit);
        (0..total).step_by(size).map(move |first| Self::Some {
            first,
            count: size.min(total - first),
            total,
        })
    }
}

/// Images of a block; see [`ImageBlock::divide`].
fn block_images(total: usize, values: usize, limit: usize) -> usize {
    let per_image = values.checked_div(total).unwrap_or(0).max(1);
    let most = (limit / per_image).clamp(1, total.max(1));
    total.div_ceil(total.div_ceil(most).max(1)).max(1)
}

/// Most values of a blob that are expanded at a time, if it has `values` in `total` images.
pub(crate) fn block_values(total: usize, values: usize, limit: usize) -> usize {
    values.checked_div(total).unwrap_or(0) * block_images(total, values, limit)
}

/// Floats that 16-bit blobs are expanded into while a layer runs: one slab per role and position,
/// which all layers share.
#[derive(Debug, Default)]
pub(crate) struct ExpandedBlobs {
    slabs: [Vec<Slab>; 4],
}

/// What an expanded blob is to the layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BlobRole {
    BottomData,
    TopData,
    TopDiff,
    BottomDiff,
}

impl ExpandedBlobs {
    /// Lends the slab of a role and position, with room for `len` values.
    pub(crate) fn take(&mut self, (role, position): (BlobRole, usize), len: usize) -> Slab {
        let slabs = &mut self.slabs[role as usize];
        if slabs.len() <= position {
            slabs.resize_with(position + 1, Slab::default);
        }
        let mut slab = std::mem::take(&mut slabs[position]);
        slab.grow(len);
        slab
    }

    /// As [`take`](Self::take), holding the values that are at `place` in `memory`.
    pub(crate) fn read(
        &mut self,
        cpu: &Cpu,
        role: (BlobRole, usize),
        memory: &BlobMemory,
        place: BlobPlace,
    ) -> Slab {
        let mut slab = self.take(role, place.count);
        memory.read(cpu, place, &mut slab[..place.count]);
        slab
    }

    /// Takes back what was lent.
    pub(crate) fn put(&mut self, (role, position): (BlobRole, usize), slab: Option<Slab>) {
        if let Some(slab) = slab {
            self.slabs[role as usize][position] = slab;
        }
    }

    pub(crate) fn bytes(&self) -> usize {
        self.slabs.iter().flatten().map(|slab| size_of_val(&**slab)).sum()
    }
}

/// The floats of some images of a blob of `count` values: expanded ones, or the blob's own; none
/// where it is stored in 16 bits and was not expanded.
pub(crate) fn lent<'a>(
    expanded: &'a Option<Slab>,
    memory: &'a BlobMemory,
    block: ImageBlock,
    count: usize,
) -> &'a [f32] {
    let range = match block {
        ImageBlock::All => 0..count,
        ImageBlock::Some { first, count: images, total } => {
            count / total * first..count / total * (first + images)
        }
    };
    match (expanded, memory.floats()) {
        (Some(slab), _) => &slab[..range.len()],
        (None, Some(slab)) => &slab[range],
        (None, None) => &[],
    }
}

#[cfg(test)]
mod tests {
    use super::ImageBlock;

    const LIMIT: usize = 6000;

    #[test]
    fn blocks_cover_all_images_and_stay_in_the_cache() {
        for total in 0..40 {
            for per_image in [0, 1, 1000, LIMIT / 3, LIMIT, 2 * LIMIT] {
                let mut next = 0;
                for block in ImageBlock::divide(total, total * per_image, LIMIT) {
                    let ImageBlock::Some { first, count, total: of } = block else { panic!() };
                    assert_eq!((first, of), (next, total));
                    assert!(count > 0 && (count == 1 || count * per_image <= LIMIT));
                    next += count;
                }
                assert_eq!(next, total);
            }
        }
    }
}
