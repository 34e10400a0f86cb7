//! One configuration of a case, and the tables that it is drawn from.

use std::fmt;

use base::random::Mt19937;

const ALGORITHMS: &[&str] =
    &["ring", "halving-doubling", "reduction-tree", "direct", "multi-color:4", "parameter-server"];
/// Megabytes; the last is more than any pool.
pub(super) const BUCKETS: &[&str] = &["0", "1", "4", "16", "64", "1000"];
/// Wire format and compression; half of the draws are plain.
const CODINGS: &[(&str, Option<&str>)] = &[
    ("f32", None),
    ("f32", None),
    ("f32", None),
    ("f32", None),
    ("f32", None),
    ("f16", None),
    ("f32", Some("sparse-chunks:share=0.15,chunk=32768,warmup=0")),
    ("f32", Some("one-bit")),
    ("f32", Some("top-k:share=0.01")),
    ("f32", Some("power-sgd:rank=2")),
];

/// How a case is trained.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::verify::simulator) struct PointConfig {
    pub(in crate::verify::simulator) algorithm: &'static str,
    pub(super) bucket_mb: &'static str,
    pub(in crate::verify::simulator) wire: &'static str,
    pub(in crate::verify::simulator) compression: Option<&'static str>,
    pub(in crate::verify::simulator) overlap: bool,
}

impl PointConfig {
    pub(super) fn draw(random: &mut Mt19937) -> Self {
        let (wire, compression) = *pick(random, CODINGS);
        Self {
            algorithm: *pick(random, ALGORITHMS),
            bucket_mb: *pick(random, BUCKETS),
            wire,
            compression,
            overlap: random.remainder(2) == 0,
        }
    }

    pub(in crate::verify::simulator) fn bucket_bytes(&self) -> usize {
        1_000_000 * self.bucket_mb.parse::<usize>().expect("a whole number of the table")
    }

    /// Of `train`.
    pub(in crate::verify::simulator) fn flags(&self) -> Vec<&'static str> {
        let overlap = if self.overlap { "on" } else { "off" };
        let mut flags = vec!["--allreduce", self.algorithm, "--bucket-mb", self.bucket_mb];
        flags.extend(["--wire", self.wire, "--overlap", overlap]);
        if let Some(compression) = self.compression {
            flags.extend(["--compression", compression, "--compression-always"]);
        }
        flags
    }
}

/// One row of a table.
pub(super) fn pick<'t, T>(random: &mut Mt19937, table: &'t [T]) -> &'t T {
    let len = u32::try_from(table.len()).expect("tables are short");
    &table[random.remainder(len) as usize]
}

impl fmt::Display for PointConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { algorithm, bucket_mb, wire, compression, overlap } = self;
        let coding = compression.unwrap_or(wire);
        let overlap = if *overlap { "overlap" } else { "no overlap" };
        write!(f, "{algorithm}, {bucket_mb} MB, {coding}, {overlap}")
    }
}
