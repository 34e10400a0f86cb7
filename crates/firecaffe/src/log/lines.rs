//! Events of a run as lines of Caffe's log: with Caffe's exact wording. Those of set-up are in
//! [`set_up`].

use base::general;
use net::{DebugBlob, DebugValue, MemoryUse, Output};
use train::{Display, Event};

use super::line::{LogLine, OURS, Severity};
use super::set_up;
use super::speed::Speed;

/// What Caffe logs about an event; nothing for most.
pub(super) fn of(event: &Event) -> Vec<LogLine> {
    let one = |file, number, text: String| vec![LogLine::at(file, number, text)];
    match event {
        Event::Solving { net, policy } => vec![
            LogLine::at("solver.cpp", 289, format!("Solving {net}")),
            LogLine::at("solver.cpp", 290, format!("Learning Rate Policy: {policy}")),
        ],
        Event::DataRestarted { .. } => {
            one("data_layer.cpp", 73, "Restarting data prefetching from start.".into())
        }
        Event::RecordSkipped { reason, .. } => one(OURS, 1, format!("skipped {reason}")),
        Event::Joined { hosts, allreduce } => one(OURS, 1, joined(hosts, allreduce)),
        Event::ReplicasPlaced { items, replicas, workers, rate, exact } => {
            let (all, s) = (items * replicas, if *workers == 1 { "" } else { "s" });
            let text = format!(
                "global batch {all} = {replicas} replica{} x {items} on {workers} worker{s}; lr {} (unscaled){}",
                if *replicas == 1 { "" } else { "s" },
                number(*rate),
                if *exact { "" } else { "; inexact: the weights depend on the number of workers" },
            );
            one(OURS, 1, text)
        }
        Event::MemoryPlan(memory) => one(OURS, 1, memory_plan(memory)),
        Event::Displayed(display) => displayed(display),
        Event::Hash { steps, hash } => {
            one(OURS, 1, format!("weights after {steps} steps: {hash:016x}"))
        }
        Event::Debug(value) => vec![debug(value)],
        Event::Clipped { norm, limit, factor } => {
            let [norm, limit, factor] = [norm, limit, factor].map(|&x| number(x));
            let text = format!(
                "Gradient clipping: scaling down gradients (L2 norm {norm} > {limit}) \
                 by scale factor {factor}"
            );
            one("sgd_solver.cpp", 99, text)
        }
        Event::RateStep { iter, step } => {
            one("sgd_solver.cpp", 50, format!("MultiStep Status: Iteration {iter}, step = {step}"))
        }
        Event::Testing { iter, net } => {
            one("solver.cpp", 347, format!("Iteration {iter}, Testing net (#{net})"))
        }
        Event::Tested { outputs, loss } => {
            let loss = loss.map(|loss| format!("Test loss: {}", number(loss)));
            let loss = loss.map(|text| LogLine::at("solver.cpp", 399, text));
            loss.into_iter().chain(output_lines("Test", 414, outputs)).collect()
        }
        Event::TestInterrupted => one("solver.cpp", 376, "Test interrupted.".into()),
        Event::FinalLoss { iter, loss } => {
            one("solver.cpp", 327, format!("Iteration {iter}, loss = {}", number(*loss)))
        }
        Event::SnapshotWritten { model, state } => {
            let hdf5 = model.extension().is_some_and(|end| end == "h5");
            let (kind, model_line, state_line) =
                if hdf5 { ("HDF5", 474, 296) } else { ("binary proto", 464, 284) };
            let text = |what: &str, file: &std::path::Path| {
                format!("Snapshotting {what}to {kind} file {}", file.display())
            };
            vec![
                LogLine::at("solver.cpp", model_line, text("", model)),
                LogLine::at("sgd_solver.cpp", state_line, text("solver state ", state)),
            ]
        }
        Event::SnapshotFailed { causes } => {
            let text = format!(
                "no snapshot was written, training goes on; earlier ones are intact: {}",
                causes.join(": ")
            );
            vec![LogLine { severity: Severity::Error, ..LogLine::at(OURS, 1, text) }]
        }
        &Event::Spent { elapsed, items, times } => {
            let speed = Speed { items, elapsed, times };
            speed.in_words().into_iter().flat_map(|text| one(OURS, 1, text)).collect()
        }
        Event::Finished => one("solver.cpp", 332, "Optimization Done.".into()),
        Event::StoppedEarly => one("solver.cpp", 314, "Optimization stopped early.".into()),
        event => set_up::of(event),
    }
}

/// What `debug_info` prints.
fn debug(value: &DebugValue) -> LogLine {
    let (pass, number, layer, blob, mean) = match value {
        DebugValue::Mean { layer, blob, mean } => {
            let (pass, number, blob) = match blob {
                DebugBlob::Top(name) => ("Forward", 591, format!("top blob {name} data")),
                DebugBlob::Param(name) => ("Forward", 591, format!("param blob {name} data")),
                DebugBlob::BottomDiff(name) => {
                    ("Backward", 607, format!("bottom blob {name} diff"))
                }
                DebugBlob::ParamDiff(index) => {
                    ("Backward", 607, format!("param blob {index} diff"))
                }
            };
            (pass, number, layer, blob, mean)
        }
        DebugValue::Norms { data, diff } => {
            let [l1, diff_l1, l2, diff_l2] = [data.l1, diff.l1, data.l2, diff.l2].map(general);
            let text = format!(
                "    [Backward] All net params (data, diff): \
                 L1 norm = ({l1}, {diff_l1}); L2 norm = ({l2}, {diff_l2})"
            );
            return LogLine::at("net.cpp", 632, text);
        }
    };
    let text = format!("    [{pass}] Layer {layer}, {blob}: {}", general(*mean));
    LogLine::at("net.cpp", number, text)
}

fn displayed(display: &Display) -> Vec<LogLine> {
    let Display { iter, loss, rate, elapsed, iterations, interval, outputs, items, times } =
        display;
    let seconds = elapsed.as_secs_f64();
    let speed = if seconds > 0.0 { *iterations as f64 / seconds } else { 0.0 };
    let text = format!(
        "Iteration {iter} ({} iter/s, {}s/{interval} iters), loss = {}",
        general(speed),
        general(seconds),
        number(*loss)
    );
    let mut lines = vec![LogLine::at("solver.cpp", 239, text)];
    lines.extend(output_lines("Train", 258, outputs));
    let text = format!("Iteration {iter}, lr = {}", number(*rate));
    lines.push(LogLine::at("sgd_solver.cpp", 112, text));
    let speed = Speed { items: *items, elapsed: *elapsed, times: *times };
    lines.extend(speed.in_words().map(|text| LogLine::at(OURS, 1, text)));
    lines
}

/// `4 ranks on 2 hosts (a: 2, b: 2), all agree; allreduce auto`.
fn joined(hosts: &[(String, usize)], allreduce: &str) -> String {
    let ranks: usize = hosts.iter().map(|(_, ranks)| ranks).sum();
    let listed: Vec<_> = hosts.iter().map(|(host, ranks)| format!("{host}: {ranks}")).collect();
    let s = if hosts.len() == 1 { "" } else { "s" };
    let (count, listed) = (hosts.len(), listed.join(", "));
    format!("{ranks} ranks on {count} host{s} ({listed}), all agree; allreduce {allreduce}")
}

/// One line per value, numbered through all outputs as in Caffe.
fn output_lines<'a>(
    which: &'a str,
    line: u32,
    outputs: &'a [Output],
) -> impl Iterator<Item = LogLine> + 'a {
    let values = outputs.iter().flat_map(|output| output.values.iter().map(move |v| (output, *v)));
    values.enumerate().map(move |(index, (output, value))| {
        let text = format!("    {which} net output #{index}: {}", output_value(output, value));
        LogLine::at("solver.cpp", line, text)
    })
}

/// `accuracy = 0.9`, or for a loss `loss = 0.3 (* 1 = 0.3 loss)`.
pub(super) fn output_value(output: &Output, value: f32) -> String {
    let Output { name, loss_weight, .. } = output;
    let plain = format!("{name} = {}", number(value));
    if *loss_weight == 0.0 {
        return plain;
    }
    format!("{plain} (* {} = {} loss)", number(*loss_weight), number(loss_weight * value))
}

/// The plan on one line, in millions of bytes.
pub(crate) fn memory_plan(memory: &MemoryUse) -> String {
    let MemoryUse { params, gradients, activations, diffs, workspace } = memory;
    let total = params + gradients + activations + diffs + workspace;
    let parts: [(&str, &usize); 6] = [
        ("parameters", params),
        ("gradients", gradients),
        ("activations", activations),
        ("diffs", diffs),
        ("workspace", workspace),
        ("total", &total),
    ];
    let parts = parts.map(|(name, bytes)| format!("{name} {}", megabytes(*bytes)));
    format!("Memory plan: {}", parts.join(", "))
}

/// Bytes as `12.3 MB` of 10^6 bytes; below one, as `0.123 MB`.
pub(crate) fn megabytes(bytes: usize) -> String {
    let decimals = if bytes < 1_000_000 { 3 } else { 1 };
    format!("{:.decimals$} MB", bytes as f64 / 1e6)
}

/// A value as C++ streams print it.
pub(super) fn number(value: f32) -> String {
    general(f64::from(value))
}
