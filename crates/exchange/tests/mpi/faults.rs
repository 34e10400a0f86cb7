//! Ranks that stop, die, diverge or never come: always an end, with the right name.

use crate::mpirun::{Mpirun, pause, send, until};
use std::time::Duration;

/// Silence allowed in these tests, as to users: a loaded machine may pause a healthy rank for
/// seconds.
const SILENCE_MAX: &str = "10";
/// How long the kernel may take to remove processes that were killed.
const REMOVED: Duration = Duration::from_secs(30);

/// A stream of numbers for one fault, from its seed (splitmix64).
struct SplitMix(u64);

impl SplitMix {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        let mixed = (mixed >> 33) % u64::try_from(end).expect("small");
        usize::try_from(mixed).expect("below `end`")
    }
}

/// Process numbers by rank, once all have said theirs.
fn pids(text: &str, ranks: usize) -> Option<Vec<u32>> {
    let pid = |rank: usize| {
        let start = format!("rank {rank} pid ");
        let (_, number) = text.lines().find_map(|line| line.split_once(&start))?;
        number.trim().parse().ok()
    };
    (0..ranks).map(pid).collect()
}

/// Alive and not a zombie.
fn is_running(pid: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let state = stat.rsplit(") ").next().and_then(|rest| rest.chars().next());
    stat.contains("mpi_faults") && state != Some('Z')
}

/// Stops or kills a random rank at a random moment, over and over.
#[test]
fn a_stopped_or_killed_rank_is_named() {
    let asked = std::env::var_os("FIRECAFFE_FAULTS").and_then(|n| n.to_str()?.parse().ok());
    let faults: u64 = asked.unwrap_or(3);
    for seed in 0..faults {
        let mut chance = SplitMix(seed);
        let ranks = 2 + chance.below(3);
        let victim = chance.below(ranks);
        let signal = ["-STOP", "-KILL"][chance.below(2)];
        let names = ["ring", "mpi", "reduction-tree", "auto", "multi-color:2"];
        let sizes = ["1K", "100K", "3M"];
        let (name, size) = (names[chance.below(names.len())], sizes[chance.below(sizes.len())]);
        let started = Mpirun::start("mpi_faults", ranks, &[size, name, SILENCE_MAX]);
        let Some(mut run) = started else { return };
        let pids = run.says(|text| pids(text, ranks));
        pause(Duration::from_millis(u64::try_from(chance.below(800)).unwrap()));
        let what = format!("seed {seed}: {signal} rank {victim} of {ranks}, {name} {size}");
        assert!(send(signal, pids[victim]), "{what}");
        let end = run.end();
        assert!(!end.success, "{what}\n{}", end.text);
        let ours = end.text.contains(&format!("rank {victim} is lost"));
        // mpirun itself notices a killed rank, often before silence does.
        let theirs = end.text.contains(&format!("process rank {victim} with PID"));
        assert!(ours || (signal == "-KILL" && theirs), "{what}\n{}", end.text);
        for other in (0..ranks).filter(|&other| other != victim) {
            let wrong = format!("rank {other} is lost");
            assert!(!end.text.contains(&wrong), "{what}\n{}", end.text);
        }
        let gone = until(REMOVED, || pids.iter().all(|&pid| !is_running(pid)).then_some(()));
        assert!(gone.is_some(), "{what}: of {pids:?} some still run");
    }
}

#[test]
fn a_rank_that_never_comes_is_named() {
    let args = ["1K", "ring", SILENCE_MAX, "absent", "1"];
    let Some(mut run) = Mpirun::start("mpi_faults", 3, &args) else { return };
    let end = run.end();
    assert!(!end.success);
    assert!(end.text.contains("rank 1 is late"), "{}", end.text);
    assert!(end.text.contains("before its first collective"), "{}", end.text);
}

#[test]
fn a_rank_that_diverged_is_named_with_both_sides() {
    for name in ["ring", "reduction-tree"] {
        let args = ["4K", name, SILENCE_MAX, "diverge", "2"];
        let Some(mut run) = Mpirun::start("mpi_faults", 3, &args) else { return };
        let end = run.end();
        assert!(!end.success);
        assert!(end.text.contains("rank 2 diverged"), "{name}\n{}", end.text);
        let both = end.text.contains("of 1001 f32") && end.text.contains("of 1000 f32");
        assert!(both, "{name}\n{}", end.text);
    }
}
