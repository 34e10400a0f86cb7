use super::config::BUCKETS;
use super::{CONFIGS, DrawLimits, EmulatedCase, EmulatedPoint, NETS, PointConfig, PointDraw};
use cluster_sim::IterationTime;

/// Points of one case whose iterations were predicted to take so many milliseconds, of which a
/// tenth is exposed.
pub(in crate::verify::simulator) fn points(milliseconds: &[f64]) -> Vec<EmulatedPoint> {
    let case = EmulatedCase { net: &NETS[0], hosts: 4, gbits: 1.0, dilation: 2 };
    let point = |(ms, bucket_mb): (&f64, &&'static str)| EmulatedPoint {
        case: case.clone(),
        config: PointConfig {
            algorithm: "ring",
            bucket_mb,
            wire: "f32",
            compression: None,
            overlap: true,
        },
        iterations: 4,
        predicted: IterationTime {
            compute: 0.9e-3 * ms,
            exposed: 0.1e-3 * ms,
            update: 0.0,
            communication: 1e-3 * ms,
        },
    };
    milliseconds.iter().zip(BUCKETS).map(point).collect()
}

/// The same seed draws the same; every case fits the machine.
#[test]
fn draws_repeat() {
    let limits = DrawLimits { point_s: 110.0, memory_bytes: 18e9 };
    let names = |seed| -> Vec<String> {
        let draw = PointDraw::cases(seed, 40, &[4, 8, 16, 32, 64], &limits).unwrap();
        assert_eq!(draw.counts.iter().sum::<usize>(), 40);
        assert!(draw.counts.iter().filter(|&&count| count == CONFIGS).count() >= 6);
        draw.cases.iter().map(ToString::to_string).collect()
    };
    assert_eq!(names(1), names(1));
    assert_ne!(names(1), names(2));
}

#[test]
fn flags_are_those_of_train() {
    let config = PointConfig {
        algorithm: "ring",
        bucket_mb: "4",
        wire: "f32",
        compression: Some("one-bit"),
        overlap: false,
    };
    let flags = config.flags().join(" ");
    assert_eq!(
        flags,
        "--allreduce ring --bucket-mb 4 --wire f32 --overlap off --compression one-bit \
         --compression-always"
    );
    assert_eq!(config.bucket_bytes(), 4_000_000);
}
