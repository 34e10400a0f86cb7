//! JSON lines of a short run.

use expect_test::expect;
use net::Output;
use train::{Display, Event};

use super::JsonLog;

#[test]
fn a_short_run() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log.json");
    let mut log = JsonLog::create(&path).unwrap();
    let output = |name: &str, values: &[f32]| Output {
        name: name.into(),
        loss_weight: 0.0,
        values: values.to_vec(),
    };
    let events = [
        Event::Displayed(Display {
            iter: 0,
            loss: f32::NAN,
            rate: 0.01,
            elapsed: Default::default(),
            iterations: 0,
            interval: 1,
            items: 0,
            times: Default::default(),
            outputs: vec![output("a \"b\"\n", &[0.25]), output("c", &[1.0, 2.0])],
        }),
        Event::Stepped { done: 1, loss: 0.5 },
        Event::SnapshotWritten { model: "m".into(), state: "s".into() },
        Event::Testing { iter: 1, net: 1 },
        Event::Tested { outputs: vec![output("accuracy", &[0.5])], loss: None },
        Event::Hash { steps: 1, hash: 255 },
        Event::Finished,
    ];
    for event in &events {
        log.event(event, 1.5).unwrap();
    }
    expect![[r#"
        {"event":"display","iteration":0,"seconds":1.500000,"loss":null,"lr":0.01,"outputs":{"a \"b\"\u000a":0.25,"c":[1,2]}}
        {"event":"snapshot","iteration":1,"seconds":1.500000,"model":"m","state":"s"}
        {"event":"test","iteration":1,"seconds":1.500000,"net":1,"outputs":{"accuracy":0.5}}
        {"event":"weights","iteration":1,"seconds":1.500000,"hash":"00000000000000ff"}
    "#]]
    .assert_eq(&std::fs::read_to_string(&path).unwrap());
}
