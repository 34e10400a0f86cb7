//! Permute: the bottom with its axes in another order. Not in Caffe; layer type `Permute` of the
//! SSD fork (weiliu89), `permute_param`: `order`, the bottom's axes in the top's order; axes left
//! out follow in theirs. Never runs in place.
//!
//! The bottom may be in any memory order, the top is in Caffe's. So `order: 0 order: 2 order: 3
//! order: 1` after a convolution, which SSD has for every prediction, is a copy.

use base::Shape;
use kernels::permute::Permutation;
use tensor::Layout;

use crate::axis::memory_order;
use crate::{
    Backward, BottomFill, Forward, GradientCase, InPlace, Layer, LayerError, LayerKind, LayerSpec,
    LayoutRule,
};

/// This layer's row in the [layer table](super::LAYERS).
pub(super) const KIND: LayerKind = LayerKind {
    name: "Permute",
    fork: "SSD",
    options: "permute_param",
    formula: "y = x with axis order[i] as axis i",
    in_place: InPlace::ReadsOverwritten,
    build,
    cases: &[
        GradientCase::image(""),
        GradientCase::image("permute_param { order: 0 order: 2 order: 3 order: 1 }"),
        GradientCase::image("permute_param { order: 3 order: 1 }"),
        GradientCase {
            options: "permute_param { order: 2 order: 0 order: 1 }",
            bottoms: &[(&[2, 3, 4], BottomFill::Gaussian)],
            tops: 1,
        },
    ],
    ..LayerKind::UNARY
};

fn build(spec: &LayerSpec<'_>) -> Result<Box<dyn Layer>, LayerError> {
    let written = &spec.layer.permute_param().order;
    Ok(Box::new(PermuteLayer {
        written: written.iter().map(|&axis| axis as usize).collect(),
        row_major: PermuteDirections::default(),
        channels_last: PermuteDirections::default(),
    }))
}

struct PermuteLayer {
    /// `order` as written.
    written: Vec<usize>,
    /// For a bottom in Caffe's order.
    row_major: PermuteDirections,
    /// For a bottom that is channels-last.
    channels_last: PermuteDirections,
}

/// The permutations of forward and backward.
#[derive(Default)]
struct PermuteDirections {
    to_top: Permutation,
    to_bottom: Permutation,
}

impl PermuteDirections {
    fn new(bottom: &Shape, layout: Layout, order: &[usize], top: &Shape) -> Self {
        let memory = memory_order(bottom, layout);
        let sizes: Vec<_> = memory.iter().map(|&axis| bottom.dims()[axis]).collect();
        let to_top: Vec<_> = order.iter().map(|axis| position(memory, *axis)).collect();
        let to_bottom: Vec<_> = memory.iter().map(|axis| position(order, *axis)).collect();
        Self {
            to_top: Permutation::new(&sizes, &to_top),
            to_bottom: Permutation::new(top.dims(), &to_bottom),
        }
    }
}

fn position(axes: &[usize], axis: usize) -> usize {
    axes.iter().position(|&other| other == axis).expect("both have every axis of the bottom")
}

impl PermuteLayer {
    /// The bottom's axes in the top's order.
    fn order(&self, bottom: &Shape) -> Result<Vec<usize>, LayerError> {
        let wrong = |got: usize, want: String| {
            let (option, got) = ("permute_param.order", got.to_string());
            LayerError::Option { option, got, want }
        };
        for (i, &axis) in self.written.iter().enumerate() {
            if axis >= bottom.axes() {
                return Err(wrong(axis, format!("an axis of the bottom, which is {bottom}")));
            }
            if self.written[..i].contains(&axis) {
                return Err(wrong(axis, "each axis at most once".into()));
            }
        }
        let rest = (0..bottom.axes()).filter(|axis| !self.written.contains(axis));
        Ok(self.written.iter().copied().chain(rest).collect())
    }

    fn directions(&self, bottom: Layout) -> &PermuteDirections {
        match bottom {
            Layout::RowMajor => &self.row_major,
            Layout::ChannelsLast => &self.channels_last,
        }
    }
}

impl Layer for PermuteLayer {
    fn reshape(&mut self, bottoms: &[Shape]) -> Result<Vec<Shape>, LayerError> {
        let bottom = &bottoms[0];
        let order = self.order(bottom)?;
        let sizes: Vec<_> = order.iter().map(|&axis| bottom.dims()[axis]).collect();
        let top = Shape::new(&sizes)?;
        let directions = |layout| PermuteDirections::new(bottom, layout, &order, &top);
        self.row_major = directions(Layout::RowMajor);
        self.channels_last = directions(Layout::ChannelsLast);
        Ok(vec![top])
    }

    fn layouts(&self) -> LayoutRule {
        LayoutRule::AnyToRowMajor
    }

    fn forward(&mut self, io: &mut Forward<'_>) -> Result<(), LayerError> {
        let bottom = &io.bottoms[0];
        let permutation = &self.directions(bottom.layout).to_top;
        permutation.apply(io.cpu, bottom.data(), io.tops[0].data());
        Ok(())
    }

    fn backward(&mut self, io: &mut Backward<'_>) -> Result<(), LayerError> {
        let bottom = &mut io.bottoms[0];
        let permutation = &self.directions(bottom.layout).to_bottom;
        if let Some(dx) = bottom.diff.as_deref_mut() {
            permutation.apply(io.cpu, io.tops[0].diff(), dx);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{error, forward};

    #[test]
    fn axes_left_out_follow_in_their_order() {
        // x[c, h, w] = 6 c + 2 h + w.
        let x: Vec<f32> = (0..12_u8).map(f32::from).collect();
        for (order, dims, want) in [
            ("order: 0 order: 2 order: 3 order: 1", [1, 3, 2, 2], "0 6 1 7 2 8 3 9 4 10 5 11"),
            ("order: 2", [3, 1, 2, 2], "0 1 6 7 2 3 8 9 4 5 10 11"),
            ("order: 3 order: 1", [2, 2, 1, 3], "0 2 4 6 8 10 1 3 5 7 9 11"),
            ("", [1, 2, 3, 2], "0 1 2 3 4 5 6 7 8 9 10 11"),
        ] {
            let text = format!("type: \"Permute\" permute_param {{ {order} }}");
            let (shape, y) = forward(&text, &[(&[1, 2, 3, 2], &x)], 1).unwrap().remove(0);
            let y: Vec<_> = y.iter().map(ToString::to_string).collect();
            assert_eq!((shape.dims(), y.join(" ").as_str()), (&dims[..], want), "{order}");
        }
    }

    #[test]
    fn an_order_that_is_none_is_reported() {
        let check = |order: &str, want: &str| {
            let text = format!("type: \"Permute\" permute_param {{ {order} }}");
            assert_eq!(error(&text, &[&[2, 3]], 1), want);
        };
        check(
            "order: 2",
            "`permute_param.order` is 2, expected an axis of the bottom, which is 2 3 (6)",
        );
        check("order: 1 order: 1", "`permute_param.order` is 1, expected each axis at most once");
    }
}
