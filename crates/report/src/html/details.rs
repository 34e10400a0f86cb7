//! Times of ranks, one iteration in detail, memory, warnings, configuration.

use super::{scrolling, table};
use crate::RunHistory;
use crate::chart::{ChartAxis, ChartRow, RowChart, RowMark};
use crate::record::{RankShare, SpanEntry};
use crate::text::{escape, shortened};

/// Ranks that the chart shows.
const RANKS_MAX: usize = 64;
/// Spans of a row that are drawn.
const SPANS_MAX: usize = 1500;
/// Warnings that are listed.
const WARNINGS_SHOWN: usize = 200;
/// Characters of a solver that are shown.
const SOLVER_MAX: usize = 50_000;

/// Shares of every rank's time.
pub(super) fn times(run: &RunHistory) -> String {
    let mut entries = run.times.iter();
    let Some(mut sum) = entries.next().cloned() else { return String::new() };
    entries.for_each(|entry| sum.add(entry));
    let rows = sum.ranks.iter().take(RANKS_MAX).enumerate().map(|(rank, share)| ChartRow {
        name: format!("rank {rank}, {}", share.host),
        marks: stacked(share),
    });
    let chart = RowChart {
        title: "What ranks spend their time on".into(),
        x: ChartAxis::from_zero("share of the time, %"),
        legend: RankShare::PHASES.map(str::to_owned).to_vec(),
        rows: rows.collect(),
    };
    let left_out = sum.ranks.len().saturating_sub(RANKS_MAX);
    let note = match left_out {
        0 => String::new(),
        more => format!("<p class=\"note\">{more} more ranks are not shown.</p>"),
    };
    format!("<h2>Time</h2><figure>{}</figure>{note}", scrolling("shares of time", &chart.inline()))
}

fn stacked(share: &RankShare) -> Vec<RowMark> {
    let total = share.total().max(f64::MIN_POSITIVE);
    let mut from = 0.0;
    let marks = share.seconds.iter().enumerate().map(|(color, seconds)| {
        let percent = 100.0 * seconds / total;
        let label = format!("{}: {percent:.1} %, {seconds:.3} s", RankShare::PHASES[color]);
        let bar = RowMark::Bar { from, to: from + percent, color, label };
        from += percent;
        bar
    });
    marks.collect()
}

/// One iteration: what runs when, and which buckets travel meanwhile.
pub(super) fn timeline(run: &RunHistory) -> String {
    let Some(spans) = &run.spans else { return String::new() };
    let mut kinds: Vec<String> = Vec::new();
    let mut rows = Vec::new();
    for (track, spans) in &spans.tracks {
        for span in spans {
            if !kinds.contains(&span.kind) {
                kinds.push(span.kind.clone());
            }
        }
        let marks = spans.iter().take(SPANS_MAX).map(|span| bar(span, &kinds)).collect();
        rows.push(ChartRow { name: track.clone(), marks });
    }
    let chart = RowChart {
        title: format!("Iteration {} of rank 0", spans.iteration),
        x: ChartAxis::from_zero("time, ms"),
        legend: kinds,
        rows,
    };
    let figure = scrolling("timeline of one iteration", &chart.inline());
    format!("<h2>One iteration</h2><figure>{figure}</figure>")
}

fn bar(span: &SpanEntry, kinds: &[String]) -> RowMark {
    let color = kinds.iter().position(|kind| *kind == span.kind).unwrap_or(0);
    let (from, to) = (1e3 * span.begin, 1e3 * span.end);
    let label = format!("{} {}: {:.3} ms", span.kind, span.name, to - from);
    RowMark::Bar { from, to, color, label }
}

/// What was planned against what was measured.
pub(super) fn memory(run: &RunHistory) -> String {
    let planned = run.begins.last().map_or(&[][..], |begin| &begin.memory[..]);
    if planned.is_empty() && run.memory.is_none() {
        return String::new();
    }
    let mb = |bytes: u64| bytes as f64 / 1e6;
    let mut from = 0.0;
    let stack = planned.iter().enumerate().map(|(color, (name, bytes))| {
        let label = format!("{name}: {:.1} MB", mb(*bytes));
        let bar = RowMark::Bar { from, to: from + mb(*bytes), color, label };
        from += mb(*bytes);
        bar
    });
    let mut rows = vec![ChartRow { name: "planned".into(), marks: stack.collect() }];
    let mut legend: Vec<_> = planned.iter().map(|(name, _)| name.clone()).collect();
    if let Some(memory) = &run.memory {
        let color = legend.len();
        legend.push("resident".into());
        for (name, bytes) in [("resident at most", memory.peak), ("resident", memory.resident)] {
            let label = format!("{name}: {:.1} MB", mb(bytes));
            let bar = RowMark::Bar { from: 0.0, to: mb(bytes), color, label };
            rows.push(ChartRow { name: name.into(), marks: vec![bar] });
        }
    }
    let title = "Memory of rank 0".into();
    let chart = RowChart { title, x: ChartAxis::from_zero("memory, MB"), legend, rows };
    format!("<h2>Memory</h2><figure>{}</figure>", scrolling("memory", &chart.inline()))
}

/// Warnings with their iterations; those that differ in numbers only are one row.
pub(super) fn warnings(run: &RunHistory) -> String {
    if run.warnings.is_empty() {
        return String::new();
    }
    let mut alike: Vec<(String, u64, u64, u64, &str)> = Vec::new();
    for (iteration, text) in &run.warnings {
        let words: String = text.chars().filter(|c| !c.is_ascii_digit()).collect();
        match alike.iter_mut().find(|known| known.0 == words) {
            Some((_, _, last, count, _)) => (*last, *count) = (*iteration, *count + 1),
            None => alike.push((words, *iteration, *iteration, 1, text)),
        }
    }
    let more = alike.len().saturating_sub(WARNINGS_SHOWN) + run.warnings_left_out;
    let shown = alike.iter().take(WARNINGS_SHOWN);
    let rows: Vec<_> = shown
        .map(|(_, first, last, count, text)| match count {
            1 => [first.to_string(), "1".to_owned(), shortened(text, 1000)],
            _ => [format!("{first} to {last}"), count.to_string(), shortened(text, 1000)],
        })
        .collect();
    let note = match more {
        0 => String::new(),
        more => format!("<p class=\"note\">{more} more warnings are not shown.</p>"),
    };
    let table = table("warnings", ["iteration", "times", "warning"], &rows);
    format!("<h2>Warnings</h2>{table}{note}")
}

/// Settings, versions, snapshots, the command and the solver.
pub(super) fn configuration(run: &RunHistory) -> String {
    let Some(begin) = run.begins.last() else { return String::new() };
    let facts =
        [("version", &begin.version), ("host", &begin.host), ("directory", &begin.directory)];
    let facts = facts.iter().filter(|(_, value)| !value.is_empty());
    let mut rows: Vec<_> =
        facts.map(|(name, value)| [(*name).to_owned(), (*value).clone()]).collect();
    rows.extend(run.settings.iter().map(|(name, value)| [name.clone(), value.clone()]));
    if let Some((iteration, model)) = run.snapshots.last() {
        rows.push(["last snapshot".into(), format!("{model} (iteration {iteration})")]);
    }
    if let Some((iteration, hash)) = &run.hash {
        rows.push(["hash of the weights".into(), format!("{hash} (iteration {iteration})")]);
    }
    let command = run.command().map_or_else(String::new, |command| {
        format!("<h3>To repeat it</h3><pre tabindex=\"0\"><code>{}</code></pre>", escape(command))
    });
    let solver = match begin.solver.is_empty() {
        true => String::new(),
        false => format!(
            "<details><summary>Solver</summary><pre tabindex=\"0\">{}</pre></details>",
            escape(&shortened(&begin.solver, SOLVER_MAX))
        ),
    };
    let settings = match rows.is_empty() {
        true => String::new(),
        false => table("settings", ["setting", "value"], &rows),
    };
    match format!("{settings}{command}{solver}") {
        html if html.is_empty() => html,
        html => format!("<h2>Configuration</h2>{html}"),
    }
}
