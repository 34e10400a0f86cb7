//! The self-test of several ranks: before the first iteration, they compare what they are about to
//! do.
//!
//! Each rank sends one line for everything that must be equal (version, solver, nets, data, replica
//! placement, weights). All ranks compare the lines and reach the same verdict: who differs, from
//! whom, in what. It costs two small collectives and reading the first and last blocks of the data.

use base::Fingerprint;
use caffe_format::text;

use crate::nets::SolverNets;
use crate::{Event, Job, TrainError};

/// Separates the name of what is compared from its value.
const TAB: char = '\t';

impl Job {
    /// Compares this rank with the others and reports who takes part.
    pub(crate) fn compare_ranks(
        &self,
        nets: &SolverNets,
        events: &mut dyn FnMut(Event),
    ) -> Result<(), TrainError> {
        if !self.shared.ranks.are_several() {
            return Ok(());
        }
        let host = self.shared.ranks.host();
        let mut lines = vec![("host".to_owned(), host.to_owned())];
        lines.extend(self.what_must_be_equal(nets));
        let lines: Vec<String> =
            lines.into_iter().map(|(what, value)| format!("{what}{TAB}{value}")).collect();
        let all = self.shared.ranks.gather(lines.join("\n").into_bytes())?;
        let read = |(rank, bytes)| String::from_utf8(bytes).map_err(|_| TrainError::State { rank });
        let all: Vec<String> = all.into_iter().enumerate().map(read).collect::<Result<_, _>>()?;
        compare(&all)?;
        events(Event::Joined {
            hosts: hosts(&all),
            allreduce: self.shared.config.allreduce.to_string(),
        });
        Ok(())
    }

    fn what_must_be_equal(&self, nets: &SolverNets) -> Vec<(String, String)> {
        let print = |text: &str| format!("{:016x}", Fingerprint::of(text.as_bytes()).value());
        let config = &self.shared.config;
        let mut lines = vec![
            ("the version of firecaffe".to_owned(), env!("CARGO_PKG_VERSION").to_owned()),
            ("the SIMD level".to_owned(), config.simd.to_string()),
            ("the solver".to_owned(), print(&text::write(&config.solver))),
            ("the train net".to_owned(), print(&text::write(&nets.train.net))),
            ("the number of workers".to_owned(), self.shared.placement.workers.to_string()),
            ("the number of replicas".to_owned(), self.shared.placement.replicas.to_string()),
            ("`--batch-norm`".to_owned(), format!("{:?}", config.batch_norm)),
            ("`--bucket-mb`".to_owned(), config.bucket_bytes.to_string()),
            ("`--allreduce`".to_owned(), config.allreduce.to_string()),
            ("`--timeline`".to_owned(), config.timeline.to_string()),
            ("`--resume-data`".to_owned(), format!("{:?}", config.resume_data)),
            ("the snapshot's iteration".to_owned(), self.iter.to_string()),
        ];
        for (index, test) in nets.tests.iter().enumerate() {
            lines.push((format!("test net {index}"), print(&text::write(&test.net))));
        }
        let tests = nets.tests.iter().map(|test| &test.net);
        for layer in std::iter::once(&nets.train.net).chain(tests).flat_map(|net| &net.layer) {
            if let Some(Ok(print)) = data::fingerprint(layer, &config.root) {
                lines.push((format!("the data of layer `{}`", layer.name()), print.to_string()));
            }
        }
        let weights = self.net().hash(&self.shared.params.read(), &self.first_replica().running);
        if self.iter == 0 {
            // After the first iteration the statistics of replicas differ.
            lines.push(("the weights".to_owned(), format!("{weights:016x}")));
        }
        lines
    }
}

/// Finds the first line in which a rank differs from most.
fn compare(all: &[String]) -> Result<(), TrainError> {
    let table: Vec<Vec<&str>> = all.iter().map(|lines| lines.lines().collect()).collect();
    let longest = table.iter().map(Vec::len).max().unwrap_or(0);
    for line in 1..longest {
        let said = |rank: usize| table[rank].get(line).copied().unwrap_or_default();
        let followers =
            |&rank: &usize| (0..all.len()).filter(|&other| said(other) == said(rank)).count();
        let usual = (0..all.len()).rev().max_by_key(followers).unwrap_or(0);
        let Some(rank) = (0..all.len()).find(|&rank| said(rank) != said(usual)) else { continue };
        let named = if said(rank).is_empty() { said(usual) } else { said(rank) };
        let what = named.split(TAB).next().unwrap_or_default().to_owned();
        return Err(TrainError::Differs { rank, host: host(&all[rank]).to_owned(), usual, what });
    }
    Ok(())
}

fn host(lines: &str) -> &str {
    lines.lines().next().and_then(|line| line.split(TAB).nth(1)).unwrap_or_default()
}

/// Every machine and how many ranks it runs, in order of their first rank.
fn hosts(all: &[String]) -> Vec<(String, usize)> {
    let mut hosts: Vec<(String, usize)> = Vec::new();
    for lines in all {
        let host = host(lines);
        match hosts.iter_mut().find(|(name, _)| name == host) {
            Some((_, ranks)) => *ranks += 1,
            None => hosts.push((host.to_owned(), 1)),
        }
    }
    hosts
}

#[cfg(test)]
mod tests {
    use super::{compare, hosts};

    fn say(lines: &[&str]) -> Vec<String> {
        lines.iter().map(|line| line.replace(' ', "\n")).collect()
    }

    #[test]
    fn who_differs_from_most_is_named() {
        let all = say(&["host\ta net\t1 data\t1", "host\tb net\t1 data\t1"]);
        assert!(compare(&all).is_ok());
        let all = say(&["host\ta net\t2", "host\tb net\t1", "host\tb net\t1"]);
        let error = compare(&all).unwrap_err().to_string();
        assert_eq!(error, "rank 0 on a differs from rank 1 in net: give all ranks the same");
        let all = say(&["host\ta net\t2 data\t1", "host\tb net\t2"]);
        let error = compare(&all).unwrap_err().to_string();
        assert!(error.starts_with("rank 1 on b differs from rank 0 in data"), "{error}");
    }

    #[test]
    fn machines_are_counted() {
        let all = say(&["host\ta x\t1", "host\tb x\t1", "host\ta x\t1"]);
        assert_eq!(hosts(&all), [("a".to_owned(), 2), ("b".to_owned(), 1)]);
    }
}
