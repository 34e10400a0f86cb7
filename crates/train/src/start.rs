//! The self-test of several ranks: before the first iteration, they compare what they are about to
//! do.
//!
//! Each rank sends a text for everything that must be equal (version, solver, nets, data, replica
//! placement, weights). All ranks compare the texts and reach the same verdict: who differs, from
//! whom, in what. Data is compared before records are loaded, since loading is a collective too. It
//! costs two small collectives and reading the data, or blocks of it where it is large.

use base::Fingerprint;
use caffe_format::{LayerParameter, NetParameter, text};
use serde::{Deserialize, Serialize};

use crate::nets::SolverNets;
use crate::placement::ReplicaPlacement;
use crate::ranks::Ranks;
use crate::{ComparedItem, Event, Job, JobConfig, TrainError, program_version};

/// What a rank says about itself.
#[derive(Debug, Serialize, Deserialize)]
struct RankDescription {
    host: String,
    /// What must be equal, each with a text that is equal only if it is.
    items: Vec<(ComparedItem, String)>,
}

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
        let all = compare_items(&self.shared.ranks, self.compared_items(nets))?;
        events(Event::Joined {
            hosts: hosts(&all),
            allreduce: self.shared.config.allreduce.clone(),
        });
        Ok(())
    }

    /// What is compressed, how, and where if a snapshot says so.
    fn compression_text(&self) -> String {
        let config = &self.shared.config;
        let compression = config.compression.as_ref().map(ToString::to_string);
        format!("{compression:?} {} {:?}", config.compression_always, self.decision)
    }

    fn compared_items(&self, nets: &SolverNets) -> Vec<(ComparedItem, String)> {
        let print = |text: &str| format!("{:016x}", Fingerprint::of(text.as_bytes()).value());
        let config = &self.shared.config;
        let mut items = vec![
            (ComparedItem::Version, program_version().to_owned()),
            (ComparedItem::Simd, config.simd.to_string()),
            (ComparedItem::Solver, print(&text::write(&config.solver))),
            (ComparedItem::TrainNet, print(&text::write(&nets.train.net))),
            (ComparedItem::BatchNorm, config.batch_norm.to_string()),
            (ComparedItem::BucketBytes, config.bucket_bytes.to_string()),
            (ComparedItem::Allreduce, config.allreduce.to_string()),
            (ComparedItem::Network, format!("{:?}", config.network)),
            (ComparedItem::Wire, config.wire.to_string()),
            (
                ComparedItem::Emulation,
                print(&config.emulation.as_ref().map_or_else(String::new, |e| {
                    format!("{} {:?} {}", e.dilation, e.gradients, e.profile.to_json())
                })),
            ),
            (ComparedItem::Compression, self.compression_text()),
            (ComparedItem::Precision, config.precision.to_string()),
            (ComparedItem::Timeline, config.timeline.to_string()),
            (ComparedItem::ResumeData, config.resume_data.to_string()),
            (ComparedItem::Iteration, self.iter.to_string()),
        ];
        for (index, test) in nets.tests.iter().enumerate() {
            items.push((ComparedItem::TestNet(index), print(&text::write(&test.net))));
        }
        if self.iter == 0 && !self.emulates() {
            // After the first iteration the statistics of replicas differ.
            let params = self.shared.params.read();
            let weights = self.net().hash(&params, &self.first_replica().running);
            items.push((ComparedItem::Weights, format!("{weights:016x}")));
        }
        items
    }
}

/// Fingerprints of what the layers of a net read. What cannot be read is missing here, and is named
/// when it is opened.
pub(crate) fn data_prints(net: &NetParameter, config: &JobConfig) -> Vec<(String, u64)> {
    let layers = net::filter(net).map(|(net, _)| net.layer).unwrap_or_default();
    let print = |layer: &LayerParameter| {
        let print = data::fingerprint(layer, &config.root)?.ok()?;
        Some((layer.name().to_owned(), print))
    };
    layers.iter().filter_map(print).collect()
}

/// Compares what ranks read, and for which replicas, before anything is loaded. `train` are the
/// fingerprints of what the train net reads.
pub(crate) fn compare_data(
    ranks: &Ranks,
    config: &JobConfig,
    placement: ReplicaPlacement,
    nets: &SolverNets,
    train: &[(String, u64)],
) -> Result<(), TrainError> {
    if !ranks.are_several() {
        return Ok(());
    }
    let mut items = vec![
        (ComparedItem::Workers, placement.workers.to_string()),
        (ComparedItem::Replicas, placement.replicas.to_string()),
        (ComparedItem::DataMode, config.data.to_string()),
        (ComparedItem::Shuffle, config.shuffle.to_string()),
        (ComparedItem::RecordSharing, format!("{:?}", config.sharing)),
    ];
    let tests = nets.tests.iter().flat_map(|test| data_prints(&test.net, config));
    for (layer, print) in train.iter().cloned().chain(tests) {
        items.push((ComparedItem::Data { layer }, print.to_string()));
    }
    compare_items(ranks, items).map(drop)
}

/// Sends `items` to all ranks and compares them with theirs.
fn compare_items(
    ranks: &Ranks,
    items: Vec<(ComparedItem, String)>,
) -> Result<Vec<RankDescription>, TrainError> {
    let own = RankDescription { host: ranks.host().to_owned(), items };
    let own = serde_json::to_vec(&own).expect("names and texts can be written");
    let read = |(rank, bytes): (usize, Vec<u8>)| -> Result<RankDescription, TrainError> {
        serde_json::from_slice(&bytes).map_err(|_| TrainError::State { rank })
    };
    let all = ranks.gather(own)?.into_iter().enumerate();
    let all: Vec<_> = all.map(read).collect::<Result<_, _>>()?;
    compare(&all)?;
    Ok(all)
}

/// Finds the first item in which a rank differs from most.
fn compare(all: &[RankDescription]) -> Result<(), TrainError> {
    let longest = all.iter().map(|rank| rank.items.len()).max().unwrap_or(0);
    for index in 0..longest {
        let said = |rank: usize| all[rank].items.get(index);
        let followers =
            |&rank: &usize| (0..all.len()).filter(|&other| said(other) == said(rank)).count();
        let usual = (0..all.len()).rev().max_by_key(followers).unwrap_or(0);
        let Some(rank) = (0..all.len()).find(|&rank| said(rank) != said(usual)) else { continue };
        let named = said(rank).or(said(usual)).expect("they differ, so one has said something");
        let (what, host) = (named.0.clone(), all[rank].host.clone());
        let text = |rank| said(rank).map_or_else(String::new, |(_, text)| text.clone());
        return Err(match what {
            ComparedItem::Version => {
                let (version, usual_version) = (text(rank), text(usual));
                TrainError::OtherProgram { rank, host, version, usual, usual_version }
            }
            what => TrainError::Differs { rank, host, usual, what },
        });
    }
    Ok(())
}

/// Every machine and how many ranks it runs, in order of their first rank.
fn hosts(all: &[RankDescription]) -> Vec<(String, usize)> {
    let mut hosts: Vec<(String, usize)> = Vec::new();
    for RankDescription { host, .. } in all {
        match hosts.iter_mut().find(|(name, _)| name == host) {
            Some((_, ranks)) => *ranks += 1,
            None => hosts.push((host.clone(), 1)),
        }
    }
    hosts
}

#[cfg(test)]
mod tests {
    use super::{ComparedItem, RankDescription, compare, hosts};

    fn rank(host: &str, items: &[(ComparedItem, &str)]) -> RankDescription {
        let items = items.iter().map(|(item, text)| (item.clone(), (*text).to_owned())).collect();
        RankDescription { host: host.into(), items }
    }

    #[test]
    fn who_differs_from_most_is_named() {
        // A name from a file: what it holds must not matter.
        let data = ComparedItem::Data { layer: "a\nb\tc".into() };
        let both = |net, text| [(ComparedItem::TrainNet, net), (data.clone(), text)];
        let net = |net| [(ComparedItem::TrainNet, net)];
        assert!(compare(&[rank("a", &both("1", "1")), rank("b", &both("1", "1"))]).is_ok());
        let all = [rank("a", &net("2")), rank("b", &net("1")), rank("b", &net("1"))];
        let error = compare(&all).unwrap_err().to_string();
        let want = "rank 0 on a differs from rank 1 in the train net: give all ranks the same";
        assert_eq!(error, want);
        for other in [rank("b", &net("2")), rank("b", &both("2", "3"))] {
            let error = compare(&[rank("a", &both("2", "1")), other]).unwrap_err().to_string();
            let want = "rank 1 on b differs from rank 0 in the data of layer `a\nb\tc`";
            assert!(error.starts_with(want), "{error}");
        }
    }

    #[test]
    fn both_programs_are_named() {
        let runs = |host, program| rank(host, &[(ComparedItem::Version, program)]);
        let (usual, other) = ("0.1.0 (build 00000001)", "0.1.0 (build 00000002)");
        let error = compare(&[runs("a", usual), runs("b", other), runs("c", usual)]).unwrap_err();
        let want = "rank 1 on b runs firecaffe 0.1.0 (build 00000002), rank 0 runs 0.1.0 (build \
                    00000001): copy one program to all hosts";
        assert_eq!(error.to_string(), want);
    }

    #[test]
    fn machines_are_counted() {
        let all = [rank("a", &[]), rank("b", &[]), rank("a", &[])];
        assert_eq!(hosts(&all), [("a".to_owned(), 2), ("b".to_owned(), 1)]);
    }
}
