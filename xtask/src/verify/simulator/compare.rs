//! Predicted against measured: errors per point, and whether the simulator picks what is best.

use std::fmt::Write;

use base::median;

use super::draw::CONFIGS;
use super::point::EmulatedPoint;

/// Errors of iteration times in percent: in the median and at worst.
const ITERATION: (f64, f64) = (5.0, 15.0);
/// The same of exposed communication.
const EXPOSED: (f64, f64) = (10.0, 25.0);
/// Less exposed communication than this part of the iteration counts as this much: of nothing every
/// error is infinite.
const EXPOSED_MIN: f64 = 0.05;
/// A pick may be slower than the best by this part.
const PICK: f64 = 0.03;

pub(super) const COLUMNS: &str = "| case | configuration | iteration ms predicted | measured | error | \
                       exposed ms predicted | measured | error | load |\n\
                       |---|---|--:|--:|--:|--:|--:|--:|--:|\n";

/// What an emulated run took, in seconds of the emulated cluster.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct MeasuredPoint {
    pub(super) iteration: f64,
    pub(super) exposed: f64,
    /// Of the cores, in percent.
    pub(super) load: Option<f64>,
}

/// Points and what was measured, in the same order; `None` where every run failed.
pub(super) struct PointComparison<'a> {
    points: &'a [EmulatedPoint],
    measured: &'a [Option<MeasuredPoint>],
}

/// A table of predictions.
pub(super) fn predictions(points: &[EmulatedPoint]) -> String {
    let mut text = "| case | configuration | iterations | iteration ms | exposed | real s |\n\
                    |---|---|--:|--:|--:|--:|\n"
        .to_owned();
    for point in points {
        let (ms, exposed) = (1e3 * point.predicted.total(), 100.0 * point.exposed());
        let EmulatedPoint { case, config, iterations, .. } = point;
        let seconds = point.seconds();
        let _ = writeln!(
            text,
            "| {case} | {config} | {iterations} | {ms:.1} | {exposed:.0} % | {seconds:.0} |"
        );
    }
    text
}

/// By how many percent a prediction of the iteration is off.
fn iteration_error(point: &EmulatedPoint, measured: &MeasuredPoint) -> f64 {
    100.0 * (point.predicted.total() / measured.iteration - 1.0)
}

/// The same of exposed communication.
fn exposed_error(point: &EmulatedPoint, measured: &MeasuredPoint) -> f64 {
    let base = measured.exposed.max(EXPOSED_MIN * measured.iteration);
    100.0 * (point.predicted.exposed - measured.exposed) / base
}

/// A line of the table.
pub(super) fn line(point: &EmulatedPoint, measured: &MeasuredPoint) -> String {
    let [predicted, exposed] = [point.predicted.total(), point.predicted.exposed].map(|s| 1e3 * s);
    let [took, waited] = [measured.iteration, measured.exposed].map(|s| 1e3 * s);
    let (error, exposed_error) = (iteration_error(point, measured), exposed_error(point, measured));
    let load = measured.load.map_or("?".to_owned(), |load| format!("{load:.0} %"));
    format!(
        "| {} | {} | {predicted:.1} | {took:.1} | {error:+.1} % | {exposed:.1} | {waited:.1} | \
         {exposed_error:+.1} % | {load} |",
        point.case, point.config
    )
}

/// The pick of one case.
struct CasePick {
    case: String,
    pick: String,
    best: String,
    /// Measured time of the pick over that of the best.
    ratio: f64,
}

impl<'a> PointComparison<'a> {
    pub(super) fn new(points: &'a [EmulatedPoint], measured: &'a [Option<MeasuredPoint>]) -> Self {
        Self { points, measured }
    }

    fn pairs(&self) -> impl Iterator<Item = (&'a EmulatedPoint, &'a MeasuredPoint)> {
        let pairs = self.points.iter().zip(self.measured);
        pairs.filter_map(|(point, measured)| Some((point, measured.as_ref()?)))
    }

    /// Median and largest error, whatever their signs.
    fn errors(&self, error: fn(&EmulatedPoint, &MeasuredPoint) -> f64) -> (f64, f64) {
        let all: Vec<f64> =
            self.pairs().map(|(point, measured)| error(point, measured).abs()).collect();
        let worst = all.iter().copied().fold(0.0, f64::max);
        (median(all), worst)
    }

    /// Cases of which all configurations were measured.
    fn picks(&self) -> Vec<CasePick> {
        let pairs: Vec<_> = self.pairs().collect();
        let cases = pairs.chunk_by(|a, b| a.0.case.to_string() == b.0.case.to_string());
        let full = cases.filter(|case| case.len() >= CONFIGS);
        full.filter_map(|case| {
            let by = |time: fn(&(&EmulatedPoint, &MeasuredPoint)) -> f64| {
                case.iter().min_by(move |a, b| time(a).total_cmp(&time(b)))
            };
            let pick = by(|pair| pair.0.predicted.total())?;
            let best = by(|pair| pair.1.iteration)?;
            Some(CasePick {
                case: pick.0.case.to_string(),
                pick: pick.0.config.to_string(),
                best: best.0.config.to_string(),
                ratio: pick.1.iteration / best.1.iteration,
            })
        })
        .collect()
    }

    /// All points, errors and picks.
    pub(super) fn table(&self) -> String {
        let mut text = format!("\n## Points, all times emulated\n\n{COLUMNS}");
        self.pairs().for_each(|(point, measured)| text += &(line(point, measured) + "\n"));
        let (iteration, exposed) = (self.errors(iteration_error), self.errors(exposed_error));
        let _ = write!(
            text,
            "\nIteration time: {:.1} % off in the median, {:.1} % at worst (asked: {} and {}).\n\
             Exposed communication: {:.1} % off in the median, {:.1} % at worst (asked: {} and {}); \
             less than 5 % of an iteration counts as 5 %.\n\
             \n## Picks\n\n| case | picked | best | measured, over the best |\n|---|---|---|--:|\n",
            iteration.0,
            iteration.1,
            ITERATION.0,
            ITERATION.1,
            exposed.0,
            exposed.1,
            EXPOSED.0,
            EXPOSED.1
        );
        for CasePick { case, pick, best, ratio } in self.picks() {
            let _ = writeln!(text, "| {case} | {pick} | {best} | {ratio:.3} |");
        }
        text
    }

    /// What is outside its tolerance.
    pub(super) fn missed(&self) -> Vec<String> {
        let mut missed = Vec::new();
        let mut check = |what: &str, (median, worst): (f64, f64), limits: (f64, f64)| {
            if median > limits.0 || worst > limits.1 {
                missed.push(format!("{what} {median:.1} % in the median, {worst:.1} % at worst"));
            }
        };
        check("iteration time", self.errors(iteration_error), ITERATION);
        check("exposed communication", self.errors(exposed_error), EXPOSED);
        let failed = self.measured.iter().filter(|measured| measured.is_none()).count();
        if failed > 0 {
            missed.push(format!("{failed} points could not be measured"));
        }
        let picks = self.picks();
        let good = picks.iter().filter(|pick| pick.ratio <= 1.0 + PICK).count();
        // Five of six.
        if 6 * good < 5 * picks.len() {
            missed.push(format!("{good} of {} picks within 3 % of the best", picks.len()));
        }
        missed
    }
}

#[cfg(test)]
mod tests {
    use super::{MeasuredPoint, PointComparison};
    use crate::verify::simulator::draw::tests::points;

    #[test]
    fn errors_and_picks_are_judged() {
        // Predicted 10, 11 … 15 ms, of which a tenth is exposed.
        let points = points(&[10.0, 11.0, 12.0, 13.0, 14.0, 15.0]);
        let measured = |scale: [f64; 6]| -> Vec<Option<MeasuredPoint>> {
            let of = |(at, scale): (usize, &f64)| {
                let iteration = 1e-3 * (10.0 + at as f64) * scale;
                Some(MeasuredPoint { iteration, exposed: 0.1 * iteration, load: Some(10.0) })
            };
            scale.iter().enumerate().map(of).collect()
        };
        let near = measured([1.02; 6]);
        let comparison = PointComparison::new(&points, &near);
        assert!(comparison.missed().is_empty(), "{:?}", comparison.missed());
        assert!(comparison.table().contains("Iteration time: 2.0 % off in the median"));
        // The pick is 10 % slower than the second, and one point is 20 % off.
        let far = measured([1.25, 1.02, 1.0, 1.0, 1.0, 1.0]);
        let comparison = PointComparison::new(&points, &far);
        let missed = comparison.missed().join("; ");
        assert!(missed.contains("iteration time 0.0 % in the median, 20.0 % at worst"), "{missed}");
        assert!(missed.contains("0 of 1 picks"), "{missed}");
        // A point that failed is not compared, and said.
        let mut failed = near.clone();
        failed[3] = None;
        let comparison = PointComparison::new(&points, &failed);
        assert_eq!(comparison.missed(), ["1 points could not be measured"]);
        assert_eq!(comparison.table().matches("| ring, ").count(), 5);
    }
}
