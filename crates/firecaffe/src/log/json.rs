//! `--log-json FILE`: one JSON object a line for what a program wants to plot.
//!
//! ```text
//! {"event":"display","iteration":100,"seconds":1.25,"loss":0.51,"lr":0.01,"outputs":{"loss":0.51}}
//! {"event":"test","iteration":100,"seconds":1.31,"net":0,"outputs":{"accuracy":0.81}}
//! {"event":"snapshot","iteration":100,"seconds":1.4,"model":"a_iter_100.caffemodel","state":"…"}
//! ```
//!
//! An output of several values is an array. JSON has no word for a value that is not finite: `null`.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::time::Duration;

use base::json_string;
use net::Output;
use train::{Event, Times};

use super::speed::Speed;

/// A file that events are appended to as they happen.
pub(crate) struct JsonLog {
    file: File,
    /// Iterations done, as far as events have told.
    iteration: u64,
    /// The net whose test phase runs.
    testing: usize,
}

impl JsonLog {
    /// Starts the file anew.
    pub(crate) fn create(path: &Path) -> io::Result<Self> {
        Ok(Self { file: File::create(path)?, iteration: 0, testing: 0 })
    }

    /// Appends what there is to say about an event.
    pub(crate) fn event(&mut self, event: &Event, seconds: f64) -> io::Result<()> {
        let Some(fields) = self.fields(event) else { return Ok(()) };
        let mut line = String::from("{");
        for (index, (name, value)) in fields.iter().enumerate() {
            let comma = if index == 0 { "" } else { "," };
            line.push_str(&format!("{comma}\"{name}\":{value}"));
            if index == 1 {
                line.push_str(&format!(",\"seconds\":{seconds:.6}"));
            }
        }
        line.push_str("}\n");
        self.file.write_all(line.as_bytes())
    }

    fn fields(&mut self, event: &Event) -> Option<Vec<(&'static str, String)>> {
        let head = |name: &str, iteration: u64| {
            vec![("event", json_string(name)), ("iteration", iteration.to_string())]
        };
        let mut fields = match event {
            Event::Stepped { done, .. } => {
                self.iteration = *done;
                return None;
            }
            Event::Testing { iter, net } => {
                (self.iteration, self.testing) = (*iter, *net);
                return None;
            }
            Event::Displayed(display) => head("display", display.iter),
            Event::Tested { .. } => head("test", self.iteration),
            Event::SnapshotWritten { .. } => head("snapshot", self.iteration),
            Event::SnapshotFailed { .. } => head("snapshot_failed", self.iteration),
            Event::Hash { steps, .. } => head("weights", *steps),
            Event::FinalLoss { iter, .. } => head("final_loss", *iter),
            Event::Spent { .. } => head("speed", self.iteration),
            _ => return None,
        };
        match event {
            Event::Displayed(display) => {
                fields.push(("loss", number(display.loss)));
                fields.push(("lr", number(display.rate)));
                fields.extend(speed(display.items, display.elapsed, display.times));
                fields.push(("outputs", outputs(&display.outputs)));
            }
            Event::Tested { outputs: values, loss } => {
                fields.push(("net", self.testing.to_string()));
                fields.extend(loss.map(|loss| ("loss", number(loss))));
                fields.push(("outputs", outputs(values)));
            }
            Event::SnapshotWritten { model, state } => {
                fields.push(("model", json_string(&model.to_string_lossy())));
                fields.push(("state", json_string(&state.to_string_lossy())));
            }
            Event::SnapshotFailed { causes } => {
                fields.push(("reason", json_string(&causes.join(": "))));
            }
            Event::Hash { hash, .. } => fields.push(("hash", json_string(&format!("{hash:016x}")))),
            Event::FinalLoss { loss, .. } => fields.push(("loss", number(*loss))),
            Event::Spent { items, elapsed, times } => {
                fields.extend(speed(*items, *elapsed, *times));
            }
            _ => {}
        }
        Some(fields)
    }
}

/// Images a second and the shares of time in percent, once there are any.
fn speed(items: u64, elapsed: Duration, times: Times) -> Vec<(&'static str, String)> {
    let speed = Speed { items, elapsed, times };
    let Some(per_second) = speed.per_second() else { return Vec::new() };
    let share = |(what, share): (&str, f64)| format!("{}:{share:.2}", json_string(what));
    let shares = speed.shares().map(share).join(",");
    vec![("images_per_s", format!("{per_second:.3}")), ("time_shares", format!("{{{shares}}}"))]
}

fn outputs(outputs: &[Output]) -> String {
    let entry = |output: &Output| {
        let values: Vec<_> = output.values.iter().map(|&value| number(value)).collect();
        let value = match &values[..] {
            [value] => value.clone(),
            _ => format!("[{}]", values.join(",")),
        };
        format!("{}:{value}", json_string(&output.name))
    };
    format!("{{{}}}", outputs.iter().map(entry).collect::<Vec<_>>().join(","))
}

fn number(value: f32) -> String {
    if value.is_finite() { value.to_string() } else { "null".into() }
}

#[cfg(test)]
mod tests;
