//! The layer behind every data layer type: its tops are what the source delivers.

use base::Shape;
use caffe_format::{ImageDataParameterLabelType, LayerParameter};

use crate::{Backward, Forward, Layer, LayerError, LayerSpec};

/// A layer whose tops come from [`Forward::source`]. Shapes are those the source announced; what it
/// delivers later may have others.
pub(crate) struct DataLayer {
    shapes: Vec<Shape>,
}

/// For [`LayerKind::build`](crate::LayerKind::build). A source may announce more than is wanted:
/// without a top, the label is not delivered.
pub(crate) fn build(spec: &LayerSpec<'_>) -> Result<Box<dyn Layer>, LayerError> {
    check_fields_of_forks(spec.layer)?;
    assert!(spec.source_shapes.len() >= spec.tops, "a source announces a shape for every top");
    Ok(Box::new(DataLayer { shapes: spec.source_shapes[..spec.tops].to_vec() }))
}

/// Fields of forks that are read, so that files with them can be checked, but change no data here:
/// an error, since training would not be what the file asks for.
fn check_fields_of_forks(layer: &LayerParameter) -> Result<(), LayerError> {
    let (t, image) = (layer.transform_param(), layer.image_data_param());
    let pixels = image.label_type() != ImageDataParameterLabelType::Image;
    let fields = [
        (pixels, "image_data_param.label_type"),
        (image.ignore_label.is_some(), "image_data_param.ignore_label"),
        (t.crop_h.is_some() || t.crop_w.is_some(), "transform_param.crop_h, crop_w"),
        (t.crop_height.is_some() || t.crop_width.is_some(), "transform_param.crop_height"),
        (t.noise_param.is_some(), "transform_param.noise_param"),
        (t.distort_param.is_some(), "transform_param.distort_param"),
        (t.expand_param.is_some(), "transform_param.expand_param"),
        (!t.scale_factors.is_empty(), "transform_param.scale_factors"),
    ];
    match fields.iter().find(|(written, _)| *written) {
        None => Ok(()),
        Some(&(_, option)) => Err(LayerError::Option {
            option,
            got: "written".into(),
            want: "nothing there: this field of a fork is not supported yet; remove it".into(),
        }),
    }
}

impl Layer for DataLayer {
    fn reshape(&mut self, _: &[Shape]) -> Result<Vec<Shape>, LayerError> {
        Ok(self.shapes.clone())
    }

    fn forward(&mut self, io: &mut Forward<'_>) -> Result<(), LayerError> {
        let source = io
            .source
            .as_deref_mut()
            .expect("the caller of the net provides a source for each data layer");
        Ok(source.next(&mut io.tops)?)
    }

    fn backward(&mut self, _: &mut Backward<'_>) -> Result<(), LayerError> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use base::Shape;
    use base::random::Mt19937;
    use caffe_format::{LayerParameter, Phase};
    use kernels::{Cpu, Simd};
    use tensor::{Layout, Slab};

    use crate::{DataSource, DataSourceError, Forward, InlineVec, LayerSpec, Top};

    /// Delivers batches that grow by one item each time.
    struct Growing(usize);

    impl DataSource for Growing {
        fn next(&mut self, tops: &mut [Top<'_>]) -> Result<(), DataSourceError> {
            self.0 += 1;
            for top in tops {
                let shape = top.shape.with(0, self.0).map_err(|e| DataSourceError(Box::new(e)))?;
                top.resize(&shape);
                top.data().fill(self.0 as f32);
            }
            Ok(())
        }

        fn record_name(&self, _: usize) -> Option<String> {
            None
        }

        fn state(&self) -> Vec<u8> {
            Vec::new()
        }

        fn restore(&mut self, _: &[u8]) -> Result<(), DataSourceError> {
            Ok(())
        }
    }

    #[test]
    fn tops_have_the_announced_shapes_and_then_those_of_the_batch() {
        let announced = [Shape::new(&[1, 2]).unwrap(), Shape::new(&[1]).unwrap()];
        let layer = LayerParameter { type_: Some("Data".into()), ..LayerParameter::default() };
        for tops in [1, 2] {
            let (phase, source_shapes) = (Phase::Train, &announced[..]);
            let spec = LayerSpec {
                layer: &layer,
                phase,
                in_place: false,
                bottoms: 0,
                tops,
                source_shapes,
            };
            let mut data = (crate::find("Data").unwrap().build)(&spec).unwrap();
            let mut shapes = data.reshape(&[]).unwrap();
            assert_eq!(shapes, announced[..tops]);
            let mut slabs: Vec<_> = shapes.iter().map(|s| Slab::zeros(s.count())).collect();
            let mut source = Growing(1);
            for batch in 2..4 {
                data.forward(&mut Forward {
                    cpu: &Cpu::new(1, Simd::detect()),
                    bottoms: InlineVec::new(),
                    tops: (shapes.iter_mut().zip(&mut slabs))
                        .map(|(shape, slab)| Top {
                            shape,
                            layout: Layout::RowMajor,
                            slab,
                            placement: None,
                            block: None,
                        })
                        .collect(),
                    params: InlineVec::new(),
                    running: InlineVec::new(),
                    rng: &mut Mt19937::new(1),
                    source: Some(&mut source),
                    rounding: None,
                    first_image: 0,
                    half: None,
                })
                .unwrap();
                assert_eq!(shapes[0].dims(), [batch, 2]);
                assert_eq!(slabs[0][..2 * batch], vec![batch as f32; 2 * batch]);
            }
        }
    }

    #[test]
    fn fields_of_forks_are_not_ignored() {
        let announced = [Shape::new(&[1, 2]).unwrap()];
        for (options, field) in [
            ("image_data_param { label_type: PIXEL }", Some("image_data_param.label_type")),
            ("transform_param { distort_param {} }", Some("transform_param.distort_param")),
            ("transform_param { crop_h: 3 }", Some("transform_param.crop_h, crop_w")),
            ("transform_param { scale_factors: 0.5 }", Some("transform_param.scale_factors")),
            ("data_param { shuffle: true } image_data_param { label_type: IMAGE }", None),
        ] {
            let layer: LayerParameter = caffe_format::text::read("test", options).unwrap();
            let (phase, source_shapes) = (Phase::Train, &announced[..]);
            let spec = LayerSpec {
                layer: &layer,
                phase,
                in_place: false,
                bottoms: 0,
                tops: 1,
                source_shapes,
            };
            let want = field.map(|field| {
                format!(
                    "`{field}` is written, expected nothing there: this field of a fork is not \
                     supported yet; remove it"
                )
            });
            assert_eq!(super::build(&spec).err().map(|error| error.to_string()), want);
        }
    }

    /// Buffers are exchanged when the batch's is at least as long as the blob's, and copied when
    /// other blobs may rely on the length of the blob's.
    #[test]
    fn buffers_are_exchanged_unless_the_blob_is_longer() {
        for (blob_len, batch_len, exchanged) in [(6, 6, true), (4, 6, true), (9, 6, false)] {
            let mut shape = Shape::new(&[1, 4]).unwrap();
            let (mut slab, mut values) = (Slab::zeros(blob_len), Slab::zeros(batch_len));
            values.fill(5.0);
            let batch_at = values.as_ptr();
            let mut top = Top {
                shape: &mut shape,
                layout: Layout::RowMajor,
                slab: &mut slab,
                placement: None,
                block: None,
            };
            top.swap_in(&Shape::new(&[2, 3]).unwrap(), &mut values);
            assert_eq!(top.data(), [5.0; 6]);
            assert_eq!(shape.dims(), [2, 3]);
            assert_eq!(slab.as_ptr() == batch_at, exchanged);
            assert!(slab.len() >= blob_len.max(6));
        }
    }
}
