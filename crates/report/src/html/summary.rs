//! What a run came to, and what holds it up.

use crate::RunHistory;
use crate::findings::findings;
use crate::record::TestEntry;
use crate::text::escape;

/// Facts at a glance.
pub(super) fn summary(run: &RunHistory) -> String {
    let net = run.begins.last().map(|begin| begin.net.clone()).unwrap_or_default();
    let state = run.end.clone().unwrap_or_else(|| "not ended".into());
    let mut facts = vec![
        fact("net", net, String::new()),
        fact("iterations", run.iteration().to_string(), String::new()),
        fact("state", state, String::new()),
    ];
    if let Some(best) = best(run) {
        let name = format!("best test {}", best.name);
        facts.push(fact(&name, round(best.value), format!("at iteration {}", best.iteration)));
    }
    if let Some(loss) = run.displays.last().map(|display| display.loss) {
        facts.push(fact("last loss", round(loss), String::new()));
    }
    if let Some(speed) = run.images_per_s() {
        facts.push(fact("speed", format!("{speed:.0}"), "images/s".into()));
    }
    if let Some((iteration, hash)) = &run.hash {
        let after = format!("after {iteration} iterations");
        facts.push(fact("hash of the weights", hash.clone(), after));
    }
    if run.begins.len() > 1 {
        let resumed = run.begins.len() - 1;
        let times = if resumed == 1 { "time" } else { "times" };
        facts.push(fact("resumed", resumed.to_string(), times.into()));
    }
    let facts = facts.concat();
    format!("<h2>Summary</h2><dl class=\"facts\">{facts}</dl>")
}

/// A fact's name, its value, and what is said of the value; nothing without a value.
fn fact(name: &str, value: String, note: String) -> String {
    if value.is_empty() {
        return value;
    }
    let [name, value, note] = [name, &value, &note].map(escape);
    let note = if note.is_empty() { note } else { format!(" <small>{note}</small>") };
    format!("<div><dt>{name}</dt><dd>{value}{note}</dd></div>")
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
    Some(BestScore { name: name.clone(), value, iteration })
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
