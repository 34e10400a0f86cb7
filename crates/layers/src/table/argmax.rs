//! ArgMax: indices of the `top_k` largest values. Caffe type `ArgMax`, `argmax_param`: `top_k`,
//! `axis`, `out_max_val`. Never runs in place.
//!
//! Without `axis`, each item is one list of values and the top is (N, 1, k), or (N, 2, k) with
//! indices followed by values when `out_max_val` is set. With `axis`, lists run along it and the
//! top holds indices, or values when `out_max_val` is set. Of equal values the later one comes
//! first. Has no gradient.

use base::Shape;

use crate::axis::AxisOption;
use crate::{
    Backward, Forward, GradientBottoms, Layer, LayerError, LayerKind, LayerSpec, LayerTraits,
};

/// This layer's row in the [layer table](super::LAYERS).
pub(super) const KIND: LayerKind = LayerKind {
    name: "ArgMax",
    options: "argmax_param",
    formula: "y = indices of the top_k largest x, largest first",
    build,
    ..LayerKind::UNARY
};

fn build(spec: &LayerSpec<'_>) -> Result<Box<dyn Layer>, LayerError> {
    let written = spec.layer.argmax_param();
    let top_k = written.top_k() as usize;
    if top_k == 0 {
        return Err(invalid_top_k(top_k, "at least 1".into()));
    }
    Ok(Box::new(ArgMaxLayer {
        option: written.axis.map(|axis| AxisOption::new("argmax_param.axis", axis)),
        top_k,
        values: written.out_max_val(),
        outer: 0,
        size: 0,
        inner: 0,
        list: Vec::new(),
    }))
}

fn invalid_top_k(top_k: usize, want: String) -> LayerError {
    LayerError::Option { option: "argmax_param.top_k", got: top_k.to_string(), want }
}

struct ArgMaxLayer {
    option: Option<AxisOption>,
    top_k: usize,
    /// `out_max_val`: values besides indices, or in their place.
    values: bool,
    outer: usize,
    /// Length of a list; its values are `inner` apart.
    size: usize,
    inner: usize,
    /// The list that is being sorted: values and indices. Kept, so that only the first forward
    /// allocates.
    list: Vec<(f32, usize)>,
}

impl Layer for ArgMaxLayer {
    fn reshape(&mut self, bottoms: &[Shape]) -> Result<Vec<Shape>, LayerError> {
        let bottom = &bottoms[0];
        let top = match self.option {
            Some(option) => {
                let axis = option.of(bottom)?;
                self.outer = bottom.count_to(axis);
                self.size = bottom.dims()[axis];
                self.inner = bottom.count_from(axis + 1);
                bottom.with(axis, self.top_k)?
            }
            None => {
                let &[batch, ..] = bottom.dims() else {
                    let want = "a batch axis".into();
                    return Err(LayerError::Bottom { index: 0, got: bottom.clone(), want });
                };
                (self.outer, self.size, self.inner) = (batch, bottom.count_from(1), 1);
                let mut dims = vec![1; bottom.axes().max(3)];
                dims[..3].copy_from_slice(&[batch, 1 + usize::from(self.values), self.top_k]);
                Shape::new(&dims)?
            }
        };
        if self.top_k > self.size {
            return Err(invalid_top_k(self.top_k, format!("at most {} values", self.size)));
        }
        Ok(vec![top])
    }

    fn traits(&self) -> LayerTraits {
        GradientBottoms::None.traits()
    }

    fn forward(&mut self, io: &mut Forward<'_>) -> Result<(), LayerError> {
        let &mut Self { top_k, size, inner, ref mut list, .. } = self;
        let (x, y) = (io.bottoms[0].data(), io.tops[0].data());
        let pairs = self.values && self.option.is_none();
        for at in 0..self.outer * inner {
            let (outer, inside) = (at / inner, at % inner);
            let values = x[outer * size * inner + inside..].iter().step_by(inner).take(size);
            list.clear();
            // Adding 0 turns -0 into 0, which `total_cmp` would order apart.
            list.extend(values.enumerate().map(|(index, &value)| (value + 0.0, index)));
            list.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(b.1.cmp(&a.1)));
            for (rank, &(value, index)) in list[..top_k].iter().enumerate() {
                if pairs {
                    y[2 * at * top_k + rank] = index as f32;
                    y[(2 * at + 1) * top_k + rank] = value;
                } else {
                    let index_in_top = (outer * top_k + rank) * inner + inside;
                    y[index_in_top] = if self.values { value } else { index as f32 };
                }
            }
        }
        Ok(())
    }

    fn backward(&mut self, io: &mut Backward<'_>) -> Result<(), LayerError> {
        io.no_gradient(0);
        Ok(())
    }
}

#[cfg(test)]
mod tests;
