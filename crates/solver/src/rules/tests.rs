//! Whole iterations through the public API, on a least-squares problem, for every row of the table.
#![expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "small numbers and rounding on purpose"
)]

use std::ops::Range;

use caffe_format::SolverParameter;
use kernels::{Cpu, Simd};

use super::{RULES, UpdateRule};
use crate::{
    BLOCK, BlockSums, ParamRange, ParamSlot, ParamSlots, Solver, UpdateGradient, UpdateSlice,
    UpdateStep, block_sums,
    reference::{self, DELTA, MOMENTUM2, RMS_DECAY, ReferenceOptions, ReferenceParam, TRUST},
};

/// Lengths of the two parameters: the first has a whole block and a part of one.
const LENS: [usize; 2] = [BLOCK + 100, 7];
const SAMPLES: usize = 4;
const ITERS: u64 = 6;

fn options(rule: &UpdateRule) -> ReferenceOptions {
    let momentum = if ["AdaGrad", "RMSProp"].contains(&rule.name) { 0.0 } else { 0.9 };
    ReferenceOptions {
        rule: rule.name,
        rate: 0.01,
        momentum,
        weight_decay: 0.1,
        l1: false,
        clip: -1.0,
        iter_size: 1.0,
    }
}

fn solver(o: &ReferenceOptions) -> Solver {
    let p = SolverParameter {
        type_: Some(o.rule.into()),
        base_lr: Some(o.rate as f32),
        lr_policy: Some("fixed".into()),
        momentum: Some(o.momentum as f32),
        momentum2: Some(MOMENTUM2 as f32),
        rms_decay: Some(RMS_DECAY as f32),
        delta: Some(DELTA as f32),
        weight_decay: Some(o.weight_decay as f32),
        regularization_type: Some(if o.l1 { "L1" } else { "L2" }.into()),
        clip_gradients: Some(o.clip as f32),
        iter_size: Some(o.iter_size as i32),
        trust_coefficient: Some(TRUST as f32),
        ..SolverParameter::default()
    };
    Solver::lower(&p).unwrap()
}

/// The second parameter learns twice as fast and does not decay, as biases do in Caffe's examples.
fn slots() -> ParamSlots {
    let [first, second] = LENS;
    ParamSlots::new(vec![
        ParamSlot {
            values: 0..first,
            gradient: second..second + first,
            lr_mult: 1.0,
            decay_mult: 1.0,
        },
        ParamSlot {
            values: first..first + second,
            gradient: 0..second,
            lr_mult: 2.0,
            decay_mult: 0.0,
        },
    ])
}

fn noise(i: usize, seed: usize) -> f64 {
    let x = (i * 2_654_435_761 + seed * 40_503) % 65_536;
    x as f64 / 32_768.0 - 1.0
}

/// The gradient of the mean square error of `SAMPLES` samples at `w`, in the order of the slab.
fn gradient(w: &[f64], iter: u64) -> Vec<f64> {
    let mut gradient = vec![0.0; w.len()];
    for sample in 0..SAMPLES {
        let x = |i| noise(i, sample * 7 + iter as usize) / 16.0;
        let error: f64 = (0..w.len()).map(|i| x(i) * w[i]).sum::<f64>() - noise(sample, 99);
        for (i, g) in gradient.iter_mut().enumerate() {
            *g += error * x(i) / SAMPLES as f64;
        }
    }
    gradient
}

fn start() -> Vec<f64> {
    (0..LENS.iter().sum()).map(|i| f64::from(noise(i, 5) as f32)).collect()
}

/// The reference's weights after `ITERS` iterations.
fn reference(o: &ReferenceOptions) -> Vec<f64> {
    let mut params: Vec<ReferenceParam> = slots()
        .as_slice()
        .iter()
        .map(|slot| ReferenceParam {
            values: start()[slot.values.clone()].to_vec(),
            lr_mult: slot.lr_mult.into(),
            decay_mult: slot.decay_mult.into(),
            first: vec![0.0; slot.values.len()],
            second: vec![0.0; slot.values.len()],
        })
        .collect();
    let flat = |params: &[ReferenceParam]| {
        params.iter().flat_map(|p| p.values.clone()).collect::<Vec<_>>()
    };
    for iter in 0..ITERS {
        let gradient: Vec<f64> =
            gradient(&flat(&params), iter).iter().map(|g| g * o.iter_size).collect();
        let (first, second) = gradient.split_at(LENS[0]);
        reference::step(o, iter as i32, &mut params, &[first.to_vec(), second.to_vec()]);
    }
    flat(&params)
}

/// Ours, with `workers` workers that take turns, `threads` threads, and the sum over `replicas` in
/// the pool.
fn ours(o: &ReferenceOptions, workers: usize, threads: usize, replicas: f32) -> Vec<f32> {
    let (solver, slots) = (solver(o), slots());
    let cpu = Cpu::new(threads, Simd::Portable);
    let mut values: Vec<f32> = start().iter().map(|&w| w as f32).collect();
    let mut history: Vec<Vec<f32>> = vec![vec![0.0; values.len()]; solver.histories()];
    for iter in 0..ITERS {
        let at: Vec<f64> = values.iter().map(|&w| w.into()).collect();
        let mut pool = gradient(&at, iter);
        pool.rotate_right(LENS[1]); // the second parameter's comes first in the pool
        let factor = o.iter_size as f32 * replicas;
        let pool: Vec<f32> = pool.iter().map(|&g| g as f32 * factor).collect();
        let chunks: Vec<_> = (0..workers)
            .map(|i| slots.param_ranges(slots.chunk(0..pool.len(), workers, i)))
            .collect();
        let mut sums = vec![BlockSums::default(); slots.blocks()];
        for range in chunks.iter().flatten() {
            let (w, g) = (&values[slots.in_slab(range)], &pool[slots.in_pool(range)]);
            block_sums(1.0 / replicas, w, g, &mut sums[slots.blocks_in(range)]);
        }
        let sums = if solver.needs_norms() { sums } else { Vec::new() };
        let step = solver.step(iter, 0, 1.0 / replicas, &slots, &sums);
        for chunk in chunks {
            let slices = slices(&slots, &chunk, &mut values, &pool, &mut history);
            solver.update(&cpu, &step, slices);
        }
    }
    values
}

/// The slices that belong to `ranges`.
fn slices<'a>(
    slots: &ParamSlots,
    ranges: &[ParamRange],
    values: &'a mut [f32],
    pool: &'a [f32],
    history: &'a mut [Vec<f32>],
) -> Vec<UpdateSlice<'a>> {
    let mut ranges: Vec<&ParamRange> = ranges.iter().collect();
    ranges.sort_by_key(|range| slots.in_slab(range).start);
    let slabs: Vec<Range<usize>> = ranges.iter().map(|range| slots.in_slab(range)).collect();
    let mut history: Vec<_> =
        history.iter_mut().map(|slab| disjoint(slab, &slabs).into_iter()).collect();
    let slice = |(range, values): (&&ParamRange, &'a mut [f32])| {
        let mut history = history.iter_mut().map(|slices| slices.next().unwrap());
        UpdateSlice {
            slot: range.slot,
            values,
            gradient: UpdateGradient::Kept(&pool[slots.in_pool(range)]),
            history: std::array::from_fn(|_| history.next().unwrap_or_default()),
        }
    };
    ranges.iter().zip(disjoint(values, &slabs)).map(slice).collect()
}

/// The slices of `slab` at `ranges`, which ascend.
fn disjoint<'a>(mut slab: &'a mut [f32], ranges: &[Range<usize>]) -> Vec<&'a mut [f32]> {
    let mut start = 0;
    let slice = |range: &Range<usize>| {
        let rest = std::mem::take(&mut slab);
        let (wanted, rest) = rest[range.start - start..].split_at_mut(range.len());
        (slab, start) = (rest, range.end);
        wanted
    };
    ranges.iter().map(slice).collect()
}

#[track_caller]
fn check(o: &ReferenceOptions) {
    let (want, got) = (reference(o), ours(o, 1, 1, 1.0));
    for (i, (want, &got)) in want.iter().zip(&got).enumerate() {
        let error = (want - f64::from(got)).abs();
        assert!(error < 2e-5 * want.abs().max(0.1), "{o:?}: weight {i} is {got}, not {want}");
    }
    let moved: f64 = want.iter().zip(start()).map(|(a, b)| (a - b).abs()).sum();
    assert!(moved > 1e-3 * want.len() as f64, "{o:?} does not move the weights");
}

#[test]
fn every_rule_follows_its_formula() {
    for rule in RULES {
        let o = options(rule);
        check(&o);
        check(&ReferenceOptions { weight_decay: 0.0, ..o });
        check(&ReferenceOptions { clip: 0.05, ..o });
        check(&ReferenceOptions { iter_size: 4.0, clip: 0.05, ..o });
        if !["AdamW", "LARS"].contains(&rule.name) {
            check(&ReferenceOptions { l1: true, ..o });
        }
    }
}

#[test]
fn neither_workers_nor_threads_nor_replicas_change_a_bit() {
    for rule in RULES {
        for clip in [-1.0, 0.05] {
            let o = ReferenceOptions { clip, ..options(rule) };
            let alone = ours(&o, 1, 1, 1.0);
            for (workers, threads, replicas) in [(2, 1, 1.0), (3, 2, 1.0), (1, 3, 1.0), (2, 1, 4.0)]
            {
                let same = ours(&o, workers, threads, replicas);
                assert!(alone == same, "{} with {workers} workers, {threads} threads", rule.name);
            }
        }
    }
}

/// Weights after `n` steps of a constant gradient `g` at rate 1, from 0, without decay.
#[test]
fn constant_gradients_have_closed_forms() {
    let (n, g, m) = (10, 0.5_f64, 0.9_f64);
    let sgd: f64 = (1..=n).map(|k| -g * (1.0 - m.powi(k)) / (1.0 - m)).sum();
    for rule in RULES {
        let want = match rule.name {
            "SGD" => sgd,
            // One half step further on than SGD: every update looks ahead by the momentum.
            "Nesterov" => (1..=n).map(|k| -g * (1.0 - m.powi(k + 1)) / (1.0 - m)).sum(),
            "AdaGrad" => (1..=n).map(|k| -1.0 / f64::from(k).sqrt()).sum(),
            "RMSProp" => (1..=n).map(|k| -1.0 / (1.0 - RMS_DECAY.powi(k)).sqrt()).sum(),
            "Adam" | "AdamW" => -f64::from(n), // both averages are exact after correction
            "LARS" => sgd,                     // the weights are zero at first: trusted fully
            "AdaDelta" => continue,            // has none
            other => panic!("no closed form for `{other}`"),
        };
        let p = SolverParameter {
            type_: Some(rule.name.into()),
            base_lr: Some(1.0),
            lr_policy: Some("fixed".into()),
            momentum: Some(options(rule).momentum as f32),
            rms_decay: Some(RMS_DECAY as f32),
            delta: Some(1e-9),
            trust_coefficient: Some(0.0),
            ..SolverParameter::default()
        };
        let solver = Solver::lower(&p).unwrap();
        let slot = ParamSlot { values: 0..1, gradient: 0..1, lr_mult: 1.0, decay_mult: 1.0 };
        let slots = ParamSlots::new(vec![slot]);
        let mut values = [0.0_f32];
        let mut history: Vec<Vec<f32>> = vec![vec![0.0]; solver.histories()];
        for iter in 0..n {
            // Weights of norm zero throughout, so that LARS trusts fully.
            let sums = [BlockSums { values: 0.0, gradient: g * g }];
            let step: UpdateStep = solver.step(iter as u64, 0, 1.0, &slots, &sums);
            let pool = [g as f32];
            let slices = slices(
                &slots,
                &slots.param_ranges(0..pool.len()),
                &mut values,
                &pool,
                &mut history,
            );
            solver.update(&Cpu::new(1, Simd::Portable), &step, slices);
        }
        let got = f64::from(values[0]);
        assert!((got / want - 1.0).abs() < 1e-4, "{}: {got}, not {want}", rule.name);
    }
}

#[test]
fn clipping_says_what_it_did() {
    let slots = slots();
    let solver = solver(&ReferenceOptions { clip: 2.0, ..options(&RULES[7]) });
    let mut sums = vec![BlockSums::default(); slots.blocks()];
    sums[0].gradient = 9.0;
    sums[2].gradient = 7.0;
    let clipped = solver.step(0, 0, 1.0, &slots, &sums).clipped.unwrap();
    assert_eq!((clipped.norm, clipped.limit, clipped.factor), (4.0, 2.0, 0.5));
    sums[0].gradient = -3.0; // norm 2: not above the limit
    assert_eq!(solver.step(0, 0, 1.0, &slots, &sums).clipped, None);
}

#[test]
fn table_is_sorted_so_names_are_unique() {
    assert!(RULES.is_sorted_by(|a, b| a.name < b.name));
}

#[test]
fn what_a_rule_cannot_use_is_refused() {
    use expect_test::{Expect, expect};
    #[track_caller]
    fn refused(p: SolverParameter, want: Expect) {
        let p = SolverParameter { lr_policy: Some("fixed".into()), ..p };
        want.assert_eq(&Solver::lower(&p).unwrap_err().to_string());
    }
    let of =
        |name: &str| SolverParameter { type_: Some(name.into()), ..SolverParameter::default() };
    refused(
        of("Adagrad"),
        expect![
            "`type`: unknown solver `Adagrad` (known: AdaDelta, AdaGrad, Adam, AdamW, LARS, Nesterov, RMSProp, SGD)"
        ],
    );
    refused(
        SolverParameter { momentum: Some(0.9), ..of("AdaGrad") },
        expect!["`momentum` is 0.8999999761581421, expected 0 by `AdaGrad`"],
    );
    refused(
        SolverParameter { rms_decay: Some(1.0), ..of("RMSProp") },
        expect!["`rms_decay` is 1, expected 0 or more and below 1 by `RMSProp`"],
    );
    refused(
        SolverParameter { regularization_type: Some("L1".into()), ..of("LARS") },
        expect!["`regularization_type`: `L1` does not go with solver `LARS` (known: L2)"],
    );
    refused(
        SolverParameter { regularization_type: Some("L3".into()), ..of("SGD") },
        expect!["`regularization_type`: `L3` does not go with solver `SGD` (known: L1, L2)"],
    );
    refused(
        SolverParameter { momentum_correction: Some(true), ..of("Adam") },
        expect![
            "`momentum_correction` does not go with solver `Adam`, whose history contains no rates (known: LARS, Nesterov, SGD)"
        ],
    );
    refused(
        SolverParameter { iter_size: Some(0), ..of("SGD") },
        expect!["`iter_size` is 0, expected 1 or more"],
    );
}

#[test]
fn our_fields_are_read_from_the_solver_file() {
    let p = SolverParameter {
        base_lr: Some(0.5),
        lr_policy: Some("fixed".into()),
        warmup_iter: Some(4),
        warmup_start_lr: Some(0.1),
        trust_coefficient: Some(0.02),
        ..SolverParameter::default()
    };
    let solver = Solver::lower(&p).unwrap();
    assert_eq!(solver.hyper.trust_coefficient, 0.02);
    let rates = solver.rates;
    let shown: Vec<_> = (0..6).map(|iter| format!("{:.1}", rates.at(iter))).collect();
    assert_eq!(shown.join(" "), "0.1 0.2 0.3 0.4 0.5 0.5");
    let p = SolverParameter { warmup_iter: Some(-1), ..p };
    let error = Solver::lower(&p).unwrap_err().to_string();
    assert_eq!(error, "`warmup_iter` is -1, expected 0 or more");
}

/// With the correction, `h / rate` is momentum's sum of gradients whatever the rates were: what
/// solvers keep whose history has no rate (Goyal et al. 2017).
#[test]
fn momentum_correction_keeps_the_sum_of_gradients() {
    // h is 1, 1.5, then 0.75 + 0.25 and 0.5 + 0.25
    let plain = [1.0, 1.5, 4.0, 3.0];
    for (corrected, applied, want) in [
        (false, &[0, 1, 2, 3][..], &plain[..]),
        (true, &[0, 1, 2, 3], &[1.0, 1.5, 1.75, 1.875]),
        (true, &[0, 1, 3], &[1.0, 1.5, 1.75]), // the rate fell in the step that was skipped
        (true, &[0, 4], &[1.0, 1.5]),          // it fell twice
        (true, &[3], &[1.0]),
    ] {
        let p = SolverParameter {
            base_lr: Some(1.0),
            lr_policy: Some("step".into()),
            gamma: Some(0.25),
            stepsize: Some(2),
            momentum: Some(0.5),
            momentum_correction: Some(corrected),
            ..SolverParameter::default()
        };
        let solver = Solver::lower(&p).unwrap();
        let slot = ParamSlot { values: 0..1, gradient: 0..1, lr_mult: 1.0, decay_mult: 1.0 };
        let slots = ParamSlots::new(vec![slot]);
        let (mut values, mut history) = ([0.0_f32], vec![vec![0.0_f32]]);
        let mut sums = Vec::new();
        let mut skipped = 0;
        for iter in 0..5 {
            if !applied.contains(&iter) {
                skipped += 1;
                continue;
            }
            let step = solver.step(iter, skipped, 1.0, &slots, &[]);
            let slices =
                slices(&slots, &slots.param_ranges(0..1), &mut values, &[1.0], &mut history);
            solver.update(&Cpu::new(1, Simd::Portable), &step, slices);
            sums.push(history[0][0] / solver.rates.at(iter));
            skipped = 0;
        }
        assert_eq!(sums, want, "{corrected}, {applied:?}");
    }
}
