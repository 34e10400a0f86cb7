//! What a doctor found: who, what, and what to do about it.

use std::collections::BTreeMap;

use base::megabytes;
use serde::Serialize;

use super::facts::HostFacts;

/// Less free memory than this is too little for any net, in bytes.
const MEMORY_MIN: u64 = 256_000_000;

/// One thing that is wrong.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct Finding {
    /// The host, the pair of hosts or the rank that has it.
    pub(super) subject: String,
    pub(super) problem: String,
    pub(super) remedy: String,
}

impl Finding {
    pub(super) fn new(
        subject: impl Into<String>,
        problem: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Self {
        Self { subject: subject.into(), problem: problem.into(), remedy: remedy.into() }
    }

    /// On one line.
    pub(super) fn in_words(&self) -> String {
        format!("{}: {}; {}", self.subject, self.problem, self.remedy)
    }
}

/// What each machine says about itself, and how they differ.
pub(super) fn of_facts(all: &[HostFacts]) -> Vec<Finding> {
    let mut findings: Vec<Finding> = all.iter().flat_map(of_host).collect();
    findings.extend(differing(all, "firecaffe", "copy one program to all hosts", |facts| {
        BTreeMap::from([("version", Some(facts.version.clone()))])
    }));
    findings.extend(differing(all, "", "copy the same file to all hosts", |facts| {
        let prints = facts.files.iter().map(|file| (&*file.name, file.state.clone().ok()));
        prints.collect()
    }));
    findings.extend(bindings(all));
    // Ranks of one host find the same.
    let mut known: Vec<Finding> = Vec::new();
    findings.retain(|finding| {
        let new = !known.contains(finding);
        known.extend(new.then(|| finding.clone()));
        new
    });
    findings
}

/// What one machine is enough to find.
fn of_host(facts: &HostFacts) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in &facts.files {
        if let Err(problem) = &file.state {
            let remedy = "copy it there, or start in the folder that its path begins from";
            findings.push(Finding::new(&facts.host, problem, remedy));
        }
    }
    if let Some(disk) = &facts.disk {
        let folder = if disk.folder.is_empty() { "the working directory" } else { &disk.folder };
        let remedy = "free some, or give another `snapshot_prefix`";
        if let Some(error) = &disk.error {
            let problem = format!("snapshots cannot be written to {folder}: {error}");
            findings.push(Finding::new(&facts.host, problem, remedy));
        } else if disk.free < disk.needed {
            let [free, needed] = [disk.free, disk.needed].map(bytes);
            let problem = format!("{free} free in {folder}, and a snapshot takes {needed}");
            findings.push(Finding::new(&facts.host, problem, remedy));
        }
    }
    if let Some(free) = facts.memory_free.filter(|&free| free < MEMORY_MIN) {
        let problem = format!("{} of memory free", bytes(free));
        findings.push(Finding::new(&facts.host, problem, "end what else runs there"));
    }
    findings
}

fn bytes(bytes: u64) -> String {
    megabytes(usize::try_from(bytes).unwrap_or(usize::MAX))
}

/// Who says something else than most. What a machine could not read was found already.
fn differing<'a>(
    all: &'a [HostFacts],
    prefix: &str,
    remedy: &str,
    said: impl Fn(&'a HostFacts) -> BTreeMap<&'a str, Option<String>>,
) -> Vec<Finding> {
    let said: Vec<_> = all.iter().map(said).collect();
    let names: Vec<&str> = said.first().map_or(Vec::new(), |own| own.keys().copied().collect());
    let mut findings = Vec::new();
    for name in names {
        let values: Vec<Option<&String>> =
            said.iter().map(|own| own.get(name).and_then(Option::as_ref)).collect();
        let votes = |index: &usize| values.iter().filter(|value| **value == values[*index]).count();
        let heard = (0..all.len()).rev().filter(|&index| values[index].is_some());
        let Some(usual) = heard.max_by_key(votes) else { continue };
        for (facts, value) in all.iter().zip(&values) {
            if let (Some(value), Some(most)) = (value, values[usual])
                && value != &most
            {
                let shown = match prefix {
                    "" => format!("{name} differs from that of {}", all[usual].host),
                    _ => format!("{prefix} {value}, but {} has {most}", all[usual].host),
                };
                findings.push(Finding::new(&facts.host, shown, remedy));
            }
        }
    }
    findings
}

/// Ranks of a machine that share a core although there are others, or outnumber the cores.
fn bindings(all: &[HostFacts]) -> Vec<Finding> {
    let mut findings = Vec::new();
    let remedy = "use `mpirun --bind-to none`, or `--map-by ppr:1:socket --bind-to socket`; with \
                  Slurm `--cpus-per-task`";
    let mut hosts: BTreeMap<&str, Vec<&HostFacts>> = BTreeMap::new();
    for facts in all.iter().filter(|facts| facts.rank.is_some()) {
        hosts.entry(&facts.host).or_default().push(facts);
    }
    for (host, ranks) in hosts {
        let cores = ranks.iter().map(|facts| facts.given_cores).max().unwrap_or(0);
        let named: Vec<String> =
            ranks.iter().filter_map(|facts| facts.rank).map(|rank| rank.to_string()).collect();
        let mut used: Vec<usize> = ranks.iter().flat_map(|facts| facts.cores.clone()).collect();
        used.sort_unstable();
        used.dedup();
        if used.len() < ranks.len() && used.len() < cores {
            let list: Vec<String> = used.iter().map(ToString::to_string).collect();
            let problem = format!(
                "ranks {} are bound to core {}, of {cores} cores",
                named.join(", "),
                list.join(", ")
            );
            findings.push(Finding::new(host, problem, remedy));
        } else if ranks.len() > cores {
            let problem = format!("{} ranks on {cores} cores", ranks.len());
            findings.push(Finding::new(host, problem, "start at most one rank per core"));
        } else if used.len() * 2 <= cores {
            let problem = format!("its ranks are bound to {} of {cores} cores", used.len());
            findings.push(Finding::new(host, problem, remedy));
        }
    }
    findings
}

#[cfg(test)]
mod tests;
