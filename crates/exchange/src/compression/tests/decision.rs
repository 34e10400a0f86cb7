//! Where compressing pays, and what is done where it does not.

use super::{CASES, TestRun, bits, config, gradient, on_ranks, pool_len, setup, step};
use crate::compression::{Applied, DecisionUnit, decide};
use crate::{ExchangeConfig, wire};
use base::Rank;
use collective::Network;

const SLOW: Network = Network { latency_us: 50.0, bandwidth_gbs: 0.001, reduce_gbs: 9.0 };
const FAST: Network = Network { latency_us: 1.0, bandwidth_gbs: 100.0, reduce_gbs: 100.0 };

fn decided(text: &str, network: Network, codec_gbs: f64) -> Vec<bool> {
    let rank = Rank::new(1, 4).unwrap();
    let compressor = config(text).build(&setup(rank, wire::F32, 0.9)).unwrap();
    decide(&compressor, &ExchangeConfig { network, ..ExchangeConfig::MPI }, codec_gbs)
}

#[test]
fn slow_networks_and_fast_codecs_are_for_compressing() {
    for text in CASES {
        let text = text.replace("tau=2.5", "tau=100");
        assert_eq!(decided(&text, FAST, 0.5), [true; 3], "{text}: a fast network");
        assert_eq!(decided(&text, SLOW, 1e-9), [true; 3], "{text}: a slow codec");
        assert_eq!(decided(&text, SLOW, 0.0), [true; 3], "{text}: no codec");
        assert_eq!(decided(&text, SLOW, f64::NAN), [true; 3], "{text}: no rate");
        let slow = decided(&text, SLOW, 2.0);
        assert!(!slow[1], "{text}: a slow network: {slow:?}");
    }
}

/// By hand: two ranks, one-bit, bucket 1 of 18060 values. Dense by `direct`: 2 rounds of 50 us,
/// 72240 bytes at 0.1 GB/s (722.4 us), half of them added at 9 GB/s (4 us): 826.4 us. Compressed:
/// 2 rounds, 30 groups of 48 bytes twice (28.8 us); 128.8 us without the codec. So it pays while
/// 72.24 KB are coded in less than 697.6 us: at more than 0.10355 GB/s.
#[test]
fn the_border_is_where_it_should_be() {
    let network = Network { latency_us: 50.0, bandwidth_gbs: 0.1, reduce_gbs: 9.0 };
    let compressor =
        |text| config(text).build(&setup(Rank::new(0, 2).unwrap(), wire::F32, 0.9)).unwrap();
    let exchange_config = ExchangeConfig { network, ..ExchangeConfig::MPI };
    let dense = |codec_gbs| decide(&compressor("one-bit"), &exchange_config, codec_gbs)[1];
    assert!(dense(0.1030));
    assert!(!dense(0.1041));
}

/// Small buckets pay for latency, large ones for bytes.
#[test]
fn buckets_are_decided_one_by_one_and_steps_as_a_whole() {
    let network = Network { latency_us: 500.0, bandwidth_gbs: 0.01, reduce_gbs: 9.0 };
    let one_bit = decided("one-bit", network, 1.0);
    assert_eq!(one_bit, [true, false, false]);
    for text in CASES {
        let dense = decided(text, network, 1.0);
        if config(text).kind().decision == DecisionUnit::Step {
            assert!(dense.iter().all(|answer| *answer == dense[0]), "{text}");
        }
    }
}

/// All dense: the bits of an all-reduce, for every row that leaves momentum to the rule.
#[test]
fn dense_steps_are_all_reduces() {
    for text in CASES.iter().filter(|text| !text.starts_with("top-k")) {
        for world in [1, 3] {
            let ends = on_ranks(TestRun::new(text, world, 0), |compressor, exchange| {
                let rank = exchange.rank().index();
                compressor.set_dense(&[true; 3]);
                let predicted = compressor.predicted_bytes(exchange).unwrap();
                let (pool, done) = step(compressor, &gradient(rank, 0), exchange);
                assert_eq!((done.sent_bytes, done.applied), (predicted, Applied::Everything));
                let mut want = gradient(rank, 0);
                for bucket in compressor.buckets() {
                    exchange.all_reduce(&mut want[bucket.clone()]).unwrap();
                }
                bits(&pool) == bits(&want)
            });
            assert!(ends.iter().all(|same| *same), "{text}, {world} ranks");
        }
    }
}

/// The middle bucket is dense, the others are not: its bits are those of an all-reduce, bytes are
/// counted, and a stop changes nothing.
#[test]
fn some_buckets_are_dense() {
    for text in CASES.iter().filter(|text| config(text).kind().decision == DecisionUnit::Bucket) {
        let run = |stops: bool| {
            on_ranks(
                TestRun { momentum: 0.0, ..TestRun::new(text, 3, 0) },
                |compressor, exchange| {
                    let rank = exchange.rank();
                    let dense = [false, true, false];
                    compressor.set_dense(&dense);
                    let mut pools = Vec::new();
                    for at in 0..4 {
                        let predicted = compressor.predicted_bytes(exchange).unwrap();
                        let (pool, done) = step(compressor, &gradient(rank.index(), at), exchange);
                        let mut want = gradient(rank.index(), at);
                        let bucket = compressor.buckets()[1].clone();
                        exchange.all_reduce(&mut want[bucket.clone()]).unwrap();
                        assert_eq!(
                            bits(&pool[bucket.clone()]),
                            bits(&want[bucket]),
                            "{text}, {at}"
                        );
                        if !text.starts_with("top-k") && !text.starts_with("threshold") {
                            assert_eq!(done.sent_bytes, predicted, "{text}, {at}");
                        }
                        if at == 2 {
                            compressor.step_skipped();
                        }
                        if stops && at == 1 {
                            let state = compressor.save().into_owned();
                            *compressor = config(text).build(&setup(rank, wire::F32, 0.0)).unwrap();
                            compressor.load(&state).unwrap();
                            compressor.set_dense(&dense);
                        }
                        pools.push(bits(&pool));
                    }
                    pools
                },
            )
        };
        let whole = run(false);
        assert!(whole.iter().all(|pools| *pools == whole[0]), "{text}: ranks differ");
        assert_eq!(run(true), whole, "{text}: stopped");
    }
}

/// A decision does not depend on an earlier one.
#[test]
fn deciding_again_gives_the_same_answer() {
    for text in CASES {
        let rank = Rank::new(1, 4).unwrap();
        let mut compressor = config(text).build(&setup(rank, wire::F32, 0.9)).unwrap();
        for network in [SLOW, FAST] {
            let exchange_config = ExchangeConfig { network, ..ExchangeConfig::MPI };
            let first = decide(&compressor, &exchange_config, 2.0);
            compressor.set_dense(&first);
            assert_eq!(decide(&compressor, &exchange_config, 2.0), first, "{text}");
            compressor.set_dense(&[true; 3]);
            assert_eq!(decide(&compressor, &exchange_config, 2.0), first, "{text}");
        }
    }
}

/// Momentum is the compression's, so also where it does not compress. By hand, momentum 0.5 and
/// gradients 1, 2, 4 on both of two ranks: velocities 2, 5, 10.5; Nesterov's u = 1, 2.5, 5.25 added
/// to 2, 4, 8. A skipped second step changes nothing: 2, (5), 9.
#[test]
fn dense_buckets_of_top_k_have_momentum() {
    for (nesterov, skips, want) in [
        (false, false, [2.0, 5.0, 10.5]),
        (true, false, [3.0, 6.5, 13.25]),
        (false, true, [2.0, 5.0, 9.0]),
    ] {
        let ends = crate::spawn_ranks(2, 2, &ExchangeConfig::LOCAL, |exchange| {
            let mut setup = setup(exchange.rank(), wire::F32, 0.5);
            setup.momentum.nesterov = nesterov;
            let mut compressor = config("top-k").build(&setup).unwrap();
            compressor.set_dense(&[true, true, false]);
            let mut got = Vec::new();
            for (at, value) in [1.0, 2.0, 4.0].into_iter().enumerate() {
                got.push(step(&mut compressor, &vec![value; pool_len()], exchange).0[0]);
                if skips && at == 1 {
                    compressor.step_skipped();
                }
            }
            let mut left = vec![0.0; pool_len()];
            compressor.residual_into(&mut left);
            (got, left[0])
        });
        assert_eq!(ends[0].0, want, "nesterov {nesterov}, skips {skips}");
        assert_eq!(ends[1].0, want);
        // Velocity of the sum moves to another world once: rank 0 gives it, times momentum.
        let velocity = if nesterov { 5.25 } else { want[2] };
        assert_eq!([ends[0].1, ends[1].1], [0.5 * velocity, 0.0]);
    }
}

/// A bucket that becomes dense gives its residual to the first dense sum, once, also if that step
/// is skipped and comes again.
#[test]
fn a_residual_goes_into_the_first_dense_sum() {
    for text in CASES {
        for skips in [false, true] {
            let ends = on_ranks(
                TestRun { momentum: 0.5, ..TestRun::new(text, 2, 0) },
                |compressor, exchange| {
                    let rank = exchange.rank().index();
                    for at in 0..3 {
                        step(compressor, &gradient(rank, at), exchange);
                    }
                    let mut left = vec![0.0; pool_len()];
                    compressor.residual_into(&mut left);
                    compressor.set_dense(&[true; 3]);
                    let zeros = vec![0.0; pool_len()];
                    let (mut first, _) = step(compressor, &zeros, exchange);
                    if skips {
                        compressor.step_skipped();
                        (first, _) = step(compressor, &zeros, exchange);
                    }
                    let second = step(compressor, &zeros, exchange).0;
                    (left, first, second)
                },
            );
            let top_k = text.starts_with("top-k");
            for at in 0..pool_len() {
                let want = ends[0].0[at] + ends[1].0[at];
                assert_eq!(ends[0].1[at], want, "{text}, {skips}, {at}");
                let later = if top_k { 0.5 * want } else { 0.0 };
                assert_eq!(ends[0].2[at], later, "{text}, {skips}, {at}");
            }
        }
    }
}
