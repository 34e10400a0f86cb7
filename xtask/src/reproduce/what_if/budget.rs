//! Which network a given budget should buy: few machines on fast links, or many on slow ones.

use anyhow::Result;
use cluster_sim::Simulator;

use super::{WhatIfFigure, config, with_links};
use crate::bench::figure::FigureLine;
use crate::reproduce::{nets::PaperNets, read_cluster};

/// Machines that the budget buys if links cost nothing.
const MACHINES: f64 = 32.0;

/// Gbit/s, and what card, cable and switch port cost as a part of the machine's price. Assumed:
/// a machine comes with 1 Gbit/s, and fast ports cost more.
const PRICES: [(f64, f64); 5] =
    [(1.0, 0.0), (10.0, 0.05), (25.0, 0.10), (100.0, 0.35), (200.0, 0.70)];

pub(super) fn figure(nets: &PaperNets) -> Result<WhatIfFigure> {
    let cluster = read_cluster("cloud-25g")?;
    let (mut lines, mut best) = (Vec::new(), Vec::new());
    for (net, name) in nets.named() {
        let mut points = Vec::new();
        for (gbit, price) in PRICES {
            let machines = machines(price);
            let faster = with_links(&cluster, gbit);
            let job = config(machines, 32);
            let time = Simulator::new(&faster).iteration(net, &job)?.time.total();
            points.push((gbit, job.global_batch() as f64 / time));
        }
        let most = points.iter().copied().max_by(|a, b| a.1.total_cmp(&b.1));
        let (gbit, images) = most.unwrap_or_default();
        best.push(format!("{name} {gbit} Gbit/s ({images:.0} images/s)"));
        lines.push(FigureLine { name: name.to_owned(), points });
    }
    let prices: Vec<_> = (PRICES.iter())
        .map(|&(gbit, price)| format!("{} with {gbit} Gbit/s", machines(price)))
        .collect();
    let answer = format!(
        "Machines that the budget buys: {}, if a port costs 0, 5, 10, 35 and 70 % of a machine (an \
         assumption; see \
         `xtask/src/reproduce/what_if/budget.rs`). The most images/s: {}.",
        prices.join(", "),
        best.join(", ")
    );
    Ok(WhatIfFigure {
        file: "budget",
        title: "The price of 32 machines of 32 cores, batch 32 each",
        question: "Which network should a budget buy?",
        axes: ("Gbit/s", "images/s"),
        lines,
        answer,
    })
}

/// Machines that the budget buys with links of this price.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 1 to 32")]
fn machines(price: f64) -> usize {
    (MACHINES / (1.0 + price)).floor() as usize
}

#[cfg(test)]
mod tests {
    use super::{PRICES, machines};

    #[test]
    fn links_are_paid_with_machines() {
        let all = PRICES.map(|(_, price)| machines(price));
        assert_eq!(all, [32, 30, 29, 23, 18]);
    }
}
