//! `doctor --hosts`: every host of a file, by remote logins and without MPI.
//!
//! 1. Names resolve here, and a login on each host starts a [`probe`](super::probe).
//! 2. Every probe connects to all others at the same time: firewalls, names, addresses.
//! 3. Pairs of hosts measure their link, in rounds in which each host is in one pair.

use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};

use super::findings::{self, Finding};
use super::links::{self, LinkFigures, LinkInterface};
use super::login::{ProbeLogin, RemoteProgram};
use super::probe::{MeasuredWay, OtherHost, PacketCounts, ProbeAnswer, ProbeQuestion};
use super::{Examination, rounds};

/// How long a login may take until the probe answers. All steps together end within
/// [`supervised::END`](super::supervised::END).
const LOGIN_MAX: Duration = Duration::from_secs(8);
/// How long all connections of a host may take.
const CONNECT_MAX: Duration = Duration::from_secs(8);
/// When no further round of measurements begins, from the start; the last may take [`CONNECT_MAX`].
const MEASURE_UNTIL: Duration = Duration::from_secs(18);
/// Bytes that measure a link, a quarter of a second on a gigabit: longer than what a burst hides.
const LINK_BYTES: usize = 30_000_000;
/// Bytes of the first look, which may be a tenth as fast as expected.
const FIRST_BYTES: usize = 2_000_000;

/// A host that answers.
struct ProbedHost {
    name: String,
    login: ProbeLogin,
    other: OtherHost,
    /// When it was last asked.
    packets: PacketCounts,
}

/// Examines the hosts that a file lists.
pub(super) fn examine(file: &Path, program: &RemoteProgram) -> Result<Examination> {
    let begin = Instant::now();
    let text =
        std::fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
    let names = names(&text);
    ensure!(!names.is_empty(), "{} names no host", file.display());
    let mut found = Examination::default();
    let mut hosts = log_in(&names, program, &mut found);
    found.findings.extend(findings::of_facts(&found.hosts));
    let reached = connect(&mut hosts, &mut found.findings);
    measure(&mut hosts, reached, begin, &mut found);
    Ok(found)
}

/// The names in a host file: `node1 slots=2`, `node1:2`, `# a comment`.
fn names(text: &str) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for line in text.lines() {
        let line = line.split('#').next().unwrap_or_default();
        let Some(word) = line.split_whitespace().next() else { continue };
        let name = match word.rsplit_once(':') {
            Some((name, slots)) if slots.parse::<u32>().is_ok() && !name.contains(':') => name,
            _ => word,
        };
        if !names.iter().any(|known| known == name) {
            names.push(name.to_owned());
        }
    }
    names
}

/// Starts a probe on every host, all at the same time.
fn log_in(names: &[String], program: &RemoteProgram, found: &mut Examination) -> Vec<ProbedHost> {
    let logins: Vec<_> = thread::scope(|scope| {
        let logins: Vec<_> = names
            .iter()
            .map(|name| scope.spawn(move || program.greeted(name, LOGIN_MAX)))
            .collect();
        logins.into_iter().map(thread::ScopedJoinHandle::join).collect()
    });
    let mut hosts = Vec::new();
    for (name, login) in names.iter().zip(logins) {
        let panicked =
            |_| Err(Finding::new(name, "its login panicked here", "this is a bug: report it"));
        match login.unwrap_or_else(panicked) {
            Ok((login, greeting)) => {
                let (name, facts) = (name.clone(), greeting.facts);
                let other =
                    OtherHost { name: name.clone(), port: greeting.port, token: greeting.token };
                found.hosts.push(facts);
                hosts.push(ProbedHost { name, login, other, packets: PacketCounts::default() });
            }
            Err(finding) => found.findings.push(finding),
        }
    }
    hosts
}

/// Every host connects to every other, itself included: a name that leads a host to itself leads
/// others astray. Returns for each host which of the others it reaches.
fn connect(hosts: &mut [ProbedHost], found: &mut Vec<Finding>) -> Vec<Vec<bool>> {
    let others: Vec<OtherHost> = hosts.iter().map(|host| host.other.clone()).collect();
    let question = ProbeQuestion { others, bytes: 0 };
    let answers = ask_all(hosts, &|_| Some(question.clone()), CONNECT_MAX);
    let mut reached = Vec::new();
    let mut failed = Vec::new();
    for (host, answer) in hosts.iter_mut().zip(answers) {
        let ways = match answer {
            Some(Ok(answer)) => {
                host.packets = answer.packets;
                answer.measured
            }
            Some(Err(finding)) => {
                found.push(finding);
                Vec::new()
            }
            None => Vec::new(),
        };
        reached.push(ways.iter().map(Result::is_ok).collect());
        failed.push(ways);
    }
    found.extend(unreached(hosts, &failed));
    reached
}

/// Names a host that nobody reaches, or that reaches nobody, instead of all its connections.
fn unreached(hosts: &[ProbedHost], ways: &[Vec<Result<MeasuredWay, String>>]) -> Vec<Finding> {
    let remedy = "open all TCP ports between the hosts (MPI chooses its own), and check that names \
                  lead to the interface that connects them";
    let fails = |from: usize, to: usize| ways[from].get(to).is_some_and(Result::is_err);
    let all = |test: &dyn Fn(usize) -> bool, own: usize| {
        let mut others = (0..hosts.len()).filter(|&other| other != own).peekable();
        others.peek().is_some() && others.all(test)
    };
    let words = |from: usize, to: usize| match ways[from].get(to) {
        Some(Err(words)) => words.clone(),
        _ => String::new(),
    };
    let mut found = Vec::new();
    let closed: Vec<usize> =
        (0..hosts.len()).filter(|&to| all(&|from| fails(from, to), to)).collect();
    for &to in &closed {
        let from = usize::from(to == 0);
        let example = format!("{} {}", hosts[from].name, words(from, to));
        let problem = format!("no other host reaches it: {example}");
        found.push(Finding::new(&hosts[to].name, problem, remedy));
    }
    for from in 0..hosts.len() {
        for to in (0..hosts.len()).filter(|to| !closed.contains(to)) {
            if fails(from, to) {
                found.push(Finding::new(&hosts[from].name, words(from, to), remedy));
            }
        }
    }
    found
}

/// Measures the links between hosts that reach each other, in rounds of disjoint pairs.
fn measure(
    hosts: &mut [ProbedHost],
    mut reached: Vec<Vec<bool>>,
    begin: Instant,
    found: &mut Examination,
) {
    found.links_wanted = (0..hosts.len())
        .map(|own| {
            let others = reached[own].iter().enumerate().filter(|(other, _)| *other != own);
            others.filter(|(_, reaches)| **reaches).count()
        })
        .sum();
    'rounds: for pairs in rounds::round_robin(hosts.len()) {
        for bytes in [FIRST_BYTES, LINK_BYTES] {
            if begin.elapsed() > MEASURE_UNTIL {
                break 'rounds;
            }
            let partner =
                |own: usize| pairs.iter().find(|(from, _)| *from == own).map(|pair| pair.1);
            let question = |own: usize| {
                let other = partner(own).filter(|&other| reached[own].get(other) == Some(&true))?;
                let slow = found.links.iter().any(|link| {
                    link.from == hosts[own].name
                        && link.to == hosts[other].name
                        && link.mbits < 250.0
                });
                let others = vec![hosts[other].other.clone()];
                (bytes == FIRST_BYTES || !slow).then_some(ProbeQuestion { others, bytes })
            };
            let questions: Vec<_> = (0..hosts.len()).map(question).collect();
            let answers = ask_all(hosts, &|own| questions[own].clone(), CONNECT_MAX);
            for (own, answer) in answers.into_iter().enumerate() {
                let (Some(answer), Some(other)) = (answer, partner(own)) else { continue };
                let names = (hosts[own].name.clone(), hosts[other].name.clone());
                let mut resent = 0.0;
                if let Ok(answer) = &answer {
                    resent = answer.packets.resent_since(&hosts[own].packets);
                    hosts[own].packets = answer.packets;
                }
                match answer.map(|answer| answer.measured.into_iter().next()) {
                    Ok(Some(Ok(way))) => {
                        let interface = way.interface;
                        found.links.retain(|link| (&link.from, &link.to) != (&names.0, &names.1));
                        found.links.push(LinkFigures {
                            from: names.0,
                            to: names.1,
                            round_trip_us: way.round_trip_us,
                            mbits: way.mbits,
                            resent,
                            interface: interface.map(|(name, mbits)| LinkInterface { name, mbits }),
                        });
                    }
                    Ok(Some(Err(words))) => {
                        found.findings.push(Finding::new(
                            names.0,
                            words,
                            "check the way between them",
                        ));
                    }
                    Ok(None) => {}
                    Err(finding) => {
                        found.findings.push(finding);
                        reached[own].clear(); // its answer may still come, and is not the next one
                    }
                }
            }
        }
    }
    found.findings.extend(links::of_links(&found.links));
    found.findings.extend(slow_interfaces(&found.links));
    found.findings.extend(links::of_loss(&found.links));
}

/// Names interfaces that say they are slower than those of most hosts.
fn slow_interfaces(links: &[LinkFigures]) -> Vec<Finding> {
    let speed = |link: &'_ LinkFigures| {
        let LinkInterface { name, mbits } = link.interface.clone()?;
        Some((link.from.clone(), name, mbits?))
    };
    let speeds: Vec<_> = links.iter().filter_map(speed).collect();
    let Some(usual) = speeds.iter().map(|(.., mbits)| *mbits).max() else { return Vec::new() };
    let mut found: Vec<Finding> = Vec::new();
    for (host, interface, mbits) in speeds.iter().filter(|(.., mbits)| 2 * mbits < usual) {
        let problem =
            format!("{interface} runs at {mbits} Mbit/s, those of other hosts at {usual}");
        let finding = Finding::new(host, problem, "use another interface, or check its cable");
        if !found.contains(&finding) {
            found.push(finding);
        }
    }
    found
}

/// Asks hosts at the same time; `None` for those that have no question.
fn ask_all(
    hosts: &mut [ProbedHost],
    question: &dyn Fn(usize) -> Option<ProbeQuestion>,
    patience: Duration,
) -> Vec<Option<Result<ProbeAnswer, Finding>>> {
    let asked: Vec<_> = (0..hosts.len())
        .map(|own| question(own).map(|question| hosts[own].login.ask(&question)))
        .collect();
    let until = Instant::now() + patience;
    let hear = |(host, asked): (&mut ProbedHost, Option<Result<(), Finding>>)| {
        asked.map(|asked| asked.and_then(|()| host.login.answer(until)))
    };
    hosts.iter_mut().zip(asked).map(hear).collect()
}

/// Where `firecaffe` is on the hosts unless told otherwise: where it is here.
pub(super) fn own_program() -> PathBuf {
    std::env::current_exe().unwrap_or_else(|_| "firecaffe".into())
}

#[cfg(test)]
mod tests {
    use super::{LinkFigures, LinkInterface, names, slow_interfaces};

    #[test]
    fn host_files_of_open_mpi_and_mpich_are_read() {
        let text = "# two hosts\nnode1 slots=2\n\nnode2:4  # big\nnode1:1\n10.0.0.3\nfe80::1\n";
        assert_eq!(names(text), ["node1", "node2", "10.0.0.3", "fe80::1"]);
    }

    #[test]
    fn an_interface_of_another_generation_is_named_once() {
        let speed = |host: &str, mbits| LinkFigures {
            from: host.to_owned(),
            to: "d".to_owned(),
            round_trip_us: 100.0,
            mbits: 900.0,
            resent: 0.0,
            interface: Some(LinkInterface { name: "eth0".to_owned(), mbits: Some(mbits) }),
        };
        let all = [speed("a", 10_000), speed("b", 1000), speed("b", 1000), speed("c", 10_000)];
        let found = slow_interfaces(&all);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].problem, "eth0 runs at 1000 Mbit/s, those of other hosts at 10000");
    }
}
