//! Events of a run as lines of the log. Here are those of Caffe, with Caffe's exact wording, after
//! set-up; [`set_up`] has the others and [`own_line`] our own.

use std::path::Path;

use base::general;
use net::{DebugBlob, DebugValue, Output};
use train::{Clipped, Display, Event};

use super::line::LogLine;
use super::speed::Speed;
use super::{gradient_line, own_line, set_up};

/// What is logged about an event; nothing for most.
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
        Event::Displayed(display) => displayed(display),
        Event::Debug(value) => vec![debug(value)],
        &Event::Clipped(Clipped { norm, limit, factor }) => {
            let [norm, limit, factor] = [norm, limit, factor].map(number);
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
        Event::SnapshotWritten { model, state } => snapshot(model, state),
        Event::Finished => one("solver.cpp", 332, "Optimization Done.".into()),
        Event::StoppedEarly => one("solver.cpp", 314, "Optimization stopped early.".into()),
        event => match own_line::of(event) {
            Some(line) => vec![line],
            None => set_up::of(event),
        },
    }
}

fn snapshot(model: &Path, state: &Path) -> Vec<LogLine> {
    let hdf5 = model.extension().is_some_and(|end| end == "h5");
    let (kind, model_line, state_line) =
        if hdf5 { ("HDF5", 474, 296) } else { ("binary proto", 464, 284) };
    let text =
        |what: &str, file: &Path| format!("Snapshotting {what}to {kind} file {}", file.display());
    vec![
        LogLine::at("solver.cpp", model_line, text("", model)),
        LogLine::at("sgd_solver.cpp", state_line, text("solver state ", state)),
    ]
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
    let Display { iter, loss, rate, elapsed, iterations, interval, outputs, .. } = display;
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
    let speed =
        Speed { items: display.items, elapsed: *elapsed, times: display.times, emulated: false };
    lines.extend(speed.in_words().map(LogLine::ours));
    lines.extend(display.traffic.as_ref().map(gradient_line::sent).map(LogLine::ours));
    lines
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

/// A value as C++ streams print it.
pub(super) fn number(value: f32) -> String {
    general(f64::from(value))
}
