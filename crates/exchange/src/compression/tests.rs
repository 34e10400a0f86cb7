//! Every row keeps the promises of the module. This file has the net, the gradients and the loop
//! that the tests share.

mod bytes;
mod decision;
mod options;
mod promises;
mod robustness;
mod state;

use super::{
    COMPRESSIONS, CompressedStep, CompressionConfig, CompressionSetup, Compressor, MomentumSetup,
    OwnedPool, PoolLayout, PoolParam,
};
use crate::wire::{self, WireFormat};
use crate::{Exchange, ExchangeConfig, spawn_ranks};
use base::Rank;
use std::ops::Range;

pub(super) const WORLDS: [usize; 6] = [1, 2, 3, 4, 5, 8];

/// Options that tests run, at least one per row.
pub(super) const CASES: &[&str] = &[
    "one-bit",
    "power-sgd:rank=1",
    "power-sgd:rank=3",
    "sparse-chunks:share=0.4,chunk=4096,warmup=2",
    "threshold:tau=2.5",
    "top-k:share=0.02",
    "top-k:share=0.1,warmup=3",
];

/// Rows, columns and the end of a bucket: two inner products and a convolution with their biases,
/// last layer first.
const NET: &[(usize, usize, bool)] = &[
    (10, 60, false),
    (10, 1, true),
    (60, 300, false), // five chunks of 4,096, the last one short
    (60, 1, true),
    (64, 75, false), // two chunks
    (64, 1, false),
    (5, 3, true), // too small for anything
];

/// Where [`NET`]'s params and buckets are.
pub(super) fn net() -> (PoolLayout, Vec<Range<usize>>) {
    let (mut params, mut buckets) = (Vec::new(), Vec::new());
    let (mut end, mut bucket) = (0, 0);
    for &(rows, columns, ends_bucket) in NET {
        params.push(PoolParam { range: end..end + rows * columns, rows, columns });
        end += rows * columns;
        if ends_bucket {
            buckets.push(bucket..end);
            bucket = end;
        }
    }
    (PoolLayout { params }, buckets)
}

pub(super) fn setup(rank: Rank, wire: &'static WireFormat, momentum: f32) -> CompressionSetup {
    let (layout, buckets) = net();
    CompressionSetup {
        layout,
        buckets,
        bucket_bytes: 40_000, // crossed once or twice per step
        rank,
        wire,
        momentum: MomentumSetup { value: momentum, nesterov: false },
        seed: 1701,
        clock: None,
    }
}

/// As [`setup`], with params of these rows and columns in one bucket.
pub(super) fn setup_of(rank: Rank, momentum: f32, shapes: &[(usize, usize)]) -> CompressionSetup {
    let mut end = 0;
    let param = |&(rows, columns): &(usize, usize)| {
        let range = end..end + rows * columns;
        end = range.end;
        PoolParam { range, rows, columns }
    };
    let layout = PoolLayout { params: shapes.iter().map(param).collect() };
    let buckets = std::iter::once(0..end).collect();
    CompressionSetup { layout, buckets, ..setup(rank, wire::F32, momentum) }
}

pub(super) fn pool_len() -> usize {
    NET.iter().map(|(rows, columns, _)| rows * columns).sum()
}

/// Values about normal, larger for later params, with a common part that all ranks and steps share:
/// as gradients are.
pub(super) fn gradient(rank: usize, step: usize) -> Vec<f32> {
    let noise = |a: usize, b: usize, c: usize| {
        let mut hash = 0x9e37_79b9_7f4a_7c15_u64 ^ (a << 40 | b << 32 | c) as u64;
        let mut sum = 0.0;
        for _ in 0..4 {
            hash = (hash ^ hash >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            sum += (hash >> 40) as f32 / (1_u32 << 24) as f32 - 0.5;
        }
        sum
    };
    let (layout, _) = net();
    let mut values = Vec::new();
    for (number, param) in layout.params.iter().enumerate() {
        let size = [1.0, 0.1, 0.01][number % 3];
        values.extend(
            param
                .range
                .clone()
                .map(|at| size * (0.5 * noise(0, 0, at) + noise(rank + 1, step + 1, at))),
        );
    }
    values
}

pub(super) fn config(text: &str) -> CompressionConfig {
    text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// Hands all buckets of one step to the compression.
pub(super) fn step(
    compressor: &mut Compressor,
    gradient: &[f32],
    exchange: &mut Exchange,
) -> (Vec<f32>, CompressedStep) {
    let pool = OwnedPool::new(gradient.to_vec());
    for index in 0..compressor.buckets().len() {
        compressor.bucket_ready(index, &pool, exchange).unwrap();
    }
    let done = compressor.finish(&pool, exchange).unwrap();
    (pool.into_values(), done)
}

/// One run of [`run`].
#[derive(Clone, Copy)]
pub(super) struct TestRun {
    pub(super) text: &'static str,
    pub(super) world: usize,
    pub(super) steps: usize,
    pub(super) wire: &'static WireFormat,
    pub(super) momentum: f32,
}

impl TestRun {
    pub(super) fn new(text: &'static str, world: usize, steps: usize) -> Self {
        Self { text, world, steps, wire: wire::F32, momentum: 0.9 }
    }
}

/// Calls `body` on every rank with its compression and exchange.
pub(super) fn on_ranks<T: Send>(
    run: TestRun,
    body: impl Fn(&mut Compressor, &mut Exchange) -> T + Sync,
) -> Vec<T> {
    let exchange_config = ExchangeConfig::LOCAL.with_wire(run.wire);
    spawn_ranks(run.world, 2, &exchange_config, |exchange| {
        let setup = setup(exchange.rank(), run.wire, run.momentum);
        let mut compressor = config(run.text).build(&setup).unwrap();
        body(&mut compressor, exchange)
    })
}

/// The pool after each step on every rank.
pub(super) fn run(run: TestRun) -> Vec<Vec<(Vec<f32>, CompressedStep)>> {
    on_ranks(run, |compressor, exchange| {
        let rank = exchange.rank().index();
        (0..run.steps).map(|at| step(compressor, &gradient(rank, at), exchange)).collect()
    })
}

pub(super) fn bits(values: &[f32]) -> Vec<u32> {
    values.iter().map(|value| value.to_bits()).collect()
}

/// Sum of vectors in f64.
pub(super) fn total<'a>(vectors: impl IntoIterator<Item = &'a [f32]>) -> Vec<f64> {
    let mut sums = vec![0.0; pool_len()];
    for vector in vectors {
        for (sum, value) in sums.iter_mut().zip(vector) {
            *sum += f64::from(*value);
        }
    }
    sums
}

/// Largest difference of two vectors, relative to the largest value.
pub(super) fn difference(a: &[f64], b: &[f64]) -> f64 {
    let largest = b.iter().fold(1e-30_f64, |largest, value| largest.max(value.abs()));
    a.iter().zip(b).fold(0.0_f64, |worst, (a, b)| worst.max((a - b).abs())) / largest
}

#[test]
fn every_row_has_a_case_and_rows_are_sorted() {
    assert!(COMPRESSIONS.is_sorted_by(|a, b| a.name < b.name));
    for kind in COMPRESSIONS {
        assert!(CASES.iter().any(|case| config(case).kind() == kind), "{}", kind.name);
    }
}

/// The thread that communicates owns it.
#[test]
fn compressions_can_change_threads() {
    fn is_send<T: Send>() {}
    is_send::<Compressor>();
}
