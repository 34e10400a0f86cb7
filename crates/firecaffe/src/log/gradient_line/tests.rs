//! What the log says about sums of gradients.

use expect_test::{Expect, expect};
use train::{DecisionOrigin, GradientEvent, SumTraffic};

#[track_caller]
fn check(events: &[GradientEvent], want: Expect) {
    let lines = events.iter().filter_map(super::of);
    let lines: Vec<String> =
        lines.map(|line| format!("{} {}", line.severity.letter(), line.text)).collect();
    assert!(lines.iter().all(|line| !line.contains("Iteration")), "Caffe's scripts count it");
    want.assert_eq(&lines.join("\n"));
}

#[test]
fn wire_format_and_scale() {
    check(
        &[
            GradientEvent::Wire { wire: "f16".into(), scale: Some(1024.0) },
            GradientEvent::Wire { wire: "bf16".into(), scale: None },
            GradientEvent::WireChanged { saved: "f16".into(), now: "f32".into() },
            GradientEvent::StepSkipped { iter: 7, scale: 512.0 },
            GradientEvent::ScaleDoubled { iter: 3000, scale: 1024.0 },
            GradientEvent::StepsSkipped { skipped: 1, done: 5000, scale: 1024.0 },
        ],
        expect![[r#"
            I gradients travel as f16, multiplied by 1024
            I gradients travel as bf16
            W the snapshot was written with `--wire f16`, this run uses f32: the weights will not be those of a run without a stop
            I step 8 is skipped: a sum of gradients overflowed; scale 512 from here
            I no sum of gradients overflowed for long: scale 1024 from here
            I 1 of 5000 steps were skipped; scale of gradients 1024"#]],
    );
}

#[test]
fn compression() {
    let decided = |origin| GradientEvent::Compression {
        compression: "one-bit".into(),
        compressed: vec![true, true, false, true, false, false, false],
        origin,
    };
    let measured = DecisionOrigin::Measured { bandwidth_gbs: 0.1171, codec_gbs: 2.5 };
    check(
        &[
            decided(measured),
            decided(DecisionOrigin::Snapshot),
            decided(DecisionOrigin::Always),
            GradientEvent::CompressionNotice { text: "a smaller `chunk` sends less".into() },
            GradientEvent::ResidualsFolded { compression: "one-bit".into(), world: 4 },
        ],
        expect![[r#"
            I compression one-bit: 3 of 7 buckets, where it takes less time (network 0.117 GB/s, encoding and decoding 2.500 GB/s)
            I compression one-bit: 3 of 7 buckets, as the snapshot says
            I compression one-bit: 3 of 7 buckets (`--compression-always`)
            W a smaller `chunk` sends less
            W the snapshot has residuals of 4 ranks or workers with compression one-bit: they are added to the first gradient, and the weights will not be those of a run without a stop"#]],
    );
    let sent =
        |entries| super::sent(&SumTraffic { sent_bytes: 1_250_000, predicted_bytes: 800, entries });
    assert_eq!(sent(0), "sent 1.2 MB (predicted 0.001 MB)");
    assert_eq!(sent(5), "sent 1.2 MB (predicted 0.001 MB), 5 entries");
}
