//! Events of a run as lines of our own, which Caffe's log does not have.

use base::megabytes;
use collective::AlgorithmChoice;
use net::MemoryUse;
use train::{Event, RecordMemory};

use super::gradient_line;
use super::line::{LogLine, Severity};
use super::lines::number;
use super::speed::Speed;

/// What we log about an event that Caffe does not; `None` for most.
pub(super) fn of(event: &Event) -> Option<LogLine> {
    let text = match event {
        Event::Gradients(event) => return gradient_line::of(event),
        Event::RecordSkipped { causes, .. } => format!("skipped {}", causes.join(": ")),
        Event::RecordsReady { layer, records, shuffle, memory } => {
            records_ready(layer, *records, *shuffle, *memory)
        }
        Event::RecordsPlaced { bytes, time } => {
            let (bytes, seconds) = (*bytes as f64 / 1e6, time.as_secs_f64());
            let speed = bytes / seconds.max(f64::MIN_POSITIVE);
            format!(
                "records are where they are used first: {bytes:.1} MB from other ranks in \
                 {seconds:.3} s ({speed:.0} MB/s)"
            )
        }
        Event::DataWait { percent, slowest, threads } => {
            let cause = slowest.map_or_else(String::new, |stage| {
                format!(
                    ": {stage} is the bottleneck, on {} per replica",
                    counted(*threads, "thread")
                )
            });
            return Some(LogLine::warning(format!(
                "waited for data {percent:.1} % of the time{cause}"
            )));
        }
        Event::Straggler { rank, host, percent, iterations, cause } => {
            return Some(LogLine::warning(format!(
                "rank {rank} on {host} holds the others up: it has taken {percent:.0} % longer than \
                 they for {iterations} iterations, for its {cause}"
            )));
        }
        Event::SlowLink { hosts: [one, other], mbits, usual_mbits } => {
            return Some(LogLine::warning(format!(
                "the link between {one} and {other} holds the others up: it carries {mbits:.0} \
                 Mbit/s, most links {usual_mbits:.0}"
            )));
        }
        Event::Joined { hosts, allreduce } => joined(hosts, allreduce),
        Event::ReplicasPlaced { items, replicas, workers, rate, exact } => format!(
            "global batch {} = {} x {items} on {}; lr {} (unscaled){}",
            items * replicas,
            counted(*replicas, "replica"),
            counted(*workers, "worker"),
            number(*rate),
            if *exact { "" } else { "; inexact: the weights depend on the number of workers" },
        ),
        Event::Emulating { machine, source, dilation, compute, pool_bytes } => format!(
            "emulated: {:.3} ms of computation per replica are waited for, as on {machine} \
             ({source}); {}; gradients {} per rank",
            compute.as_secs_f64() * 1e3,
            match dilation {
                1 => "in real time".into(),
                _ => format!("time passes {dilation} times slower"),
            },
            megabytes(*pool_bytes)
        ),
        Event::MemoryUse(memory) => memory_plan(memory),
        Event::Hash { steps, hash } => format!("weights after {steps} steps: {hash:016x}"),
        Event::SnapshotReplaced { model } => {
            return Some(LogLine::warning(format!(
                "{} is of another run and is overwritten; give another `snapshot_prefix` to keep \
                 both",
                model.display()
            )));
        }
        Event::SnapshotFailed { causes } => {
            let text = format!(
                "no snapshot was written, training goes on; earlier ones are intact: {}",
                causes.join(": ")
            );
            return Some(LogLine { severity: Severity::Error, ..LogLine::ours(text) });
        }
        &Event::Spent { elapsed, items, times, emulated } => {
            Speed { items, elapsed, times, emulated }.in_words()?
        }
        _ => return None,
    };
    Some(LogLine::ours(text))
}

/// `layer `data`: 60000 records, every epoch in a random order (seed 1), in memory: 48.3 MB …`.
fn records_ready(
    layer: &str,
    records: u64,
    shuffle: Option<u32>,
    memory: Option<RecordMemory>,
) -> String {
    let order = match shuffle {
        Some(seed) => format!("every epoch in a random order (seed {seed})"),
        None => "in key order".to_owned(),
    };
    let bytes = |bytes: u64| megabytes(usize::try_from(bytes).unwrap_or(usize::MAX));
    let memory = memory.map_or_else(String::new, |RecordMemory { shard, exchange }| {
        let (shard, exchange) = (bytes(shard), bytes(exchange));
        format!("; in memory, {shard} per rank and up to {exchange} for their exchange")
    });
    format!("layer `{layer}`: {records} records, {order}{memory}")
}

/// `1 worker`, `2 workers`.
pub(crate) fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// `4 ranks on 2 hosts (a: 2, b: 2), all agree; allreduce auto`.
fn joined(hosts: &[(String, usize)], allreduce: &AlgorithmChoice) -> String {
    let ranks: usize = hosts.iter().map(|(_, ranks)| ranks).sum();
    let listed: Vec<_> = hosts.iter().map(|(host, ranks)| format!("{host}: {ranks}")).collect();
    let (hosts, listed) = (counted(hosts.len(), "host"), listed.join(", "));
    format!("{ranks} ranks on {hosts} ({listed}), all agree; allreduce {allreduce}")
}

/// The plan on one line.
pub(crate) fn memory_plan(memory: &MemoryUse) -> String {
    format!("Memory plan: {memory}")
}
