//! Reading a database from end to end and saying what is in it.

use std::collections::BTreeMap;

use crate::{
    ProgressFn,
    database::RecordReader,
    error::{DataError, chain},
    image::Color,
    sample::SampleDecoder,
    transform::Chw,
};

/// So many bad records are listed; of the others only the number.
const LISTED_MAX: usize = 100;

/// What a database holds.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DatabaseReport {
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
pub fn database(
    database: &mut dyn RecordReader,
    progress: ProgressFn<'_>,
) -> Result<DatabaseReport, DataError> {
    let total = database.entries().unwrap_or(0);
    let mut report = DatabaseReport::default();
    let (mut bytes, mut decoder) = (Vec::new(), SampleDecoder::new(Color::AsStored));
    while database.advance()? {
        report.records += 1;
        match decoder.decode(database.value(&mut bytes)?) {
            Ok(sample) => {
                *report.sizes.entry(sample.size).or_default() += 1;
                *report.labels.entry(sample.label).or_default() += 1;
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
