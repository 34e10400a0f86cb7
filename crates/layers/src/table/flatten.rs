//! Flatten: joins neighbouring axes into one. Caffe type `Flatten`, `flatten_param`: `axis`
//! (default 1), `end_axis` (default the last), both included.
//!
//! The top is the bottom's memory under another shape.

use base::Shape;

use crate::axis::AxisOption;
use crate::{
    Backward, BottomFill, Forward, GradientCase, Layer, LayerError, LayerKind, LayerSpec,
    LayerTraits, TopMemory, table::reshape,
};

/// This layer's row in the [layer table](super::LAYERS).
pub(super) const KIND: LayerKind = LayerKind {
    name: "Flatten",
    options: "flatten_param",
    formula: "y = x, axes axis..=end_axis as one",
    build,
    cases: &[
        GradientCase::image(""),
        GradientCase {
            options: "flatten_param { axis: 0 end_axis: -2 }",
            bottoms: &[(&[2, 3, 4], BottomFill::Gaussian)],
            tops: 1,
        },
    ],
    ..LayerKind::UNARY
};

fn build(spec: &LayerSpec<'_>) -> Result<Box<dyn Layer>, LayerError> {
    let written = spec.layer.flatten_param();
    Ok(Box::new(FlattenLayer {
        first: AxisOption::new("flatten_param.axis", written.axis()),
        last: AxisOption::new("flatten_param.end_axis", written.end_axis()),
    }))
}

struct FlattenLayer {
    first: AxisOption,
    last: AxisOption,
}

impl Layer for FlattenLayer {
    fn reshape(&mut self, bottoms: &[Shape]) -> Result<Vec<Shape>, LayerError> {
        let dims = bottoms[0].dims();
        let (first, last) = (self.first.of(&bottoms[0])?, self.last.of(&bottoms[0])?);
        if first > last {
            return Err(LayerError::Option {
                option: "flatten_param.end_axis",
                got: format!("axis {last}"),
                want: format!("at least {first}, the first axis to flatten"),
            });
        }
        let mut flat = dims[..first].to_vec();
        flat.push(dims[first..=last].iter().product());
        flat.extend_from_slice(&dims[last + 1..]);
        Ok(vec![Shape::new(&flat)?])
    }

    fn traits(&self) -> LayerTraits {
        LayerTraits { tops: TopMemory::BottomDataAndDiff, ..LayerTraits::default() }
    }

    fn forward(&mut self, io: &mut Forward<'_>) -> Result<(), LayerError> {
        reshape::copy_forward(io);
        Ok(())
    }

    fn backward(&mut self, io: &mut Backward<'_>) -> Result<(), LayerError> {
        reshape::copy_backward(io);
        Ok(())
    }
}
