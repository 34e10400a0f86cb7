//! What an emulated run reports in its JSON log.

use anyhow::{Context, Result, ensure};
use base::median;
use serde_json::Value;
use train::SumTraffic;

/// Figures of the iterations after the first.
#[derive(Debug, PartialEq)]
pub(super) struct EmulatedOutcome {
    /// Emulated seconds per iteration.
    pub(super) iteration_s: f64,
    /// What rank 0 sent in each iteration, the first too.
    pub(super) steps: Vec<SumTraffic>,
    /// Of the cores, in percent.
    pub(super) load: Option<f64>,
    /// How long the sum of each bucket takes between ranks.
    pub(super) bucket_s: Vec<f64>,
    /// How long each bucket is.
    pub(super) bucket_values: Vec<usize>,
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
        let seconds = |step: &&Value| step["seconds"].as_f64();
        let seconds: Option<Vec<f64>> = steps.iter().map(seconds).collect();
        let seconds = seconds.context("a step without its time")?;
        ensure!(steps.len() > 1, "the log shows no iteration after the first");
        let iteration_s = median(seconds.windows(2).map(|w| w[1] - w[0]).collect());
        let traffic = |step: &&Value| serde_json::from_value((*step).clone());
        let traffic = steps.iter().map(traffic).collect::<Result<_, _>>();
        let compressed = match of_kind("compression").next_back() {
            Some(event) => serde_json::from_value(event["compressed"].clone())?,
            None => Vec::new(),
        };
        Ok(Self {
            iteration_s,
            steps: traffic.context("a step without its bytes")?,
            load,
            bucket_s: bucket_times(of_kind("bucket").filter(later)),
            bucket_values: bucket_values(of_kind("bucket").filter(later)),
            compressed,
        })
    }

    /// Sent, exposed and load as columns, if computing takes `compute_s` per iteration.
    pub(super) fn columns(&self, compute_s: f64) -> String {
        let load = self.load.map_or("?".into(), |load| format!("{load:.0} %"));
        let exposed = 100.0 * (1.0 - compute_s / self.iteration_s).max(0.0);
        let sent = self.steps.iter().skip(1).map(|step| step.sent_bytes as f64 / 1e6);
        format!("{:.1} | {exposed:.0} % | {load}", median(sent.collect()))
    }
}

fn whole(value: &Value) -> Option<usize> {
    value.as_u64().and_then(|number| usize::try_from(number).ok())
}

/// The values of each bucket, from those of the last iteration.
fn bucket_values<'a>(events: impl Iterator<Item = &'a Value>) -> Vec<usize> {
    let mut values = Vec::new();
    for event in events {
        let Some((bucket, bytes)) = whole(&event["bucket"]).zip(whole(&event["bytes"])) else {
            continue;
        };
        values.resize(values.len().max(bucket + 1), 0);
        values[bucket] = bytes / size_of::<f32>();
    }
    values
}

/// The median time of each bucket.
fn bucket_times<'a>(events: impl Iterator<Item = &'a Value>) -> Vec<f64> {
    let mut times: Vec<Vec<f64>> = Vec::new();
    for event in events {
        let bucket = whole(&event["bucket"]);
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
    use train::SumTraffic;

    #[test]
    fn the_first_iteration_is_left_out() {
        let line = |iteration: u64, seconds: f64, time: f64| {
            format!(
                "{{\"event\":\"emulated_step\",\"iteration\":{iteration},\"seconds\":{seconds},\
                 \"sent_bytes\":2000000,\"predicted_bytes\":1000000,\"entries\":7}}\n\
                 {{\"event\":\"bucket\",\"iteration\":{iteration},\"bucket\":0,\
                 \"bytes\":4000,\"all_reduce\":{time}}}\n"
            )
        };
        let compression = "{\"event\":\"compression\",\"compressed\":[true]}\n";
        let log = compression.to_owned() + &line(0, 1.0, 9.0) + &line(1, 5.0, 2.0);
        let outcome = EmulatedOutcome::read(&log, Some(12.0)).unwrap();
        let traffic = SumTraffic { sent_bytes: 2_000_000, predicted_bytes: 1_000_000, entries: 7 };
        let want = EmulatedOutcome {
            iteration_s: 4.0,
            steps: vec![traffic; 2],
            load: Some(12.0),
            bucket_s: vec![2.0],
            bucket_values: vec![1000],
            compressed: vec![true],
        };
        assert_eq!(outcome, want);
        assert_eq!(outcome.columns(1.0), "2.0 | 75 % | 12 %");
        assert!(EmulatedOutcome::read(&line(0, 1.0, 9.0), None).is_err());
    }
}
