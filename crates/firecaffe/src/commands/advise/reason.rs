//! Why a configuration is as fast as it is, in words.

use cluster_sim::{ExplainedConfig, TimeLosses};

use super::command::bucket_mb;

/// Fractions of an iteration that are not worth a word.
const NOTHING: f64 = 0.02;

/// What the configuration loses, the most first.
pub(super) fn reason(shown: &ExplainedConfig) -> String {
    let time = shown.found.time;
    if time.exposed < NOTHING * time.total() {
        return "communication hides behind backward".to_owned();
    }
    let TimeLosses { latency, bandwidth, arithmetic, stragglers } = shown.losses;
    let mut losses = [
        (latency, format!("latency at {} MB buckets", bucket_mb(&shown.found.config))),
        (bandwidth, "bandwidth".to_owned()),
        (arithmetic, "adding and converting".to_owned()),
        (stragglers, "stragglers".to_owned()),
    ];
    losses.sort_by(|a, b| b.0.total_cmp(&a.0));
    let named = losses.iter().filter(|(loss, _)| *loss >= NOTHING);
    let named: Vec<_> =
        named.map(|(loss, what)| format!("{:.0} % to {what}", 100.0 * loss)).collect();
    match &named[..] {
        // Each cost hides the others: without any one of them the rest takes as long.
        [] => "loses to several costs at once".to_owned(),
        named => format!("loses {}", named.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use cluster_sim::{
        AdvisedConfig, BucketRule, ExplainedConfig, IterationTime, SimulationConfig, TimeLosses,
    };
    use collective::AlgorithmChoice;
    use exchange::ExchangeConfig;

    use super::reason;

    fn shown(exposed: f64, losses: TimeLosses) -> ExplainedConfig {
        let config = SimulationConfig {
            ranks: 8,
            workers: 1,
            batch: 1,
            precision: "f32".into(),
            allreduce: AlgorithmChoice::Auto,
            wire: ExchangeConfig::MPI.wire,
            segmentation: ExchangeConfig::MPI.segmentation,
            compression: None,
            buckets: BucketRule::Bytes(1_000_000),
            overlap: true,
            record_bytes: 0,
            step_summary: true,
            iterations: 1,
        };
        let time =
            IterationTime { compute: 1.0 - exposed, exposed, update: 0.0, communication: exposed };
        let found = AdvisedConfig { config, time, buckets: 2, images_per_s: 1.0 };
        ExplainedConfig { found, losses }
    }

    #[test]
    fn the_largest_loss_comes_first() {
        let losses = TimeLosses { latency: 0.38, bandwidth: 0.07, ..TimeLosses::default() };
        let text = reason(&shown(0.5, losses));
        assert_eq!(text, "loses 38 % to latency at 1 MB buckets, 7 % to bandwidth");
        let losses = TimeLosses { stragglers: 0.1, arithmetic: 0.2, ..losses };
        let text = reason(&shown(0.5, TimeLosses { latency: 0.0, ..losses }));
        assert_eq!(
            text,
            "loses 20 % to adding and converting, 10 % to stragglers, 7 % to bandwidth"
        );
        assert_eq!(reason(&shown(0.01, losses)), "communication hides behind backward");
        assert!(reason(&shown(0.5, TimeLosses::default())).contains("several costs"));
    }
}
