//! Several runs: where their configurations and results differ.

use super::scrolling;
use super::summary::{best, round};
use crate::RunHistory;
use crate::text::escape;

/// Rows of what differs, one column per run.
pub(super) fn differences(runs: &[RunHistory]) -> String {
    let mut rows: Vec<(String, Vec<String>)> = Vec::new();
    let mut add = |name: &str, value: &dyn Fn(&RunHistory) -> String| {
        rows.push((name.to_owned(), runs.iter().map(value).collect()));
    };
    add("iterations", &|run| run.iteration().to_string());
    add("best test", &|run| {
        best(run).map_or_else(String::new, |best| {
            format!("{} {} at {}", best.name, round(best.value), best.iteration)
        })
    });
    add("last loss", &|run| run.displays.last().map_or_else(String::new, |d| round(d.loss)));
    add("speed, images/s", &|run| {
        run.images_per_s().map_or_else(String::new, |speed| format!("{speed:.0}"))
    });
    add("hash of the weights", &|run| {
        run.hash.as_ref().map_or_else(String::new, |(_, hash)| hash.clone())
    });
    for name in setting_names(runs) {
        add(&name, &|run| setting(run, &name).unwrap_or_default());
    }
    for line in solver_fields(runs) {
        add(&format!("solver: {line}"), &|run| solver_field(run, &line));
    }
    rows.retain(|(_, values)| values.windows(2).any(|pair| pair[0] != pair[1]));
    let cell = |tag: &str, text: &str| format!("<{tag}>{}</{tag}>", escape(text));
    let head: String = runs.iter().map(|run| cell("th", &run.name)).collect();
    let body: String = rows
        .iter()
        .map(|(name, values)| {
            let values: String = values.iter().map(|value| cell("td", value)).collect();
            format!("<tr>{}{values}</tr>\n", cell("th", name))
        })
        .collect();
    let head = head.replace("<th>", "<th scope=\"col\">");
    let body = body.replace("<th>", "<th scope=\"row\">");
    let table =
        format!("<table><thead><tr><td></td>{head}</tr></thead><tbody>\n{body}</tbody></table>");
    format!("<h2>Differences</h2>{}", scrolling("differences", &table))
}

fn setting_names(runs: &[RunHistory]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for (name, _) in runs.iter().flat_map(|run| &run.settings) {
        if !names.contains(name) {
            names.push(name.clone());
        }
    }
    names
}

fn setting(run: &RunHistory, name: &str) -> Option<String> {
    run.settings.iter().find(|known| known.0 == name).map(|known| known.1.clone())
}

/// Names of the solvers' fields of one line, outside of messages.
fn solver_fields(runs: &[RunHistory]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for run in runs {
        for (name, _) in fields(run) {
            if !names.iter().any(|known| known == name) {
                names.push(name.to_owned());
            }
        }
    }
    names
}

fn solver_field(run: &RunHistory, name: &str) -> String {
    let values = fields(run).filter(|field| field.0 == name).map(|field| field.1);
    values.collect::<Vec<_>>().join(", ")
}

fn fields(run: &RunHistory) -> impl Iterator<Item = (&str, &str)> {
    let solver = run.begins.last().map_or("", |begin| &begin.solver);
    let lines = solver.lines().filter(|line| !line.starts_with(' '));
    lines.filter_map(|line| line.split_once(": "))
}
