//! One published number and what the simulator says.

/// Whether a number was used to choose a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RowKind {
    /// A parameter was chosen so that this comes out.
    Fitted,
    /// Nothing was chosen by it; it must come out within this many percent.
    Predicted(u32),
    /// Nothing was chosen by it, and nothing is asked of it.
    Reported,
}

/// One published number.
pub(super) struct PublishedRow {
    pub(super) what: String,
    pub(super) unit: &'static str,
    pub(super) published: f64,
    pub(super) simulated: f64,
    /// How certain the published number is: the tags of the facts.
    pub(super) certainty: &'static str,
    pub(super) kind: RowKind,
}

impl PublishedRow {
    /// By how many percent the simulated number is larger.
    pub(super) fn error(&self) -> f64 {
        100.0 * (self.simulated / self.published - 1.0)
    }

    /// Whether it is where it must be. Fitted rows must come out as they were fitted.
    pub(super) fn holds(&self) -> bool {
        match self.kind {
            RowKind::Fitted => self.error().abs() <= 5.0,
            RowKind::Predicted(percent) => self.error().abs() <= f64::from(percent),
            RowKind::Reported => true,
        }
    }
}

/// Pairs of rows of one kind of job whose simulated order is not the published one.
pub(super) fn disorder(rows: &[PublishedRow]) -> Vec<String> {
    let job = |row: &PublishedRow| row.what.rsplit_once(", ").map(|(job, _)| job.to_owned());
    let tested: Vec<_> = rows.iter().filter(|row| row.kind != RowKind::Reported).collect();
    let mut wrong = Vec::new();
    for (index, first) in tested.iter().enumerate() {
        for second in tested[index + 1..].iter().filter(|second| job(second) == job(first)) {
            let published = first.published - second.published;
            if published * (first.simulated - second.simulated) < 0.0 {
                wrong.push(format!("{} and {}", first.what, second.what));
            }
        }
    }
    wrong
}

/// Rows as a table of markdown.
pub(super) fn table(rows: &[PublishedRow]) -> String {
    let mut text = "| row | unit | published | simulated | error | source | kind |\n\
                    |---|---|---|---|---|---|---|\n"
        .to_owned();
    for row in rows {
        let kind = match row.kind {
            RowKind::Fitted => "fitted".to_owned(),
            RowKind::Predicted(percent) if row.holds() => format!("predicted, within {percent} %"),
            RowKind::Predicted(percent) => format!("predicted, **not within {percent} %**"),
            RowKind::Reported => "reported".to_owned(),
        };
        let PublishedRow { what, unit, published, simulated, certainty, .. } = row;
        let [published, simulated] = [*published, *simulated].map(digits);
        let error = row.error();
        text += &format!(
            "| {what} | {unit} | {published} | {simulated} | {error:+.1} % | {certainty} | {kind} |\n"
        );
    }
    text
}

/// Three or four digits.
fn digits(value: f64) -> String {
    match value {
        value if value >= 100.0 => format!("{value:.0}"),
        value if value >= 10.0 => format!("{value:.1}"),
        value => format!("{value:.2}"),
    }
}

#[cfg(test)]
mod tests {
    use super::{PublishedRow, RowKind, disorder, table};

    #[test]
    fn a_row_outside_its_tolerance_is_said_to_be() {
        let row = |simulated, kind| PublishedRow {
            what: "speed-up".into(),
            unit: "x",
            published: 47.0,
            simulated,
            certainty: "[P]",
            kind,
        };
        assert!(row(50.0, RowKind::Predicted(10)).holds());
        assert!(!row(40.0, RowKind::Predicted(10)).holds());
        assert!(!row(44.0, RowKind::Fitted).holds() && row(4.0, RowKind::Reported).holds());
        let text = table(&[row(40.0, RowKind::Predicted(10))]);
        assert!(text.contains("| 47.0 | 40.0 | -14.9 % | [P] | predicted, **not within 10 %** |"));
    }

    #[test]
    fn rows_in_the_wrong_order_are_named() {
        let row = |what: &str, published, simulated| PublishedRow {
            what: what.into(),
            unit: "x",
            published,
            simulated,
            certainty: "[P]",
            kind: RowKind::Predicted(10),
        };
        let rows = [row("A, x", 1.0, 2.0), row("A, y", 2.0, 1.0), row("B, y", 3.0, 0.5)];
        assert_eq!(disorder(&rows), ["A, x and A, y"]);
        assert!(disorder(&rows[1..]).is_empty());
    }
}
