//! Results of `bench allreduce` as a table with nccl-tests' columns, and as JSON.

use crate::wire::WireFormat;
use collective::{Algorithm, AlgorithmChoice};
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt::Write;

/// One line of the table.
#[derive(Debug, Clone, PartialEq)]
pub struct AllReduceResult {
    /// The algorithm as it was asked for, e.g. `auto`.
    pub asked: AlgorithmChoice,
    /// The algorithm that ran.
    pub algorithm: Algorithm,
    /// `local` or `mpi`.
    pub transport: &'static str,
    /// Ranks that took part.
    pub workers: usize,
    /// How elements travelled.
    pub wire: &'static WireFormat,
    /// Length of the buffer.
    pub elements: usize,
    /// Median over iterations of the slowest rank's time.
    pub time_us: f64,
    /// The fastest iteration.
    pub time_min_us: f64,
    /// Values on all ranks and in all iterations that were not the sum.
    pub wrong: u64,
}

impl AllReduceResult {
    /// Size of the buffer on the wire.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.elements * self.wire.element_bytes
    }

    /// Buffer per time, in 10^9 bytes per second.
    #[must_use]
    pub fn algbw_gbs(&self) -> f64 {
        if self.time_us > 0.0 { self.bytes() as f64 / self.time_us / 1e3 } else { 0.0 }
    }

    /// What the busiest link of an ideal algorithm would carry: comparable between worlds.
    #[must_use]
    pub fn busbw_gbs(&self) -> f64 {
        let p = self.workers as f64;
        self.algbw_gbs() * 2.0 * (p - 1.0) / p
    }
}

/// The table's head.
#[must_use]
pub(super) fn table_head() -> String {
    let mut head = String::new();
    let _ = writeln!(
        head,
        "#{:>12} {:>12} {:>6} {:>5} {:>11} {:>8} {:>8} {:>7}  algorithm",
        "size", "count", "type", "redop", "time", "algbw", "busbw", "#wrong"
    );
    let _ = writeln!(
        head,
        "#{:>12} {:>12} {:>6} {:>5} {:>11} {:>8} {:>8} {:>7}",
        "(B)", "(elements)", "", "", "(us)", "(GB/s)", "(GB/s)", ""
    );
    head
}

/// One line of the table.
#[must_use]
pub(super) fn table_line(m: &AllReduceResult) -> String {
    let ran = match &m.asked {
        AlgorithmChoice::Named(algorithm) => algorithm.to_string(),
        asked => format!("{asked} ({})", m.algorithm),
    };
    format!(
        " {:>12} {:>12} {:>6} {:>5} {:>11.1} {:>8.3} {:>8.3} {:>7}  {ran}, {} x{}\n",
        m.bytes(),
        m.elements,
        m.wire.name,
        "sum",
        m.time_us,
        m.algbw_gbs(),
        m.busbw_gbs(),
        m.wrong,
        m.transport,
        m.workers,
    )
}

/// `{"results":[..]}`, as `xtask bench` and other programs read it.
#[must_use]
pub fn json(results: &[AllReduceResult]) -> String {
    let results: Vec<_> = results.iter().map(ResultRow::of).collect();
    let report = BTreeMap::from([("results", results)]);
    serde_json::to_string(&report).expect("strings and numbers can be written") + "\n"
}

/// One object of the list.
#[derive(Serialize)]
struct ResultRow<'a> {
    /// As it was asked for.
    algorithm: String,
    /// What ran.
    chosen: &'a str,
    transport: &'a str,
    workers: usize,
    #[serde(rename = "type")]
    wire: &'a str,
    bytes: usize,
    time_us: f64,
    time_min_us: f64,
    algbw_gbs: f64,
    busbw_gbs: f64,
    wrong: u64,
}

impl<'a> ResultRow<'a> {
    fn of(result: &'a AllReduceResult) -> Self {
        Self {
            algorithm: result.asked.to_string(),
            chosen: result.algorithm.name(),
            transport: result.transport,
            workers: result.workers,
            wire: result.wire.name,
            bytes: result.bytes(),
            time_us: result.time_us,
            time_min_us: result.time_min_us,
            algbw_gbs: result.algbw_gbs(),
            busbw_gbs: result.busbw_gbs(),
            wrong: result.wrong,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{AllReduceResult, json, table_head, table_line};
    use crate::wire;
    use collective::{Algorithm, AlgorithmChoice};
    use expect_test::expect;

    #[test]
    fn table_and_json() {
        let measured = AllReduceResult {
            asked: AlgorithmChoice::Auto,
            algorithm: Algorithm::direct(),
            transport: "local",
            workers: 4,
            wire: wire::F32,
            elements: 25_000_000,
            time_us: 25_000.0,
            time_min_us: 24_000.0,
            wrong: 0,
        };
        let table = table_head() + &table_line(&measured);
        expect![[r#"
            #        size        count   type redop        time    algbw    busbw  #wrong  algorithm
            #         (B)   (elements)                     (us)   (GB/s)   (GB/s)        
                100000000     25000000    f32   sum     25000.0    4.000    6.000       0  auto (direct), local x4
        "#]]
        .assert_eq(&table);
        expect![[r#"
            {"results":[{"algorithm":"auto","chosen":"direct","transport":"local","workers":4,"type":"f32","bytes":100000000,"time_us":25000.0,"time_min_us":24000.0,"algbw_gbs":4.0,"busbw_gbs":6.0,"wrong":0}]}
        "#]]
        .assert_eq(&json(&[measured]));
    }
}
