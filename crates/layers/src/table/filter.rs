//! Filter: the items of the batch where a selector is not 0. Caffe type `Filter`, no options. Never
//! runs in place.
//!
//! The last bottom is the selector; each of the others has a top. The number of selected items is
//! known only when forward runs, which gives the tops their shape; until then they have the
//! bottoms'.

use base::Shape;

use crate::{
    Arity, Backward, BottomFill, Forward, GradientBottoms, GradientCase, Layer, LayerError,
    LayerKind, LayerSpec, LayerTraits, LayoutRule, TopPrecision,
};

/// This layer's row in the [layer table](super::LAYERS).
pub(super) const KIND: LayerKind = LayerKind {
    name: "Filter",
    formula: "y_i = items of x_i where the last bottom is not 0",
    bottoms: Arity::at_least(2),
    tops: Arity::at_least(1),
    build,
    cases: &[GradientCase {
        options: "",
        bottoms: &[
            (&[6, 3, 2, 2], BottomFill::Gaussian),
            (&[6, 2], BottomFill::Gaussian),
            (&[6, 1, 1, 1], BottomFill::Binary),
        ],
        tops: 2,
    }],
    ..LayerKind::UNARY
};

fn build(spec: &LayerSpec<'_>) -> Result<Box<dyn Layer>, LayerError> {
    if spec.tops + 1 != spec.bottoms {
        return Err(LayerError::Option {
            option: "top",
            got: format!("written {} times", spec.tops),
            want: format!("{} times, once for each bottom but the selector", spec.bottoms - 1),
        });
    }
    Ok(Box::new(FilterLayer { tops: spec.tops, selected: Vec::new() }))
}

struct FilterLayer {
    tops: usize,
    /// Items that the last forward selected.
    selected: Vec<usize>,
}

impl Layer for FilterLayer {
    fn reshape(&mut self, bottoms: &[Shape]) -> Result<Vec<Shape>, LayerError> {
        let (selector, filtered) = bottoms.split_last().expect("the net counts bottoms");
        let wrong = |index: usize, want: String| {
            Err(LayerError::Bottom { index, got: bottoms[index].clone(), want })
        };
        let items = selector.count();
        if selector.dims().first() != Some(&items) {
            return wrong(filtered.len(), "one value per item".into());
        }
        if let Some(index) = filtered.iter().position(|x| x.dims().first() != Some(&items)) {
            return wrong(index, format!("{items} items, as the selector has"));
        }
        Ok(filtered.to_vec())
    }

    fn layouts(&self) -> LayoutRule {
        LayoutRule::Same
    }

    fn traits(&self) -> LayerTraits {
        LayerTraits {
            top_precision: TopPrecision::LikeBottom,
            ..GradientBottoms::AllBut(self.tops).traits()
        }
    }

    fn forward(&mut self, io: &mut Forward<'_>) -> Result<(), LayerError> {
        let (selector, filtered) = io.bottoms.split_last().expect("the net counts bottoms");
        self.selected.clear();
        self.selected
            .extend((0..selector.data().len()).filter(|&item| selector.data()[item] != 0.0));
        for (bottom, top) in filtered.iter().zip(&mut io.tops) {
            top.resize(&bottom.shape.with(0, self.selected.len())?);
            let len = bottom.shape.count_from(1);
            let y = top.data();
            for (to, &from) in self.selected.iter().enumerate() {
                y[to * len..][..len].copy_from_slice(&bottom.data()[from * len..][..len]);
            }
        }
        Ok(())
    }

    fn backward(&mut self, io: &mut Backward<'_>) -> Result<(), LayerError> {
        io.no_gradient(0);
        for (bottom, top) in io.bottoms.iter_mut().zip(&io.tops) {
            let Some(dx) = bottom.diff.as_deref_mut().filter(|_| !top.is_zero()) else { continue };
            let len = bottom.shape.count_from(1);
            for (from, &to) in self.selected.iter().enumerate() {
                dx[to * len..][..len].copy_from_slice(&top.diff()[from * len..][..len]);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
