//! What an emulated run reports in its JSON log.

use anyhow::{Context, Result, ensure};
use base::median;
use serde_json::Value;

/// Figures of the iterations after the first.
#[derive(Debug, PartialEq)]
pub(super) struct EmulatedOutcome {
    /// Of all ranks.
    pub(super) images_per_s: f64,
    /// Of the time, in percent.
    exposed: f64,
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
        let shown: Vec<&Value> = of_kind("display").filter(later).collect();
        ensure!(!shown.is_empty(), "the log shows no iteration after the first");
        let middle = |path: &str| -> Result<f64> {
            let number = |event: &&Value| event.pointer(path).and_then(Value::as_f64);
            let numbers: Option<Vec<f64>> = shown.iter().map(number).collect();
            numbers.map(median).with_context(|| format!("an iteration without {path}"))
        };
        let compressed = match of_kind("compression").next_back() {
            Some(event) => serde_json::from_value(event["compressed"].clone())?,
            None => Vec::new(),
        };
        Ok(Self {
            images_per_s: middle("/images_per_s")?,
            exposed: middle("/time_percent/exposed_communication")?,
            sent_mb: middle("/sent_bytes")? / 1e6,
            load,
            bucket_s: bucket_times(of_kind("bucket").filter(later)),
            compressed,
        })
    }

    /// The columns that every row has.
    pub(super) fn columns(&self) -> String {
        let load = self.load.map_or("?".into(), |load| format!("{load:.0} %"));
        format!("{:.1} | {:.0} % | {load}", self.sent_mb, self.exposed)
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
        let line = |iteration: u64, speed: f64, time: f64| {
            format!(
                "{{\"event\":\"display\",\"iteration\":{iteration},\"images_per_s\":{speed},\
                 \"time_percent\":{{\"exposed_communication\":5.0}},\"sent_bytes\":2000000}}\n\
                 {{\"event\":\"bucket\",\"iteration\":{iteration},\"bucket\":0,\
                 \"all_reduce\":{time}}}\n"
            )
        };
        let compression = "{\"event\":\"compression\",\"compressed\":[true]}\n";
        let log = compression.to_owned() + &line(0, 1.0, 9.0) + &line(1, 4.0, 2.0);
        let outcome = EmulatedOutcome::read(&log, Some(12.0)).unwrap();
        let want = EmulatedOutcome {
            images_per_s: 4.0,
            exposed: 5.0,
            sent_mb: 2.0,
            load: Some(12.0),
            bucket_s: vec![2.0],
            compressed: vec![true],
        };
        assert_eq!(outcome, want);
        assert_eq!(outcome.columns(), "2.0 | 5 % | 12 %");
        assert!(EmulatedOutcome::read(&line(0, 1.0, 9.0), None).is_err());
    }
}
