//! Curves over iterations: losses and scores, learning rate, speed, traffic.

use super::scrolling;
use super::summary::is_loss;
use crate::RunHistory;
use crate::chart::{ChartAxis, Curve, CurveChart, CurveLook, POINTS_MAX, thin_to};
use crate::text::{escape, shortened};

/// Points of all curves of one chart together, so that a page of many runs stays small.
const CHART_POINTS: usize = 12_000;
/// Charts of test outputs.
const CHARTS_MAX: usize = 8;

const TOOLS: &str = "<p class=\"tools\" hidden>\
    <label>smoothing <input class=\"smoothing\" type=\"range\" min=\"0\" max=\"0.99\" step=\"0.01\" \
    value=\"0\"></label><label><input class=\"log\" type=\"checkbox\"> logarithmic</label>\
    <button class=\"reset\" type=\"button\">whole run</button>\
    <span class=\"note\">drag over a curve to zoom</span></p>";

/// Losses, then one chart for every other output of tests.
pub(super) fn training(runs: &[RunHistory]) -> String {
    let mut losses = Vec::new();
    for (index, run) in runs.iter().enumerate() {
        let color = if runs.len() == 1 { 0 } else { index };
        losses.push(Curve::new(named(runs, run, "train"), train_loss(run), color));
        for (place, name) in output_names(&[run]).iter().filter(|name| is_loss(name)).enumerate() {
            let color = if runs.len() == 1 { 1 + place } else { index };
            losses.extend(test_curves(runs, run, name, color));
        }
    }
    losses.retain(|curve| !curve.points.is_empty());
    let all: Vec<_> = runs.iter().collect();
    let mut charts = vec![("Loss".to_owned(), "loss".to_owned(), losses)];
    for name in output_names(&all).into_iter().filter(|name| !is_loss(name)).take(CHARTS_MAX) {
        let curves = runs.iter().enumerate();
        let curves = curves.flat_map(|(index, run)| test_curves(runs, run, &name, index)).collect();
        charts.push((format!("Test: {name}"), shortened(&name, 40), curves));
    }
    let charts: String = charts
        .into_iter()
        .filter(|(_, _, curves)| !curves.is_empty())
        .map(|(title, y, curves)| figure(runs, &title, ChartAxis::linear(y), curves, true))
        .collect();
    match charts.is_empty() {
        true => String::new(),
        false => format!("<h2>Training</h2>{TOOLS}<div class=\"grid\">{charts}</div>"),
    }
}

/// Learning rate and images a second.
pub(super) fn speed(runs: &[RunHistory]) -> String {
    let rates = of_displays(runs, |display| Some(display.rate));
    let speeds = of_displays(runs, |display| display.images_per_s);
    let charts: String = [
        ("Learning rate", ChartAxis::from_zero("learning rate"), rates),
        ("Speed", ChartAxis::from_zero("speed, images/s"), speeds),
    ]
    .into_iter()
    .filter(|(_, _, curves)| !curves.is_empty())
    .map(|(title, y, curves)| figure(runs, title, y, curves, false))
    .collect();
    match charts.is_empty() {
        true => String::new(),
        false => format!("<h2>Rate and speed</h2><div class=\"grid\">{charts}</div>"),
    }
}

/// Bytes that an iteration sends.
pub(super) fn traffic(runs: &[RunHistory]) -> String {
    let curves = runs.iter().enumerate().map(|(index, run)| {
        let sent = |bin: &crate::record::IterationBin| Some((bin.last as f64, bin.sent? / 1e6));
        Curve::new(named(runs, run, ""), run.steps.iter().filter_map(sent).collect(), index)
    });
    let curves: Vec<_> = curves.filter(|curve| !curve.points.is_empty()).collect();
    if curves.is_empty() {
        return String::new();
    }
    let settings = runs.iter().flat_map(|run| {
        let of = |name: &'static str| run.settings.iter().find(move |known| known.0 == name);
        let known = ["gradients", "wire", "compression", "allreduce"].into_iter().filter_map(of);
        let known: Vec<_> = known.map(|(name, value)| format!("{name} {value}")).collect();
        (!known.is_empty()).then(|| format!("{}{}", named(runs, run, ": "), known.join(", ")))
    });
    let settings: String =
        settings.map(|text| format!("<p class=\"note\">{}</p>", escape(&text))).collect();
    let y = ChartAxis::from_zero("sent, MB");
    let chart = figure(runs, "Sent by rank 0 in an iteration", y, curves, false);
    format!("<h2>Communication</h2>{settings}<div class=\"grid\">{chart}</div>")
}

/// The loss of every iteration, or of those that a log shows. A bin shows its extremes.
fn train_loss(run: &RunHistory) -> Vec<(f64, f64)> {
    if run.steps.is_empty() {
        let displays = run.displays.iter();
        return displays.map(|display| (display.iteration as f64, display.loss)).collect();
    }
    let mut points = Vec::with_capacity(run.steps.len());
    for bin in &run.steps {
        points.push((bin.first as f64, bin.loss[0]));
        if bin.count > 1 {
            points.push((bin.last as f64, bin.loss[2]));
        }
    }
    points
}

/// An output of tests: a dashed line, with dots where there are few.
fn test_curves(runs: &[RunHistory], run: &RunHistory, name: &str, color: usize) -> Vec<Curve> {
    let value = |test: &crate::record::TestEntry| {
        let output = test.outputs.iter().find(|output| output.0 == name)?;
        Some((test.iteration as f64, output.1))
    };
    let points: Vec<_> = run.tests.iter().filter_map(value).collect();
    if points.is_empty() {
        return Vec::new();
    }
    let dots = (points.len() <= 60)
        .then(|| Curve::new("", points.clone(), color).looking(CurveLook::Dots));
    let line = Curve::new(named(runs, run, "test"), points, color).looking(CurveLook::Dashed);
    std::iter::once(line).chain(dots).collect()
}

/// Names of all outputs of tests, in the order in which they appear.
fn output_names(runs: &[&RunHistory]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for (name, _) in runs.iter().flat_map(|run| &run.tests).flat_map(|test| &test.outputs) {
        if !names.contains(name) {
            names.push(name.clone());
        }
    }
    names
}

fn of_displays(
    runs: &[RunHistory],
    value: impl Fn(&crate::record::DisplayEntry) -> Option<f64>,
) -> Vec<Curve> {
    let curves = runs.iter().enumerate().map(|(index, run)| {
        let points = run.displays.iter();
        let points = points.filter_map(|d| Some((d.iteration as f64, value(d)?)));
        let points = points.filter(|(_, y)| y.is_finite()).collect();
        Curve::new(named(runs, run, ""), points, index)
    });
    curves.filter(|curve| !curve.points.is_empty()).collect()
}

/// The name of a curve: with that of its run if there are several.
fn named(runs: &[RunHistory], run: &RunHistory, what: &str) -> String {
    match runs.len() {
        1 => what.trim_start_matches(": ").to_owned(),
        _ => {
            format!("{}{}{what}", run.name, if what.is_empty() || what == ": " { "" } else { ", " })
        }
    }
}

/// The iterations of all runs: every chart shows the same ones.
fn iterations(runs: &[RunHistory]) -> [f64; 2] {
    let first = |run: &RunHistory| {
        let steps = run.steps.first().map(|bin| bin.first);
        let tests = run.tests.first().map(|test| test.iteration);
        let displays = run.displays.first().map(|display| display.iteration);
        [steps, tests, displays].into_iter().flatten().min()
    };
    let begin = runs.iter().filter_map(first).min().unwrap_or(0);
    let end = runs.iter().map(RunHistory::iteration).max().unwrap_or(0);
    [begin as f64, end as f64]
}

fn figure(
    runs: &[RunHistory],
    title: &str,
    y: ChartAxis,
    mut curves: Vec<Curve>,
    keeps_points: bool,
) -> String {
    let each = (CHART_POINTS / curves.len().max(1)).clamp(16, POINTS_MAX);
    curves.iter_mut().for_each(|curve| curve.points = thin_to(&curve.points, each));
    let x = ChartAxis::linear("iterations").covering(iterations(runs));
    let chart = CurveChart { title: title.to_owned(), x, y, curves };
    let svg = if keeps_points { chart.with_points() } else { chart.inline() };
    format!("<figure>{}</figure>", scrolling(&escape(title), &svg))
}
