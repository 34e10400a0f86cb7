//! The records that each replica reads, whoever runs it: by key, and by the weights they lead to.

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};

use caffe_format::{Datum, binary};
use data::ReplicaSlice;
use data::lmdb::LmdbWriter;
use data::order::{RecordSharing, RunShuffle, StreamOrder};
use exchange::{Exchange, ExchangeConfig};

use crate::files::solver_from_text;
use crate::{
    ComparedItem, DataMode, Job, JobConfig, LimitOrigin, MemoryPool, NoControl, OnBadSample, Ranks,
    RecordsProblem, ResumeData, StepError, TrainError,
};

const REPLICAS: usize = 8;
const BATCH: usize = 3;
const SEED: u32 = 1701;

/// A database of `records` records with one pixel and its number as key.
fn database(path: &Path, records: u32) {
    labelled(path, records, |number| number % 7);
}

fn labelled(path: &Path, records: u32, label: impl Fn(u32) -> u32) {
    let mut writer = LmdbWriter::create(path).unwrap();
    for number in 0..records {
        let pixel = u8::try_from(number % 256).unwrap();
        let datum = Datum::raw([1, 1, 1], vec![pixel], i32::try_from(label(number)).unwrap());
        writer.put(format!("{number:06}").as_bytes(), &binary::write(&datum)).unwrap();
    }
    writer.finish().unwrap();
}

/// How a run is placed, and for how long it runs.
#[derive(Clone, Copy)]
struct World {
    ranks: usize,
    workers: usize,
}

/// What a run read and learned.
#[derive(Debug, PartialEq)]
struct TrainedKeys {
    /// Keys per replica, in the order in which they were read.
    keys: Vec<Vec<String>>,
    hash: u64,
}

/// A folder with databases, and runs on them.
struct Fixture {
    folder: tempfile::TempDir,
}

impl Fixture {
    fn new(records: u32) -> Self {
        let folder = tempfile::tempdir().unwrap();
        database(&folder.path().join("db"), records);
        Self { folder }
    }

    /// A net of `data` layers, shuffled or not.
    fn config(&self, data: &str) -> JobConfig {
        let prefix = self.folder.path().join("snap");
        let text = format!(
            r#"base_lr: 0.001 lr_policy: "fixed" random_seed: {SEED} display: 0
               snapshot_prefix: "{}"
               net_param {{ {data}
                 layer {{ name: "ip" type: "InnerProduct" bottom: "data" top: "ip"
                          inner_product_param {{ num_output: 1 weight_filler {{ type: "xavier" }} }} }}
                 layer {{ name: "loss" type: "EuclideanLoss" bottom: "ip" bottom: "label" }} }}"#,
            prefix.display()
        );
        let solver = solver_from_text("test", &text).unwrap();
        let root: PathBuf = self.folder.path().into();
        JobConfig { root, replicas: Some(REPLICAS), shuffle: true, ..JobConfig::new(solver) }
    }

    fn state(&self, iteration: u64) -> PathBuf {
        self.folder.path().join(format!("snap_iter_{iteration}.solverstate"))
    }
}

/// The data layer of the database `source`.
fn data_layer(name: &str, source: &str, tops: &str, more: &str) -> String {
    format!(
        r#"layer {{ name: "{name}" type: "Data" {tops} data_param {{ source: "{source}"
             batch_size: {BATCH} backend: LMDB {more} }} }}"#
    )
}

fn one_layer() -> String {
    data_layer("data", "db", r#"top: "data" top: "label""#, "")
}

/// Runs `body` on every rank, each a thread with the code that MPI runs.
fn on_ranks<T: Send + 'static>(
    world: World,
    config: &JobConfig,
    body: impl Fn(JobConfig, Ranks) -> T + Clone + Send + 'static,
) -> Vec<T> {
    let run = |link| {
        let config = JobConfig { workers: world.workers, ..config.clone() };
        let body = body.clone();
        std::thread::spawn(move || {
            let exchange = Exchange::new(Box::new(link), ExchangeConfig::LOCAL);
            let alarm = Box::new(|error: &(dyn std::error::Error + 'static)| panic!("{error}"));
            body(config, Ranks::joined(exchange, "here".into(), Default::default(), alarm))
        })
    };
    let ranks: Vec<_> = transport::local::mesh(world.ranks, 2).into_iter().map(run).collect();
    ranks.into_iter().map(|rank| rank.join().unwrap()).collect()
}

/// Trains `iterations` on every rank and writes a snapshot.
fn train(world: World, config: &JobConfig, iterations: usize) -> TrainedKeys {
    let all = on_ranks(world, config, move |config, ranks| {
        let mut job = Job::join(config, ranks, &mut |_| ()).unwrap();
        let mut keys = vec![Vec::new(); job.replicas().count()];
        for _ in 0..iterations {
            job.step(&NoControl, &mut |_| ()).unwrap();
            for (keys, replica) in keys.iter_mut().zip(job.replicas()) {
                let names = |item| replica.sources.iter().map(move |s| s.record_name(item));
                for item in 0..BATCH {
                    let name = names(item).next().unwrap().unwrap();
                    assert!(names(item).all(|other| other.as_ref() == Some(&name)));
                    keys.push(name);
                }
            }
        }
        job.snapshot(&mut |_| ()).unwrap();
        (keys, job.hash().unwrap())
    });
    let hash = all[0].1;
    assert!(all.iter().all(|rank| rank.1 == hash), "all ranks have the same weights");
    TrainedKeys { keys: all.into_iter().flat_map(|rank| rank.0).collect(), hash }
}

/// What the order says that every replica reads.
fn expected(records: u64, iterations: usize, sharing: RecordSharing) -> Vec<Vec<String>> {
    let run = RunShuffle { seed: NonZeroU32::new(SEED).unwrap(), sharing };
    let of_replica = |replica: usize| {
        let (shuffle, own) = run.group(ReplicaSlice { replica, replicas: REPLICAS });
        let order = StreamOrder { records, shuffle: Some(shuffle) };
        let positions = (own.replica as u64..).step_by(own.replicas).take(iterations * BATCH);
        positions.map(move |p| order.epoch(p / records).at(p % records).record)
    };
    (0..REPLICAS).map(|r| of_replica(r).map(|record| format!("{record:06}")).collect()).collect()
}

const WORLDS: [World; 7] = [
    World { ranks: 1, workers: 1 },
    World { ranks: 1, workers: 2 },
    World { ranks: 2, workers: 1 },
    World { ranks: 2, workers: 2 },
    World { ranks: 4, workers: 1 },
    World { ranks: 4, workers: 2 },
    World { ranks: 8, workers: 1 },
];

const MODES: [DataMode; 2] = [DataMode::Stream, DataMode::Memory];

/// R divides the number of records, does not, or the global batch (24 records) is more than all.
#[test]
fn every_world_reads_what_the_order_says_from_everywhere() {
    for (records, iterations) in [(96_u32, 9), (101, 11), (10, 4)] {
        let fixture = Fixture::new(records);
        let config = fixture.config(&one_layer());
        let want = train(WORLDS[0], &config, iterations);
        assert_eq!(want.keys, expected(records.into(), iterations, RecordSharing::default()));
        for (data, world) in MODES.into_iter().flat_map(|data| WORLDS.map(|world| (data, world))) {
            let got = train(world, &JobConfig { data, ..config.clone() }, iterations);
            assert!(got == want, "{records} records, {data}, {} ranks", world.ranks);
        }
    }
}

fn sharing(groups: u32, exchange_every: u32) -> RecordSharing {
    let [groups, exchange_every] = [groups, exchange_every].map(|n| NonZeroU32::new(n).unwrap());
    RecordSharing { groups, exchange_every }
}

/// Groups with a copy each, of fewer ranks than groups too, and shards that stay for some epochs:
/// every world reads what the order says, also when another one stopped before.
#[test]
fn groups_and_exchanges_join_the_order() {
    use DataMode::{Memory, Stream};
    for (records, iterations, sharing) in [
        (96_u32, 9, sharing(2, 1)),
        (41, 12, sharing(4, 1)),
        (41, 17, sharing(1, 3)),
        (43, 14, sharing(2, 2)),
    ] {
        let fixture = Fixture::new(records);
        let config = JobConfig { sharing, ..fixture.config(&one_layer()) };
        let want = train(WORLDS[0], &config, iterations);
        assert_eq!(want.keys, expected(records.into(), iterations, sharing), "{sharing:?}");
        for (data, world) in [(Memory, 0), (Stream, 3), (Memory, 2), (Memory, 5), (Memory, 6)] {
            let got = train(WORLDS[world], &JobConfig { data, ..config.clone() }, iterations);
            assert!(got == want, "{records} records, {sharing:?}, {data}, world {world}");
        }
        let (stop, resumed) = (iterations / 2, |data| JobConfig { data, ..config.clone() });
        for (first, then) in [((6, Memory), (2, Memory)), ((0, Stream), (4, Memory))] {
            train(WORLDS[first.0], &resumed(first.1), stop);
            let resume = Some(fixture.state(stop as u64));
            let rest = JobConfig { resume, ..resumed(then.1) };
            let rest = train(WORLDS[then.0], &rest, iterations - stop);
            assert_eq!(rest.hash, want.hash, "{sharing:?}, {first:?} then {then:?}");
        }
    }
}

#[test]
fn groups_that_do_not_fit_are_refused() {
    let fixture = Fixture::new(7);
    let refused = |config: JobConfig| Job::open(config, &mut |_| ()).err().unwrap().to_string();
    let with = |shuffle, sharing| JobConfig { shuffle, sharing, ..fixture.config(&one_layer()) };
    assert!(refused(with(false, sharing(1, 2))).contains("give `--shuffle` too"));
    let text = refused(with(true, sharing(3, 1)));
    assert_eq!(text, "`--data-groups 3` does not divide the 8 replicas");
    let text = refused(with(true, sharing(1, 2)));
    assert!(text.contains("7 records, 8 replicas share them"), "{text}");
    for data in MODES {
        assert!(refused(JobConfig { data, ..with(true, sharing(1, 2)) }).contains("7 records"));
    }
}

/// Stopped by one world, continued by another, from the database or from memory.
#[test]
fn a_stop_in_mid_epoch_is_followed_by_the_very_next_record() {
    use DataMode::{Memory, Stream};
    for (records, iterations) in [(101_u32, 11), (10, 4)] {
        let fixture = Fixture::new(records);
        let config = fixture.config(&one_layer());
        let (want, stop) = (train(WORLDS[0], &config, iterations), iterations / 2);
        for (first, then) in [
            ((0, Stream), (6, Stream)),
            ((5, Memory), (1, Stream)),
            ((3, Stream), (4, Memory)),
            ((6, Memory), (2, Memory)),
            ((2, Memory), (0, Memory)),
        ] {
            let of = |data| JobConfig { data, ..config.clone() };
            train(WORLDS[first.0], &of(first.1), stop);
            let resume = Some(fixture.state(stop as u64));
            let rest = JobConfig { resume, ..of(then.1) };
            let rest = train(WORLDS[then.0], &rest, iterations - stop);
            assert_eq!(rest.hash, want.hash, "{records} records, {first:?} then {then:?}");
            for (rest, want) in rest.keys.iter().zip(&want.keys) {
                assert_eq!(rest, &want[stop * BATCH..]);
            }
        }
    }
}

/// Also in key order: where R does not divide the number of records, every epoch deals them out
/// differently.
#[test]
fn memory_in_key_order_is_caffes_order() {
    let fixture = Fixture::new(101);
    let config = JobConfig { shuffle: false, ..fixture.config(&one_layer()) };
    let want = train(WORLDS[0], &config, 10);
    for world in [0, 2, 5] {
        let memory = JobConfig { data: DataMode::Memory, ..config.clone() };
        assert!(train(WORLDS[world], &memory, 10) == want);
    }
}

#[test]
fn every_record_comes_once_per_epoch() {
    for records in [96, 101, 10] {
        let (fixture, epochs) = (Fixture::new(records), 3);
        let iterations = (epochs * records as usize).div_ceil(REPLICAS * BATCH);
        let config = fixture.config(&one_layer());
        let config = JobConfig { data: DataMode::Memory, ..config };
        let TrainedKeys { keys, .. } = train(WORLDS[3], &config, iterations);
        let stream: Vec<&String> =
            (0..iterations * BATCH).flat_map(|item| keys.iter().map(move |k| &k[item])).collect();
        for epoch in stream.chunks_exact(records as usize) {
            let mut counts = BTreeMap::new();
            epoch.iter().for_each(|key| *counts.entry(key).or_insert(0) += 1);
            assert!(counts.len() == records as usize && counts.values().all(|&n| n == 1));
        }
    }
}

/// The field of a fork means `--shuffle`, for all data layers: labels from a second database stay
/// with their images.
#[test]
fn a_layer_that_shuffles_shuffles_all() {
    let fixture = Fixture::new(50);
    database(&fixture.folder.path().join("labels"), 50);
    let of = |data: &str, shuffle: bool| {
        train(WORLDS[1], &JobConfig { shuffle, ..fixture.config(data) }, 5)
    };
    let tops = r#"top: "data" top: "label""#;
    let flag = of(&one_layer(), true);
    assert!(of(&data_layer("data", "db", tops, "shuffle: true"), false) == flag);
    assert!(of(&one_layer(), false).hash != flag.hash, "key order is another one");
    let two = [
        data_layer("data", "db", r#"top: "data""#, "shuffle: true"),
        data_layer("more", "labels", r#"top: "again" top: "label""#, ""),
        r#"layer { name: "s" type: "Silence" bottom: "again" }"#.into(),
    ];
    assert!(of(&two.concat(), false).keys == flag.keys, "labels from a second database");
}

#[test]
fn what_cannot_share_an_order_is_refused() {
    let fixture = Fixture::new(50);
    database(&fixture.folder.path().join("labels"), 49);
    let refused = |data: &str| {
        let error = Job::open(fixture.config(data), &mut |_| ()).err().unwrap();
        assert!(matches!(error, TrainError::Records(_)), "{error:?}");
        error.to_string()
    };
    let two = [
        data_layer("data", "db", r#"top: "data""#, ""),
        data_layer("more", "labels", r#"top: "again" top: "label""#, ""),
    ];
    let text = refused(&two.concat());
    assert!(text.contains("layer `more` has 49 records and layer `data` 50"), "{text}");
    let dummy = r#"layer { name: "d" type: "DummyData" top: "data" top: "label"
                     dummy_data_param { shape { dim: 2 dim: 1 } } }"#;
    assert!(refused(dummy).contains("the train net has none"));
    let rows = r#"layer { name: "rows" type: "HDF5Data" top: "more"
                    hdf5_data_param { source: "list" batch_size: 3 } }"#;
    let text = refused(&[&one_layer(), rows].concat());
    assert!(text.contains("layer `rows` (HDF5Data) reads in an order of its own"), "{text}");
}

#[test]
fn a_run_does_not_go_on_in_another_order() {
    let fixture = Fixture::new(50);
    let config = fixture.config(&one_layer());
    let default = RecordSharing::default();
    for (saved, asked) in [
        ((true, default), (false, default)),
        ((false, default), (true, default)),
        ((true, sharing(2, 1)), (true, default)),
        ((true, default), (true, sharing(1, 2))),
    ] {
        let with = |(shuffle, sharing)| JobConfig { shuffle, sharing, ..config.clone() };
        train(WORLDS[0], &with(saved), 2);
        let resume = Some(fixture.state(2));
        let other = JobConfig { resume, ..with(asked) };
        let error = crate::chain(&Job::open(other, &mut |_| ()).err().unwrap());
        assert!(error.contains("read its records in another order"), "{error}");
    }
}

/// Two layers with other batch sizes move their records at their own pace.
#[test]
fn several_databases_in_memory() {
    let fixture = Fixture::new(50);
    database(&fixture.folder.path().join("labels"), 50);
    let two = [
        data_layer("data", "db", r#"top: "data""#, ""),
        data_layer("more", "labels", r#"top: "again" top: "label""#, ""),
        r#"layer { name: "s" type: "Silence" bottom: "again" }"#.into(),
    ];
    let config = fixture.config(&two.concat());
    let want = train(WORLDS[0], &config, 7);
    let memory = JobConfig { data: DataMode::Memory, ..config };
    assert!(train(WORLDS[4], &memory, 7) == want);
}

#[test]
fn what_does_not_fit_the_memory_is_refused_before_loading() {
    let fits = |config: &JobConfig| {
        let joined = on_ranks(WORLDS[2], config, |config, ranks| {
            match Job::join(config, ranks, &mut |_| ()) {
                Ok(_) => Ok(()),
                Err(TrainError::Records(problem)) => Err(problem),
                Err(error) => panic!("{error}"),
            }
        });
        joined.into_iter().next().unwrap()
    };
    let fixture = Fixture::new(50);
    let config = JobConfig { data: DataMode::Memory, ..fixture.config(&one_layer()) };
    let refused = |config: JobConfig| {
        let errors = on_ranks(WORLDS[2], &config, |config, ranks| {
            Job::join(config, ranks, &mut |_| ()).err().unwrap().to_string()
        });
        errors.into_iter().next().unwrap()
    };
    let with = |bytes| {
        let pool = MemoryPool { origin: LimitOrigin::Machine, group: String::new(), bytes };
        JobConfig { memory_pools: vec![pool], ..config.clone() }
    };
    let (nets, records) = match fits(&with(1000)) {
        Err(RecordsProblem::Memory { ranks: 2, nets, records, available: 1000, .. }) => {
            (nets, records)
        }
        other => panic!("{other:?}"),
    };
    // Each may fit where the sum does not.
    assert!(nets > 0 && records > nets, "{nets} {records}");
    assert!(matches!(fits(&with(nets + records - 1)), Err(RecordsProblem::Memory { .. })));
    assert_eq!(fits(&with(nets + records)), Ok(()));
    let skips = JobConfig { on_bad_sample: OnBadSample::Skip, ..config };
    assert!(refused(skips.clone()).contains("cannot skip bad records"));
    train(WORLDS[0], &skips, 1); // one rank holds everything, and may
}

/// A second machine with another copy of the data, by contents or by the number of records.
#[test]
fn ranks_with_different_databases_are_named() {
    for (other, data) in [(50, DataMode::Stream), (49, DataMode::Memory)] {
        let (fixture, elsewhere) = (Fixture::new(51), Fixture::new(other));
        let config = JobConfig { data, ..fixture.config(&one_layer()) };
        let root: PathBuf = elsewhere.folder.path().into();
        let errors = on_ranks(WORLDS[2], &config, move |mut config, ranks| {
            if ranks.rank().index() == 1 {
                config.root = root.clone();
            }
            Job::join(config, ranks, &mut |_| ()).err().unwrap()
        });
        for error in errors {
            match error {
                TrainError::Differs { rank: 1, what: ComparedItem::Data { layer }, .. } => {
                    assert_eq!(layer, "data");
                }
                error => panic!("{error}"),
            }
        }
    }
}

/// What arrives for an epoch is compared with what was loaded.
#[test]
fn records_that_change_in_memory_are_noticed() {
    let fixture = Fixture::new(200);
    let config = JobConfig { data: DataMode::Memory, ..fixture.config(&one_layer()) };
    let errors = on_ranks(WORLDS[2], &config, |config, ranks| {
        let mut job = Job::join(config, ranks, &mut |_| ()).unwrap();
        let communicator = job.communicator.as_mut().expect("there are two ranks");
        communicator.records.layers[0].expected.checksum ^= 1;
        (0..10).find_map(|_| job.step(&NoControl, &mut |_| ()).err()).unwrap()
    });
    for error in errors {
        let TrainError::Step(StepError::Records(problem)) = error else { panic!("{error}") };
        let layer = "data".into();
        assert_eq!(problem, RecordsProblem::Damaged { layer, epoch: 0, got: 200, want: 200 });
    }
}

#[test]
fn a_database_that_changed_since_the_snapshot_is_named() {
    for data in MODES {
        let (fixture, other) = (Fixture::new(50), Fixture::new(49));
        let config = JobConfig { data, ..fixture.config(&one_layer()) };
        train(WORLDS[1], &config, 1);
        let (resume, root) = (Some(fixture.state(1)), other.folder.path().into());
        let error = Job::open(JobConfig { resume, root, ..config }, &mut |_| ()).err().unwrap();
        let want = "layer `data` had 50 records when the snapshot was written and has 49 now";
        assert!(crate::chain(&error).contains(want), "{error}");
    }
}

/// As many records, of which one has another label: in every mode and order.
#[test]
fn a_changed_label_is_named_by_a_resume_and_between_ranks() {
    let (fixture, other) = (Fixture::new(0), Fixture::new(0));
    for (fixture, changed) in [(&fixture, 1000), (&other, 31)] {
        let label = |number| number % 7 + u32::from(number == changed);
        labelled(&fixture.folder.path().join("labels"), 50, label);
    }
    let layer = data_layer("data", "labels", r#"top: "data" top: "label""#, "");
    for (data, shuffle) in
        MODES.into_iter().flat_map(|data| [true, false].map(|shuffle| (data, shuffle)))
    {
        let config = JobConfig { data, shuffle, ..fixture.config(&layer) };
        train(WORLDS[1], &config, 1);
        let (resume, root) = (Some(fixture.state(1)), PathBuf::from(other.folder.path()));
        let resumed = JobConfig { resume, root: root.clone(), ..config.clone() };
        let error = Job::open(resumed.clone(), &mut |_| ()).err().unwrap();
        let want = "layer `data`: what it reads is not what it was when the snapshot was written";
        assert!(crate::chain(&error).contains(want), "{error}");
        let anew = JobConfig { resume_data: ResumeData::Start, ..resumed };
        assert!(Job::open(anew, &mut |_| ()).is_ok(), "nothing is continued");
        let errors = on_ranks(WORLDS[2], &config, move |config, ranks| {
            let root = if ranks.rank().index() == 1 { root.clone() } else { config.root.clone() };
            Job::join(JobConfig { root, ..config }, ranks, &mut |_| ()).err().unwrap()
        });
        for error in errors {
            assert!(matches!(error, TrainError::Differs { rank: 1, .. }), "{error}");
        }
    }
}
