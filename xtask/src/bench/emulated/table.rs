//! The table of one cluster, and what its rows miss. Pure: it is made anew after every row.

use super::bytes;
use super::clusters::{ClusterBar, EmulatedCluster, Technique};
use super::decisions::DecisionCount;
use super::outcome::EmulatedOutcome;
use super::predict::EmulatedLength;
use crate::bench::cell;

/// Summing densely without compression must reach this share of what the link allows.
const LINK_SHARE: f64 = 0.85;

/// What a row must reach of the dense speed where compressing is decided.
const DECIDED: f64 = 0.98;

/// What a run reports, or why it was refused.
pub(super) type EmulatedResult = Result<EmulatedOutcome, String>;

/// One row that was run.
pub(super) struct EmulatedRow {
    pub(super) technique: &'static Technique,
    pub(super) outcome: EmulatedResult,
    /// The same without the decision, where that is compared.
    pub(super) always: Option<EmulatedResult>,
}

/// A cluster with the rows that were run so far.
pub(super) struct ClusterTable<'a> {
    pub(super) cluster: &'a EmulatedCluster,
    pub(super) length: EmulatedLength,
    /// What is to run; a row whose row before is not among them is not compared with it.
    pub(super) planned: Vec<&'static Technique>,
    pub(super) rows: Vec<EmulatedRow>,
    /// Since the first began.
    pub(super) minutes: f64,
}

impl ClusterTable<'_> {
    /// In Markdown.
    pub(super) fn render(&self) -> String {
        let rows: String = self.rows.iter().map(|row| self.lines(row)).collect();
        self.head() + &rows + &self.notes()
    }

    pub(super) fn head(&self) -> String {
        let EmulatedCluster { name, hosts, gbits, dilation, batch, profile, .. } = *self.cluster;
        let EmulatedLength { iterations, latency_us } = self.length;
        let latency = match latency_us > 0.0 {
            true => format!("{latency_us} µs per message"),
            false => "no latency added".to_owned(),
        };
        format!(
            "\n{name}: {hosts} hosts, {gbits} Gbit/s, {latency}, batch {batch} per host, {profile}, \
             time {dilation} times slower, {iterations} iterations; all figures emulated\n\n\
             | technique | images/s emulated | times dense | times the row before | \
             sent per rank, MB | exposed | load | bytes | at least | |\n\
             |---|--:|--:|--:|--:|--:|--:|---|--:|---|\n"
        )
    }

    /// A row, and the same without the decision, of which only the bytes must be right.
    pub(super) fn lines(&self, row: &EmulatedRow) -> String {
        let verdict = |misses: Vec<String>, met: &str| match misses.is_empty() {
            true => met.to_owned(),
            false => format!("missed: {}", misses.join(", ")),
        };
        let (name, least) = (row.technique.name, self.least(row.technique));
        let (met, least) = least.map_or(("", String::new()), |least| ("met", least.to_string()));
        let ratios = [self.baseline(), self.before(row.technique)];
        let mut text = self.line(name, row.technique, &row.outcome, ratios);
        text += &format!(" {least} | {} |\n", verdict(self.row_misses(row), met));
        if let Some(always) = &row.always {
            let name = format!("{name}, always");
            text += &self.line(&name, row.technique, always, [self.baseline(), None]);
            text += &format!(" | {} |\n", verdict(self.always_misses(row), ""));
        }
        text
    }

    /// The columns of one run up to its bytes.
    fn line(
        &self,
        name: &str,
        technique: &Technique,
        result: &EmulatedResult,
        ratios: [Option<&EmulatedOutcome>; 2],
    ) -> String {
        let outcome = match result {
            Ok(outcome) => outcome,
            Err(reason) => return format!("| {name} | refused: {} | | | | | | |", cell(reason)),
        };
        let [dense, before] = ratios
            .map(|other| other.map_or(String::new(), |it| format!("{:.2}", times(outcome, it))));
        let (Ok(bytes) | Err(bytes)) = bytes::check(technique, self.cluster.hosts, outcome);
        format!(
            "| {name} | {:.0} | {dense} | {before} | {} | {bytes} |",
            self.cluster.images_per_s(outcome),
            outcome.columns(self.cluster.compute_s())
        )
    }

    /// What is below the rows.
    pub(super) fn notes(&self) -> String {
        let mut notes = String::from("\n");
        if let Some(share) = self.link_share() {
            notes += &format!(
                "The link allows {:.0} images/s of a dense f32 sum; the fastest reaches {:.0} %.\n",
                self.link_limit(),
                100.0 * share
            );
        }
        if self.cluster.bar == ClusterBar::Decision {
            notes += &format!("{}\n", self.decisions());
        }
        notes + &format!("Duration: {:.0} minutes.\n", self.minutes)
    }

    /// Everything that does not reach what it must, with the cluster's name.
    pub(super) fn misses(&self) -> Vec<String> {
        let mut misses = Vec::new();
        let mut add = |what: &str, of_row: Vec<String>| {
            if !of_row.is_empty() {
                misses.push(format!("{}, {what}: {}", self.cluster.name, of_row.join(", ")));
            }
        };
        for row in &self.rows {
            add(row.technique.name, self.row_misses(row));
            add(&format!("{}, always", row.technique.name), self.always_misses(row));
        }
        if self.cluster.bar == ClusterBar::PerRow && self.link_share() < Some(LINK_SHARE) {
            add("dense", vec![format!("below {LINK_SHARE} of the link's limit")]);
        }
        if self.decisions().is_missed() {
            add("decisions", vec!["too many wrong".to_owned()]);
        }
        misses
    }

    fn row_misses(&self, row: &EmulatedRow) -> Vec<String> {
        let Ok(outcome) = &row.outcome else { return vec!["refused".to_owned()] };
        let mut misses = Vec::new();
        if let Some(least) = self.least(row.technique) {
            let other = match self.cluster.bar {
                ClusterBar::PerRow | ClusterBar::Decision => self.baseline(),
                ClusterBar::EachStep => self.before(row.technique),
            };
            match other.map(|other| times(outcome, other)) {
                None => misses.push("nothing to compare with".to_owned()),
                Some(ratio) if ratio < least => misses.push("speed".to_owned()),
                Some(_) => {}
            }
        }
        misses.extend(self.wrong_bytes(row.technique, outcome));
        misses
    }

    fn always_misses(&self, row: &EmulatedRow) -> Vec<String> {
        match &row.always {
            None => Vec::new(),
            Some(Err(_)) => vec!["refused".to_owned()],
            Some(Ok(always)) => self.wrong_bytes(row.technique, always).into_iter().collect(),
        }
    }

    fn wrong_bytes(&self, technique: &Technique, outcome: &EmulatedOutcome) -> Option<String> {
        let checked = bytes::check(technique, self.cluster.hosts, outcome);
        checked.is_err().then(|| "bytes".to_owned())
    }

    /// Least speed in that of the baseline or of the row before, if one is asked.
    fn least(&self, row: &Technique) -> Option<f64> {
        let is_dense = self.cluster.dense.iter().any(|dense| dense.name == row.name);
        match self.cluster.bar {
            ClusterBar::Decision if !is_dense => Some(DECIDED),
            ClusterBar::Decision => None,
            ClusterBar::PerRow => Some(row.least).filter(|&least| least > 0.0),
            ClusterBar::EachStep => {
                let before = self.cluster.before(row)?.name;
                let is_planned = self.planned.iter().any(|planned| planned.name == before);
                Some(row.least).filter(|&least| least > 0.0 && is_planned)
            }
        }
    }

    /// What a row did, if it was run.
    fn outcome_of(&self, technique: &Technique) -> Option<&EmulatedOutcome> {
        let row = self.rows.iter().find(|row| row.technique.name == technique.name)?;
        row.outcome.as_ref().ok()
    }

    /// The fastest dense f32 sum; of a ladder the first row.
    fn baseline(&self) -> Option<&EmulatedOutcome> {
        let first = &self.cluster.rows[..1];
        let dense = if self.cluster.dense.is_empty() { first } else { self.cluster.dense };
        let outcomes = dense.iter().filter_map(|row| self.outcome_of(row));
        outcomes.min_by(|one, other| one.iteration_s.total_cmp(&other.iteration_s))
    }

    fn before(&self, row: &Technique) -> Option<&EmulatedOutcome> {
        self.outcome_of(self.cluster.before(row)?)
    }

    fn link_limit(&self) -> f64 {
        let cluster = self.cluster;
        (cluster.hosts * cluster.batch) as f64 / cluster.ring_s().max(cluster.compute_s())
    }

    /// What the fastest dense sum reaches of the link's limit.
    fn link_share(&self) -> Option<f64> {
        let baseline = self.baseline().filter(|_| !self.cluster.dense.is_empty())?;
        Some(self.cluster.images_per_s(baseline) / self.link_limit())
    }

    fn decisions(&self) -> DecisionCount {
        let mut count = DecisionCount::default();
        for row in &self.rows {
            let (Ok(decided), Some(Ok(always))) = (&row.outcome, &row.always) else { continue };
            let dense = self.cluster.dense_of(row.technique);
            let dense = dense.and_then(|dense| self.outcome_of(dense));
            if let Some((dense, config)) = dense.zip(row.technique.compression()) {
                count.count(config.kind().decision, decided, dense, always);
            }
        }
        count
    }
}

/// How much faster a run is than another.
fn times(outcome: &EmulatedOutcome, other: &EmulatedOutcome) -> f64 {
    other.iteration_s / outcome.iteration_s
}

#[cfg(test)]
mod tests;
