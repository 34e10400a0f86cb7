//! Where compressing pays: compares, per bucket or per step, the time of the dense all-reduce with
//! the time of the compression's collectives and of its encoding and decoding.
//!
//! Both run on the thread that communicates, one after another, so their times add up:
//!
//! ```text
//!   dense        | all-reduce of n values                       |
//!   compressed   | encode | collectives | decode |               compressing pays
//! ```
//!
//! Pure: the same rates give the same answer, so a saved answer can be checked.

use super::{Compressor, DecisionUnit, PlannedCollective, StepCall};
use crate::ExchangeConfig;

/// Which buckets are to be summed densely, because compressing them would take longer: what
/// [`Compressor::set_dense`] takes.
///
/// `config` holds the measured network, `codec_gbs` is how many bytes of gradients (10^9 a second)
/// a rank encodes and decodes. Of a compression that warms up, the time after it counts.
#[must_use]
pub fn decide(compressor: &Compressor, config: &ExchangeConfig, codec_gbs: f64) -> Vec<bool> {
    let buckets = compressor.buckets();
    let compressed = |bucket: usize| {
        let kilobytes = (buckets[bucket].len() * size_of::<f32>()) as f64 / 1e3;
        // A rate that is no rate makes this infinite or NaN: compressing does not pay then.
        kilobytes / codec_gbs.max(0.0) + call_us(compressor, StepCall::Bucket(bucket), config)
    };
    let dense = |bucket: usize| {
        let collective = PlannedCollective::AllReduce { values: buckets[bucket].len() };
        cost_us(compressor, &[collective], config)
    };
    let all = 0..buckets.len();
    match compressor.config().kind().decision {
        DecisionUnit::Bucket => all.map(|b| !pays(compressed(b), dense(b))).collect(),
        DecisionUnit::Step => {
            let last = call_us(compressor, StepCall::Finish, config);
            let compressed = all.clone().map(compressed).sum::<f64>() + last;
            vec![!pays(compressed, all.clone().map(dense).sum()); all.len()]
        }
    }
}

/// NaN does not pay.
fn pays(compressed_us: f64, dense_us: f64) -> bool {
    compressed_us < dense_us
}

fn call_us(compressor: &Compressor, call: StepCall, config: &ExchangeConfig) -> f64 {
    cost_us(compressor, &compressor.expected(call), config)
}

fn cost_us(
    compressor: &Compressor,
    collectives: &[PlannedCollective],
    config: &ExchangeConfig,
) -> f64 {
    let (me, world) = (compressor.rank().index(), compressor.rank().world());
    collectives.iter().map(|collective| collective.cost_us(me, world, config)).sum()
}
