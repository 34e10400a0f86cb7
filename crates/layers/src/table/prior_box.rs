//! PriorBox: default boxes at every pixel of a feature map, with their variances. Type of the SSD
//! fork, `prior_box_param`. Shapes only: such a net can be checked, but not trained here.
//!
//! The top is (1, 2, height · width · priors · 4): the boxes, then the variances. There is a prior
//! for each `min_size` and each aspect ratio (1, those written, with `flip` their inverses too, no
//! ratio twice), and one more for each `max_size`. Bottom 1 is the image.

use std::cmp::Ordering;

use base::Shape;
use caffe_format::PriorBoxParameter;

use crate::shapes_only::{ShapesOnlyLayer, legacy_axis};
use crate::{Arity, Layer, LayerError, LayerKind, LayerSpec};

/// This layer's row in the [layer table](super::LAYERS).
pub(super) const KIND: LayerKind = LayerKind {
    name: "PriorBox",
    fork: "SSD",
    options: "prior_box_param",
    formula: "y = boxes around every pixel of x_0, and their variances (shapes only)",
    bottoms: Arity::exactly(2),
    shapes_only: true,
    build,
    ..LayerKind::UNARY
};

fn build(spec: &LayerSpec<'_>) -> Result<Box<dyn Layer>, LayerError> {
    let priors = priors(spec.layer.prior_box_param())?;
    Ok(ShapesOnlyLayer::boxed(move |bottoms| {
        let [h, w] = [2, 3].map(|axis| legacy_axis(&bottoms[0], axis));
        let values = h.saturating_mul(w).saturating_mul(priors).saturating_mul(4);
        if values == 0 {
            return Err(LayerError::Bottom {
                index: 0,
                got: bottoms[0].clone(),
                want: "a feature map with pixels".into(),
            });
        }
        Ok(vec![Shape::new(&[1, 2, values])?])
    }))
}

/// Priors per pixel.
fn priors(written: &PriorBoxParameter) -> Result<usize, LayerError> {
    const MIN_SIZE: &str = "prior_box_param.min_size";
    const MAX_SIZE: &str = "prior_box_param.max_size";
    let (min, max) = (&written.min_size, &written.max_size);
    let wrong = |option: &'static str, got: f32, want: &str| {
        Err(LayerError::Option { option, got: got.to_string(), want: want.into() })
    };
    if min.is_empty() {
        let want = "sides of the boxes, in pixels of the image";
        return Err(LayerError::Missing { option: MIN_SIZE, want });
    }
    if let Some(&size) = min.iter().find(|size| size.is_nan() || **size <= 0.0) {
        return wrong(MIN_SIZE, size, "a positive number");
    }
    if !max.is_empty() && max.len() != min.len() {
        return Err(LayerError::Option {
            option: MAX_SIZE,
            got: format!("written {} times", max.len()),
            want: format!("none, or one for each of the {} `min_size`", min.len()),
        });
    }
    if let Some((&size, _)) =
        max.iter().zip(min).find(|(max, min)| max.partial_cmp(min) != Some(Ordering::Greater))
    {
        return wrong(MAX_SIZE, size, "more than the `min_size` it belongs to");
    }
    let variances = &written.variance;
    if ![0, 1, 4].contains(&variances.len()) {
        return Err(LayerError::Option {
            option: "prior_box_param.variance",
            got: format!("written {} times", variances.len()),
            want: "1 or 4 values".into(),
        });
    }
    Ok(ratios(written).saturating_mul(min.len()).saturating_add(max.len()))
}

/// Number of aspect ratios. A ratio is compared with all before it, as in the fork, where the
/// inverse of one may equal another.
fn ratios(written: &PriorBoxParameter) -> usize {
    let mut ratios = vec![1.0_f32];
    for &ratio in &written.aspect_ratio {
        if ratios.iter().any(|known| (ratio - known).abs() < 1e-6) {
            continue;
        }
        ratios.push(ratio);
        if written.flip() {
            ratios.push(1.0 / ratio);
        }
    }
    ratios.len()
}

#[cfg(test)]
mod tests {
    use crate::testing::{error, shapes};

    fn layer(options: &str) -> String {
        format!("type: \"PriorBox\" prior_box_param {{ {options} }}")
    }

    /// SSD300 for VOC: 8,732 priors.
    #[test]
    fn priors_are_as_many_as_in_ssd300() {
        let six = "min_size: 60 max_size: 111 aspect_ratio: 2 aspect_ratio: 3";
        let four = "min_size: 30 max_size: 60 aspect_ratio: 2";
        let maps = [(38, four), (19, six), (10, six), (5, six), (3, four), (1, four)];
        let values: usize = maps
            .iter()
            .map(|(side, options)| {
                let bottoms: [&[usize]; 2] = [&[32, 512, *side, *side], &[32, 3, 300, 300]];
                let top = shapes(&layer(options), &bottoms, 1).unwrap().remove(0);
                assert_eq!(top.dims()[..2], [1, 2]);
                top.dims()[2]
            })
            .sum();
        assert_eq!(values, 8732 * 4);
    }

    #[test]
    fn ratios_count_once() {
        let count = |options: &str| {
            let bottoms: [&[usize]; 2] = [&[1, 1, 1, 1], &[1, 3, 9, 9]];
            shapes(&layer(options), &bottoms, 1).unwrap()[0].dims()[2] / 4
        };
        assert_eq!(count("min_size: 5"), 1);
        assert_eq!(count("min_size: 5 min_size: 7 max_size: 8 max_size: 9"), 4);
        assert_eq!(count("min_size: 5 aspect_ratio: 1 aspect_ratio: 2 aspect_ratio: 2"), 3);
        assert_eq!(count("min_size: 5 aspect_ratio: 2 aspect_ratio: 0.5"), 3);
        assert_eq!(count("min_size: 5 aspect_ratio: 2 aspect_ratio: 3 flip: false"), 3);
    }

    #[test]
    fn invalid_options_and_bottoms_are_reported() {
        let check = |options: &str, map: &[usize], want: &str| {
            assert_eq!(error(&layer(options), &[map, &[1, 3, 9, 9]], 1), want);
        };
        let map = &[1, 1, 2, 2];
        check(
            "",
            map,
            "`prior_box_param.min_size` is missing: sides of the boxes, in pixels of the image",
        );
        check("min_size: -1", map, "`prior_box_param.min_size` is -1, expected a positive number");
        check(
            "min_size: 4 max_size: 3",
            map,
            "`prior_box_param.max_size` is 3, expected more than the `min_size` it belongs to",
        );
        check(
            "min_size: 4 variance: 1 variance: 2",
            map,
            "`prior_box_param.variance` is written 2 times, expected 1 or 4 values",
        );
        check(
            "min_size: 4",
            &[1, 1, 0, 2],
            "bottom 0 has shape 1 1 0 2 (0), expected a feature map with pixels",
        );
    }
}
