//! `color_jitter` and `lighting`: all changes of colour are one matrix per image.
//!
//! Brightness multiplies, contrast mixes with the image's mean grey, saturation with each pixel's
//! grey, in random order; lighting adds a random combination of the principal components of
//! colours (Krizhevsky et al.). Each is affine, so they are multiplied out in f64 and applied once.

use caffe_format::TransformationParameter;
use kernels::pixels::ColorMatrix;

use super::RecordRandom;
use crate::error::DataError;

/// Grey of blue, green and red (BT.601).
const GRAY: [f64; 3] = [0.114, 0.587, 0.299];

/// Principal components of ImageNet's colours, for pixels from 0 to 1: deviations, and directions
/// by channel (blue, green, red), as widely used.
const IMAGENET_VALUES: [f64; 3] = [0.2175, 0.0188, 0.0045];
const IMAGENET_VECTORS: [[f64; 3]; 3] =
    [[-0.5836, -0.6948, 0.4203], [-0.5808, -0.0045, -0.8140], [-0.5675, 0.7192, 0.4009]];

/// How colours are changed.
#[derive(Debug, Clone)]
pub(crate) struct ColorRules {
    /// Brightness, contrast, saturation: factors are from 1 - x to 1 + x.
    jitter: [f64; 3],
    /// By channel and component: what a normal number is multiplied with.
    lighting: [[f64; 3]; 3],
}

/// A matrix in the making.
struct ColorProduct {
    factors: [[f64; 3]; 3],
    offsets: [f64; 3],
}

impl ColorRules {
    /// Checks the fields; `None` when colours stay.
    pub(super) fn lower(param: &TransformationParameter) -> Result<Option<Self>, DataError> {
        if param.color_jitter.is_none() && param.lighting.is_none() {
            return Ok(None);
        }
        let jitter = param.color_jitter();
        let fields = [
            ("transform_param.color_jitter.brightness", jitter.brightness()),
            ("transform_param.color_jitter.contrast", jitter.contrast()),
            ("transform_param.color_jitter.saturation", jitter.saturation()),
        ];
        for (field, got) in fields {
            if !(0.0..=1.0).contains(&got) {
                let (got, want) = (got.to_string(), "from 0 to 1");
                return Err(DataError::ForkValue { field, got, want });
            }
        }
        let lighting = match &param.lighting {
            None => [[0.0; 3]; 3],
            Some(lighting) => {
                let (values, vectors) = components(&lighting.eigenvalue, &lighting.eigenvector)?;
                let std = f64::from(lighting.std());
                if !(0.0..=100.0).contains(&std) {
                    let (field, want) = ("transform_param.lighting.std", "from 0 to 100");
                    return Err(DataError::ForkValue { field, got: std.to_string(), want });
                }
                vectors.map(|row| std::array::from_fn(|k| 255.0 * std * values[k] * row[k]))
            }
        };
        Ok(Some(Self { jitter: fields.map(|(_, strength)| f64::from(strength)), lighting }))
    }

    /// The matrix of a record, whose `pixels` pixels have these sums by channel.
    pub(crate) fn matrix(
        &self,
        random: &mut RecordRandom,
        sums: [u64; 3],
        pixels: usize,
    ) -> ColorMatrix {
        let means = sums.map(|sum| sum as f64 / pixels as f64);
        let factors = self.jitter.map(|strength| random.between(1.0 - strength, 1.0 + strength));
        let mut order = [0, 1, 2];
        order.swap(2, usize::try_from(random.below(3)).unwrap_or(0));
        order.swap(1, usize::try_from(random.below(2)).unwrap_or(0));
        let mut product = ColorProduct::identity();
        for kind in order {
            match kind {
                0 => product.mix(factors[0], [[0.0; 3]; 3], [0.0; 3]),
                1 => {
                    let gray: f64 = dot(GRAY, product.of(means));
                    product.mix(factors[1], [[0.0; 3]; 3], [gray; 3]);
                }
                _ => {
                    let row: [f64; 3] =
                        std::array::from_fn(|j| dot(GRAY, product.factors.map(|row| row[j])));
                    let offset = dot(GRAY, product.offsets);
                    product.mix(factors[2], [row; 3], [offset; 3]);
                }
            }
        }
        let normal: [f64; 3] = std::array::from_fn(|_| random.normal());
        for (offset, row) in product.offsets.iter_mut().zip(self.lighting) {
            *offset += dot(row, normal);
        }
        product.rounded()
    }
}

impl ColorProduct {
    fn identity() -> Self {
        let factors = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        Self { factors, offsets: [0.0; 3] }
    }

    /// What the colour `pixel` becomes.
    fn of(&self, pixel: [f64; 3]) -> [f64; 3] {
        std::array::from_fn(|c| dot(self.factors[c], pixel) + self.offsets[c])
    }

    /// `factor` times this, and `1 - factor` times another one. Brightness has black as the other.
    fn mix(&mut self, factor: f64, other: [[f64; 3]; 3], offsets: [f64; 3]) {
        let mixed = |own: f64, other: f64| factor * own + (1.0 - factor) * other;
        for (row, other) in self.factors.iter_mut().zip(other) {
            row.iter_mut().zip(other).for_each(|(own, other)| *own = mixed(*own, other));
        }
        self.offsets.iter_mut().zip(offsets).for_each(|(own, other)| *own = mixed(*own, other));
    }

    #[expect(clippy::cast_possible_truncation, reason = "rounded to f32, in which pixels are")]
    fn rounded(&self) -> ColorMatrix {
        ColorMatrix {
            factors: self.factors.map(|row| row.map(|x| x as f32)),
            offsets: self.offsets.map(|x| x as f32),
        }
    }
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

type Components = ([f64; 3], [[f64; 3]; 3]);

/// Principal components as written, or ImageNet's.
fn components(values: &[f32], vectors: &[f32]) -> Result<Components, DataError> {
    if values.is_empty() && vectors.is_empty() {
        return Ok((IMAGENET_VALUES, IMAGENET_VECTORS));
    }
    match (values, vectors.as_chunks::<3>()) {
        (&[a, b, c], (&[blue, green, red], [])) => {
            Ok(([a, b, c].map(f64::from), [blue, green, red].map(|row| row.map(f64::from))))
        }
        _ => Err(DataError::ForkValue {
            field: "transform_param.lighting",
            got: format!("{} eigenvalues and {} of eigenvectors", values.len(), vectors.len()),
            want: "3 `eigenvalue` and 9 `eigenvector` (3 each for blue, green and red), or none",
        }),
    }
}
