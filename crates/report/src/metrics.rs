//! A run in Prometheus' text format, for `/metrics`.

use std::fmt::Write;

use crate::RunHistory;
use crate::record::RankShare;

/// The present values of everything that a monitor would watch.
#[must_use]
pub fn metrics(run: &RunHistory) -> String {
    let mut text = MetricsText::default();
    text.add(
        "iterations_total",
        "counter",
        "Iterations done.",
        [("".into(), run.iteration() as f64)],
    );
    let one = |value: Option<f64>| value.map(|value| (String::new(), value));
    let last = run.displays.last();
    text.add("loss", "gauge", "Smoothed loss at the last display.", one(last.map(|d| d.loss)));
    text.add("learning_rate", "gauge", "Learning rate.", one(last.map(|d| d.rate)));
    text.add(
        "images_per_second",
        "gauge",
        "Speed over the latest iterations.",
        one(run.images_per_s()),
    );
    let sent = run.steps.last().and_then(|bin| bin.sent);
    text.add("sent_bytes", "gauge", "Bytes that rank 0 sent in the last iteration.", one(sent));
    let resident = run.memory.as_ref().map(|memory| memory.resident as f64);
    text.add("resident_bytes", "gauge", "Resident memory of rank 0.", one(resident));
    let warnings = run.warnings.len() + run.warnings_left_out;
    text.add("warnings_total", "counter", "Warnings.", [(String::new(), warnings as f64)]);
    let test = run.tests.last().map_or(&[][..], |test| &test.outputs[..]);
    let tests = test.iter().map(|(name, value)| (format!("output=\"{}\"", label(name)), *value));
    text.add("test_output", "gauge", "Means of the last test.", tests);
    text.add("rank_seconds_total", "counter", "Time of ranks by phase.", rank_seconds(run));
    text.0
}

fn rank_seconds(run: &RunHistory) -> Vec<(String, f64)> {
    let mut entries = run.times.iter();
    let Some(mut sum) = entries.next().cloned() else { return Vec::new() };
    entries.for_each(|entry| sum.add(entry));
    let mut all = Vec::new();
    for (rank, share) in sum.ranks.iter().enumerate() {
        let host = label(&share.host);
        for (phase, seconds) in RankShare::PHASES.iter().zip(share.seconds) {
            all.push((format!("rank=\"{rank}\",host=\"{host}\",phase=\"{phase}\""), seconds));
        }
    }
    all
}

#[derive(Default)]
struct MetricsText(String);

impl MetricsText {
    /// Adds a metric with its labels, unless it has no value.
    fn add(
        &mut self,
        name: &str,
        kind: &str,
        help: &str,
        values: impl IntoIterator<Item = (String, f64)>,
    ) {
        let mut values = values.into_iter().peekable();
        if values.peek().is_none() {
            return;
        }
        let _ = writeln!(self.0, "# HELP firecaffe_{name} {help}\n# TYPE firecaffe_{name} {kind}");
        for (labels, value) in values {
            let labels = if labels.is_empty() { labels } else { format!("{{{labels}}}") };
            let value = if value.is_nan() { "NaN".to_owned() } else { value.to_string() };
            let _ = writeln!(self.0, "firecaffe_{name}{labels} {value}");
        }
    }
}

/// A label's value, escaped.
fn label(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

#[cfg(test)]
mod tests {
    use super::metrics;
    use crate::RunHistory;
    use crate::record::{IterationBin, RunEntry, TestEntry};

    #[test]
    fn names_are_labels_and_values_are_numbers() {
        let mut run = RunHistory::default();
        run.add(RunEntry::Steps(IterationBin::single(4, 1.0, 0.5, Some(8))));
        let outputs = vec![("a\"b\\\n".to_owned(), 0.25)];
        run.add(RunEntry::Test(TestEntry { iteration: 5, net: 0, outputs }));
        let text = metrics(&run);
        for line in [
            "firecaffe_iterations_total 5",
            "firecaffe_sent_bytes 8",
            "firecaffe_test_output{output=\"a\\\"b\\\\\\n\"} 0.25",
            "# TYPE firecaffe_warnings_total counter",
        ] {
            assert!(text.lines().any(|found| found == line), "{line}\n{text}");
        }
        assert!(!text.contains("learning_rate"));
    }
}
