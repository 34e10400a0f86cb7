use std::fs;
use std::path::Path;

use super::{HELD_MAX, RunHistory};
use crate::record::{
    IterationBin, RankShare, RecordWriter, RunBegin, RunEntry, SEGMENT_ITERATIONS, TestEntry,
    TimesEntry,
};

fn begin(iteration: u64) -> RunEntry {
    RunEntry::Begin(Box::new(RunBegin { iteration, images: 64, ..RunBegin::default() }))
}

fn step(iteration: u64) -> RunEntry {
    let loss = if iteration == 123 { 99.0 } else { 1.0 };
    RunEntry::Steps(IterationBin::single(iteration, iteration as f64 * 0.001, loss, Some(8)))
}

fn write(dir: &Path, entries: impl IntoIterator<Item = RunEntry>) {
    let mut writer = RecordWriter::open(dir).unwrap();
    for (index, entry) in entries.into_iter().enumerate() {
        writer.write(&entry, index as f64 * 0.001).unwrap();
    }
}

#[test]
fn a_resumed_run_has_no_iteration_twice() {
    let dir = tempfile::tempdir().unwrap();
    let test = |iteration| {
        let outputs = vec![("accuracy".to_owned(), 0.5)];
        RunEntry::Test(TestEntry { iteration, net: 0, outputs })
    };
    write(dir.path(), [begin(0)].into_iter().chain((0..150).map(step)).chain([test(100)]));
    write(dir.path(), [begin(100), test(100)].into_iter().chain((100..200).map(step)));
    let run = RunHistory::read(dir.path()).unwrap();
    let iterations: Vec<_> = run.steps.iter().map(|bin| bin.first).collect();
    assert_eq!(iterations, (0..200).collect::<Vec<_>>());
    assert_eq!((run.tests.len(), run.begins.len(), run.iteration()), (1, 2, 200));
    assert_eq!(run.images_per_s().map(f64::round), Some(64_000.0));
}

#[test]
fn a_run_that_starts_anew_supersedes_what_the_folder_has() {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), [begin(0)].into_iter().chain((0..50).map(step)));
    write(dir.path(), [begin(0)].into_iter().chain((0..20).map(step)));
    let run = RunHistory::read(dir.path()).unwrap();
    assert_eq!((run.steps.len(), run.begins.len()), (20, 1));
}

#[test]
fn wherever_a_line_is_torn_all_lines_before_it_are_read() {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), [begin(0)].into_iter().chain((0..20).map(step)));
    let path = dir.path().join("000001.jsonl");
    let bytes = fs::read(&path).unwrap();
    let file = fs::OpenOptions::new().write(true).open(&path).unwrap();
    for length in (0..=bytes.len()).rev() {
        file.set_len(length as u64).unwrap();
        let whole = bytes[..length].iter().filter(|byte| **byte == b'\n').count();
        let run = RunHistory::read(dir.path()).unwrap();
        assert_eq!(run.steps.len(), whole.saturating_sub(1), "cut to {length} bytes");
        assert_eq!(run.damaged, 0);
    }
}

#[test]
fn old_segments_are_thinned_and_keep_extremes() {
    let dir = tempfile::tempdir().unwrap();
    let warning = RunEntry::Warning { iteration: 55, text: "look".into() };
    let times = |iteration| {
        let ranks = vec![RankShare { host: "a".into(), seconds: [1.0; 5] }];
        RunEntry::Times(TimesEntry { iteration, iterations: 500, ranks })
    };
    let iterations = 3 * SEGMENT_ITERATIONS + 7;
    let entries = (0..iterations).flat_map(|iteration| {
        let times = (iteration % 500 == 499).then(|| times(iteration + 1));
        [step(iteration)].into_iter().chain(times)
    });
    write(dir.path(), [begin(0), warning].into_iter().chain(entries));
    let mut names: Vec<_> =
        fs::read_dir(dir.path()).unwrap().map(|file| file.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["000001.thin.jsonl", "000002.thin.jsonl", "000003.jsonl", "000004.jsonl"]);
    let run = RunHistory::read(dir.path()).unwrap();
    let whole = run.steps.iter().filter(|bin| bin.count == 1).count() as u64;
    assert_eq!(whole, SEGMENT_ITERATIONS + 7);
    assert_eq!(run.steps.iter().map(|bin| bin.count).sum::<u64>(), iterations);
    assert_eq!(run.steps[1].loss.map(|loss| (100.0 * loss).round()), [100.0, 198.0, 9900.0]);
    assert_eq!(run.warnings, [(55, "look".to_owned())]);
    let seconds: f64 = run.times.iter().map(|times| times.ranks[0].seconds[0]).sum();
    assert_eq!(seconds, (iterations / 500) as f64);
}

#[test]
fn a_kill_between_the_files_of_a_thinned_segment_leaves_one_that_counts() {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), [begin(0)].into_iter().chain((0..20).map(step)));
    let whole = dir.path().join("000001.jsonl");
    fs::copy(&whole, dir.path().join("000001.thin.jsonl")).unwrap();
    assert_eq!(RunHistory::read(dir.path()).unwrap().steps.len(), 20);
}

#[test]
fn a_run_that_goes_on_is_held_in_bounded_memory() {
    let mut run = RunHistory::default();
    (0..200_000).for_each(|iteration| run.add(step(iteration)));
    assert!(run.steps.len() <= HELD_MAX);
    assert_eq!(run.steps.iter().map(|bin| bin.count).sum::<u64>(), 200_000);
    assert_eq!(run.steps.iter().map(|bin| bin.loss[2]).fold(0.0, f64::max), 99.0);
    assert!(run.steps[run.steps.len() - 10_000..].iter().all(|bin| bin.count == 1));
}
