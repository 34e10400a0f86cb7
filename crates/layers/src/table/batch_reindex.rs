//! BatchReindex: items of the batch selected by index, `y[i] = x_0[x_1[i]]`. Caffe type
//! `BatchReindex`, no options. Never runs in place.
//!
//! Bottom 1 is a list of items of bottom 0, in any order and number. An item selected several times
//! gets the sum of the gradients.

use base::Shape;

use crate::loss::truncated;
use crate::{
    Arity, Backward, BottomFill, Forward, GradientBottoms, GradientCase, Layer, LayerError,
    LayerKind, LayerSpec, LayerTraits, LayoutRule,
};

/// This layer's row in the [layer table](super::LAYERS).
pub(super) const KIND: LayerKind = LayerKind {
    name: "BatchReindex",
    formula: "y_i = x_0[x_1[i]]",
    bottoms: Arity::exactly(2),
    build,
    cases: &[
        GradientCase {
            options: "",
            bottoms: &[(&[4, 3, 2, 2], BottomFill::Gaussian), (&[6], BottomFill::Labels(4))],
            tops: 1,
        },
        GradientCase {
            options: "",
            bottoms: &[(&[5], BottomFill::Gaussian), (&[2], BottomFill::Labels(5))],
            tops: 1,
        },
    ],
    ..LayerKind::UNARY
};

fn build(_: &LayerSpec<'_>) -> Result<Box<dyn Layer>, LayerError> {
    Ok(Box::new(BatchReindexLayer { items: 0, len: 0 }))
}

struct BatchReindexLayer {
    /// Items of bottom 0.
    items: usize,
    /// Values per item.
    len: usize,
}

impl BatchReindexLayer {
    /// The item that `index` selects.
    fn item(&self, position: usize, index: f32) -> Result<usize, LayerError> {
        truncated(index)
            .filter(|_| index >= 0.0)
            .and_then(|item| usize::try_from(item).ok())
            .filter(|&item| item < self.items)
            .ok_or(LayerError::Index { position, value: index, count: self.items })
    }
}

impl Layer for BatchReindexLayer {
    fn reshape(&mut self, bottoms: &[Shape]) -> Result<Vec<Shape>, LayerError> {
        let wrong = |index: usize, want: &str| LayerError::Bottom {
            index,
            got: bottoms[index].clone(),
            want: want.into(),
        };
        let &[count] = bottoms[1].dims() else { return Err(wrong(1, "one axis")) };
        let &[items, ..] = bottoms[0].dims() else { return Err(wrong(0, "a batch axis")) };
        (self.items, self.len) = (items, bottoms[0].count_from(1));
        Ok(vec![bottoms[0].with(0, count)?])
    }

    fn layouts(&self) -> LayoutRule {
        LayoutRule::Same
    }

    fn traits(&self) -> LayerTraits {
        GradientBottoms::Only(0).traits()
    }

    fn forward(&mut self, io: &mut Forward<'_>) -> Result<(), LayerError> {
        let (x, y) = (io.bottoms[0].data(), io.tops[0].data());
        for (position, &index) in io.bottoms[1].data().iter().enumerate() {
            let item = self.item(position, index)?;
            y[position * self.len..][..self.len].copy_from_slice(&x[item * self.len..][..self.len]);
        }
        Ok(())
    }

    fn backward(&mut self, io: &mut Backward<'_>) -> Result<(), LayerError> {
        io.no_gradient(0);
        let (indices, dy) = (io.bottoms[1].data, io.tops[0].diff());
        let Some(dx) = io.bottoms[0].diff.as_deref_mut() else { return Ok(()) };
        for (position, &index) in indices.iter().enumerate() {
            let item = self.item(position, index)?;
            let dy = &dy[position * self.len..][..self.len];
            dx[item * self.len..][..self.len].iter_mut().zip(dy).for_each(|(dx, dy)| *dx += dy);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
