use super::{
    CompressionBench, CompressionResult, check_bytes, codec_rate, measure, relative_error,
    table_head, table_line,
};
use crate::compression::{COMPRESSIONS, CompressionConfig, PoolLayout, PoolParam, SentVolume};
use crate::wire;
use base::Clock;
use expect_test::expect;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Every reading of the clock is a millisecond later.
#[derive(Debug, Default)]
struct OneMillisecond(AtomicU64);

impl Clock for OneMillisecond {
    fn now(&self) -> Duration {
        Duration::from_millis(self.0.fetch_add(1, Ordering::Relaxed))
    }

    fn sleep(&self, _: Duration) {}
}

/// The same for what a thread computes, while time passes a hundred times slower.
#[derive(Debug, Default)]
struct Dilated(OneMillisecond);

impl Clock for Dilated {
    fn now(&self) -> Duration {
        self.0.now() / 100
    }

    fn sleep(&self, _: Duration) {}

    fn thread_cpu(&self) -> Duration {
        self.0.now() + Duration::from_millis(1) // it is never zero
    }
}

fn clock() -> Arc<dyn Clock> {
    Arc::new(OneMillisecond::default())
}

fn gradients(ranks: usize) -> Vec<Vec<f32>> {
    let value = |rank: usize, at: usize| ((at * 37 + rank * 11) % 101) as f32 - 50.0;
    (0..ranks).map(|rank| (0..40_000).map(|at| value(rank, at)).collect()).collect()
}

#[test]
fn every_row_is_measured() {
    let gradients = gradients(2);
    let bench = CompressionBench {
        layout: PoolLayout {
            params: vec![PoolParam { range: 0..40_000, rows: 200, columns: 200 }],
        },
        buckets: vec![std::ops::Range { start: 0, end: 40_000 }],
        gradients: &gradients,
        wire: wire::F32,
        cores: 2,
    };
    for kind in COMPRESSIONS {
        let text =
            if kind.name == "sparse-chunks" { "sparse-chunks:chunk=4096" } else { kind.name };
        let config: CompressionConfig = text.parse().unwrap();
        let result = measure(&config, &bench, &clock()).unwrap();
        assert_eq!((result.ranks, result.values), (2, 40_000));
        assert_eq!(result.dense_bytes, 160_000, "{text}"); // every value once in a world of two
        assert!(result.sent_bytes > 0 && result.sent_bytes < 80_000, "{text}: {result:?}");
        check_bytes(&config, &bench, &result).unwrap();
        if let SentVolume::Planned = kind.volume {
            assert_eq!(result.sent_bytes, result.predicted_bytes, "{text}");
        }
        assert!(result.relative_error > 0.01 && result.relative_error < 1.5, "{text}: {result:?}");
        assert!(result.encode_gbs > 0.0 && result.encode_gbs.is_finite(), "{text}");
        assert!(result.decode_gbs > 0.0 && result.decode_gbs.is_finite(), "{text}");
    }
}

/// 40,000 values, of which `top-k` sends at most 2 · (400 + 133) entries.
#[test]
fn wrong_bytes_are_named() {
    let bench = CompressionBench {
        layout: PoolLayout {
            params: vec![PoolParam { range: 0..40_000, rows: 200, columns: 200 }],
        },
        buckets: vec![std::ops::Range { start: 0, end: 40_000 }],
        gradients: &[],
        wire: wire::F32,
        cores: 2,
    };
    let complaint = |text: &str, sent_bytes: u64, entries: u64| {
        let config: CompressionConfig = text.parse().unwrap();
        let result = CompressionResult { sent_bytes, entries, ..result(text) };
        check_bytes(&config, &bench, &result).err().map(|error| error.to_string())
    };
    assert_eq!(complaint("one-bit", 11_600_000, 0), None);
    assert_eq!(
        complaint("one-bit", 11_600_001, 0).unwrap(),
        "one-bit: 11600001 bytes were sent, but 11600000 predicted"
    );
    assert_eq!(complaint("top-k", 9000, 1066), None);
    assert_eq!(
        complaint("top-k", 9000, 1067).unwrap(),
        "top-k:share=0.01,warmup=0: 1067 entries were sent, but at most 1066 are allowed"
    );
    assert_eq!(complaint("threshold", 4000, 1000), None);
    assert_eq!(
        complaint("threshold", 3999, 1000).unwrap(),
        "threshold:tau=30: 1000 entries of 4 bytes are more than the 3999 bytes sent"
    );
}

/// The codec works on 16 MB; two readings of the clock per section make whole milliseconds.
#[test]
fn the_rate_of_a_codec_is_that_of_both_directions() {
    // One bucket: one section of encoding, and two of decoding (the owner's sum, the result).
    let want = 2048.0 * 2048.0 * 4.0 / 1e9 / 3e-3;
    // A slow clock, of an emulated run, does not make it faster.
    for clock in [clock(), Arc::new(Dilated::default())] {
        let rate = codec_rate(&"one-bit".parse().unwrap(), &clock).unwrap();
        assert!((rate / want - 1.0).abs() < 1e-6, "{clock:?}: {rate}, {want}");
    }
}

/// (3, 4) for (3, 0): the difference is 4 / 3 of the sum.
#[test]
fn errors_are_relative() {
    assert!(
        (relative_error(&[3.0, 4.0], &[vec![1.0, 0.0], vec![2.0, 0.0]]) - 4.0 / 3.0).abs() < 1e-12
    );
}

fn result(compression: &str) -> CompressionResult {
    CompressionResult {
        compression: compression.to_owned(),
        ranks: 4,
        values: 61_000_000,
        dense_bytes: 366_000_000,
        predicted_bytes: 11_600_000,
        sent_bytes: 11_600_000,
        entries: 0,
        encode_gbs: 1.5,
        decode_gbs: 2.25,
        relative_error: 0.5,
    }
}

#[test]
fn table() {
    let result = result("one-bit");
    expect![[r#"
        #   dense (B)    predicted         sent     ratio    encode    decode     error  compression
            366000000     11600000     11600000      31.6     1.500     2.250    0.5000  one-bit, 4 ranks
    "#]]
    .assert_eq(&(table_head() + &table_line(&result)));
}
