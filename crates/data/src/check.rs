//! Reading a database from end to end and saying what is in it.

use std::collections::BTreeMap;

use crate::{
    Progress,
    database::Database,
    datum::Record,
    error::{DataError, chain},
    image::Color,
    transform::Chw,
};

/// So many bad records are listed; of the others only the number.
const LISTED_MAX: usize = 100;

/// What a database holds.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Report {
    /// All records, the bad ones too.
    pub records: u64,
    /// How many there are of each size: channels, height, width.
    pub sizes: BTreeMap<Chw, u64>,
    /// How many there are with each label.
    pub labels: BTreeMap<i32, u64>,
    /// How many cannot be used.
    pub bad: u64,
    /// The first of those, with the reason.
    pub listed: Vec<String>,
}

/// Reads and decodes every record. A damaged file is an error; a damaged record is reported.
pub fn database(database: &mut dyn Database, progress: Progress<'_>) -> Result<Report, DataError> {
    let total = database.entries().unwrap_or(0);
    let mut report = Report::default();
    let mut bytes = Vec::new();
    while database.advance()? {
        database.read_value(&mut bytes)?;
        report.records += 1;
        match Record::read(&bytes, Color::AsStored) {
            Ok(record) => {
                *report.sizes.entry(record.size()).or_default() += 1;
                *report.labels.entry(record.label()).or_default() += 1;
            }
            Err(problem) => {
                report.bad += 1;
                if report.listed.len() < LISTED_MAX {
                    report.listed.push(chain(&database.bad_record(problem)));
                }
            }
        }
        progress(report.records, total);
    }
    Ok(report)
}
