//! The memory that forward lends a layer: the blobs' own floats, or 16-bit values expanded to f32
//! for some images.
//!
//! Tops leave the net while the layer writes them, so that bottoms can be lent beside them.

use base::Shape;
use kernels::Cpu;
use layers::{Bottom, BottomMemory, HalfForward, InlineVec, Top};
use tensor::Slab;

use crate::blob_memory::{
    BlobMemory, BlobPlace, BlobRole, ExpandedBlobs, ImageBlock, lent as floats_of,
};
use crate::executable::{ExecutableBlob, ExecutableBottom, ExecutableLayer};
use crate::ids::{BlobId, IdVec};

type Blobs = IdVec<BlobId, ExecutableBlob>;

/// What decides about the memory of one call.
#[derive(Clone, Copy)]
pub(crate) struct ForwardMemory<'e> {
    pub(crate) exec: &'e ExecutableLayer,
    pub(crate) block: ImageBlock,
    pub(crate) cpu: &'e Cpu,
}

/// What left the net, or was expanded.
pub(crate) struct LentBlobs {
    /// Expanded values; `None` where the blob's own are lent.
    pub(crate) bottoms: InlineVec<Option<Slab>>,
    pub(crate) tops: InlineVec<LentTop>,
    /// Top 0's, for a layer that takes 16 bits.
    pub(crate) halves: Option<Slab<u16>>,
}

/// A top that the layer writes.
pub(crate) struct LentTop {
    shape: Shape,
    slab: Slab,
    place: BlobPlace,
}

impl ForwardMemory<'_> {
    /// Takes what the layer writes, and expands what it reads in 16 bits.
    pub(crate) fn take(
        &self,
        blobs: &mut Blobs,
        data: &mut [BlobMemory],
        expanded: &mut ExpandedBlobs,
    ) -> LentBlobs {
        let Self { exec, block, cpu } = *self;
        let as_stored = exec.takes_halves(blobs);
        let bottoms = (exec.bottoms.iter().enumerate())
            .map(|(position, bottom)| {
                let blob = &blobs[bottom.blob];
                let expands = blob.format.is_some() && !bottom.in_place && !as_stored;
                let role = (BlobRole::BottomData, position);
                expands.then(|| expanded.read(cpu, role, &data[blob.data], block.place(blob)))
            })
            .collect();
        let halves = match as_stored {
            true => data[blobs[exec.tops[0].blob].data].take_halves(),
            false => None,
        };
        let in_place = exec.bottoms.iter().any(|bottom| bottom.in_place);
        let tops = (exec.tops.iter().enumerate())
            .map(|(position, top)| {
                let blob = &mut blobs[top.blob];
                let (place, role) = (block.place(blob), (BlobRole::TopData, position));
                let slab = match data[blob.data].take_floats() {
                    Some(slab) => slab,
                    None if as_stored => Slab::default(),
                    None if in_place => expanded.read(cpu, role, &data[blob.data], place),
                    None => expanded.take(role, place.count),
                };
                LentTop { shape: std::mem::take(&mut blob.shape), slab, place }
            })
            .collect();
        LentBlobs { bottoms, tops, halves }
    }

    /// The tops that the layer sees.
    pub(crate) fn tops<'b>(
        &self,
        blobs: &Blobs,
        taken: &'b mut InlineVec<LentTop>,
    ) -> InlineVec<Top<'b>> {
        (taken.iter_mut().zip(&self.exec.tops))
            .map(|(LentTop { shape, slab, place }, top)| {
                let blob = &blobs[top.blob];
                let own = blob.format.is_none();
                Top {
                    shape,
                    layout: blob.layout,
                    slab,
                    placement: blob.placement.filter(|_| own),
                    block: (self.block != ImageBlock::All).then_some(place.count),
                }
            })
            .collect()
    }

    /// Bottom 0 and top 0 as they are stored, if the layer takes 16 bits.
    pub(crate) fn halves<'b>(
        &self,
        blobs: &Blobs,
        data: &'b [BlobMemory],
        taken: &'b mut Option<Slab<u16>>,
    ) -> Option<HalfForward<'b>> {
        let (y, bottom) = (taken.as_mut()?, &self.exec.bottoms[0]);
        let (format, x) = data[blobs[bottom.blob].data].halves()?;
        let count = bottom.seen.count();
        Some(HalfForward { format, x: &x[..count], y: &mut y[..count] })
    }

    /// Returns what was lent, and stores what the layer wrote into expanded tops.
    pub(crate) fn put_back(
        &self,
        lent: LentBlobs,
        blobs: &mut Blobs,
        data: &mut [BlobMemory],
        expanded: &mut ExpandedBlobs,
    ) {
        let LentBlobs { bottoms, tops, mut halves } = lent;
        for (position, bottom) in bottoms.into_iter().enumerate() {
            expanded.put((BlobRole::BottomData, position), bottom);
        }
        for (position, (taken, top)) in tops.into_iter().zip(&self.exec.tops).enumerate() {
            let blob = &mut blobs[top.blob];
            blob.shape = taken.shape;
            match (&mut data[blob.data], halves.take()) {
                (BlobMemory::F32(own), _) => *own = taken.slab,
                (BlobMemory::Half(_, own), Some(written)) => *own = written,
                (memory, None) => {
                    memory.grow(blob.extent());
                    let place = self.block.place(blob);
                    memory.write(self.cpu, place, &taken.slab[..place.count]);
                    expanded.put((BlobRole::TopData, position), Some(taken.slab));
                }
            }
        }
    }
}

/// The bottoms that a layer sees, which hold on to `bottoms` but not to the layer.
pub(crate) fn lend_bottoms<'b>(
    block: ImageBlock,
    bottoms: &'b [ExecutableBottom],
    blobs: &Blobs,
    data: &'b [BlobMemory],
    expanded: &'b InlineVec<Option<Slab>>,
) -> InlineVec<Bottom<'b>> {
    let memory_of = |bottom: &ExecutableBottom, expanded: &'b Option<Slab>| {
        let (memory, count) = (&data[blobs[bottom.blob].data], bottom.seen.count());
        match bottom.in_place {
            true => BottomMemory::InPlace,
            false => BottomMemory::OutOfPlace(floats_of(expanded, memory, block, count)),
        }
    };
    (bottoms.iter().zip(expanded))
        .map(|(bottom, expanded)| Bottom {
            shape: &bottom.seen,
            layout: bottom.layout,
            memory: memory_of(bottom, expanded),
        })
        .collect()
}
