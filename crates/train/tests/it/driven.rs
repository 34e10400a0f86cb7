//! A job whose passes the program runs itself has the bits of one that steps.

use train::files::solver_from_text;
use train::{Event, Job, JobConfig, NoControl};

const SOLVER: &str = r#"
    base_lr: 0.1 lr_policy: "step" stepsize: 2 gamma: 0.5 momentum: 0.9 weight_decay: 0.01
    clip_gradients: 0.5 iter_size: 2 random_seed: 3 max_iter: 5 display: 2
    snapshot_after_train: false
    net_param {
      layer { name: "x" type: "DummyData" top: "x" dummy_data_param {
                shape { dim: 8 dim: 6 } data_filler { type: "gaussian" std: 1 } } }
      layer { name: "y" type: "DummyData" top: "y" dummy_data_param {
                shape { dim: 8 dim: 2 } data_filler { type: "uniform" max: 1 } } }
      layer { name: "a" type: "InnerProduct" bottom: "x" top: "a"
              inner_product_param { num_output: 7 weight_filler { type: "xavier" } } }
      layer { name: "relu" type: "ReLU" bottom: "a" top: "a" }
      layer { name: "drop" type: "Dropout" bottom: "a" top: "a" }
      layer { name: "b" type: "InnerProduct" bottom: "a" top: "b"
              inner_product_param { num_output: 2 weight_filler { type: "xavier" } } }
      layer { name: "loss" type: "EuclideanLoss" bottom: "b" bottom: "y" top: "loss" }
    }"#;

fn open(keep_diffs: bool) -> Job {
    let solver = solver_from_text("solver", SOLVER).unwrap();
    let config = JobConfig { keep_diffs, ..JobConfig::new(solver) };
    Job::open(config, &mut |_| {}).unwrap()
}

/// One iteration by hand.
fn drive(job: &mut Job, events: &mut dyn FnMut(Event)) {
    let step = job.begin_driven(events).unwrap();
    let mut loss = 0.0;
    for _ in 0..2 {
        let lent = job.lend_train_net();
        let params = lent.params.read();
        loss += lent.net.forward(lent.cpu, &params, lent.replica).unwrap();
        lent.net.backward(lent.cpu, &params, lent.pool, 1.0).unwrap();
    }
    job.end_driven(step, loss / 2.0, events).unwrap();
}

#[test]
fn driven_iterations_have_the_bits_of_steps() {
    let (mut stepped, mut driven) = (open(false), open(true));
    let (mut displays, mut steps) = (Vec::new(), 0);
    for _ in 0..5 {
        stepped
            .step(&NoControl, &mut |event| {
                if let Event::Displayed(display) = event {
                    displays.push((display.iter, display.loss));
                }
            })
            .unwrap();
        drive(&mut driven, &mut |event| match event {
            Event::Displayed(display) => {
                assert_eq!(displays.last(), Some(&(display.iter, display.loss)));
            }
            Event::Stepped { .. } => steps += 1,
            _ => {}
        });
        assert_eq!(stepped.hash().unwrap(), driven.hash().unwrap());
    }
    assert_eq!((displays.len(), steps, driven.iter()), (3, 5, 5));
    driven.finish_driven(&NoControl, &mut |_| {}).unwrap();
}

#[test]
fn the_rate_that_a_program_sets_counts_from_the_next_iteration() {
    let mut job = open(true);
    job.set_base_lr(0.0).unwrap();
    let before = job.hash().unwrap();
    drive(&mut job, &mut |_| {});
    assert_eq!(job.hash().unwrap(), before);
    job.set_base_lr(0.1).unwrap();
    assert_eq!(job.rate(), 0.1);
    drive(&mut job, &mut |_| {});
    assert_ne!(job.hash().unwrap(), before);
    assert!(job.set_base_lr(f32::NAN).is_err());
}
