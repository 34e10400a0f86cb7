//! `doctor` under a launcher: the ranks tell each other about their machines and measure their
//! links over MPI, as training would use them.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use base::{Clock, line_to_stderr};
use exchange::bench::links::{LinkBench, measure_links};
use exchange::watch::{EXIT_CODE, ReportLine};
use exchange::{Exchange, watch::FailureWatch};

use super::Examination;
use super::facts::HostFacts;
use super::findings;
use super::links::{self, LinkFigures};
use super::probe::PacketCounts;
use crate::clock::RealClock;
use crate::launch::{JoinedRanks, MpiArgs};

/// A rank that is silent for longer is named.
const SILENCE_MAX: Duration = Duration::from_secs(8);
/// When no further round of measurements begins, from the start: a rank that falls silent in the
/// last one is named before the examination's time is up.
const MEASURE_UNTIL: Duration = Duration::from_secs(18);

/// Examines the ranks; what was found, on rank 0.
pub(super) fn examine(mpi: &MpiArgs, solver: Option<&Path>) -> Result<Option<Examination>> {
    let clock = Arc::new(RealClock::start());
    let report: ReportLine = Box::new(|text| {
        line_to_stderr(&format!(
            "firecaffe: {text}; if the host runs, a firewall or an interface that leads nowhere is \
             between them (docs/cluster.md, Interfaces)"
        ));
    });
    let JoinedRanks { mut exchange, watch, library } =
        mpi.join(clock.clone(), SILENCE_MAX, report)?;
    let files_of = |watch: &FailureWatch| {
        let progress = watch.progress();
        let busy = progress.busy(); // files may be slow
        let facts = HostFacts::collect(solver, Some(exchange.rank().index()));
        drop(busy);
        facts
    };
    let own = files_of(&watch);
    let done = compare_and_measure(&mut exchange, &*clock, &own);
    let is_first = exchange.rank().is_first();
    drop(exchange);
    match done {
        Ok(mut found) => {
            let (version, file) = (library.version(), library.file().display());
            found.mpi = Some(format!("{version} ({file}), MPI_THREAD_MULTIPLE"));
            Ok(is_first.then_some(found))
        }
        Err(error) => {
            watch.abort(&format!("{error:#}"), EXIT_CODE);
            Err(error)
        }
    }
}

fn compare_and_measure(
    exchange: &mut Exchange,
    clock: &dyn Clock,
    own: &HostFacts,
) -> Result<Examination> {
    let bytes = serde_json::to_vec(own).context("facts can be written")?;
    let hosts: Vec<HostFacts> = exchange
        .all_gather_v(&bytes)?
        .iter()
        .map(|bytes| serde_json::from_slice(bytes))
        .collect::<Result<_, _>>()
        .context("a rank runs another version of firecaffe")?;
    let mut found = Examination { findings: findings::of_facts(&hosts), ..Examination::default() };
    // One rank speaks for each machine.
    let mut first_ranks: Vec<usize> = Vec::new();
    for (rank, facts) in hosts.iter().enumerate() {
        if !first_ranks.iter().any(|&first| hosts[first].host == facts.host) {
            first_ranks.push(rank);
        }
    }
    let mut packets = PacketCounts::read();
    let mut resent = || {
        let now = PacketCounts::read();
        let resent = now.resent_since(&packets);
        packets = now;
        resent
    };
    let bench = LinkBench { ranks: &first_ranks, until: MEASURE_UNTIL, only_look: false };
    let links = measure_links(exchange, clock, bench, &mut resent)?;
    found.links = links
        .iter()
        .map(|link| LinkFigures {
            from: hosts[link.one].host.clone(),
            to: hosts[link.other].host.clone(),
            round_trip_us: link.round_trip_us,
            mbits: link.mbits,
            resent: link.noted,
            interface: None,
        })
        .collect();
    found.links_wanted = first_ranks.len() * (first_ranks.len() - 1) / 2;
    found.findings.extend(links::of_links(&found.links));
    found.findings.extend(links::of_loss(&found.links));
    found.hosts = hosts;
    Ok(found)
}
