//! `docs/algorithms.md`, generated: the table's words and the verifier's figures.

use crate::{ALGORITHMS, Algorithm, CollectiveOperation, PlanFigures, Segmentation, verify};
use base::Rank;
use std::fmt::Write;

/// Worlds whose figures are shown.
const WORLDS: &[usize] = &[2, 3, 4, 7, 8, 16, 32];

/// Values in the example's buffer: divides by every number of chunks that occurs.
const LEN: usize = 64 * 3 * 5 * 7;

/// The page. The same table gives the same text, so a check can compare it with the file.
#[must_use]
pub fn markdown() -> String {
    let mut page = String::from(HEAD);
    page.push_str("\n| name | does | rounds | busiest link |\n|---|---|---|---|\n");
    for row in ALGORITHMS {
        let [rounds, busiest_link] =
            [row.rounds, row.busiest_link].map(|formula| formula.replace('|', "\\|"));
        let _ =
            writeln!(page, "| `{}` | {} | {rounds} | {busiest_link} |", row.syntax, row.summary);
    }
    page.push_str(FIGURES);
    page.push_str("\n| name | exact |");
    WORLDS.iter().for_each(|world| _ = write!(page, " p = {world} |"));
    page.push_str("\n|---|---|");
    WORLDS.iter().for_each(|_| page.push_str("---|"));
    page.push('\n');
    for name in names() {
        let algorithm: Algorithm = name.parse().expect("a name of the table");
        let exact = WORLDS.iter().all(|&world| algorithm.is_exact(world));
        let _ = write!(page, "| `{name}` | {} |", if exact { "yes" } else { "no" });
        for &world in WORLDS {
            let figures = figures(&algorithm, world);
            let busiest_link = figures.sent.max(figures.received) as f64 / LEN as f64;
            let _ =
                write!(page, " {} · {} · {busiest_link:.2} |", figures.rounds, figures.messages);
        }
        page.push('\n');
    }
    page.push_str(TAIL);
    page
}

fn names() -> [&'static str; 10] {
    [
        "direct",
        "halving-doubling",
        "hierarchical:4:direct+ring",
        "hierarchical:4:direct+halving-doubling",
        "multi-color:2",
        "multi-color:4",
        "parameter-server",
        "parameter-server:4",
        "reduction-tree",
        "ring",
    ]
}

fn figures(algorithm: &Algorithm, world: usize) -> PlanFigures {
    let plans: Vec<_> = (0..world)
        .filter_map(|index| Rank::new(index, world))
        .filter_map(|rank| algorithm.plan(rank, LEN, Segmentation::WHOLE))
        .collect();
    verify(CollectiveOperation::AllReduce, &plans).expect("the tests prove every row")
}

const HEAD: &str = "\
# Algorithms

Generated from the `ALGORITHMS` table of `crates/collective` and the verifier's figures; do not
edit.

`--allreduce` takes a name from this table, `auto` (the cheapest exact one by the cost model),
`auto-any` (the cheapest of all) or rules by size in bytes,
`halving-doubling:0-256K;multi-color:256K-` (K is 10^3, M 10^6; the upper end is excluded).

With p ranks; the busiest link is the most that any rank sends, and receives, in buffer lengths.
";

const FIGURES: &str = "
## Figures

The verifier executes every rank's plan symbolically and counts: rounds · messages of the busiest
rank · busiest link, in one pass. Exact: the sum follows the canonical tree, so for each wire format
all exact algorithms give the same bits.
";

const TAIL: &str = "
A round is a message on the longest chain, when each rank sends one and takes one at a time in each
lane. Long buffers travel in several passes that run side by side; that multiplies messages, keeps
volumes, and hides rounds behind transfer.

The cost is `rounds · latency + busiest link · bytes / bandwidth + additions · bytes / reduce rate`,
with values that `firecaffe bench network` measures.
";

#[cfg(test)]
mod tests {
    use expect_test::expect_file;

    /// Stale after a change to the table: `UPDATE_EXPECT=1`, or `cargo xtask codegen`, rewrites it.
    #[test]
    fn page_is_current() {
        expect_file!["../../../docs/algorithms.md"].assert_eq(&super::markdown());
    }
}
