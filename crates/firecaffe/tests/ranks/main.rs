//! `mpirun firecaffe …`: the program on several ranks, checked, stopped and killed.
//!
//! Needs Open MPI's and MPICH's launchers; `cargo xtask test` brings them. Where one is missing its
//! tests say SKIPPED, or fail if `FIRECAFFE_NO_SKIP` is set.
#![expect(clippy::unwrap_used, reason = "a helper that fails fails its test")]

#[path = "../it/support.rs"]
#[expect(dead_code, reason = "the other tests use more of it")]
mod support;

use std::fs;
use std::process::Command;

use exchange::compression::COMPRESSIONS;
use support::{Folder, NET, Ran, Running, send};

/// `timeout` ends a run that hangs, and the test fails. None takes a tenth of it, but some machines
/// are slow and busy, and waiting costs nothing when all is well.
const SECONDS_MAX: &str = "300";

/// Open MPI's and MPICH's launchers, as Debian calls them.
const MPIRUN: &str = "mpirun.openmpi";
const MPIEXEC: &str = "mpiexec.mpich";

/// Whether a launcher is here; if not, this says SKIPPED.
#[must_use]
#[expect(clippy::print_stdout, reason = "a skipped test says so")]
fn has(launcher: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path).any(|folder| folder.join(launcher).is_file());
    let refused = std::env::var_os("FIRECAFFE_NO_SKIP").is_some();
    assert!(found || !refused, "skips are refused, but there is no `{launcher}`");
    if !found {
        println!("SKIPPED: no `{launcher}`");
    }
    found
}

/// Ranks write to the error stream of `mpirun`, which puts together what it reads of each: a line
/// of one can come to stand within a line of another.
const TOGETHER: &str = r#"exec "$0" "$@""#;
/// Ranks write to files of their own.
const APART: &str = r#"exec "$0" "$@" 2> "stderr.$OMPI_COMM_WORLD_RANK""#;

/// `mpirun` with a part for each of `parts`: how many ranks, and their arguments. `start` is how a
/// shell starts each.
fn mpirun(folder: &Folder, start: &str, parts: &[(usize, &[&str])]) -> Command {
    let mut command = Command::new("timeout");
    command.args(["-k", "5", SECONDS_MAX, MPIRUN, "--allow-run-as-root", "--oversubscribe"]);
    command.args(["--bind-to", "none", "--mca", "mpi_yield_when_idle", "1"]);
    for (index, (ranks, args)) in parts.iter().enumerate() {
        if index > 0 {
            command.arg(":");
        }
        let program = env!("CARGO_BIN_EXE_firecaffe");
        command.args(["-n", &ranks.to_string(), "sh", "-c", start, program]).args(*args);
    }
    // Open MPI keeps files of a run in `TMPDIR`; in the common folder two runs that start at once
    // can both try to make the same one, and one of them fails.
    command.env("TMPDIR", folder.path("")).current_dir(folder.path("")).env("TZ", "UTC");
    command
}

/// Runs to the end; the error stream is that of `mpirun`, then that of each rank.
fn run(folder: &Folder, parts: &[(usize, &[&str])]) -> Ran {
    let mut ran = Ran::from(mpirun(folder, APART, parts).output().unwrap());
    for name in folder.files().iter().filter(|name| name.starts_with("stderr.")) {
        ran.err += &String::from_utf8_lossy(&folder.read(name));
        fs::remove_file(folder.path(name)).unwrap();
    }
    ran
}

fn train(folder: &Folder, ranks: usize, more: &[&str]) -> Ran {
    let args = [&["train", "--solver", "solver.prototxt", "--threads", "1"], more].concat();
    run(folder, &[(ranks, &args)])
}

/// Starts a run that would not end by itself and waits until it trains.
fn start(folder: &Folder, ranks: usize, more: &[&str]) -> Running {
    let args = [&["train", "--solver", "solver.prototxt", "--threads", "1"], more].concat();
    let mut run = Running::start(&mut mpirun(folder, TOGETHER, &[(ranks, &args)]));
    run.wait_for("Iteration 0 (");
    run
}

/// The process of a rank that runs in `folder`, known by the environment that `mpirun` gave it.
fn process(folder: &Folder, rank: usize) -> String {
    let ours = format!("TMPDIR={}", folder.path("").display());
    let rank = format!("OMPI_COMM_WORLD_RANK={rank}");
    let is_it = |pid: &String| {
        let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        let has = |want: &str| environment.split(|&byte| byte == 0).any(|it| it == want.as_bytes());
        has(&ours) && has(&rank)
    };
    let processes = fs::read_dir("/proc").unwrap().map(|entry| entry.unwrap().file_name());
    let mut processes = processes.map(|name| name.to_string_lossy().into_owned());
    processes.find(is_it).expect("a process of that rank")
}

#[test]
fn ranks_workers_and_algorithms_give_the_bits_of_one_worker() {
    if !has(MPIRUN) {
        return;
    }
    let folder = Folder::new("max_iter: 12 test_iter: 5 test_interval: 6 display: 4");
    folder.write("net.prototxt", with_test_data());
    let one = folder.train(&["--replicas", "4", "--workers", "1"]).succeeds();
    let scores = |ran: &Ran| -> Vec<String> {
        let shown = ran.err.lines().filter(|line| line.contains("net output #"));
        shown.map(|line| line.split_once("] ").unwrap().1.to_owned()).collect()
    };
    assert!(!scores(&one).is_empty());
    for (ranks, more) in [
        (2, &["--workers", "2"][..]),
        (4, &["--allreduce", "reduction-tree", "--bucket-mb", "0.01"]),
        (4, &["--allreduce", "halving-doubling", "--overlap", "off"]),
        (2, &["--allreduce", "direct"]),
    ] {
        let ran = train(&folder, ranks, &[&["--replicas", "4"], more].concat()).succeeds();
        assert_eq!(ran.hash(), one.hash(), "{ranks} ranks {more:?}");
        assert_eq!(scores(&ran), scores(&one), "{ranks} ranks {more:?}");
        assert_eq!(
            ran.err.matches("weights after 12 steps").count(),
            1,
            "rank 0 logs: {}",
            ran.err
        );
    }
}

/// Every command line of `advise` trains: with a compression, with another batch, and the best.
#[test]
fn advised_commands_train() {
    if !has(MPIRUN) {
        return;
    }
    let folder = Folder::new("max_iter: 2");
    let cluster = "name = \"two\"\nnodes = 2\n[device]\nname = \"host\"\ngflops = 1.0\n\
                   [nic]\nlatency_us = 1.0\nbandwidth_gbs = 0.001\n";
    folder.write("cluster.toml", cluster);
    let job = ["--model", "net.prototxt", "--cluster", "cluster.toml", "--ranks", "2"];
    let advice = folder.run(&[&["advise"], &job[..]].concat()).succeeds().out;
    let mut commands = 0;
    for line in advice.lines().filter(|line| line.contains("firecaffe ")) {
        let (launcher, args) = line.split_once("firecaffe ").unwrap();
        let args: Vec<&str> = args.split(' ').collect();
        match launcher {
            "" => _ = folder.run(&args).succeeds(),
            _ => _ = run(&folder, &[(2, &args)]).succeeds(),
        }
        commands += 1;
    }
    // A compression, a batch with its solver, and the best; an exact one if the best is not.
    assert!((4..=5).contains(&commands), "{advice}");
}

/// Loaded at run time, each by the launcher's environment alone.
#[test]
fn one_binary_serves_open_mpi_and_mpich() {
    let folder = Folder::new("max_iter: 6");
    let one = folder.train(&["--replicas", "4"]).succeeds();
    let args = ["train", "--solver", "solver.prototxt", "--threads", "1", "--replicas", "4"];
    for (launcher, flags, name, ranks) in [
        (MPIRUN, &["--allow-run-as-root", "--oversubscribe"][..], "Open MPI v", "4"),
        (MPIEXEC, &[], "MPICH Version", "2"),
    ] {
        if !has(launcher) {
            continue;
        }
        let mut command = Command::new("timeout");
        command.args(["-k", "5", SECONDS_MAX, launcher]).args(flags);
        command.args(["-n", ranks, env!("CARGO_BIN_EXE_firecaffe")]).args(args);
        command.env("TMPDIR", folder.path("")).current_dir(folder.path(""));
        let ran = Ran::from(command.output().unwrap()).succeeds();
        assert_eq!(ran.hash(), one.hash(), "{launcher}: {}", ran.err);
        assert!(ran.err.contains(&format!("MPI library: {name}")), "{launcher}: {}", ran.err);
        assert!(ran.err.contains(&format!("{ranks} ranks on 1 host")), "{launcher}: {}", ran.err);
    }
}

/// MPICH's launcher with Open MPI's library: every process would be a world of one.
#[test]
fn a_library_of_another_launcher_is_refused_with_the_remedy() {
    if !has(MPIRUN) || !has(MPIEXEC) {
        return;
    }
    let folder = Folder::new("max_iter: 1");
    for (launcher, flags, library, remedy) in [
        (
            MPIRUN,
            &["--allow-run-as-root"][..],
            "libmpich.so.12",
            "its mpiexec or `srun --mpi=pmi2`",
        ),
        (MPIEXEC, &[], "libmpi.so.40", "its mpirun or `srun --mpi=pmix`"),
    ] {
        let mut command = Command::new("timeout");
        command.args(["-k", "5", SECONDS_MAX, launcher]).args(flags);
        command.args(["-n", "2", env!("CARGO_BIN_EXE_firecaffe"), "train"]);
        command.args(["--solver", "solver.prototxt", "--mpi", library]);
        command.env("TMPDIR", folder.path("")).current_dir(folder.path(""));
        let ran = Ran::from(command.output().unwrap());
        assert_ne!(ran.code, Some(0), "{launcher}: {}", ran.err);
        assert!(ran.err.contains("the launcher started 2 ranks"), "{launcher}: {}", ran.err);
        assert!(ran.err.contains("knows of 1") && ran.err.contains(remedy), "{}", ran.err);
    }
    assert!(!folder.files().iter().any(|name| name.contains("_iter_")), "nothing was written");
}

#[test]
fn in_16_bits_ranks_give_the_bits_of_one_worker() {
    if !has(MPIRUN) {
        return;
    }
    let folder = Folder::new("max_iter: 6");
    for wire in ["f16", "bf16"] {
        let args = ["--replicas", "4", "--wire", wire];
        let one = folder.train(&args).succeeds();
        for (ranks, algorithm) in [(2, "direct"), (4, "halving-doubling")] {
            let more = ["--allreduce", algorithm];
            let ran = train(&folder, ranks, &[&args[..], &more].concat()).succeeds();
            assert_eq!(ran.hash(), one.hash(), "{ranks} ranks, {wire}");
        }
    }
}

#[test]
fn compressed_ranks_stop_resume_and_change_in_number() {
    if !has(MPIRUN) {
        return;
    }
    let folder = Folder::new("max_iter: 8 snapshot: 4");
    let always = ["--replicas", "4", "--compression-always", "--compression"];
    for compression in ["top-k:share=0.05", "sparse-chunks:chunk=4096,warmup=0"] {
        let args = [&always[..], &[compression]].concat();
        let whole = train(&folder, 4, &args).succeeds();
        let resume = [&args[..], &["--snapshot", "snap_iter_4.solverstate"]].concat();
        let resumed = train(&folder, 4, &resume).succeeds();
        assert_eq!(resumed.hash(), whole.hash(), "{compression}");
        let other = train(&folder, 2, &resume).succeeds();
        assert!(other.err.contains("residuals of 4 ranks"), "{}", other.err);
        train(&folder, 4, &args).succeeds();
    }
    let measured = ["--replicas", "4", "--compression", "one-bit"];
    let ran = train(&folder, 2, &measured).succeeds();
    assert!(ran.err.contains("where it takes less time (network "), "{}", ran.err);
}

/// Rows side by side: most of the time is waiting for `mpirun`.
#[test]
fn a_rank_that_is_killed_costs_no_bit_with_any_compression() {
    if !has(MPIRUN) {
        return;
    }
    std::thread::scope(|scope| {
        for kind in COMPRESSIONS {
            let options = match kind.name {
                "sparse-chunks" => ":share=0.3,chunk=4096,warmup=0",
                "threshold" => ":tau=3",
                _ => "",
            };
            scope.spawn(move || kill_and_resume(&format!("{}{options}", kind.name)));
        }
    });
}

/// A rank is killed while it trains, and half of its last residuals is all that it wrote: the run
/// goes on from the snapshot before, to the bits of one that nobody killed.
fn kill_and_resume(compression: &str) {
    let folder = Folder::new("max_iter: 1000000 snapshot: 10 display: 1000000");
    // Large enough for chunks of `sparse-chunks`.
    folder.write("net.prototxt", NET.replace("num_output: 4", "num_output: 32"));
    let args = ["--compression-always", "--compression", compression];
    let mut run = start(&folder, 2, &args);
    run.wait_for("snap_iter_20.solverstate");
    send("-KILL", &process(&folder, 1));
    assert_ne!(run.end().code, Some(0), "{compression}");

    let iteration = |name: String| -> Option<u64> {
        name.strip_prefix("snap_iter_")?.strip_suffix(".solverstate")?.parse().ok()
    };
    let last = folder.files().into_iter().filter_map(iteration).max().unwrap();
    let residuals = format!("snap_iter_{last}.residuals.1-of-2");
    let written = folder.read(&residuals);
    folder.write(&residuals, &written[..written.len() / 2]);
    folder.solver(&format!("max_iter: {}", last + 3));
    let state = format!("snap_iter_{last}.solverstate");
    let from = |snapshot: &str| train(&folder, 2, &[&args[..], &["--snapshot", snapshot]].concat());
    let refused = from(&state);
    assert!(refused.code != Some(0) && refused.err.contains(&residuals), "{}", refused.err);
    let resumed = from("auto").succeeds();
    assert!(resumed.err.contains(&format!("{state} is passed over")), "{}", resumed.err);
    let whole = train(&folder, 2, &args).succeeds();
    assert_eq!(resumed.hash(), whole.hash(), "{compression}");
}

/// The net of the other tests, with a test phase whose batches do not divide the records.
fn with_test_data() -> String {
    let data = NET.find("layer {").unwrap();
    let mut net = NET.to_owned();
    net.insert_str(
        data,
        r#"layer { name: "scored" type: "Data" top: "data" top: "label" include { phase: TEST }
             transform_param { scale: 0.00390625 }
             data_param { source: "train_lmdb" batch_size: 24 backend: LMDB } }
        "#,
    );
    net.replacen(
        r#"name: "data" type: "Data" top: "data" top: "label""#,
        r#"name: "data" type: "Data" top: "data" top: "label" include { phase: TRAIN }"#,
        1,
    )
}

#[test]
fn sigusr1_stops_all_ranks_and_another_number_goes_on_to_the_same_bits() {
    if !has(MPIRUN) {
        return;
    }
    let folder = Folder::new("max_iter: 10000000 display: 1000000");
    let run = start(&folder, 2, &[]);
    send("-USR1", &process(&folder, 1)); // not rank 0
    let ran = run.end().succeeds();
    assert!(ran.err.contains("Optimization stopped early."), "{}", ran.err);
    let state = folder.files().into_iter().find(|name| name.ends_with(".solverstate"));
    let state = state.expect("a snapshot");
    let iter: u64 =
        state.trim_start_matches("snap_iter_").split('.').next().unwrap().parse().unwrap();
    folder.solver(&format!("max_iter: {}", iter + 3));
    let resumed = train(&folder, 2, &["--snapshot", &state]).succeeds();
    let alone = folder.train(&["--snapshot", &state]).succeeds();
    assert_eq!(resumed.hash(), alone.hash());
    let whole = folder.train(&["--replicas", "2"]).succeeds();
    assert_eq!(whole.hash(), resumed.hash(), "the stop left no trace");
}

#[test]
fn ranks_that_differ_are_named_before_the_first_iteration() {
    if !has(MPIRUN) {
        return;
    }
    let folder = Folder::new("max_iter: 3");
    folder.write("other.prototxt", NET.replace("num_output: 4", "num_output: 5"));
    let solver = String::from_utf8(folder.read("solver.prototxt")).unwrap();
    folder.write("other_solver.prototxt", solver.replace("net.prototxt", "other.prototxt"));
    let part = |solver| ["train", "--threads", "1", "--solver", solver];
    let (usual, other) = (part("solver.prototxt"), part("other_solver.prototxt"));
    let ran = run(&folder, &[(1, &usual), (1, &other)]);
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    assert!(ran.err.contains("rank 1 on "), "{}", ran.err);
    assert!(ran.err.contains("differs from rank 0 in the solver"), "{}", ran.err);
    assert!(!ran.err.contains("Iteration"), "{}", ran.err);

    let ran = run(&folder, &[(1, &usual), (1, &part("absent"))]);
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    assert!(ran.err.contains("firecaffe: rank 1: cannot read absent"), "{}", ran.err);
}

#[test]
fn a_loss_that_is_not_finite_ends_all_ranks_with_one_message() {
    if !has(MPIRUN) {
        return;
    }
    let folder = Folder::new("max_iter: 50");
    let solver = String::from_utf8(folder.read("solver.prototxt")).unwrap();
    folder.write("solver.prototxt", solver.replace("base_lr: 0.05", "base_lr: 1e30"));
    let ran = train(&folder, 2, &[]);
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    assert_eq!(ran.err.matches("Lower `base_lr`").count(), 1, "{}", ran.err);
}

#[test]
fn a_stopped_rank_is_named_and_ends_the_others() {
    if !has(MPIRUN) {
        return;
    }
    let folder = Folder::new("max_iter: 10000000 display: 1000000");
    let run = start(&folder, 3, &[]);
    send("-STOP", &process(&folder, 2));
    let ran = run.end();
    assert_ne!(ran.code, Some(0));
    assert!(ran.err.contains("firecaffe: rank 2 is lost"), "{}", ran.err);
}

#[test]
fn bench_measures_and_checks_every_sum() {
    if !has(MPIRUN) {
        return;
    }
    let folder = Folder::new("");
    let names = "auto,mpi,ring,halving-doubling,multi-color:2,parameter-server,reduction-tree";
    let flags = ["--sizes", "4,40K,1M", "--algorithms", names, "--iterations", "2"];
    let more = ["--warm-ups", "0", "--cut", "100Kx3", "--json", "-"];
    let args = [&["bench", "allreduce"], &flags[..], &more].concat();
    let ran = run(&folder, &[(3, &args)]).succeeds();
    assert!(ran.out.starts_with("{\"results\""), "JSON alone: {}", ran.out);
    assert_eq!(ran.out.matches("{\"results\"").count(), 1, "one rank writes: {}", ran.out);
    assert_eq!(ran.err.matches("#wrong").count(), 1, "one table: {}", ran.err);
    assert_eq!(ran.out.matches("\"wrong\":0}").count(), 21, "{}", ran.out);
    assert_eq!(ran.out.matches("\"transport\":\"mpi\"").count(), 21, "{}", ran.out);
}

#[test]
fn bench_moves_16_bit_elements_and_refuses_what_the_library_cannot() {
    if !has(MPIRUN) {
        return;
    }
    let folder = Folder::new("");
    let flags = ["bench", "allreduce", "--sizes", "40K", "--iterations", "2", "--type", "f16"];
    let args = [&flags[..], &["--algorithms", "ring,multi-color:17", "--json", "-"]].concat();
    let ran = run(&folder, &[(3, &args)]).succeeds();
    assert_eq!(ran.out.matches("\"type\":\"f16\"").count(), 2, "{}", ran.out);
    assert_eq!(ran.out.matches("\"wrong\":0}").count(), 2, "{}", ran.out);
    let ran = run(&folder, &[(2, &[&flags[..], &["--algorithms", "mpi"]].concat())]);
    assert_ne!(ran.code, Some(0));
    assert!(ran.err.contains("algorithm `mpi` sums f32 only, not `f16`"), "{}", ran.err);
}

/// What rank 0 saves is a cluster file, with which `train` chooses its algorithms.
#[test]
fn bench_network_describes_the_cluster() {
    let folder = Folder::new("max_iter: 2");
    let save = ["--threads", "1", "--save", "c.toml"];
    let ran = run(&folder, &[(2, &[&["bench", "network"], &save[..]].concat())]).succeeds();
    assert_eq!(ran.out.matches("saved to c.toml").count(), 1, "one rank writes: {}", ran.out);
    let text = String::from_utf8(folder.read("c.toml")).unwrap();
    assert!(text.contains("devices_per_node = 2") && text.contains("[intra_node]"), "{text}");
    run(&folder, &[(2, &["train", "--solver", "solver.prototxt", "--network", "c.toml"])])
        .succeeds();
    let dilated = ["--dilate", "3", "--save", "d.toml"];
    run(&folder, &[(2, &[&["bench", "network"], &dilated[..]].concat())]).succeeds();
    let text = String::from_utf8(folder.read("d.toml")).unwrap();
    assert!(!text.contains("compute_slowdown"), "an emulated run does not compute: {text}");
}

/// Waiting is fast, but what else runs on this machine may keep its cores too busy for a figure.
#[test]
fn an_emulated_run_has_ranks_and_sums_but_no_weights() {
    if !has(MPIRUN) {
        return;
    }
    let folder = Folder::new("max_iter: 4");
    let profile = |images_per_second: u32| {
        format!(
            r#"{{ "format": "firecaffe profile 1", "net": "small", "batch": 16, "machine": "m",
                "source": "s", "images_per_second": {images_per_second} }}"#
        )
    };
    folder.write("p.json", profile(2000));
    folder.write("other.json", profile(1000));
    let ran = train(&folder, 2, &["--emulate", "p.json", "--dilate", "2"]);
    let busy = "no images/s: the cores were ";
    let told = [" images/s emulated; ", busy].iter().any(|words| ran.err.contains(words));
    assert!(told && ran.err.contains("time passes 2 times slower"), "{}", ran.err);
    assert_eq!(ran.code == Some(0), !ran.err.contains(busy), "{}", ran.err);
    assert!(!ran.err.contains("weights after"), "{}", ran.err);
    let args = |profile| ["train", "--solver", "solver.prototxt", "--emulate", profile];
    let ran = run(&folder, &[(1, &args("p.json")), (1, &args("other.json"))]);
    assert!(
        ran.err.contains("in `--emulate` or `--dilate`: give all ranks the same"),
        "{}",
        ran.err
    );
}
