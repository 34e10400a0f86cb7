//! The table of `bench peers`, the targets it meets, and the same as JSON.

use std::fmt::Write;

use serde_json::json;

use super::super::{Rate, speed_up, torch::LAYOUTS, verdict};
use super::PeerTimes;

/// What 2 threads should be over 1 on the large networks.
const SCALING: f64 = 1.9;

type RateOf = fn(&Rate) -> f64;
const RATES: [(&str, RateOf); 2] =
    [("forward + backward", |rate| rate.pass), ("with update", |rate| rate.all)];

impl PeerTimes {
    /// Our rate over the best peer's.
    fn ratio(&self, part: RateOf) -> Option<f64> {
        let best = self.peers.iter().map(part).reduce(f64::max)?;
        Some(part(&self.ours) / best)
    }

    fn target(&self) -> Option<f64> {
        self.net.targets.get(self.threads.checked_sub(1)?).copied()
    }
}

/// Markdown.
pub(super) fn table(results: &[PeerTimes]) -> String {
    let mut text = String::from(
        "| network | threads | | images/s | torch nhwc | torch nchw | ratio | target | share of FMA peak |\n\
         |---|--:|---|--:|--:|--:|--:|--:|--:|\n",
    );
    for result in results {
        for (index, (title, part)) in RATES.into_iter().enumerate() {
            let peer = |index: usize| result.peers.get(index).map(part);
            let ratio = result.ratio(part);
            let met = ratio
                .zip(result.target())
                .map(|(ratio, target)| format!("{target:.2} {}", verdict(ratio, target)));
            let share = format!("{:.0} %", 100.0 * result.share);
            let _ = writeln!(
                text,
                "| {} | {} | {title} | {} | {} | {} | {} | {} | {} |",
                result.net.name,
                result.threads,
                rate(Some(part(&result.ours))),
                rate(peer(0)),
                rate(peer(1)),
                ratio.map_or("–".into(), |ratio| format!("{ratio:.2}")),
                met.unwrap_or_else(|| "–".into()),
                if index == 0 { &share } else { "" },
            );
        }
    }
    text + &summary(results) + &scaling(results)
}

/// How many targets are met, and the names of those that are not.
fn summary(results: &[PeerTimes]) -> String {
    let (mut met, mut missed) = (0, Vec::new());
    for result in results {
        for (title, part) in RATES {
            match result.ratio(part).zip(result.target()) {
                Some((ratio, target)) if ratio >= target => met += 1,
                Some(_) => {
                    missed.push(format!("{} on {} ({title})", result.net.name, result.threads));
                }
                None => {}
            }
        }
    }
    match (met + missed.len(), missed.is_empty()) {
        (0, _) => String::new(),
        (all, true) => format!("\nAll {all} ratios reach their targets.\n"),
        (all, false) => {
            format!("\n{met} of {all} ratios reach their targets; missed: {}.\n", missed.join(", "))
        }
    }
}

/// From 1 to 2 threads, where both were measured.
fn scaling(results: &[PeerTimes]) -> String {
    let mut text = String::new();
    for one in results.iter().filter(|result| result.threads == 1) {
        let same = |two: &&PeerTimes| two.threads == 2 && two.net.name == one.net.name;
        let Some(two) = results.iter().find(same) else { continue };
        let times = speed_up(&one.rounds, &two.rounds);
        let _ = write!(text, "- {}: 2 threads are {times:.2} times 1", one.net.name);
        if one.net.scales {
            let _ = write!(text, " (target {SCALING}: {})", verdict(times, SCALING));
        }
        if !one.pairs.is_empty() {
            let most = speed_up(&one.rounds, &one.pairs);
            let _ = write!(text, "; two programs at once, one thread each: {most:.2}");
        }
        text.push('\n');
    }
    if text.is_empty() { text } else { format!("\n{text}") }
}

/// Three digits are what the noise leaves.
fn rate(value: Option<f64>) -> String {
    match value {
        None => "–".into(),
        Some(value) if value >= 100.0 => format!("{value:.0}"),
        Some(value) if value >= 10.0 => format!("{value:.1}"),
        Some(value) => format!("{value:.2}"),
    }
}

/// One object per network and number of threads.
pub(super) fn json(results: &[PeerTimes]) -> String {
    let rates = |rate: &Rate| json!({ "forward_backward": rate.pass, "with_update": rate.all });
    let all = results.iter().map(|result| {
        let peers = LAYOUTS.iter().zip(&result.peers);
        let peers: serde_json::Map<_, _> =
            peers.map(|(layout, rate)| ((*layout).to_owned(), rates(rate))).collect();
        json!({
            "network": result.net.name,
            "threads": result.threads,
            "images_per_s": rates(&result.ours),
            "torch": peers,
            "two_programs_images_per_s": result.pairs,
            "share_of_fma_peak": result.share,
        })
    });
    json!({ "results": all.collect::<Vec<_>>() }).to_string() + "\n"
}

#[cfg(test)]
mod tests {
    use super::super::{NETS, PeerTimes, Rate};
    use super::{json, table};

    fn results() -> Vec<PeerTimes> {
        let rate = |pass: f64| Rate { pass, all: pass / 2.0 };
        let result = |threads, ours: f64| PeerTimes {
            net: &NETS[0],
            threads,
            ours: rate(ours),
            rounds: vec![ours, 1.25 * ours, ours],
            pairs: if threads == 1 { vec![2.0 * ours; 3] } else { vec![] },
            peers: vec![rate(8.0), rate(10.0)],
            share: 0.5,
        };
        vec![result(1, 16.0), result(2, 16.5)]
    }

    #[test]
    fn targets_are_judged_by_the_better_peer() {
        let text = table(&results());
        let row =
            "| AlexNet | 1 | forward + backward | 16.0 | 8.00 | 10.0 | 1.60 | 1.50 met | 50 % |";
        assert!(text.contains(row), "{text}");
        assert!(text.contains("| 1.65 | 1.70 missed |"), "{text}");
        assert!(
            text.contains(
                "- AlexNet: 2 threads are 1.03 times 1 (target 1.9: missed); \
                 two programs at once, one thread each: 2.00\n"
            ),
            "{text}"
        );
        let end = "2 of 4 ratios reach their targets; missed: AlexNet on 2 (forward + backward), \
                   AlexNet on 2 (with update).";
        assert!(text.contains(end), "{text}");
    }

    #[test]
    fn without_peers_there_are_no_ratios() {
        let alone = results().into_iter().map(|result| PeerTimes { peers: Vec::new(), ..result });
        let text = table(&alone.collect::<Vec<_>>());
        assert!(text.contains("| 16.0 | – | – | – | – | 50 % |"), "{text}");
        assert!(!text.contains("targets"), "{text}");
    }

    #[test]
    fn json_has_all_figures() {
        let read: serde_json::Value = serde_json::from_str(&json(&results())).unwrap();
        assert_eq!(read["results"][0]["torch"]["nchw"]["with_update"], 5.0);
        assert_eq!(read["results"][1]["images_per_s"]["forward_backward"], 16.5);
    }
}
