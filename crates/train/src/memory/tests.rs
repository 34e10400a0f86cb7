//! A job that does not fit is refused with its plan; one byte more, and it runs.

use expect_test::expect;

use crate::files::{net_from_text, solver_from_text};
use crate::{Job, JobConfig, LimitOrigin, MemoryLimit, NetConfig, Single, TrainError, chain};

const NET: &str = r#"
    layer { name: "in" type: "Input" top: "x" input_param { shape { dim: 100 dim: 50 } } }
    layer { name: "ip" type: "InnerProduct" bottom: "x" top: "y"
            inner_product_param { num_output: 20 bias_term: false } }
    layer { name: "loss" type: "Reduction" bottom: "y" top: "loss" loss_weight: 1 }"#;

fn open(workers: usize, limit: Option<MemoryLimit>) -> Result<Job, TrainError> {
    let solver = format!(
        r#"base_lr: 0.1 lr_policy: "fixed" momentum: 0.9 test_iter: 1 test_interval: 1
           net_param {{ {NET} }}"#
    );
    let solver = solver_from_text("solver", &solver)?;
    Job::open(JobConfig { workers, memory_limit: limit, ..JobConfig::new(solver) }, &mut |_| ())
}

fn bytes(bytes: usize) -> MemoryLimit {
    MemoryLimit { bytes, origin: LimitOrigin::Machine }
}

/// One worker: 1,000 params; as many gradients and histories; blobs of 5,000, 2,000 and 1 values in
/// both nets; diffs of 2,000 and 1. The second worker shares params and history, and the sum of the
/// pools is one pool more.
#[test]
fn workers_and_test_nets_are_counted() {
    for (workers, need) in
        [(1, 4 * (3 * 1000 + 2 * 7001 + 2001)), (2, 4 * (5 * 1000 + 4 * 7001 + 2 * 2001))]
    {
        let Err(TrainError::Memory { need: refused, .. }) = open(workers, Some(bytes(0))) else {
            panic!("nothing fits into 0 bytes");
        };
        let workspace = refused.nets.workspace + refused.tests - workers * 4 * 7001;
        assert_eq!(refused.total() - workspace, need, "{workers} workers: {refused}");
        assert!(open(workers, Some(bytes(refused.total() - 1))).is_err());
        assert!(open(workers, Some(bytes(refused.total()))).is_ok());
    }
    assert!(open(1, None).is_ok());
}

#[test]
fn the_error_has_the_plan_and_a_remedy() {
    let error = open(2, Some(bytes(1000))).err().expect("it does not fit");
    expect!["0.148 MB are needed, this machine allows 0.001 MB: give a smaller `batch_size` or fewer `--workers`; memory plan of 2 workers: parameters 0.004 MB, gradients 0.012 MB, activations 0.056 MB, diffs 0.016 MB, workspace 0.000 MB, history 0.004 MB, test nets 0.056 MB, total 0.148 MB"].assert_eq(&chain(&error));
    let net = net_from_text("net", NET).unwrap();
    let limit = MemoryLimit { bytes: 1000, origin: LimitOrigin::AddressSpace };
    let config = NetConfig { memory_limit: Some(limit), ..NetConfig::new("net") };
    let error = Single::build(&config, &net, &mut |_| ()).err().expect("it does not fit");
    expect!["0.036 MB are needed, `ulimit -v` allows 0.001 MB: give a smaller `batch_size`, or raise `ulimit -v`; memory plan of 1 worker: parameters 0.004 MB, gradients 0.004 MB, activations 0.028 MB, diffs 0.000 MB, workspace 0.000 MB, total 0.036 MB"].assert_eq(&chain(&error));
}
