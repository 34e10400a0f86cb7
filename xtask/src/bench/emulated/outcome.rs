//! What an emulated run reports in its JSON log.

use anyhow::{Context, Result, ensure};
use base::median;
use serde_json::Value;

/// Figures of the iterations after the first.
#[derive(Debug, PartialEq)]
pub(super) struct EmulatedOutcome {
    /// Emulated seconds per iteration.
    pub(super) iteration_s: f64,
    /// By one rank in one iteration, in 10^6.
    sent_mb: f64,
    /// Of the cores, in percent.
    load: Option<f64>,
    /// How long the sum of each bucket takes between ranks.
    pub(super) bucket_s: Vec<f64>,
    /// Which buckets are compressed; empty without a compression.
    pub(super) compressed: Vec<bool>,
}

impl EmulatedOutcome {
    /// Reads a log, one event per line.
    pub(super) fn read(log: &str, load: Option<f64>) -> Result<Self> {
        let events: Vec<Value> =
            log.lines().map(serde_json::from_str).collect::<Result<_, _>>().context("JSON log")?;
        let of_kind = |kind: &'static str| events.iter().filter(move |e| e["event"] == kind);
        let later = |event: &&Value| event["iteration"].as_u64() > Some(0);
        let steps: Vec<&Value> = of_kind("emulated_step").collect();
        let numbers = |key: &str| -> Result<Vec<f64>> {
            let number = |step: &&Value| step[key].as_f64();
            let numbers: Option<_> = steps.iter().map(number).collect();
            numbers.with_context(|| format!("a step without {key}"))
        };
        ensure!(steps.len() > 1, "the log shows no iteration after the first");
        let iteration_s = median(numbers("seconds")?.windows(2).map(|w| w[1] - w[0]).collect());
        let compressed = match of_kind("compression").next_back() {
            Some(event) => serde_json::from_value(event["compressed"].clone())?,
            None => Vec::new(),
        };
        Ok(Self {
            iteration_s,
            sent_mb: median(numbers("sent_bytes")?.split_off(1)) / 1e6,
            load,
            bucket_s: bucket_times(of_kind("bucket").filter(later)),
            compressed,
        })
    }

    /// The columns that every row has, if computing takes `compute_s` per iteration.
    pub(super) fn columns(&self, compute_s: f64) -> String {
        let load = self.load.map_or("?".into(), |load| format!("{load:.0} %"));
        let exposed = 100.0 * (1.0 - compute_s / self.iteration_s).max(0.0);
        format!("{:.1} | {exposed:.0} % | {load}", self.sent_mb)
    }
}

/// The median time of each bucket.
fn bucket_times<'a>(events: impl Iterator<Item = &'a Value>) -> Vec<f64> {
    let mut times: Vec<Vec<f64>> = Vec::new();
    for event in events {
        let bucket = event["bucket"].as_u64().and_then(|bucket| usize::try_from(bucket).ok());
        let Some((bucket, time)) = bucket.zip(event["all_reduce"].as_f64()) else { continue };
        if times.len() <= bucket {
            times.resize(bucket + 1, Vec::new());
        }
        times[bucket].push(time);
    }
    times.into_iter().map(median).collect()
}

#[cfg(test)]
mod tests {
    use super::EmulatedOutcome;

    #[test]
    fn the_first_iteration_is_left_out() {
        let line = |iteration: u64, seconds: f64, time: f64| {
            format!(
                "{{\"event\":\"emulated_step\",\"iteration\":{iteration},\"seconds\":{seconds},\
                 \"sent_bytes\":2000000}}\n\
                 {{\"event\":\"bucket\",\"iteration\":{iteration},\"bucket\":0,\
                 \"all_reduce\":{time}}}\n"
            )
        };
        let compression = "{\"event\":\"compression\",\"compressed\":[true]}\n";
        let log = compression.to_owned() + &line(0, 1.0, 9.0) + &line(1, 5.0, 2.0);
        let outcome = EmulatedOutcome::read(&log, Some(12.0)).unwrap();
        let want = EmulatedOutcome {
            iteration_s: 4.0,
            sent_mb: 2.0,
            load: Some(12.0),
            bucket_s: vec![2.0],
            compressed: vec![true],
        };
        assert_eq!(outcome, want);
        assert_eq!(outcome.columns(1.0), "2.0 | 75 % | 12 %");
        assert!(EmulatedOutcome::read(&line(0, 1.0, 9.0), None).is_err());
    }
}
