//! `time --roofline`: how near every layer comes to what the machine allows.
//!
//! A layer cannot take less time than its operations at the measured peak, nor less than its bytes
//! at the measured bandwidth; the larger of the two is its bound. The last column is bound over
//! time. Above 100 % of memory a cache held what is counted as memory traffic.

use std::collections::BTreeMap;
use std::time::Duration;

use net::LayerSummary;
use report::chart::{ChartAxis, ChartRow, RowChart, RowMark};

use super::LayerTimes;
use super::machine::MachinePeaks;
use super::work::{self, LayerWork};
use crate::commands::columns::{self, Side};

const COLUMNS: [(&str, Side); 8] = [
    ("layer", Side::Left),
    ("type", Side::Left),
    ("direction", Side::Left),
    ("GFLOP", Side::Right),
    ("MB", Side::Right),
    ("ms", Side::Right),
    ("bound", Side::Left),
    ("of bound", Side::Right),
];

/// A layer's direction, or several together.
#[derive(Debug, Clone, Copy, Default)]
struct LayerCost {
    work: LayerWork,
    seconds: f64,
    /// Least time for the work: its parts' bounds, added.
    bound: f64,
    /// How much of that is bound by arithmetic.
    arithmetic: f64,
}

impl LayerCost {
    fn new(work: LayerWork, seconds: f64, machine: &MachinePeaks) -> Self {
        let (arithmetic, memory) = (work.flops / machine.flops, work.bytes / machine.bandwidth);
        let arithmetic = if arithmetic > memory { arithmetic } else { 0.0 };
        Self { work, seconds, bound: arithmetic.max(memory), arithmetic }
    }

    fn add(&mut self, other: &Self) {
        self.work.flops += other.work.flops;
        self.work.bytes += other.work.bytes;
        self.seconds += other.seconds;
        self.bound += other.bound;
        self.arithmetic += other.arithmetic;
    }

    fn cells(&self, [layer, kind, direction]: [&str; 3]) -> [String; 8] {
        let which = if 2.0 * self.arithmetic > self.bound { "FMA" } else { "memory" };
        let of_bound = 100.0 * self.bound / self.seconds.max(1e-9);
        [
            layer.into(),
            kind.into(),
            direction.into(),
            format!("{:.2}", self.work.flops / 1e9),
            format!("{:.1}", self.work.bytes / 1e6),
            format!("{:.3}", self.seconds * 1e3),
            if self.bound > 0.0 { which.into() } else { "-".into() },
            if self.bound > 0.0 { format!("{of_bound:.0} %") } else { "-".into() },
        ]
    }
}

/// The table: layers, then types, then everything.
pub(super) fn render(
    rows: &[LayerSummary],
    times: &LayerTimes,
    iterations: u32,
    machine: &MachinePeaks,
) -> String {
    let mean = |time: Duration| time.as_secs_f64() / f64::from(iterations);
    let mut cells = Vec::new();
    let mut kinds = BTreeMap::<(&str, &str), LayerCost>::new();
    let mut total = LayerCost::default();
    for (index, row) in rows.iter().enumerate() {
        let directions = [
            ("forward", work::forward(row), times.forward[index]),
            ("backward", work::backward(row), times.backward[index]),
        ];
        for (direction, work, time) in directions {
            let cost = LayerCost::new(work, mean(time), machine);
            total.add(&cost);
            kinds.entry((row.kind, direction)).or_default().add(&cost);
            cells.push(cost.cells([&row.name, row.kind, direction]));
        }
    }
    let mut kinds: Vec<_> = kinds.into_iter().collect();
    kinds.sort_by(|a, b| b.1.seconds.total_cmp(&a.1.seconds));
    cells
        .extend(kinds.iter().map(|((kind, direction), cost)| cost.cells(["all", kind, direction])));
    cells.push(total.cells(["all", "all", "both"]));
    let (flops, bandwidth) = (machine.flops / 1e9, machine.bandwidth / 1e9);
    let peak = 100.0 * total.work.flops / total.seconds.max(1e-9) / machine.flops;
    format!("machine: {flops:.0} GFLOPS of FMA, {bandwidth:.1} GB/s of memory\n")
        + &columns::render(COLUMNS, cells)
        + &format!("whole iteration: {peak:.0} % of the FMA peak\n")
}

/// Times of the layers that take any, with the least time that the machine allows.
pub(super) fn chart(
    rows: &[LayerSummary],
    times: &LayerTimes,
    iterations: u32,
    machine: &MachinePeaks,
) -> RowChart {
    let ms = |time: Duration| 1e3 * time.as_secs_f64() / f64::from(iterations);
    let row = |(index, row): (usize, &LayerSummary)| {
        let [forward, backward] = [times.forward[index], times.backward[index]].map(ms);
        let bar = |from: f64, time: f64, color: usize, what: &str| {
            let label = format!("{what} {time:.3} ms");
            RowMark::Bar { from, to: from + time, color, label }
        };
        let works = [work::forward(row), work::backward(row)];
        let least: f64 = works.map(|work| LayerCost::new(work, 0.0, machine).bound).iter().sum();
        let marks = vec![
            bar(0.0, forward, 0, "forward"),
            bar(forward, backward, 1, "backward"),
            RowMark::Tick { at: 1e3 * least, color: 2 },
        ];
        (forward + backward > 0.0).then(|| ChartRow { name: row.name.clone(), marks })
    };
    RowChart {
        title: "Time per layer and iteration".into(),
        x: ChartAxis::from_zero("time, ms"),
        legend: ["forward", "backward", "least time that the machine allows"]
            .map(str::to_owned)
            .to_vec(),
        rows: rows.iter().enumerate().filter_map(row).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::{LayerCost, LayerWork, MachinePeaks};

    #[test]
    fn the_larger_bound_counts() {
        let machine = MachinePeaks { flops: 100e9, bandwidth: 10e9 };
        let heavy = LayerCost::new(LayerWork { flops: 1e9, bytes: 1e6 }, 0.02, &machine);
        assert_eq!(&heavy.cells(["a", "b", "c"])[3..], ["1.00", "1.0", "20.000", "FMA", "50 %"]);
        let wide = LayerCost::new(LayerWork { flops: 1e6, bytes: 1e8 }, 0.02, &machine);
        assert_eq!(&wide.cells(["a", "b", "c"])[6..], ["memory", "50 %"]);
        let mut both = heavy;
        both.add(&wide);
        assert_eq!(both.cells(["a", "b", "c"])[7], "50 %");
        let idle = LayerCost::new(LayerWork::default(), 0.0, &machine);
        assert_eq!(idle.cells(["a", "b", "c"])[6..], ["-", "-"]);
    }
}
