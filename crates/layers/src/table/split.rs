//! Split: every top is the bottom, and the bottom's diff is the sum of the tops'. Caffe type
//! `Split`, no options.
//!
//! The net inserts a Split where a blob has several readers. Tops share the bottom's data; backward
//! adds the diffs that were written, in the order of the tops, and can apply the mask of a ReLU
//! that made the bottom.

use base::Shape;
use kernels::elementwise;

use crate::border::BottomMask;
use crate::{
    Arity, Backward, BackwardReads, BlobAccess, BottomDiffs, BottomFill, Forward, GradientCase,
    InlineVec, Layer, LayerError, LayerKind, LayerSpec, LayerTraits, LayoutRule, TopDiff,
    TopMemory,
};

/// This layer's row in the [layer table](super::LAYERS).
pub(super) const KIND: LayerKind = LayerKind {
    name: "Split",
    formula: "y_i = x; dx = sum_i dy_i",
    tops: Arity::at_least(1),
    build,
    cases: &[GradientCase { options: "", bottoms: &[(&[2, 3, 4], BottomFill::Gaussian)], tops: 3 }],
    ..LayerKind::UNARY
};

fn build(spec: &LayerSpec<'_>) -> Result<Box<dyn Layer>, LayerError> {
    Ok(Box::new(SplitLayer { tops: spec.tops }))
}

struct SplitLayer {
    tops: usize,
}

impl Layer for SplitLayer {
    fn reshape(&mut self, bottoms: &[Shape]) -> Result<Vec<Shape>, LayerError> {
        Ok(vec![bottoms[0].clone(); self.tops])
    }

    fn layouts(&self) -> LayoutRule {
        LayoutRule::Same
    }

    fn traits(&self) -> LayerTraits {
        LayerTraits {
            tops: TopMemory::BottomData,
            bottom_diffs: BottomDiffs::Masked,
            access: BlobAccess::ByImage,
            backward_reads: BackwardReads::Masks,
            ..LayerTraits::default()
        }
    }

    fn forward(&mut self, io: &mut Forward<'_>) -> Result<(), LayerError> {
        // Only the gradient checker calls this: in a net the tops are the bottom's data.
        let x = io.bottoms[0].data();
        for top in &mut io.tops {
            top.data().copy_from_slice(x);
        }
        Ok(())
    }

    fn backward(&mut self, io: &mut Backward<'_>) -> Result<(), LayerError> {
        let bottom = &mut io.bottoms[0];
        let mask = BottomMask::new(bottom, io.rounding);
        let Some(dx) = bottom.diff.as_deref_mut() else { return Ok(()) };
        let mut written = io.tops.iter().filter(|top| !top.is_zero());
        let Some(first) = written.next() else {
            dx.fill(0.0);
            return Ok(());
        };
        let others: InlineVec<&[f32]> = written.map(TopDiff::diff).collect();
        elementwise::sum(io.cpu, first.unary(&mut *dx), &others, mask.in_pass());
        mask.finish(io.cpu, dx);
        Ok(())
    }
}
