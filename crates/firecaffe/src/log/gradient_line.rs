//! Events about the sums of gradients as lines of our own.

use train::GradientEvent;

use super::line::LogLine;

/// What we log about such an event; nothing for most. No line contains "Iteration", by which
/// Caffe's scripts count.
pub(super) fn of(event: &GradientEvent) -> Option<LogLine> {
    let text = match event {
        GradientEvent::Wire { wire, scale: Some(scale) } => {
            format!("gradients travel as {wire}, multiplied by {scale}")
        }
        GradientEvent::Wire { wire, scale: None } => format!("gradients travel as {wire}"),
        GradientEvent::WireChanged { saved, now } => {
            return Some(LogLine::warning(format!(
                "the snapshot was written with `--wire {saved}`, this run uses {now}: the weights \
                 will not be those of a run without a stop"
            )));
        }
        GradientEvent::StepSkipped { iter, scale } => {
            let step = iter + 1;
            format!(
                "step {step} is skipped: a sum of gradients overflowed; scale {scale} from here"
            )
        }
        GradientEvent::ScaleDoubled { scale, .. } => {
            format!("no sum of gradients overflowed for long: scale {scale} from here")
        }
        GradientEvent::StepsSkipped { skipped, done, scale } => {
            format!("{skipped} of {done} steps were skipped; scale of gradients {scale}")
        }
        _ => return None,
    };
    Some(LogLine::ours(text))
}

#[cfg(test)]
mod tests;
