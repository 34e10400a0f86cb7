//! Events about the sums of gradients as lines of our own.

use base::megabytes;
use train::{DecisionOrigin, GradientEvent, SumTraffic};

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
        GradientEvent::Compression { compression, compressed, origin } => {
            let (decided, buckets) = (decided(*origin), compressed.len());
            let count = compressed.iter().filter(|&&compressed| compressed).count();
            format!("compression {compression}: {count} of {buckets} buckets{decided}")
        }
        GradientEvent::CompressionNotice { text } => return Some(LogLine::warning(text.clone())),
        GradientEvent::ResidualsFolded { compression, world } => {
            return Some(LogLine::warning(format!(
                "the snapshot has residuals of {world} ranks or workers with compression \
                 {compression}: they are added to the first gradient, and the weights will not be \
                 those of a run without a stop"
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

fn decided(origin: DecisionOrigin) -> String {
    match origin {
        DecisionOrigin::Measured { bandwidth_gbs, codec_gbs } => format!(
            ", where it takes less time (network {bandwidth_gbs:.3} GB/s, encoding and decoding \
             {codec_gbs:.3} GB/s)"
        ),
        DecisionOrigin::Snapshot => ", as the snapshot says".into(),
        DecisionOrigin::Always => " (`--compression-always`)".into(),
    }
}

/// `sent 1.2 MB (predicted 1.2 MB)` of one step.
pub(super) fn sent(traffic: &SumTraffic) -> String {
    let bytes = |bytes: u64| megabytes(usize::try_from(bytes).unwrap_or(usize::MAX));
    let SumTraffic { sent_bytes, predicted_bytes, entries } = *traffic;
    let entries = if entries == 0 { String::new() } else { format!(", {entries} entries") };
    format!("sent {} (predicted {}){entries}", bytes(sent_bytes), bytes(predicted_bytes))
}

#[cfg(test)]
mod tests;
