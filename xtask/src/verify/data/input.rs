//! Bad records and databases: named, exit code 1.

use std::process::Command;

use anyhow::{Result, ensure};

use super::job::{JobFolder, JobLength, OddRecord, data_layer, finish, program};

const RECORDS: u32 = 2_000;
const LENGTH: JobLength = JobLength { iterations: 20, display: 10, snapshot: 10 };
const FLAGS: &str = "--replicas 4 --shuffle";
/// The record that is damaged or changed.
const ODD: u32 = 1234;

pub(super) fn run() -> Result<()> {
    let folder = JobFolder::new("input")?;
    folder.write(&data_layer("db", 50), LENGTH)?;
    folder.database("db", RECORDS, 4, Some(OddRecord::Damaged(ODD)))?;
    for (data, ranks) in [("stream", 1), ("memory", 1), ("memory", 2)] {
        let mut train = folder.train(ranks, &format!("{FLAGS} --data {data}"));
        refused(&mut train, &format!("damaged record, {data}"), "`00001234`")?;
    }
    let changes = [
        ("one record less", RECORDS - 1, None, "had 2000 records when the snapshot was written"),
        (
            "one label changed",
            RECORDS,
            Some(OddRecord::Relabelled(ODD)),
            "`data`: what it reads is not",
        ),
    ];
    for (change, records, odd, said) in changes {
        folder.database("db", RECORDS, 4, None)?;
        finish(&mut folder.train(1, FLAGS))?;
        folder.database("db", records, 4, odd)?;
        let resume = format!("{FLAGS} --snapshot run_iter_10.solverstate");
        refused(&mut folder.train(1, &resume), &format!("a resume, {change}"), said)?;
        two_databases(&folder, change)?;
    }
    Ok(())
}

/// Rank 1 has a database without the change of rank 0's.
fn two_databases(folder: &JobFolder, change: &str) -> Result<()> {
    let other = JobFolder::new("input_other")?;
    other.write(&data_layer("db", 50), LENGTH)?;
    other.database("db", RECORDS, 4, None)?;
    for data in ["stream", "memory"] {
        let mut train = folder.mpirun(&[(1, &folder.path)], &program());
        let flags = format!("train --solver solver.prototxt --threads 1 {FLAGS} --data {data}");
        train.args(flags.split(' ')).args([":", "-n", "1", "-wdir"]).arg(&other.path);
        train.arg(program()).args(flags.split(' '));
        let want = "differs from rank 0 in the data of layer `data`";
        refused(&mut train, &format!("two ranks, {change}, {data}"), want)?;
    }
    Ok(())
}

fn refused(command: &mut Command, what: &str, want: &str) -> Result<()> {
    let ended = command.output()?;
    let log = String::from_utf8_lossy(&ended.stderr);
    let found = log.lines().find(|line| line.contains(want));
    let shown = super::job::last_lines(&log);
    ensure!(found.is_some(), "{what}: the log does not say `{want}`: {shown}");
    // `mpirun` may itself end by the signal with which it ends the others.
    let alone = command.get_program() != "mpirun";
    let code = ended.status.code();
    ensure!(code == Some(1) || !alone && code != Some(0), "{what}: exit code {code:?}");
    println!("{what}: {}", found.unwrap_or_default().trim());
    Ok(())
}
