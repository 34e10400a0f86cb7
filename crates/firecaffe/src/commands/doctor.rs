//! `firecaffe doctor`: what would keep a cluster from training, before it is tried.
//!
//! | called | looks at |
//! |---|---|
//! | alone | this machine |
//! | with `--hosts` | every host of a file, by remote logins; no MPI |
//! | under a launcher | the ranks that it started, over MPI |

mod facts;
mod findings;
mod hosts;
mod links;
mod login;
mod probe;
mod ranks;
mod rounds;
mod supervised;
mod tcp;

use std::path::PathBuf;

use anyhow::{Context, Result};
use base::{median, megabytes};
use serde::Serialize;

use crate::launch::MpiArgs;
use crate::log::counted;
use crate::output::{FAILURE, SUCCESS, print};
use facts::HostFacts;
use findings::Finding;
use links::LinkFigures;
use login::RemoteProgram;
use supervised::{ExaminationEnd, Overdue};

const EXAMPLES: &str = "\
Examples:
  firecaffe doctor --solver solver.prototxt                     this machine and the solver's files
  firecaffe doctor --hosts hosts --solver solver.prototxt       every host, by ssh
  firecaffe doctor --hosts hosts --rsh 'ssh -p 2222' --json
  mpirun -n 4 --hostfile hosts firecaffe doctor --solver solver.prototxt
  srun -n 4 --mpi=pmix firecaffe doctor

Ends within 30 seconds. The exit code is 0 if nothing was found and 1 if something was. With `--hosts`
each host answers on a TCP port of its own while it is examined, to those who know a random token.";

/// Options of `doctor`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct DoctorArgs {
    /// Look at the files, data and snapshot folder of this solver too
    #[arg(long, value_name = "FILE")]
    solver: Option<PathBuf>,
    /// Examine the hosts of this file (`node1 slots=2` or `node1:2` per line)
    #[arg(long, value_name = "FILE")]
    hosts: Option<PathBuf>,
    /// How to log in on them, without a password; the host and one command follow
    #[arg(
        long,
        value_name = "COMMAND",
        requires = "hosts",
        default_value = "ssh -o BatchMode=yes -o ConnectTimeout=5"
    )]
    rsh: String,
    /// Where firecaffe is on them [default: where it is here]
    #[arg(long, value_name = "PATH", requires = "hosts")]
    program: Option<PathBuf>,
    /// Print what was found as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    mpi: MpiArgs,
    /// Answer the questions of a doctor on another host
    #[arg(long, hide = true)]
    probe: bool,
    /// Examine in this process, for one that watches the time
    #[arg(long, hide = true)]
    examine: bool,
}

/// What an examination came to.
#[derive(Debug, Default, Serialize)]
struct Examination {
    /// Version and file of the library, and its thread level.
    mpi: Option<String>,
    /// What every machine, or rank, said.
    hosts: Vec<HostFacts>,
    links: Vec<LinkFigures>,
    /// How many links would have been measured with more time.
    links_wanted: usize,
    findings: Vec<Finding>,
}

/// Examines and prints; the exit code tells whether something was found.
pub(crate) fn run(args: &DoctorArgs) -> Result<u8> {
    if args.probe {
        return probe::run(args.solver.as_deref()).map(|()| SUCCESS);
    }
    let found = match &args.hosts {
        _ if !args.examine => match supervised::run("--examine", args.overdue())? {
            ExaminationEnd::Code(code) => return Ok(code),
            ExaminationEnd::Found(finding) => {
                Some(Examination { findings: vec![finding], ..Examination::default() })
            }
        },
        Some(file) => Some(hosts::examine(file, &args.remote()?)?),
        None if args.mpi.is_launched() => ranks::examine(&args.mpi, args.solver.as_deref())?,
        None => {
            let hosts = vec![HostFacts::collect(args.solver.as_deref(), None)];
            let findings = findings::of_facts(&hosts);
            Some(Examination { hosts, findings, ..Examination::default() })
        }
    };
    let Some(found) = found else { return Ok(SUCCESS) }; // rank 0 speaks for all
    let text = match args.json {
        true => serde_json::to_string_pretty(&found).context("findings can be written")? + "\n",
        false => found.in_words(),
    };
    print(&text)?;
    Ok(if found.findings.is_empty() { SUCCESS } else { FAILURE })
}

impl DoctorArgs {
    /// What is said of an examination that takes too long.
    fn overdue(&self) -> Overdue {
        match &self.hosts {
            Some(_) => supervised::HOSTS,
            None if self.mpi.is_launched() => supervised::RANKS,
            None => supervised::MACHINE,
        }
    }

    fn remote(&self) -> Result<RemoteProgram> {
        let rsh: Vec<String> = self.rsh.split_whitespace().map(str::to_owned).collect();
        anyhow::ensure!(!rsh.is_empty(), "--rsh needs a command");
        let folder = std::env::current_dir().context("there is no working directory")?;
        let program = self.program.clone().unwrap_or_else(hosts::own_program);
        Ok(RemoteProgram { rsh, program, folder, solver: self.solver.clone() })
    }
}

impl Examination {
    /// A line per finding, and one that says what was looked at.
    fn in_words(&self) -> String {
        let mut text: String =
            self.findings.iter().map(|finding| format!("{}\n", finding.in_words())).collect();
        if let Some(mpi) = &self.mpi {
            text += &format!("MPI library: {mpi}\n");
        }
        let mut names: Vec<&str> = Vec::new();
        for facts in &self.hosts {
            if !names.contains(&&*facts.host) {
                names.push(&facts.host);
                text += &host_in_words(facts);
            }
        }
        let unmeasured = self.links_wanted.saturating_sub(self.links.len());
        if unmeasured > 0 {
            text += &format!(
                "{} of {} were measured in the time there is; for the others name fewer hosts\n",
                self.links.len(),
                counted(self.links_wanted, "link")
            );
        }
        if !self.links.is_empty() {
            let of = |figure: fn(&LinkFigures) -> f64| -> Vec<f64> {
                self.links.iter().map(figure).collect()
            };
            let (mbits, trips) = (of(|link| link.mbits), of(|link| link.round_trip_us));
            let least = mbits.iter().copied().fold(f64::INFINITY, f64::min);
            text += &format!(
                "{}: median {:.0} Mbit/s, least {least:.0}; round trip {:.0} us\n",
                counted(mbits.len(), "link"),
                median(mbits),
                median(trips)
            );
        }
        let ranks = self.hosts.iter().filter(|facts| facts.rank.is_some()).count();
        let ranks = if ranks > 0 { format!(", {}", counted(ranks, "rank")) } else { String::new() };
        let found = match self.findings.len() {
            0 if unmeasured > 0 => "nothing found in what was measured".to_owned(),
            0 => "nothing found".to_owned(),
            count => counted(count, "finding"),
        };
        text + &format!("{}{ranks}: {found}\n", counted(names.len(), "host"))
    }
}

fn host_in_words(facts: &HostFacts) -> String {
    let memory = facts.memory_free.and_then(|bytes| usize::try_from(bytes).ok());
    format!(
        "{}: firecaffe {}, {} of {}, {}, {} of memory free\n",
        facts.host,
        facts.version,
        facts.cores.len(),
        counted(facts.given_cores, "core"),
        counted(facts.numa_nodes, "NUMA node"),
        memory.map_or("an unknown amount".to_owned(), megabytes)
    )
}

#[cfg(test)]
mod tests {
    use super::{Examination, LinkFigures};

    #[test]
    fn links_that_were_not_measured_are_counted() {
        let link = |to: &str| LinkFigures {
            from: "a".to_owned(),
            to: to.to_owned(),
            round_trip_us: 100.0,
            mbits: 940.0,
            resent: 0.0,
            interface: None,
        };
        let mut found = Examination {
            links: vec![link("b"), link("c")],
            links_wanted: 2,
            ..Examination::default()
        };
        assert!(found.in_words().ends_with(": nothing found\n"), "{}", found.in_words());
        found.links_wanted = 90;
        let text = found.in_words();
        assert!(text.contains("2 of 90 links were measured"), "{text}");
        assert!(text.ends_with("nothing found in what was measured\n"), "{text}");
    }
}
