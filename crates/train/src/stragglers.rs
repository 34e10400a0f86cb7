//! Names ranks and links that hold the others up.
//!
//! All ranks finish an iteration together, so a slow one shows in what the others wait: its own
//! work (data, forward, backward, update) takes longer than theirs. The times are gathered at every
//! display. Links are measured there too, between one rank per host, for about a hundredth of the
//! time. All ranks see the same figures and come to the same conclusions.

use std::collections::BTreeMap;
use std::time::Duration;

use base::median;
use exchange::bench::links::{LinkBench, RankLink, measure_links};
use serde::{Deserialize, Serialize};

use crate::{Event, Job, PhaseTimes, TrainError};

/// A rank that takes longer than so many times the median of the others is slow.
const SLOWER: f64 = 1.2;
/// For so many iterations, before it is named.
const ITERATIONS: u64 = 100;
/// A link below this part of what most carry is slow.
const SLOW_LINK: f64 = 0.5;
/// So many measurements in a row, before it is named.
const MEASUREMENTS: u32 = 3;
/// Measuring links takes one in so many parts of the time, suspicions apart.
const LINK_SHARE: u32 = 100;
/// Fewer hosts have no links to compare.
const HOSTS_MIN: usize = 3;

/// What a slow rank spends its time on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum StragglerCause {
    /// It waits for batches.
    Data,
    /// Its layers or updates take longer.
    Compute,
}

base::names!(pub StragglerCause { Data = "data", Compute = "compute" });

/// What was seen at displays so far.
#[derive(Debug, Default)]
pub(crate) struct StragglerWatch {
    /// Iterations at the last look.
    iter: u64,
    /// Per rank: iterations for which it has been slow without a break.
    slow: Vec<u64>,
    /// Per pair of ranks: measurements in which it has been slow without a break.
    slow_links: BTreeMap<(usize, usize), u32>,
    /// When links may be measured again.
    links_after: Duration,
}

impl StragglerWatch {
    /// After `iterations` more, of which every rank's host and times are given.
    fn observe_ranks(&mut self, iterations: u64, all: &[(String, PhaseTimes)]) -> Vec<Event> {
        self.slow.resize(all.len(), 0);
        let work = |times: &PhaseTimes| (times.total() - times.exposed_communication).as_secs_f64();
        let works: Vec<f64> = all.iter().map(|(_, times)| work(times)).collect();
        let mut found = Vec::new();
        for (rank, (host, times)) in all.iter().enumerate() {
            let others = |of: &dyn Fn(&PhaseTimes) -> f64| {
                let others = all.iter().enumerate().filter(|(other, _)| *other != rank);
                median(others.map(|(_, (_, times))| of(times)).collect())
            };
            if all.len() < 2 || works[rank] <= SLOWER * others(&work) {
                self.slow[rank] = 0;
                continue;
            }
            let before = self.slow[rank];
            self.slow[rank] += iterations;
            if before < ITERATIONS && self.slow[rank] >= ITERATIONS {
                let more = works[rank] - others(&work);
                let waits = times.data.as_secs_f64() - others(&|times| times.data.as_secs_f64());
                let cause = match waits > more / 2.0 {
                    true => StragglerCause::Data,
                    false => StragglerCause::Compute,
                };
                let percent = 100.0 * (works[rank] / others(&work).max(f64::MIN_POSITIVE) - 1.0);
                let (host, iterations) = (host.clone(), self.slow[rank]);
                found.push(Event::Straggler { rank, host, percent, iterations, cause });
            }
        }
        found
    }

    /// Whether a link was slow lately, and has not been named yet.
    fn suspects_link(&self) -> bool {
        self.slow_links.values().any(|count| (1..MEASUREMENTS).contains(count))
    }

    /// After a measurement of links.
    fn observe_links(&mut self, links: &[RankLink], hosts: &[&str]) -> Vec<Event> {
        let mut mbits: Vec<f64> = links.iter().map(|link| link.mbits).collect();
        mbits.sort_by(f64::total_cmp);
        // A slow host of three has two links of three.
        let Some(&usual_mbits) = mbits.get(3 * mbits.len() / 4) else { return Vec::new() };
        let mut found = Vec::new();
        for link in links {
            let count = self.slow_links.entry((link.one, link.other)).or_default();
            *count = if link.mbits < SLOW_LINK * usual_mbits { *count + 1 } else { 0 };
            if *count == MEASUREMENTS {
                let hosts = [link.one, link.other].map(|rank| hosts[rank].to_owned());
                found.push(Event::SlowLink { hosts, mbits: link.mbits, usual_mbits });
            }
        }
        found
    }
}

/// The first rank of every host.
fn first_ranks(hosts: &[&str]) -> Vec<usize> {
    (0..hosts.len()).filter(|&rank| !hosts[..rank].contains(&hosts[rank])).collect()
}

impl Job {
    /// Names who is slow, after every rank's host and times since the last call were gathered. A
    /// collective.
    pub(crate) fn report_stragglers(
        &mut self,
        all: &[(String, PhaseTimes)],
        events: &mut dyn FnMut(Event),
    ) -> Result<(), TrainError> {
        let iterations = self.iter.saturating_sub(self.stragglers.iter);
        self.stragglers.iter = self.iter;
        if self.emulates() {
            return Ok(()); // its ranks wait as long as they are told to
        }
        self.stragglers.observe_ranks(iterations, all).into_iter().for_each(&mut *events);
        let hosts: Vec<&str> = all.iter().map(|(host, _)| &**host).collect();
        let ranks = first_ranks(&hosts);
        if ranks.len() < HOSTS_MIN {
            return Ok(());
        }
        let Some(links) = self.measure_links(&ranks)? else { return Ok(()) };
        self.stragglers.observe_links(&links, &hosts).into_iter().for_each(events);
        Ok(())
    }

    /// Measures links, unless that was done a short while ago.
    fn measure_links(&mut self, ranks: &[usize]) -> Result<Option<Vec<RankLink>>, TrainError> {
        let clock = &*self.shared.clock;
        let Some(mut exchange) = self.shared.ranks.exchange() else { return Ok(None) };
        // Clocks differ: rank 0 decides. A suspicion is looked into at once.
        let begin = clock.now();
        let is_due = begin >= self.stragglers.links_after || self.stragglers.suspects_link();
        let mut due = [f32::from(u8::from(is_due && self.shared.ranks.rank().is_first()))];
        exchange.sum(&mut due)?;
        if due[0] == 0.0 {
            return Ok(None);
        }
        let bench = LinkBench { ranks, until: Duration::MAX, only_look: true };
        let links = measure_links(&mut exchange, clock, bench, &mut || 0.0)?;
        let took = clock.now().saturating_sub(begin);
        drop(exchange);
        self.stragglers.links_after = clock.now() + took * LINK_SHARE;
        Ok(Some(links))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{RankLink, StragglerCause, StragglerWatch, first_ranks};
    use crate::{Event, PhaseTimes};

    /// Ranks with so many milliseconds of data and of forward; all end an iteration together.
    fn ranks(works: &[(u64, u64)]) -> Vec<(String, PhaseTimes)> {
        let end = works.iter().map(|(data, forward)| data + forward).max().unwrap();
        let ms = Duration::from_millis;
        let times = |&(data, forward): &(u64, u64)| PhaseTimes {
            data: ms(data),
            forward: ms(forward),
            exposed_communication: ms(end - data - forward),
            ..PhaseTimes::default()
        };
        works.iter().enumerate().map(|(rank, work)| (format!("h{rank}"), times(work))).collect()
    }

    fn named(watch: &mut StragglerWatch, iterations: u64, works: &[(u64, u64)]) -> Vec<String> {
        let found = watch.observe_ranks(iterations, &ranks(works));
        found
            .into_iter()
            .map(|event| match event {
                Event::Straggler { rank, host, percent, iterations, cause } => {
                    format!("{rank} {host} {percent:.0} {iterations} {cause}")
                }
                other => panic!("{other:?}"),
            })
            .collect()
    }

    #[test]
    fn a_slow_rank_is_named_once_after_a_hundred_iterations() {
        let mut watch = StragglerWatch::default();
        let slow = [(10, 900), (10, 900), (10, 1300), (10, 900)];
        assert!(named(&mut watch, 60, &slow).is_empty(), "not yet");
        assert_eq!(named(&mut watch, 60, &slow), ["2 h2 44 120 compute"]);
        assert!(named(&mut watch, 60, &slow).is_empty(), "said already");
        let even = [(10, 900), (10, 950), (10, 1000), (10, 900)];
        assert!(named(&mut watch, 60, &even).is_empty());
        assert_eq!(named(&mut watch, 100, &slow), ["2 h2 44 100 compute"], "again");
    }

    #[test]
    fn two_ranks_are_compared_and_data_is_told_apart() {
        let mut watch = StragglerWatch::default();
        assert_eq!(named(&mut watch, 100, &[(0, 500), (400, 520)]), ["1 h1 84 100 data"]);
        assert!(named(&mut watch, 100, &[(0, 500)]).is_empty(), "alone");
        assert_eq!(StragglerCause::NAMES, ["data", "compute"]);
    }

    #[test]
    fn a_thousand_even_iterations_name_nobody() {
        let mut watch = StragglerWatch::default();
        for turn in 0..10 {
            let works: Vec<(u64, u64)> =
                (0..4).map(|rank| (20, 900 + 50 * ((rank + turn) % 4))).collect();
            assert!(named(&mut watch, 100, &works).is_empty());
        }
    }

    #[test]
    fn a_slow_link_is_named_after_three_measurements() {
        let mut watch = StragglerWatch::default();
        let hosts = ["a", "a", "b", "c"];
        assert_eq!(first_ranks(&hosts), [0, 2, 3]);
        let link =
            |one, other, mbits| RankLink { one, other, mbits, round_trip_us: 1.0, noted: 0.0 };
        let slow = [link(0, 2, 940.0), link(0, 3, 94.0), link(2, 3, 930.0)];
        assert!(watch.observe_links(&slow, &hosts).is_empty() && watch.suspects_link());
        assert!(watch.observe_links(&slow, &hosts).is_empty() && watch.suspects_link());
        let want =
            Event::SlowLink { hosts: ["a".into(), "c".into()], mbits: 94.0, usual_mbits: 940.0 };
        assert_eq!(watch.observe_links(&slow, &hosts), [want]);
        assert!(watch.observe_links(&slow, &hosts).is_empty(), "said already");
        assert!(!watch.suspects_link());
        assert!(watch.observe_links(&[], &hosts).is_empty());
    }
}
