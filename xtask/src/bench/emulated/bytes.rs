//! Whether a run sent the bytes that its plans and the bounds of its compression allow.

use exchange::compression::SentVolume;
use train::SumTraffic;

use super::clusters::Technique;
use super::outcome::EmulatedOutcome;

/// Histograms that top-k sums by a binomial tree when it renews its thresholds, per bucket.
const HISTOGRAM_BYTES: u64 = 11_264;
/// At most, counts and thresholds of params, per bucket and other rank: ResNet-50 has 161 params.
const COUNT_BYTES: u64 = 1024;

/// The most that travels beside the entries of a bucket.
fn control_bytes(hosts: usize) -> u64 {
    let children = u64::from(hosts.next_power_of_two().ilog2());
    HISTOGRAM_BYTES * children + COUNT_BYTES * (hosts as u64 - 1)
}

/// What a table says of the bytes; an error says what is wrong.
pub(super) fn check(
    row: &Technique,
    hosts: usize,
    outcome: &EmulatedOutcome,
) -> Result<String, String> {
    let compression = row.compression().filter(|_| outcome.compressed.contains(&true));
    let volume = compression.as_ref().map_or(SentVolume::Planned, |config| config.kind().volume);
    let (entry_bytes, entries_max) = match (volume, compression) {
        (SentVolume::Entries { entry_bytes, entries_max }, Some(config)) => {
            let of_bucket = |max: fn(&_, _) -> usize| {
                let values = outcome.bucket_values.iter().zip(&outcome.compressed);
                let compressed = values.filter(|(_, compressed)| **compressed);
                compressed.map(|(&values, _)| max(&config, values) as u64).sum::<u64>()
            };
            (entry_bytes(row.wire()) as u64, entries_max.map(of_bucket))
        }
        _ => return planned(&outcome.steps),
    };
    let control = control_bytes(hosts) * outcome.compressed.len() as u64;
    // What buckets that are summed densely send is not known apart.
    let is_all = outcome.compressed.iter().all(|&compressed| compressed);
    for &SumTraffic { sent_bytes, entries, .. } in &outcome.steps {
        let of_entries = entries * entry_bytes;
        let is_explained = (of_entries..=of_entries + control).contains(&sent_bytes);
        if sent_bytes < of_entries || (is_all && !is_explained) {
            return Err(format!("{sent_bytes} B sent with {entries} entries of {entry_bytes} B"));
        }
        if let Some(max) = entries_max.filter(|&max| entries > max) {
            return Err(format!("{entries} entries, at most {max} allowed"));
        }
    }
    let entries = outcome.steps.iter().map(|step| step.entries).max().unwrap_or(0);
    Ok(match entries_max {
        Some(max) => format!("{:.0} % of the bound", 100.0 * entries as f64 / max.max(1) as f64),
        None => format!("entries of {entry_bytes} B"),
    })
}

/// Every step sent exactly what was predicted.
fn planned(steps: &[SumTraffic]) -> Result<String, String> {
    match steps.iter().find(|step| step.sent_bytes != step.predicted_bytes) {
        None => Ok("as predicted".to_owned()),
        Some(&SumTraffic { sent_bytes, predicted_bytes, .. }) => {
            Err(format!("{sent_bytes} B sent, {predicted_bytes} B predicted"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::clusters::{CLUSTERS, Technique};
    use super::super::outcome::EmulatedOutcome;
    use super::check;
    use train::SumTraffic;

    fn row(name: &str) -> &'static Technique {
        CLUSTERS[0].techniques().into_iter().find(|row| row.name == name).unwrap()
    }

    /// Of two buckets of 100,000 and 50,000 values, on two hosts.
    fn outcome(compressed: &[bool], step: (u64, u64, u64)) -> EmulatedOutcome {
        let (sent_bytes, predicted_bytes, entries) = step;
        EmulatedOutcome {
            iteration_s: 1.0,
            steps: vec![SumTraffic { sent_bytes, predicted_bytes, entries }; 2],
            load: None,
            bucket_s: vec![0.1; 2],
            bucket_values: vec![100_000, 50_000],
            compressed: compressed.to_vec(),
        }
    }

    #[test]
    fn planned_bytes_are_exact() {
        for name in ["f32", "bf16", "one-bit", "power-sgd 2", "sparse-chunks 15 %"] {
            let compressed = vec![true; 2 * usize::from(row(name).is_compressed())];
            let ends = |step| check(row(name), 2, &outcome(&compressed, step));
            assert_eq!(ends((1000, 1000, 0)).unwrap(), "as predicted");
            assert_eq!(ends((1001, 1000, 0)).unwrap_err(), "1001 B sent, 1000 B predicted");
        }
        // Decided densely everywhere, so nothing is estimated.
        assert!(check(row("top-k 1 %"), 2, &outcome(&[false; 2], (9, 10, 0))).is_err());
    }

    /// The bound is 2 (1000 + 333) + 2 (500 + 166) entries of 8 bytes.
    #[test]
    fn top_k_keeps_its_bound() {
        let both = |step| check(row("top-k 1 %"), 2, &outcome(&[true; 2], step));
        assert_eq!(both((8 * 1999, 9000, 1999)).unwrap(), "50 % of the bound");
        assert_eq!(both((8 * 3998 + 2 * 12_288, 1, 3998)).unwrap(), "100 % of the bound");
        assert!(both((8 * 3999, 1, 3999)).unwrap_err().contains("at most 3998"));
        assert!(both((8 * 1999 - 1, 1, 1999)).is_err(), "fewer bytes than entries");
        assert!(
            both((8 * 1999 + 2 * 12_288 + 1, 1, 1999)).is_err(),
            "more than entries and control"
        );
        // The second bucket is dense: its 200 kB are not entries, and its values not bounded.
        let first = |entries| {
            check(
                row("top-k 1 %"),
                2,
                &outcome(&[true, false], (8 * entries + 200_000, 1, entries)),
            )
        };
        assert!(first(2666).is_ok() && first(2667).is_err());
    }

    #[test]
    fn threshold_sends_entries_of_a_word() {
        let ends = |step| check(row("threshold"), 2, &outcome(&[true; 2], step));
        assert_eq!(ends((4016, 9000, 1000)).unwrap(), "entries of 4 B");
        assert!(ends((3999, 9000, 1000)).is_err());
    }
}
