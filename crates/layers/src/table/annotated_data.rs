//! AnnotatedData: images with true boxes from a database. Type of the SSD fork,
//! `annotated_data_param`, `data_param`, `transform_param`. Shapes only: such a net can be checked,
//! but not trained here, and the database is not opened.
//!
//! Top 0 is the batch after resizing and cropping, so its size is that of `crop_size`, or else of
//! `resize_param`; it has 3 channels unless `transform_param` says otherwise. Top 1 has a row of 8
//! values per box: how many there are is known from the records only, and 1 is shown.

use base::Shape;
use caffe_format::{ResizeParameterResizeMode, TransformationParameter};

use crate::shapes_only::ShapesOnlyLayer;
use crate::{Arity, Layer, LayerError, LayerKind, LayerSpec};

/// This layer's row in the [layer table](super::LAYERS).
pub(super) const KIND: LayerKind = LayerKind {
    name: "AnnotatedData",
    fork: "SSD",
    options: "annotated_data_param, data_param, transform_param",
    formula: "y_0 = images of the next batch; y_1 = their boxes (shapes only)",
    bottoms: Arity::exactly(0),
    tops: Arity { min: 1, max: 2 },
    shapes_only: true,
    build,
    ..LayerKind::UNARY
};

fn build(spec: &LayerSpec<'_>) -> Result<Box<dyn Layer>, LayerError> {
    let batch = spec.layer.data_param().batch_size() as usize;
    if batch == 0 {
        let (option, want) = ("data_param.batch_size", "images per batch");
        return Err(LayerError::Missing { option, want });
    }
    let [c, h, w] = image(spec.layer.transform_param())?;
    let mut shapes = vec![Shape::new(&[batch, c, h, w])?, Shape::new(&[1, 1, 1, 8])?];
    shapes.truncate(spec.tops);
    Ok(ShapesOnlyLayer::boxed(move |_| Ok(shapes.clone())))
}

/// Channels, height and width of an image after the transformation.
fn image(written: &TransformationParameter) -> Result<[usize; 3], LayerError> {
    let channels = match written.mean_value.len() {
        _ if written.force_gray() => 1,
        0 | 1 => 3,
        values => values,
    };
    let size = match (written.crop_size() as usize, &written.resize_param) {
        (0, None) => [written.crop_h() as usize, written.crop_w() as usize],
        (0, Some(resize)) => match resize.resize_mode() {
            ResizeParameterResizeMode::FitSmallSize => [0, 0], // depends on the image
            _ => [resize.height() as usize, resize.width() as usize],
        },
        (crop, _) => [crop; 2],
    };
    if size.contains(&0) {
        return Err(LayerError::Missing {
            option: "transform_param.resize_param",
            want: "`height` and `width`, which are the size of the images; the database is not \
                   opened",
        });
    }
    Ok([channels, size[0], size[1]])
}

#[cfg(test)]
mod tests {
    use crate::testing::{error, shapes};

    fn layer(transform: &str) -> String {
        format!(
            "type: \"AnnotatedData\" data_param {{ batch_size: 32 }} transform_param {{ {transform} }}"
        )
    }

    #[test]
    fn shapes_come_from_the_transformation() {
        let resize = "resize_param { prob: 1 resize_mode: WARP height: 300 width: 200 }";
        let tops = shapes(&layer(resize), &[], 2).unwrap();
        assert_eq!(tops[0].dims(), [32, 3, 300, 200]);
        assert_eq!(tops[1].dims(), [1, 1, 1, 8]);
        let gray = format!("{resize} crop_size: 100 force_gray: true");
        assert_eq!(shapes(&layer(&gray), &[], 1).unwrap()[0].dims(), [32, 1, 100, 100]);
        assert_eq!(
            error(&layer("mirror: true"), &[], 2),
            "`transform_param.resize_param` is missing: `height` and `width`, which are the size \
             of the images; the database is not opened"
        );
        assert_eq!(
            error("type: \"AnnotatedData\"", &[], 2),
            "`data_param.batch_size` is missing: images per batch"
        );
    }
}
