//! What a compression keeps is what its row says, in vectors as long as the pool: emulated runs
//! count them before they allocate any.
//!
//! An allocator that counts is one for the whole program, so this test is a program of its own.
#![expect(clippy::unwrap_used, reason = "a helper that fails fails its test")]

use std::alloc::System;
use std::ops::Range;

use exchange::compression::{
    COMPRESSIONS, CompressionConfig, CompressionSetup, Compressor, MomentumSetup, OwnedPool,
    PoolLayout, PoolParam,
};
use exchange::{Exchange, ExchangeConfig, spawn_ranks, wire};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

const SIDE: usize = 256;
const BUCKETS: usize = 8;
const VALUES: usize = BUCKETS * SIDE * SIDE;
/// Of ranks. In a larger world an owner's chunks are smaller.
const WORLD: usize = 2;

fn setup(exchange: &Exchange) -> CompressionSetup {
    let matrix = |index: usize| index * SIDE * SIDE..(index + 1) * SIDE * SIDE;
    let buckets: Vec<Range<usize>> = (0..BUCKETS).map(matrix).collect();
    let param =
        |range: &Range<usize>| PoolParam { range: range.clone(), rows: SIDE, columns: SIDE };
    CompressionSetup {
        layout: PoolLayout { params: buckets.iter().map(param).collect() },
        buckets,
        bucket_bytes: 1 << 16,
        rank: exchange.rank(),
        wire: wire::F32,
        momentum: MomentumSetup { value: 0.9, nesterov: false },
        seed: 1,
        clock: None,
    }
}

/// What a rank has after steps that are compressed, and dense ones.
fn after_steps(config: &CompressionConfig, exchange: &mut Exchange) -> Compressor {
    let mut compressor = config.build(&setup(exchange)).unwrap();
    let wave = |at: usize| ((at.wrapping_mul(2_654_435_761) >> 7) % 2001) as f32 - 1000.0;
    let pool = OwnedPool::new((0..VALUES).map(wave).collect());
    for dense in [false, false, true, true] {
        compressor.set_dense(&[dense; BUCKETS]);
        (0..BUCKETS).for_each(|at| compressor.bucket_ready(at, &pool, exchange).unwrap());
        drop(compressor.finish(&pool, exchange).unwrap());
    }
    compressor
}

#[test]
fn every_row_keeps_as_many_vectors_as_it_says() {
    for kind in COMPRESSIONS {
        let config: CompressionConfig = kind.name.parse().unwrap();
        let region = Region::new(ALLOCATOR);
        let kept = spawn_ranks(WORLD, 1, &ExchangeConfig::LOCAL, |exchange| {
            after_steps(&config, exchange)
        });
        let change = region.change();
        let bytes = change.bytes_allocated - change.bytes_deallocated;
        let vectors = bytes as f64 / (WORLD * VALUES * size_of::<f32>()) as f64;
        let stated = kind.state_vectors as f64;
        // Messages take less than half a vector, most of all the entries of top-k.
        let is_true = (stated..stated + 0.5).contains(&vectors);
        assert!(is_true, "{} keeps {vectors}, not {stated}", kind.name);
        drop(kept);
    }
}
