//! What a run came to, and what holds it up.

use crate::RunHistory;
use crate::findings::findings;
use crate::record::TestEntry;
use crate::text::escape;

/// Facts at a glance.
pub(super) fn summary(run: &RunHistory) -> String {
    let mut facts = vec![
        ("net", run.begins.last().map(|begin| begin.net.clone()).unwrap_or_default()),
        ("iterations", run.iteration().to_string()),
        ("state", run.end.clone().unwrap_or_else(|| "not ended".into())),
    ];
    if let Some(best) = best(run) {
        let text = format!("{} at iteration {}", round(best.value), best.iteration);
        facts.push((if best.is_loss { "best test loss" } else { "best test score" }, text));
        facts.push(("of output", best.name));
    }
    if let Some(loss) = run.displays.last().map(|display| display.loss) {
        facts.push(("last loss", round(loss)));
    }
    if let Some(speed) = run.images_per_s() {
        facts.push(("speed", format!("{speed:.0} images/s")));
    }
    if let Some((iteration, hash)) = &run.hash {
        facts.push(("hash of the weights", format!("{hash} ({iteration})")));
    }
    if run.begins.len() > 1 {
        facts.push(("resumed", format!("{} times", run.begins.len() - 1)));
    }
    let facts = facts.into_iter().filter(|(_, value)| !value.is_empty());
    let facts: String = facts
        .map(|(name, value)| format!("<div><dt>{name}</dt><dd>{}</dd></div>", escape(&value)))
        .collect();
    format!("<h2>Summary</h2><dl class=\"facts\">{facts}</dl>")
}

/// Findings as a list.
pub(super) fn found(run: &RunHistory) -> String {
    let found = findings(run);
    if found.is_empty() {
        return String::new();
    }
    let items: String = found.iter().map(|text| format!("<li>{}</li>", escape(text))).collect();
    format!("<h2>Findings</h2><ul class=\"findings\">{items}</ul>")
}

/// The best test of a run.
pub(super) struct BestScore {
    pub(super) name: String,
    pub(super) value: f64,
    pub(super) iteration: u64,
    pub(super) is_loss: bool,
}

/// By the first output that is no loss, or else by the first one.
pub(super) fn best(run: &RunHistory) -> Option<BestScore> {
    let outputs = || run.tests.iter().flat_map(|test| &test.outputs);
    let (name, _) = outputs().find(|(name, _)| !is_loss(name)).or_else(|| outputs().next())?;
    let is_loss = is_loss(name);
    let value_of = |test: &TestEntry| {
        let output = test.outputs.iter().find(|(other, _)| other == name)?;
        output.1.is_finite().then_some((output.1, test.iteration))
    };
    let tests = run.tests.iter().filter_map(value_of);
    let sign = if is_loss { -1.0 } else { 1.0 };
    // The first of equals: the score was reached there.
    let (value, iteration) =
        tests.reduce(|best, test| if sign * test.0 > sign * best.0 { test } else { best })?;
    Some(BestScore { name: name.clone(), value, iteration, is_loss })
}

/// Whether less is better.
pub(super) fn is_loss(name: &str) -> bool {
    let name = name.to_lowercase();
    name.contains("loss") || name.contains("error")
}

/// A value with as many digits as people compare.
pub(super) fn round(value: f64) -> String {
    match value.abs() {
        size if size == 0.0 || (1e-3..1e6).contains(&size) => {
            let text = format!("{value:.4}");
            text.trim_end_matches('0').trim_end_matches('.').to_owned()
        }
        _ => format!("{value:.3e}"),
    }
}
