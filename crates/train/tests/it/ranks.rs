//! What ranks agree on before the first iteration: their configuration, and whether their sums are
//! exact.

use collective::{AlgorithmChoice, Network};
use train::{ComparedItem, Event, Job, JobConfig, PlacementProblem, Ranks, TrainError};

use crate::support::{case, config, on_hosts, on_ranks};

fn four_replicas(workers: usize, allreduce: &str) -> JobConfig {
    let case = case("sgd_fixed");
    let mut config = config(&case, &case);
    config.solver.snapshot = Some(0); // these jobs write nothing
    let allreduce: AlgorithmChoice = allreduce.parse().unwrap();
    JobConfig { workers, replicas: Some(4), allreduce, ..config }
}

/// Makes one rank's configuration another than the others'.
type ChangeConfig = fn(&mut JobConfig);

/// Whether the job says that its sums are exact.
fn exactness(config: JobConfig, ranks: Ranks) -> Option<bool> {
    let mut exact = None;
    let mut listen = |event: Event| {
        if let Event::ReplicasPlaced { exact: said, .. } = event {
            exact = Some(said);
        }
    };
    Job::join(config, ranks, &mut listen).unwrap();
    exact
}

/// What a run says about its sums is asked of the exchange that makes them.
#[test]
fn a_run_says_whether_its_sums_are_exact() {
    for (ranks, workers, algorithm, want) in [
        (4, 1, "direct", true),
        (4, 1, "ring", false),
        (4, 1, "direct:0-1M;ring:1M-", true),
        (4, 1, "direct:0-1K;ring:1K-", false),
        (1, 4, "ring", false),
        (1, 4, "auto-any", true),
        (1, 2, "ring", true),
    ] {
        let exact = on_ranks(ranks, &four_replicas(workers, algorithm), exactness);
        assert!(exact.iter().all(|&said| said == Some(want)), "{ranks} x {workers} {algorithm}");
    }
}

/// Nine ranks are the smallest world in which a network can make an inexact algorithm the cheapest:
/// with two trees where latency counts, while `direct` sends the fewest bytes where it does not.
#[test]
fn the_network_decides_whether_the_cheapest_sums_are_exact() {
    let no_latency = Network { latency_us: 1e-3, ..Network::GIGABIT };
    for (network, want) in [(Network::GIGABIT, false), (no_latency, true)] {
        let config = JobConfig {
            replicas: Some(9),
            network: Some(network),
            threads: 1,
            ..four_replicas(1, "auto-any")
        };
        let exact = on_hosts(9, &config, exactness);
        assert!(exact.iter().all(|&said| said == Some(want)), "{network:?}");
    }
}

#[test]
fn ranks_that_differ_say_in_what() {
    let differing: [(ComparedItem, ChangeConfig); 5] = [
        (ComparedItem::Wire, |config| config.wire = "f16".parse().unwrap()),
        (ComparedItem::Compression, |config| {
            config.compression = Some("one-bit".parse().unwrap());
        }),
        (ComparedItem::Network, |config| config.network = Some(Network::GIGABIT)),
        (ComparedItem::Allreduce, |config| config.allreduce = AlgorithmChoice::AutoAny),
        (ComparedItem::BucketBytes, |config| config.bucket_bytes += 1),
    ];
    for (item, change) in differing {
        let errors = on_ranks(2, &four_replicas(1, "auto"), move |mut config, ranks| {
            if ranks.rank().index() == 1 {
                change(&mut config);
            }
            Job::join(config, ranks, &mut |_| ()).err().unwrap()
        });
        for error in errors {
            match error {
                TrainError::Differs { rank: 1, usual: 0, what, .. } => assert_eq!(what, item),
                error => panic!("{item}: {error}"),
            }
        }
    }
}

/// However replicas are placed: also where one worker has nothing to sum with anybody.
#[test]
fn the_librarys_own_algorithm_needs_the_library() {
    for workers in [1, 2] {
        for algorithm in ["mpi", "direct:0-1K;mpi:1K-"] {
            let error = Job::open(four_replicas(workers, algorithm), &mut |_| ()).err().unwrap();
            assert!(
                matches!(error, TrainError::Placement(PlacementProblem::MpiAlone)),
                "{workers} workers, {algorithm}"
            );
        }
    }
    for text in on_ranks(2, &four_replicas(1, "mpi"), |config, ranks| {
        Job::join(config, ranks, &mut |_| ()).err().unwrap().to_string()
    }) {
        assert_eq!(text, "algorithm `mpi` needs transport `mpi`, but this is `local`");
    }
}
