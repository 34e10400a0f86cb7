//! Accuracy: the fraction of labels whose score is among the `top_k` highest. Caffe type
//! `Accuracy`, `accuracy_param`: `top_k`, `axis` (default 1), `ignore_label`. Never runs in place.
//!
//! Bottom 0 has scores along `axis`, bottom 1 a label for every position of the other axes; labels
//! equal to `ignore_label` do not count. A score as high as the label's own counts as higher. Top
//! 1, if there is one, holds the fraction for each class. Has no gradient.

use base::Shape;

use crate::axis::AxisOption;
use crate::loss::{ClassScores, rounded};
use crate::workspace::Workspace;
use crate::{
    Arity, Backward, Forward, GradientBottoms, Layer, LayerError, LayerKind, LayerSpec, LayerTraits,
};

/// This layer's row in the [layer table](super::LAYERS).
pub(super) const KIND: LayerKind = LayerKind {
    name: "Accuracy",
    options: "accuracy_param",
    formula: "y = fraction of labels whose score is among the top_k highest",
    bottoms: Arity::exactly(2),
    tops: Arity { min: 1, max: 2 },
    build,
    ..LayerKind::UNARY
};

fn build(spec: &LayerSpec<'_>) -> Result<Box<dyn Layer>, LayerError> {
    let written = spec.layer.accuracy_param();
    Ok(Box::new(AccuracyLayer {
        option: AxisOption::new("accuracy_param.axis", written.axis()),
        top_k: written.top_k() as usize,
        ignore: written.ignore_label,
        tops: spec.tops,
        classes: ClassScores::default(),
        seen: Workspace::default(),
        found: Workspace::default(),
    }))
}

struct AccuracyLayer {
    option: AxisOption,
    top_k: usize,
    ignore: Option<i32>,
    tops: usize,
    classes: ClassScores,
    /// Labels of each class, and how many of them are among the highest scores.
    seen: Workspace<Vec<usize>>,
    found: Workspace<Vec<usize>>,
}

impl Layer for AccuracyLayer {
    fn reshape(&mut self, bottoms: &[Shape]) -> Result<Vec<Shape>, LayerError> {
        self.classes = ClassScores::new(bottoms, self.option.of(&bottoms[0])?)?;
        if self.top_k > self.classes.count {
            return Err(LayerError::Option {
                option: "accuracy_param.top_k",
                got: self.top_k.to_string(),
                want: format!("at most {}, the number of classes", self.classes.count),
            });
        }
        self.seen.declare(self.classes.count);
        self.found.declare(self.classes.count);
        let shapes = [Shape::scalar(), Shape::new(&[self.classes.count])?];
        Ok(shapes[..self.tops].to_vec())
    }

    fn traits(&self) -> LayerTraits {
        GradientBottoms::None.traits()
    }

    fn forward(&mut self, io: &mut Forward<'_>) -> Result<(), LayerError> {
        let Self { classes, seen, found, .. } = self;
        seen.fill(0);
        found.fill(0);
        for (position, &label) in io.bottoms[1].data().iter().enumerate() {
            let Some(class) = classes.class(label, position, self.ignore)? else { continue };
            let scores = &io.bottoms[0].data()[classes.start(position)..];
            let own = scores[class * classes.inner];
            let as_high = scores
                .iter()
                .step_by(classes.inner)
                .take(classes.count)
                .filter(|&&score| score >= own)
                .count();
            seen[class] += 1;
            // NaN compares false with everything: such a score gives `as_high` 0.
            found[class] += usize::from((1..=self.top_k).contains(&as_high));
        }
        let fraction = |found: usize, seen: usize| rounded(found as f64 / seen.max(1) as f64);
        io.tops[0].data()[0] = fraction(found.iter().sum(), seen.iter().sum());
        if let Some(top) = io.tops.get_mut(1) {
            for (y, (&found, &seen)) in top.data().iter_mut().zip(found.iter().zip(seen.iter())) {
                *y = fraction(found, seen);
            }
        }
        Ok(())
    }

    fn backward(&mut self, io: &mut Backward<'_>) -> Result<(), LayerError> {
        io.no_gradient(0);
        Ok(())
    }

    fn allocate(&mut self) {
        self.seen.allocate();
        self.found.allocate();
    }

    fn workspace_bytes(&self) -> usize {
        self.seen.bytes() + self.found.bytes()
    }
}

#[cfg(test)]
mod tests;
