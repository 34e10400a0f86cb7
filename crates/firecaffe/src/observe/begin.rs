//! What a record says about a run before its first iteration: command, settings, layers.

use std::ffi::OsString;
use std::time::{SystemTime, UNIX_EPOCH};

use net::LayerSummary;
use report::record::{LayerTime, RunBegin};
use train::{Cpu, Job, JobConfig};

use crate::commands::time::{MachinePeaks, layer_work};
use crate::launch;

/// Flags that show a run without changing it, and which therefore do not belong to the command that
/// repeats it.
const SHOWING: &[&str] = &[
    "--record",
    "--tensorboard",
    "--histograms",
    "--page",
    "--log-json",
    "--timeline",
    "--timeline-mb",
];

/// Where a run comes from.
pub(crate) struct RunOrigin {
    pub(super) begin: RunBegin,
    /// What the machine can do at most.
    pub(super) peaks: Option<MachinePeaks>,
}

impl RunOrigin {
    /// Of this process, one of `world` ranks. Measures the machine, unless the run is emulated.
    pub(crate) fn of(config: &JobConfig, world: usize) -> Self {
        let directory = std::env::current_dir().unwrap_or_default();
        let unix_seconds =
            SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        let begin = RunBegin {
            unix_seconds,
            version: env!("CARGO_PKG_VERSION").into(),
            host: launch::host(),
            command: format!(
                "cd {} && {}",
                quoted(&directory.display().to_string()),
                command(std::env::args_os(), world)
            ),
            directory: directory.display().to_string(),
            settings: settings(config, world),
            ..RunBegin::default()
        };
        let measures = config.emulation.is_none();
        let peaks = measures.then(|| MachinePeaks::measure(&Cpu::new(config.threads, config.simd)));
        // The arrays of the measurement are not the run's memory. Not every kernel allows this.
        _ = std::fs::write("/proc/self/clear_refs", "5");
        Self { begin, peaks }
    }
}

fn settings(config: &JobConfig, world: usize) -> Vec<(String, String)> {
    let replicas = config.replicas.map_or_else(|| "one per worker".into(), |r| r.to_string());
    let compression = config.compression.as_ref().map_or("none".into(), ToString::to_string);
    let all = [
        ("ranks", world.to_string()),
        ("workers per rank", config.workers.to_string()),
        ("threads per worker", config.threads.to_string()),
        ("replicas", replicas),
        ("batch", config.batch.to_string()),
        ("precision", config.precision.to_string()),
        ("allreduce", config.allreduce.to_string()),
        ("wire", config.wire.to_string()),
        ("compression", compression),
        ("bucket, MB", (config.bucket_bytes as f64 / 1e6).to_string()),
        ("data", config.data.to_string()),
        ("shuffle", config.shuffle.to_string()),
        ("SIMD", config.simd.to_string()),
        ("processor", crate::machine::processor()),
    ];
    all.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

/// The command line without [`SHOWING`], as a shell takes it.
fn command(args: impl Iterator<Item = OsString>, world: usize) -> String {
    let mut args = args.map(|arg| arg.to_string_lossy().into_owned()).peekable();
    let mut words = Vec::new();
    while let Some(arg) = args.next() {
        let name = arg.split('=').next().unwrap_or_default().replace('_', "-");
        let name = format!("--{}", name.trim_start_matches('-'));
        let is_flag = arg.starts_with('-') && SHOWING.contains(&name.as_str());
        if !is_flag {
            words.push(quoted(&arg));
        } else if !arg.contains('=') {
            args.next_if(|value| !value.starts_with('-'));
        }
    }
    let launcher = if world > 1 { format!("mpirun -n {world} ") } else { String::new() };
    launcher + &words.join(" ")
}

/// `text` as one word of a shell.
fn quoted(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./,:=+@%".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', "'\\''"))
}

/// The layers of `job`'s net, with their work in `passes` batches and no time yet.
pub(super) fn layers(job: &Job, passes: f64) -> Vec<LayerTime> {
    let layer = |row: &LayerSummary| {
        let [forward, backward] = layer_work(row);
        LayerTime {
            name: row.name.clone(),
            kind: row.kind.to_owned(),
            seconds: [0.0; 2],
            flops: [forward.flops, backward.flops].map(|flops| flops * passes),
            bytes: [forward.bytes, backward.bytes].map(|bytes| bytes * passes),
        }
    };
    job.net().description().rows.iter().map(layer).collect()
}

#[cfg(test)]
mod tests {
    use super::command;

    #[test]
    fn the_command_repeats_the_run_without_showing_it() {
        let check = |args: &[&str], world, want: &str| {
            assert_eq!(command(args.iter().map(Into::into), world), want);
        };
        check(&["fc", "train", "--record", "dir", "--solver", "a b"], 1, "fc train --solver 'a b'");
        check(&["fc", "train", "--page", "--threads=2"], 1, "fc train --threads=2");
        check(
            &["fc", "train", "--log_json=x", "-page=:80", "it's"],
            4,
            "mpirun -n 4 fc train 'it'\\''s'",
        );
    }
}
