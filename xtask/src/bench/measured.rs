//! Runs `firecaffe bench allreduce` on threads, under `mpirun` or on the namespace cluster, and
//! reads its JSON.

use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::shell::output;

/// One result.
pub(super) struct AllreduceTime {
    pub(super) algorithm: String,
    pub(super) transport: String,
    pub(super) workers: usize,
    pub(super) time_ms: f64,
    pub(super) busbw_gbs: f64,
}

/// Appends the command and the flags of one measurement and runs it. Wrong sums are an error.
pub(super) fn measure(
    command: &mut Command,
    bytes: &str,
    algorithms: &str,
    iterations: &str,
    more: &[&str],
) -> Result<Vec<AllreduceTime>> {
    command.args(["bench", "allreduce", "--sizes", bytes, "--algorithms", algorithms]);
    let text = output(command.args(["--iterations", iterations, "--json", "-"]).args(more))?;
    let json = text.find("{\"results\"").context("no JSON in what the bench wrote")?;
    let json: Value = serde_json::from_str(&text[json..])?;
    let results = json["results"].as_array().context("`results` is not a list")?;
    results.iter().map(read).collect()
}

fn read(result: &Value) -> Result<AllreduceTime> {
    let text = |name: &str| result[name].as_str().with_context(|| format!("no `{name}`"));
    let number = |name: &str| result[name].as_f64().with_context(|| format!("no `{name}`"));
    let algorithm = text("algorithm")?.to_owned();
    let workers = result["workers"].as_u64().context("no `workers`")?;
    ensure!(result["wrong"].as_u64() == Some(0), "{algorithm}: wrong sums");
    Ok(AllreduceTime {
        algorithm,
        transport: text("transport")?.to_owned(),
        workers: usize::try_from(workers)?,
        time_ms: number("time_us")? / 1e3,
        busbw_gbs: number("busbw_gbs")?,
    })
}
