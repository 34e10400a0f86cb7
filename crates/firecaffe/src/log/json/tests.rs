//! JSON lines of a short run.

use std::time::Duration;

use expect_test::expect;
use net::Output;
use train::{Display, Event, GradientEvent, PhaseTimes, SumTraffic};

use super::JsonLog;

#[test]
fn a_short_run() {
    let output = |name: &str, values: &[f32]| Output {
        name: name.into(),
        loss_weight: 0.0,
        values: values.to_vec(),
    };
    let times = times();
    let events = [
        bucket(0, 2),
        Event::Displayed(Display {
            iter: 0,
            loss: f32::NAN,
            rate: 0.01,
            elapsed: Default::default(),
            iterations: 0,
            interval: 1,
            items: 0,
            times: Default::default(),
            traffic: None,
            outputs: vec![output("a \"b\"\n", &[0.25]), output("c", &[1.0, 2.0])],
        }),
        Event::Stepped { done: 1, loss: 0.5 },
        bucket(1, 0), // this iteration is not displayed
        Event::SnapshotWritten { model: "m".into(), state: "s".into() },
        Event::Testing { iter: 1, net: 1 },
        Event::Tested { outputs: vec![output("accuracy", &[0.5])], loss: None },
        Event::Hash { steps: 1, hash: 255 },
        Event::SnapshotFailed { causes: vec!["cannot write a".into(), "disk full".into()] },
        Event::WorkerTimes { rank: 0, worker: 1, times },
        Event::RankTimes { rank: 0, host: "a".into(), times },
        Event::Spent { elapsed: Duration::from_secs(4), items: 10, times, emulated: false },
        Event::Finished,
    ];
    expect![[r#"
        {"event":"display","iteration":0,"seconds":1.5,"loss":null,"lr":0.01,"outputs":{"a \"b\"\n":0.25,"c":[1.0,2.0]}}
        {"event":"bucket","iteration":0,"seconds":1.5,"bucket":2,"bytes":4000,"local_sum":0.003,"all_reduce":0.005}
        {"event":"snapshot","iteration":1,"seconds":1.5,"model":"m","state":"s"}
        {"event":"test","iteration":1,"seconds":1.5,"net":1,"outputs":{"accuracy":0.5}}
        {"event":"weights","iteration":1,"seconds":1.5,"hash":"00000000000000ff"}
        {"event":"snapshot_failed","iteration":1,"seconds":1.5,"reason":"cannot write a: disk full"}
        {"event":"worker_times","iteration":1,"seconds":1.5,"rank":0,"worker":1,"times":{"data":1.0,"forward":2.0,"backward":0.0,"exposed_communication":0.0,"update":0.0}}
        {"event":"rank_times","iteration":1,"seconds":1.5,"rank":0,"host":"a","times":{"data":1.0,"forward":2.0,"backward":0.0,"exposed_communication":0.0,"update":0.0}}
        {"event":"speed","iteration":1,"seconds":1.5,"images_per_s":2.5,"time_percent":{"data_wait":33.33,"forward":66.67,"backward":0.0,"exposed_communication":0.0,"update":0.0}}
    "#]]
    .assert_eq(&written(&events));
}

/// Whoever reads a line knows, whichever it is.
#[test]
fn an_emulated_run_says_so_on_every_line() {
    let times = times();
    let emulating = Event::Emulating {
        machine: "m".into(),
        source: "s".into(),
        dilation: 8,
        compute: Duration::ZERO,
        pool_bytes: 4000,
    };
    let traffic = SumTraffic { sent_bytes: 9, predicted_bytes: 9, entries: 0 };
    let lines = written(&[
        emulating,
        bucket(0, 2),
        Event::Gradients(GradientEvent::Exchanged { iter: 0, traffic }),
        Event::Stepped { done: 1, loss: 0.0 },
        Event::WorkerTimes { rank: 0, worker: 1, times },
        Event::RankTimes { rank: 0, host: "a".into(), times },
        Event::Spent { elapsed: Duration::from_secs(4), items: 10, times, emulated: true },
    ]);
    let kinds = ["emulated_step", "bucket", "worker_times", "rank_times", "speed"];
    assert_eq!(lines.lines().count(), kinds.len());
    for (line, kind) in lines.lines().zip(kinds) {
        assert!(line.starts_with(&format!(r#"{{"event":"{kind}""#)), "{line}");
        assert_eq!(line.matches(r#""emulated":true"#).count(), 1, "{line}");
    }
}

fn times() -> PhaseTimes {
    let seconds = Duration::from_secs;
    PhaseTimes { data: seconds(1), forward: seconds(2), ..PhaseTimes::default() }
}

fn bucket(iter: u64, bucket: usize) -> Event {
    Event::BucketReduced {
        iter,
        bucket,
        bytes: 4000,
        local_sum: Duration::from_millis(3),
        all_reduce: Some(Duration::from_millis(5)),
    }
}

/// The file after these events.
fn written(events: &[Event]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log.json");
    let mut log = JsonLog::create(&path).unwrap();
    for event in events {
        log.event(event, 1.5).unwrap();
    }
    std::fs::read_to_string(&path).unwrap()
}
