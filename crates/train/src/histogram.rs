//! How the values of params and gradients are distributed.
//!
//! One pass for the extremes and one for the counts: about a nanosecond per value, every so many
//! iterations.

use net::ParamStorage;
use serde::{Deserialize, Serialize};

use crate::{Event, Job};

/// Bins of a histogram.
const BINS: usize = 30;

/// How values are distributed between their extremes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ValueHistogram {
    /// The least value.
    pub min: f64,
    /// The greatest.
    pub max: f64,
    /// Their sum.
    pub sum: f64,
    /// The sum of their squares.
    pub sum_squares: f64,
    /// Values in each of equally wide bins from `min` to `max`.
    pub counts: Vec<u64>,
}

/// One param's histograms.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ParamHistograms {
    /// The layer that owns it.
    pub layer: String,
    /// Its index among that layer's params.
    pub index: usize,
    /// Of its values.
    pub values: ValueHistogram,
    /// Of the gradient that the iteration summed.
    pub gradient: ValueHistogram,
}

impl ValueHistogram {
    /// Counts the finite ones among `values`.
    #[must_use]
    pub fn of(values: &[f32]) -> Self {
        let finite = || values.iter().map(|value| f64::from(*value)).filter(|v| v.is_finite());
        let (min, max) = finite().fold((f64::INFINITY, f64::NEG_INFINITY), |(min, max), value| {
            (min.min(value), max.max(value))
        });
        if min > max {
            return Self { min: 0.0, max: 0.0, sum: 0.0, sum_squares: 0.0, counts: vec![0; BINS] };
        }
        let (mut counts, mut sum, mut sum_squares) = (vec![0; BINS], 0.0, 0.0);
        let scale = BINS as f64 / (max - min).max(f64::MIN_POSITIVE);
        for value in finite() {
            // Between 0 and BINS; the greatest value belongs to the last bin.
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "above")]
            let bin = (((value - min) * scale) as usize).min(BINS - 1);
            counts[bin] += 1;
            sum += value;
            sum_squares += value * value;
        }
        Self { min, max, sum, sum_squares, counts }
    }
}

impl Job {
    /// Reports histograms if this is an iteration for them.
    pub(crate) fn report_histograms(&self, events: &mut dyn FnMut(Event)) {
        let interval = self.shared.config.histogram_interval;
        let is_due = interval > 0 && self.iter.is_multiple_of(interval);
        if !is_due || !self.rank().is_first() || self.emulates() {
            return;
        }
        let (values, gradients) = (self.shared.params.read(), self.gradients());
        let of = |param: &net::Param| {
            let range = param.gradient.clone().filter(|_| param.storage == ParamStorage::Slab)?;
            Some(ParamHistograms {
                layer: param.layer.clone(),
                index: param.index,
                values: ValueHistogram::of(&values[param.values.clone()]),
                gradient: ValueHistogram::of(&gradients[range]),
            })
        };
        let params = self.net().params().iter().filter_map(of).collect();
        events(Event::Histograms { iter: self.iter, params });
    }
}

#[cfg(test)]
mod tests {
    use super::{BINS, ValueHistogram};

    #[test]
    fn every_finite_value_is_counted_once() {
        let values = [0.0, 1.0, 2.0, 3.0, f32::NAN, f32::INFINITY];
        let histogram = ValueHistogram::of(&values);
        assert_eq!((histogram.min, histogram.max, histogram.sum), (0.0, 3.0, 6.0));
        assert_eq!(histogram.counts.iter().sum::<u64>(), 4);
        assert_eq!((histogram.counts[0], histogram.counts[BINS - 1]), (1, 1));
        for same in [&[][..], &[5.0; 3]] {
            let counted = ValueHistogram::of(same).counts.iter().sum::<u64>();
            assert_eq!(counted, same.len() as u64);
        }
    }
}
