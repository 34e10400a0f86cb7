//! What holds a run up, in words: stragglers, starved data sources, communication that is not
//! hidden, losses that are not finite.
//!
//! Ranks are compared with the median of all ranks over the whole run; thresholds are those at
//! which somebody would act.

use crate::RunHistory;
use crate::record::{RankShare, SlowLink, TimesEntry};

/// A rank that computes so many times longer than the median is a straggler.
const STRAGGLER: f64 = 1.2;
/// Part of a rank's time by which it computes longer, below which nobody waits for it.
const STRAGGLER_EXCESS: f64 = 0.05;
/// Part of the time that a rank may wait for data.
const DATA_WAIT: f64 = 0.05;
/// Part of the time that summing gradients may take after backward.
const EXPOSED: f64 = 0.25;
/// Ranks that one finding names; the rest is counted.
const NAMED_MAX: usize = 4;

/// What there is to say, the most important first.
#[must_use]
pub fn findings(run: &RunHistory) -> Vec<String> {
    let ranks = total(&run.times).map_or_else(Vec::new, |times| times.ranks);
    let mut found = [stragglers(&ranks), starved(&ranks), links(run)].concat();
    // Each of these makes ranks wait for sums: the cause is named, not the consequence.
    if found.is_empty() {
        found.extend(exposed(&ranks));
    }
    if let Some(bin) = run.steps.iter().find(|bin| bin.loss.iter().any(|loss| !loss.is_finite())) {
        found.push(format!("The loss is not finite at iteration {}.", bin.first));
    }
    if run.damaged > 0 {
        let lines = if run.damaged == 1 { "line" } else { "lines" };
        found.push(format!(
            "The record is damaged: {} {lines} cannot be read, and what they said is missing here.",
            run.damaged
        ));
    }
    found
}

/// All times of the world that the run ended with.
fn total(times: &[TimesEntry]) -> Option<TimesEntry> {
    let mut entries = times.iter();
    let mut sum = entries.next()?.clone();
    entries.for_each(|entry| sum.add(entry));
    Some(sum)
}

fn stragglers(ranks: &[RankShare]) -> Vec<String> {
    let computing: Vec<f64> = ranks.iter().map(|rank| rank.seconds[1] + rank.seconds[2]).collect();
    let mut sorted = computing.clone();
    sorted.sort_by(f64::total_cmp);
    let Some(&median) = sorted.get((sorted.len().saturating_sub(1)) / 2) else { return Vec::new() };
    if ranks.len() < 2 || median <= 0.0 {
        return Vec::new();
    }
    let is_slow = |rank: usize, time: f64| {
        let excess = time - median;
        time > STRAGGLER * median && excess > STRAGGLER_EXCESS * ranks[rank].total()
    };
    let slow = computing.iter().enumerate().filter(|(rank, time)| is_slow(*rank, **time));
    named(slow.map(|(rank, time)| {
        let (host, times) = (&ranks[rank].host, time / median);
        format!(
            "Rank {rank} on {host} is a straggler: its forward and backward take {times:.2} times \
             the median of all ranks. Look for other programs on its cores, fewer cores, or a slower \
             machine."
        )
    }))
}

fn starved(ranks: &[RankShare]) -> Vec<String> {
    let waits = ranks.iter().enumerate().map(|(rank, share)| {
        let part = share.seconds[0] / share.total().max(f64::MIN_POSITIVE);
        (rank, part)
    });
    named(waits.filter(|(_, part)| *part > DATA_WAIT).map(|(rank, part)| {
        let (host, percent) = (&ranks[rank].host, 100.0 * part);
        format!(
            "The data source of rank {rank} on {host} is starved: the rank waits for data {percent:.0} \
             % of its time. Give more cores, a faster disk, or `--data memory`."
        )
    }))
}

fn exposed(ranks: &[RankShare]) -> Option<String> {
    let sum = |phase: usize| ranks.iter().map(|rank| rank.seconds[phase]).sum::<f64>();
    let all: f64 = ranks.iter().map(RankShare::total).sum();
    let part = sum(3) / all.max(f64::MIN_POSITIVE);
    (ranks.len() > 1 && part > EXPOSED).then(|| {
        format!(
            "Communication is not hidden: ranks wait {:.0} % of their time for sums of gradients. \
             `bench network` measures the links; `--wire f16`, `--compression` and larger batches \
             send less.",
            100.0 * part
        )
    })
}

/// What the run itself measured.
fn links(run: &RunHistory) -> Vec<String> {
    named(run.slow_links.iter().map(|SlowLink { hosts: [one, other], mbits, usual_mbits }| {
        format!(
            "The link between {one} and {other} is slow: it carries {mbits:.0} Mbit/s, most links \
             {usual_mbits:.0}. Look at its cable, port and negotiated speed."
        )
    }))
}

/// The first few, and how many there are besides.
fn named(all: impl Iterator<Item = String>) -> Vec<String> {
    let mut all: Vec<_> = all.collect();
    let more = all.len().saturating_sub(NAMED_MAX);
    all.truncate(NAMED_MAX);
    if more > 0 {
        all.push(format!("The same holds for {more} more."));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::findings;
    use crate::RunHistory;
    use crate::record::{RankShare, RunEntry, SlowLink, TimesEntry};

    /// The findings of four ranks with these times.
    fn of(ranks: [[f64; 5]; 4]) -> Vec<String> {
        let hosts = ["a", "b", "c", "d"].into_iter();
        let ranks = ranks
            .into_iter()
            .zip(hosts)
            .map(|(seconds, host)| RankShare { host: host.into(), seconds });
        let mut run = RunHistory::default();
        let times = TimesEntry { iteration: 10, iterations: 10, ranks: ranks.collect() };
        run.add(RunEntry::Times(times));
        findings(&run)
    }

    #[test]
    fn a_straggler_and_a_starved_source_are_named() {
        let even = [0.1, 2.0, 4.0, 0.5, 0.2];
        assert_eq!(of([even; 4]), Vec::<String>::new());
        let found = of([even, even, [0.1, 3.0, 6.0, 0.1, 0.2], even]);
        assert!(found[0].starts_with("Rank 2 on c is a straggler"), "{found:?}");
        let found = of([even, [3.0, 2.0, 4.0, 0.1, 0.2], even, even]);
        assert!(found[0].starts_with("The data source of rank 1 on b is starved"), "{found:?}");
        assert_eq!(found.len(), 1);
    }

    #[test]
    fn nobody_waits_for_a_rank_that_computes_a_thousandth_of_its_time() {
        let even = [0.0, 0.001, 0.001, 1.0, 0.0];
        let found = of([even, even, [0.0, 0.003, 0.001, 1.0, 0.0], even]);
        assert!(found[0].starts_with("Communication is not hidden"), "{found:?}");
        assert_eq!(found.len(), 1);
    }

    #[test]
    fn a_slow_link_is_named_once() {
        let hosts = ["a".to_owned(), "b".to_owned()];
        let mut run = RunHistory::default();
        for mbits in [80.0, 90.0] {
            let link = SlowLink { hosts: hosts.clone(), mbits, usual_mbits: 1000.0 };
            run.add(RunEntry::SlowLink(link));
        }
        let found = findings(&run);
        assert!(
            found[0].starts_with("The link between a and b is slow: it carries 90"),
            "{found:?}"
        );
        assert_eq!(found.len(), 1);
    }

    #[test]
    fn communication_that_is_not_hidden_is_named() {
        let found = of([[0.1, 2.0, 4.0, 5.0, 0.2]; 4]);
        assert!(found[0].starts_with("Communication is not hidden: ranks wait 44 %"), "{found:?}");
    }
}
