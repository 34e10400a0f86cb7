//! The memory that backward lends a layer: the blobs' own floats, or 16-bit values expanded to f32
//! for some images.
//!
//! Diffs that the layer writes leave the net meanwhile, so that others can be lent beside them.

use kernels::Cpu;
use layers::{
    BackwardReads, BlobAccess, BottomDiff, HalfBackward, InlineVec, TopDiff, TopGradient,
};
use tensor::Slab;

use crate::blob_memory::{BlobMemory, BlobRole, ExpandedBlobs, ImageBlock, lent};
use crate::executable::{
    ExecutableBlob, ExecutableBottom, ExecutableLayer, ExecutableTop, GradientMemory,
};
use crate::ids::{BlobId, IdVec};

/// What decides about the memory of one call.
#[derive(Clone, Copy)]
pub(crate) struct BackwardMemory<'e, 'a> {
    pub(crate) exec: &'e ExecutableLayer,
    pub(crate) blobs: &'a IdVec<BlobId, ExecutableBlob>,
    pub(crate) block: ImageBlock,
    pub(crate) cpu: &'a Cpu,
}

/// Expanded data; `None` where the blob's own is lent, or none.
pub(crate) struct ExpandedData {
    bottoms: InlineVec<Option<Slab>>,
    tops: InlineVec<Option<Slab>>,
}

/// Diffs that left the net, or were expanded; `None` where the blob's own is lent, or none.
pub(crate) struct TakenDiffs {
    bottoms: InlineVec<Option<Slab>>,
    tops: InlineVec<Option<Slab>>,
    /// Bottom 0's, for a layer that takes 16 bits.
    halves: Option<Slab<u16>>,
}

impl<'a> BackwardMemory<'_, 'a> {
    /// Whether the layer takes blobs as they are stored, in 16 bits.
    fn takes_halves(&self) -> bool {
        let apart = |top: &ExecutableTop| {
            top.gradient != GradientMemory::InPlace && self.blobs[top.blob].diff.is_some()
        };
        self.exec.access == BlobAccess::SixteenBits
            && self.exec.takes_halves(self.blobs)
            && self.exec.tops.iter().all(apart)
    }

    /// Whether a top's values are read.
    fn reads_top(&self, top: &ExecutableTop) -> bool {
        match self.exec.backward_reads {
            BackwardReads::All => true,
            BackwardReads::Bottoms | BackwardReads::Masks => {
                top.gradient == GradientMemory::Unmasked
            }
        }
    }

    /// Whether a bottom's values are read.
    fn reads_bottom(&self, bottom: &ExecutableBottom) -> bool {
        self.exec.backward_reads != BackwardReads::Masks || bottom.relu.is_some()
    }

    /// Expands the values that the layer reads.
    pub(crate) fn expand_data(
        &self,
        data: &[BlobMemory],
        expanded: &mut ExpandedBlobs,
    ) -> ExpandedData {
        let as_stored = self.takes_halves();
        let mut expand = |role: BlobRole, position: usize, blob: BlobId, read: bool| {
            let blob = &self.blobs[blob];
            let expands = read && blob.format.is_some() && !as_stored;
            expands.then(|| {
                let place = self.block.place(blob);
                expanded.read(self.cpu, (role, position), &data[blob.data], place)
            })
        };
        let bottoms = (self.exec.bottoms.iter().enumerate())
            .map(|(i, b)| expand(BlobRole::BottomData, i, b.blob, self.reads_bottom(b)))
            .collect();
        let tops = (self.exec.tops.iter().enumerate())
            .map(|(i, top)| expand(BlobRole::TopData, i, top.blob, self.reads_top(top)))
            .collect();
        ExpandedData { bottoms, tops }
    }

    /// Takes the diffs that the layer writes and expands those in 16 bits.
    pub(crate) fn take_diffs(
        &self,
        diff: &mut [BlobMemory],
        expanded: &mut ExpandedBlobs,
    ) -> TakenDiffs {
        let as_stored = self.takes_halves();
        let mut halves = None;
        let tops = (self.exec.tops.iter().enumerate())
            .map(|(position, top)| {
                let blob = &self.blobs[top.blob];
                let buffer = blob.diff?;
                match (blob.format, top.gradient) {
                    (None, GradientMemory::Unmasked) => diff[buffer].take_floats(),
                    (None, _) | (_, GradientMemory::InPlace) => None,
                    _ if as_stored => None,
                    _ => {
                        let (role, place) = (BlobRole::TopDiff, self.block.place(blob));
                        Some(expanded.read(self.cpu, (role, position), &diff[buffer], place))
                    }
                }
            })
            .collect();
        let bottoms = (self.exec.bottoms.iter().enumerate())
            .map(|(position, bottom)| {
                let blob = &self.blobs[bottom.blob];
                let buffer = blob.diff.filter(|_| bottom.writes_diff)?;
                let role = (BlobRole::BottomDiff, position);
                match blob.format {
                    None => diff[buffer].take_floats(),
                    Some(_) if as_stored => {
                        halves = diff[buffer].take_halves();
                        None
                    }
                    Some(_) if self.holds_top(buffer) => {
                        Some(expanded.read(self.cpu, role, &diff[buffer], self.block.place(blob)))
                    }
                    Some(_) => Some(expanded.take(role, self.block.place(blob).count)),
                }
            })
            .collect();
        TakenDiffs { bottoms, tops, halves }
    }

    /// Whether the gradient of a top is in this buffer of a bottom's diff.
    fn holds_top(&self, buffer: usize) -> bool {
        let mut tops = self.exec.tops.iter();
        tops.any(|top| {
            top.gradient == GradientMemory::InPlace && self.blobs[top.blob].diff == Some(buffer)
        })
    }

    /// What the layer sees.
    pub(crate) fn lend<'b>(
        &self,
        data: &'b [BlobMemory],
        diff: &'b [BlobMemory],
        expanded: &'b ExpandedData,
        taken: &'b mut TakenDiffs,
    ) -> (InlineVec<TopDiff<'b>>, InlineVec<BottomDiff<'b>>, Option<HalfBackward<'b>>)
    where
        'a: 'b,
    {
        let as_stored = self.takes_halves();
        let tops = (self.exec.tops.iter().zip(&expanded.tops).zip(&mut taken.tops))
            .map(|((top, data_of), taken)| {
                let blob = &self.blobs[top.blob];
                let memory = &data[blob.data];
                let own = blob.format.is_none();
                TopDiff {
                    shape: &blob.shape,
                    layout: blob.layout,
                    data: match own {
                        true => lent(data_of, memory, self.block, blob.extent()),
                        false => lent(data_of, memory, self.block, blob.shape.count()),
                    },
                    gradient: self.gradient(top, blob, diff, taken, as_stored),
                    placement: blob.placement.filter(|_| own),
                }
            })
            .collect();
        let bottoms = (self.exec.bottoms.iter().zip(&expanded.bottoms).zip(&mut taken.bottoms))
            .map(|((bottom, data_of), taken)| {
                let blob = &self.blobs[bottom.blob];
                let place = self.block.place(blob);
                let start = if blob.format.is_none() { place.start } else { 0 };
                BottomDiff {
                    shape: &blob.shape,
                    layout: bottom.layout,
                    data: lent(data_of, &data[blob.data], self.block, blob.shape.count()),
                    diff: taken.as_mut().map(|slab| &mut slab[start..][..place.count]),
                    relu: bottom.relu,
                }
            })
            .collect();
        let half = as_stored.then(|| self.halves(data, diff, taken.halves.as_mut()));
        (tops, bottoms, half)
    }

    /// Where the layer finds a top's gradient.
    fn gradient<'b>(
        &self,
        top: &ExecutableTop,
        blob: &'b ExecutableBlob,
        diff: &'b [BlobMemory],
        taken: &'b mut Option<Slab>,
        as_stored: bool,
    ) -> TopGradient<'b> {
        let len = match blob.format {
            None => blob.extent(),
            Some(_) => self.block.place(blob).count,
        };
        match (top.gradient, taken) {
            (GradientMemory::Unmasked, _) if as_stored => TopGradient::Unmasked(&mut []),
            (GradientMemory::Unmasked, Some(slab)) => TopGradient::Unmasked(&mut slab[..len]),
            (GradientMemory::InPlace, _) => TopGradient::InPlace,
            (gradient, taken) => {
                let floats = blob.diff.and_then(|buffer| diff[buffer].floats());
                let own = match taken {
                    Some(slab) => Some(&slab[..len]),
                    None => floats.map(|slab| &slab[..len]),
                };
                match own {
                    Some(diff) if gradient != GradientMemory::Zero || blob.given_diff => {
                        TopGradient::OutOfPlace(diff)
                    }
                    own => TopGradient::Zero(own),
                }
            }
        }
    }

    /// Bottom 0 and top 0 as they are stored.
    fn halves<'b>(
        &self,
        data: &'b [BlobMemory],
        diff: &'b [BlobMemory],
        dx: Option<&'b mut Slab<u16>>,
    ) -> HalfBackward<'b> {
        let (bottom, top) = (&self.exec.bottoms[0], &self.exec.tops[0]);
        let (bottom, top) = (&self.blobs[bottom.blob], &self.blobs[top.blob]);
        let count = bottom.shape.count();
        let stored = |memory: &'b BlobMemory| memory.halves().expect("blobs stored in 16 bits");
        let (format, x) = stored(&data[bottom.data]);
        let (_, dy) = stored(&diff[top.diff.expect("a top whose gradient has memory")]);
        HalfBackward { format, x: &x[..count], dy: &dy[..count], dx: dx.map(|d| &mut d[..count]) }
    }

    /// Returns what was lent, and stores what the layer wrote into expanded diffs.
    pub(crate) fn put_back(
        &self,
        data: ExpandedData,
        taken: TakenDiffs,
        diff: &mut [BlobMemory],
        expanded: &mut ExpandedBlobs,
    ) {
        for (role, slabs) in [(BlobRole::BottomData, data.bottoms), (BlobRole::TopData, data.tops)]
        {
            for (position, slab) in slabs.into_iter().enumerate() {
                expanded.put((role, position), slab);
            }
        }
        let TakenDiffs { bottoms, tops, mut halves } = taken;
        for (position, (top, slab)) in self.exec.tops.iter().zip(tops).enumerate() {
            let blob = &self.blobs[top.blob];
            let Some((slab, buffer)) = slab.zip(blob.diff) else { continue };
            let place = self.block.place(blob);
            match &mut diff[buffer] {
                BlobMemory::F32(own) => *own = slab,
                memory => {
                    // What it masked is its bottoms' diff too.
                    if self.exec.shares_diff && top.gradient == GradientMemory::Unmasked {
                        memory.write(self.cpu, place, &slab[..place.count]);
                    }
                    expanded.put((BlobRole::TopDiff, position), Some(slab));
                }
            }
        }
        for (position, (bottom, slab)) in self.exec.bottoms.iter().zip(bottoms).enumerate() {
            let blob = &self.blobs[bottom.blob];
            let Some(buffer) = blob.diff.filter(|_| bottom.writes_diff) else { continue };
            let place = self.block.place(blob);
            match (&mut diff[buffer], slab) {
                (BlobMemory::F32(own), Some(slab)) => *own = slab,
                (memory @ BlobMemory::Half(..), Some(slab)) => {
                    memory.write(self.cpu, place, &slab[..place.count]);
                    expanded.put((BlobRole::BottomDiff, position), Some(slab));
                }
                (BlobMemory::Half(_, own), None) => {
                    if let Some(written) = halves.take() {
                        *own = written;
                    }
                }
                (BlobMemory::F32(_), None) => {}
            }
        }
    }
}
