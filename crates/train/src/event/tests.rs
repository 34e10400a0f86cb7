//! Events as JSON: what programs that read them depend on.

use std::time::Duration;

use expect_test::{Expect, expect};
use net::{DebugBlob, DebugValue, Mismatch, NetNorms, Output, UnmetRule};

use crate::{
    DecisionOrigin, Event, GradientEvent, NetOrigin, OptionNotice, PhaseTimes, ResumeData,
    ResumeGap, SumTraffic,
};

/// Every event is written as `want`, and read back as it was.
#[track_caller]
fn check(events: Vec<Event>, want: Expect) {
    let lines: Vec<String> =
        events.iter().map(|event| serde_json::to_string(event).unwrap()).collect();
    want.assert_eq(&lines.join("\n"));
    let read: Vec<Event> = lines.iter().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(read, events);
}

#[test]
fn set_up() {
    let mismatch =
        Mismatch::Phase { state: caffe_format::Phase::Train, rule: caffe_format::Phase::Test };
    check(
        vec![
            Event::TrainNet { origin: NetOrigin::Net("net.prototxt".into()) },
            Event::UnmetRule(UnmetRule { layer: "data".into(), mismatch }),
            Event::SourceOption { layer: "data".into(), notice: OptionNotice::RandSkip },
            Event::ResumeGap(ResumeGap {
                missing: "a.firecaffe".into(),
                data: ResumeData::Continue,
            }),
            Event::Joined {
                hosts: vec![("a".into(), 2)],
                allreduce: "ring:0-1K;direct:1K-".parse().unwrap(),
            },
            Event::RecordSkipped {
                layer: "data".into(),
                record: "00000007".into(),
                causes: vec!["record `00000007` of db".into(), "is not a Datum".into()],
            },
            Event::Gradients(GradientEvent::Wire { wire: "f16".into(), scale: Some(1024.0) }),
            Event::Gradients(GradientEvent::StepSkipped { iter: 3, scale: 512.0 }),
            Event::SolverReady,
        ],
        expect![[r#"
            {"TrainNet":{"origin":{"Net":"net.prototxt"}}}
            {"UnmetRule":{"layer":"data","mismatch":{"Phase":{"state":"TRAIN","rule":"TEST"}}}}
            {"SourceOption":{"layer":"data","notice":"RandSkip"}}
            {"ResumeGap":{"missing":"a.firecaffe","data":"Continue"}}
            {"Joined":{"hosts":[["a",2]],"allreduce":"ring:0-1000;direct:1000-"}}
            {"RecordSkipped":{"layer":"data","record":"00000007","causes":["record `00000007` of db","is not a Datum"]}}
            {"Gradients":{"Wire":{"wire":"f16","scale":1024.0}}}
            {"Gradients":{"StepSkipped":{"iter":3,"scale":512.0}}}
            "SolverReady""#]],
    );
}

/// A run that diverges is what a reader of events looks for.
#[test]
fn values_that_are_not_finite() {
    let output = Output { name: "loss".into(), loss_weight: 1.0, values: vec![0.1, f32::INFINITY] };
    let norms = NetNorms { l1: f64::INFINITY, l2: 1.5 };
    check(
        vec![
            Event::Stepped { done: 1, loss: f32::NEG_INFINITY },
            Event::Tested { outputs: vec![output], loss: Some(f32::INFINITY) },
            Event::FinalLoss { iter: 2, loss: f32::INFINITY },
            Event::Debug(DebugValue::Norms { data: norms, diff: norms }),
        ],
        expect![[r#"
            {"Stepped":{"done":1,"loss":"-inf"}}
            {"Tested":{"outputs":[{"name":"loss","loss_weight":1.0,"values":[0.1,"inf"]}],"loss":"inf"}}
            {"FinalLoss":{"iter":2,"loss":"inf"}}
            {"Debug":{"Norms":{"data":{"l1":"inf","l2":1.5},"diff":{"l1":"inf","l2":1.5}}}}"#]],
    );
    let text = serde_json::to_string(&Event::Stepped { done: 1, loss: f32::NAN }).unwrap();
    assert_eq!(text, r#"{"Stepped":{"done":1,"loss":"NaN"}}"#);
    let read = serde_json::from_str(&text).unwrap();
    assert!(matches!(read, Event::Stepped { done: 1, loss } if loss.is_nan()));
    assert!(serde_json::from_str::<Event>(r#"{"Stepped":{"done":1,"loss":"much"}}"#).is_err());
}

#[test]
fn iterations() {
    let blob = DebugBlob::ParamDiff(1);
    let times = PhaseTimes { data: Duration::from_millis(1500), ..PhaseTimes::default() };
    let bucket = |all_reduce| Event::BucketReduced {
        iter: 3,
        bucket: 0,
        bytes: 4000,
        local_sum: Duration::from_millis(2),
        all_reduce,
    };
    let traffic = SumTraffic { sent_bytes: 100, predicted_bytes: 90, entries: 7 };
    check(
        vec![
            Event::Stepped { done: 1, loss: 0.1 },
            Event::Debug(DebugValue::Mean { layer: "conv".into(), blob, mean: 0.25 }),
            bucket(None),
            bucket(Some(Duration::from_millis(7))),
            Event::WorkerTimes { rank: 0, worker: 1, times },
            Event::Gradients(GradientEvent::Compression {
                compression: "one-bit".into(),
                compressed: vec![true, false],
                origin: DecisionOrigin::Snapshot,
            }),
            Event::Gradients(GradientEvent::Exchanged { iter: 3, traffic }),
        ],
        expect![[r#"
            {"Stepped":{"done":1,"loss":0.1}}
            {"Debug":{"Mean":{"layer":"conv","blob":{"ParamDiff":1},"mean":0.25}}}
            {"BucketReduced":{"iter":3,"bucket":0,"bytes":4000,"local_sum":0.002}}
            {"BucketReduced":{"iter":3,"bucket":0,"bytes":4000,"local_sum":0.002,"all_reduce":0.007}}
            {"WorkerTimes":{"rank":0,"worker":1,"times":{"data":1.5,"forward":0.0,"backward":0.0,"exposed_communication":0.0,"update":0.0}}}
            {"Gradients":{"Compression":{"compression":"one-bit","compressed":[true,false],"origin":"Snapshot"}}}
            {"Gradients":{"Exchanged":{"iter":3,"traffic":{"sent_bytes":100,"predicted_bytes":90,"entries":7}}}}"#]],
    );
}
