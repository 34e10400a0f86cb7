//! Speed-up over ranks as a chart.

use cluster_sim::{SimulatedScaling, SimulationConfig};
use report::chart::{ChartAxis, Curve, CurveChart, CurveLook};

use super::job::ClusterJob;

/// What was simulated, and the line of an exchange that takes no time; both axes logarithmic.
pub(super) fn svg(
    job: &ClusterJob,
    config: &SimulationConfig,
    rows: &[SimulatedScaling],
) -> String {
    let mut rows: Vec<_> = rows.iter().collect();
    rows.sort_by_key(|row| row.ranks);
    let ranks = |row: &SimulatedScaling| row.ranks as f64;
    let reached = rows.iter().map(|row| (ranks(row), row.speed_up)).collect();
    let ideal = rows.iter().map(|row| (ranks(row), ranks(row) * config.workers as f64)).collect();
    let title = format!("{} on {}", job.net.name, job.cluster.name);
    let axes = [ChartAxis::log2("ranks"), ChartAxis::log2("speed-up over one device")];
    let mut chart = CurveChart::of_lines(
        &title,
        axes,
        [(format!("{} in {}", config.allreduce, config.wire), reached)],
    );
    chart.curves.push(Curve {
        name: "ideal".into(),
        points: ideal,
        look: CurveLook::Dashed,
        color: 1,
    });
    chart.svg()
}
