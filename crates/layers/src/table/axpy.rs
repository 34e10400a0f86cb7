//! Axpy: `y = a * x + z`, with one factor `a` per image and channel. Not in Caffe; layer type
//! `Axpy` of the SENet fork (hujie-frank), whose blocks end with it. Never runs in place.
//!
//! Bottoms are `a` (n, c) or (n, c, 1, 1), `x` (n, c, h, w) or (n, c), and `z` as `x`.

use base::Shape;
use kernels::axpy::{self, AxpyDims};
use kernels::elementwise;

use crate::{
    Arity, Backward, BottomFill, Forward, GradientCase, InPlace, Layer, LayerError, LayerKind,
    LayoutRule,
};

/// This layer's row in the [layer table](super::LAYERS).
pub(super) const KIND: LayerKind = LayerKind {
    name: "Axpy",
    fork: "SENet",
    formula: "y = x_0 * x_1 + x_2, with one value of x_0 per image and channel",
    bottoms: Arity::exactly(3),
    in_place: InPlace::ReadsOverwritten,
    build: |_| Ok(Box::new(AxpyLayer { dims: AxpyDims::default() })),
    cases: &[
        GradientCase {
            options: "",
            bottoms: &[(&[2, 3, 1, 1], BottomFill::Gaussian), IMAGE, IMAGE],
            tops: 1,
        },
        GradientCase {
            options: "",
            bottoms: &[(&[2, 3], BottomFill::Gaussian), IMAGE, IMAGE],
            tops: 1,
        },
        GradientCase { options: "", bottoms: &[FLAT, FLAT, FLAT], tops: 1 },
    ],
    ..LayerKind::UNARY
};

const IMAGE: (&[usize], BottomFill) = (&[2, 3, 4, 5], BottomFill::Gaussian);
const FLAT: (&[usize], BottomFill) = (&[2, 5], BottomFill::Gaussian);

struct AxpyLayer {
    dims: AxpyDims,
}

impl Layer for AxpyLayer {
    fn reshape(&mut self, bottoms: &[Shape]) -> Result<Vec<Shape>, LayerError> {
        let wrong = |index: usize, want: String| {
            let got = bottoms[index].clone();
            LayerError::Bottom { index, got, want }
        };
        let (n, c, pixels) = match *bottoms[1].dims() {
            [n, c] => (n, c, 1),
            [n, c, h, w] => (n, c, h * w),
            _ => return Err(wrong(1, "2 or 4 axes".into())),
        };
        if bottoms[1].count() == 0 {
            return Err(wrong(1, "no empty axis".into()));
        }
        if ![&[n, c][..], &[n, c, 1, 1]].contains(&bottoms[0].dims()) {
            return Err(wrong(0, format!("{n} {c} or {n} {c} 1 1, one value per channel")));
        }
        if bottoms[2] != bottoms[1] {
            return Err(wrong(2, format!("{}, the shape of bottom 1", bottoms[1])));
        }
        self.dims = AxpyDims { n, pixels, c };
        Ok(vec![bottoms[1].clone()])
    }

    fn layouts(&self) -> LayoutRule {
        LayoutRule::ChannelsLast
    }

    fn forward(&mut self, io: &mut Forward<'_>) -> Result<(), LayerError> {
        let [a, x, z] = [0, 1, 2].map(|index| io.bottoms[index].data());
        axpy::forward(io.cpu, &self.dims, a, (x, z), io.tops[0].data());
        Ok(())
    }

    fn backward(&mut self, io: &mut Backward<'_>) -> Result<(), LayerError> {
        let (cpu, dy) = (io.cpu, io.tops[0].diff());
        let [a, x] = [io.bottoms[0].data, io.bottoms[1].data];
        if let Some(da) = io.bottoms[0].diff.as_deref_mut() {
            axpy::backward_factors(cpu, &self.dims, x, dy, da);
        }
        if let Some(dx) = io.bottoms[1].diff.as_deref_mut() {
            axpy::backward(cpu, &self.dims, a, dy, dx);
        }
        if let Some(dz) = io.bottoms[2].diff.as_deref_mut() {
            elementwise::copy(cpu, dy, dz);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{error, forward};

    #[test]
    fn each_channel_has_its_factor() {
        let (a, x, z) = ([2.0, -1.0], [1.0, 2.0, 3.0, 4.0], [10.0, 20.0, 30.0, 40.0]);
        // In memory: two pixels of two channels.
        let blobs: [(&[usize], &[f32]); 3] =
            [(&[1, 2, 1, 1], &a), (&[1, 2, 1, 2], &x), (&[1, 2, 1, 2], &z)];
        let y = forward("type: \"Axpy\"", &blobs, 1).unwrap().remove(0).1;
        assert_eq!(y, [12.0, 18.0, 36.0, 36.0]);
    }

    #[test]
    fn bottoms_that_do_not_fit_are_reported() {
        let check = |bottoms: &[&[usize]], want: &str| {
            assert_eq!(error("type: \"Axpy\"", bottoms, 1), want);
        };
        check(
            &[&[1, 2], &[2, 2, 3, 3], &[2, 2, 3, 3]],
            "bottom 0 has shape 1 2 (2), expected 2 2 or 2 2 1 1, one value per channel",
        );
        check(
            &[&[2, 2], &[2, 2, 3, 3], &[2, 2, 3, 4]],
            "bottom 2 has shape 2 2 3 4 (48), expected 2 2 3 3 (36), the shape of bottom 1",
        );
        check(&[&[2], &[2], &[2]], "bottom 1 has shape 2 (2), expected 2 or 4 axes");
    }
}
