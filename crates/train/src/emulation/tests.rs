//! An emulated run takes the time that its profile says, by a clock that only sleeping moves.

use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use base::Clock;
use profile::DeviceProfile;

use super::{Emulation, GradientValues, MachineMemory};
use crate::files::solver_from_text;
use crate::{Event, Job, JobConfig, NoControl, chain};

/// Moves when somebody sleeps, to where the latest sleeper wakes: threads that sleep side by side
/// sleep at the same time.
#[derive(Debug, Default)]
struct SleepersClock(AtomicU64);

impl Clock for SleepersClock {
    fn now(&self) -> Duration {
        Duration::from_nanos(self.0.load(Ordering::SeqCst))
    }

    fn sleep(&self, duration: Duration) {
        let wake = self.now() + duration;
        self.0.fetch_max(u64::try_from(wake.as_nanos()).unwrap(), Ordering::SeqCst);
    }
}

const SOLVER: &str = r#"
    base_lr: 0.5  lr_policy: "fixed"  momentum: 0.9  random_seed: 1  display: 1  max_iter: 3
    test_iter: 1  test_interval: 1  snapshot: 1  snapshot_prefix: "no/such/folder"  type: "LARS"
    net_param {
      layer { name: "data" type: "DummyData" top: "x" top: "y" dummy_data_param {
              shape { dim: 4 dim: 3 } shape { dim: 4 dim: 2 } } }
      layer { name: "hidden" type: "InnerProduct" bottom: "x" top: "h"
              inner_product_param { num_output: 5 } }
      layer { name: "line" type: "InnerProduct" bottom: "h" top: "line"
              inner_product_param { num_output: 2 } }
      layer { name: "loss" type: "EuclideanLoss" bottom: "line" bottom: "y" top: "loss" }
    }"#;

/// 24 ms of layers and 6 ms of update.
const PROFILE: &str = r#"{ "format": "firecaffe profile 1", "net": "n", "batch": 4, "machine": "m",
    "source": "s", "update_ms": 6, "layers": [
      { "name": "data", "type": "DummyData", "forward_ms": 1, "backward_ms": 0, "params": 0 },
      { "name": "hidden", "type": "InnerProduct", "forward_ms": 4, "backward_ms": 8, "params": 20 },
      { "name": "line", "type": "InnerProduct", "forward_ms": 3, "backward_ms": 6, "params": 12 },
      { "name": "loss", "type": "EuclideanLoss", "forward_ms": 1, "backward_ms": 1, "params": 0 }
    ] }"#;

fn config(free_bytes: u64) -> JobConfig {
    let emulation = Emulation {
        file: "p.json".into(),
        profile: DeviceProfile::from_json(PROFILE).unwrap(),
        dilation: 1,
        gradients: None,
        memory: MachineMemory { machine: "here".into(), free_bytes },
    };
    let solver = solver_from_text("solver", SOLVER).unwrap();
    JobConfig {
        emulation: Some(emulation),
        clock: Arc::new(SleepersClock::default()),
        ..JobConfig::new(solver)
    }
}

/// Elapsed milliseconds and the other events of a whole run.
fn run(config: JobConfig) -> (u128, Vec<Event>) {
    let (mut elapsed, mut told) = (None, Vec::new());
    let mut job = Job::open(config, &mut |event| told.push(event)).unwrap();
    let mut listen = |event: Event| match event {
        Event::Spent { elapsed: spent, emulated, items, .. } => {
            assert!(emulated && items > 0);
            elapsed = Some(spent.as_millis());
        }
        event => told.push(event),
    };
    job.run(&NoControl, &mut listen).unwrap();
    (elapsed.unwrap(), told)
}

#[test]
fn replicas_in_turn_take_the_time_of_the_profile() {
    for (replicas, want) in [(1, 3 * (24 + 6)), (2, 3 * (2 * 24 + 6)), (4, 3 * (4 * 24 + 6))] {
        let (elapsed, told) = run(JobConfig { replicas: Some(replicas), ..config(u64::MAX) });
        assert_eq!(elapsed, want, "{replicas} replicas");
        let says = |event: &Event| {
            matches!(event, Event::Displayed(_) | Event::Hash { .. } | Event::Testing { .. })
        };
        assert!(!told.iter().any(says), "there are no weights to show");
    }
}

/// Two workers compute side by side and divide the update; by this clock one may begin when the
/// other has ended, at worst.
#[test]
fn workers_wait_side_by_side() {
    let (elapsed, _) = run(JobConfig { workers: 2, ..config(u64::MAX) });
    assert!((3 * (24 + 3)..=3 * 2 * (24 + 6)).contains(&elapsed), "{elapsed} ms");
}

#[test]
fn what_does_not_fit_is_refused_before_memory_is_taken() {
    let refused = |config: JobConfig| {
        let error = Job::open(config, &mut |_| ()).err().expect("it does not fit");
        chain(&error)
    };
    let memory = refused(config(100));
    assert!(memory.starts_with("1 emulated rank on this machine would need 0 MB"), "{memory}");
    // 32 gradients in two pools and a sum of them; with one-bit each worker keeps two vectors more.
    for (compression, vectors) in [(None, 3), (Some("one-bit"), 3 + 2 * 2)] {
        let needed = |free_bytes| JobConfig {
            workers: 2,
            allreduce: "ring".parse().unwrap(),
            compression: compression.map(|name| name.parse().unwrap()),
            compression_always: true,
            ..config(free_bytes)
        };
        assert!(Job::open(needed(vectors * 32 * 4), &mut |_| ()).is_ok(), "{compression:?}");
        refused(needed(vectors * 32 * 4 - 1));
    }
    let mut other = config(u64::MAX);
    other.solver.net_param.as_mut().unwrap().layer[1].name = Some("other".into());
    let named = refused(other);
    let want = "p.json does not fit the train net: the net has no layer `hidden`";
    assert!(named.starts_with(want), "{named}");
    let mut short = config(u64::MAX);
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(&[0; 12]).unwrap();
    short.emulation.as_mut().unwrap().gradients = Some(file.path().into());
    let bytes = refused(short);
    assert!(bytes.contains("has 12 bytes, but the train net's gradients have 128"), "{bytes}");
}

#[test]
fn gradients_repeat_from_any_position() {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    let values = [0.0_f32, 1.0, 2.0, 3.0, 4.0];
    file.write_all(&values.map(f32::to_ne_bytes).concat()).unwrap();
    let gradients = GradientValues::open(Some(file.path()), values.len()).unwrap();
    let mut pool = [9.0; 7];
    gradients.copy(3, &mut pool).unwrap();
    assert_eq!(pool, [3.0, 4.0, 0.0, 1.0, 2.0, 3.0, 4.0]);
    let drawn = GradientValues::open(None, values.len()).unwrap();
    drawn.copy((1 << 20) - 2, &mut pool).unwrap();
    assert!(pool.iter().all(|value| value.is_finite() && *value != 0.0), "{pool:?}");
    let shifts: std::collections::BTreeSet<_> = (0..64)
        .flat_map(|rank| (0..4).map(move |iter| GradientValues::shift(rank, iter)))
        .collect();
    assert_eq!(shifts.len(), 256, "no two ranks and iterations begin alike");
}
