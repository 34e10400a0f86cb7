//! Units and heads of public networks in their forks' spellings, small and written anew: they have
//! the counts that their sizes give, and train to the same bits on any threads and workers.

mod nets;

use caffe_format::{NetParameter, NetState, Phase, SolverParameter};
use train::{JobConfig, MemoryPlan, NetConfig, NoControl, Single};

use crate::support::open;
use nets::{FORK_NETS, ForkNet, written};

fn bits(values: &[f32]) -> Vec<u32> {
    values.iter().map(|value| value.to_bits()).collect()
}

/// Loss and gradients of one pass.
fn pass(net: &NetParameter, threads: usize) -> (f32, Vec<f32>) {
    let state = NetState { phase: Some(Phase::Train), ..NetState::default() };
    let memory_plan = MemoryPlan::ShareDiffs;
    let config = NetConfig { state, threads, memory_plan, ..NetConfig::new("net") };
    let mut single = Single::build(&config, net, &mut |_| ()).unwrap();
    let loss = single.forward().unwrap();
    single.backward().unwrap();
    let gradients = single.pool().to_vec();
    (loss, gradients)
}

#[test]
fn one_pass_has_the_same_bits_on_one_and_two_threads() {
    for ForkNet { name, lines, .. } in FORK_NETS {
        let net = written(lines);
        let (loss, gradients) = pass(&net, 1);
        assert!(loss.is_finite() && loss > 0.0, "{name}: loss {loss}");
        assert!(gradients.iter().all(|value| value.is_finite()), "{name}");
        assert!(gradients.iter().any(|value| *value != 0.0), "{name}: no gradient");
        let (loss_2, gradients_2) = pass(&net, 2);
        assert_eq!(loss.to_bits(), loss_2.to_bits(), "{name}");
        assert_eq!(bits(&gradients), bits(&gradients_2), "{name}");
    }
}

#[test]
fn counts_are_those_of_the_sizes() {
    for ForkNet { name, lines, learned_params, multiply_adds } in FORK_NETS {
        let single = Single::build(&NetConfig::new("net"), &written(lines), &mut |_| ()).unwrap();
        let rows = &single.net().description().rows;
        let (params, _) = single.params();
        assert_eq!(params.len(), learned_params, "{name}: params");
        let sum: u64 = rows.iter().map(|row| row.multiply_adds).sum();
        assert_eq!(sum, multiply_adds, "{name}: multiply-adds");
    }
}

#[test]
fn training_has_the_same_bits_on_one_and_two_workers() {
    for ForkNet { name, lines, .. } in FORK_NETS {
        let solver = SolverParameter {
            net_param: Some(written(lines)),
            base_lr: Some(0.05),
            momentum: Some(0.9),
            lr_policy: Some("fixed".into()),
            max_iter: Some(4),
            random_seed: Some(1701),
            snapshot_after_train: Some(false),
            ..SolverParameter::default()
        };
        let train = |workers: usize| {
            let mut config = JobConfig::new(solver.clone());
            (config.workers, config.replicas, config.threads) = (workers, Some(2), 2);
            let mut job = open(config);
            let before = job.hash().unwrap();
            job.run(&NoControl, &mut |_| ()).unwrap();
            assert_ne!(job.hash().unwrap(), before, "{name}: nothing was learned");
            job.hash().unwrap()
        };
        assert_eq!(train(1), train(2), "{name}");
    }
}
