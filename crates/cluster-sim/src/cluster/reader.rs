//! Reads keys of TOML tables and collects what is wrong, so that one run reports every mistake.
//!
//! A key that is missing or wrong gets a placeholder: the file is refused in the end, and until
//! then the other keys are looked at.

mod number;

pub(super) use number::NumberRange;

use super::problem::ClusterProblem;
use number::{number_of, plain};
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// All mistakes so far.
pub(super) struct ProblemList<'t> {
    pub(super) text: &'t str,
    pub(super) problems: Vec<ClusterProblem>,
}

impl ProblemList<'_> {
    pub(super) fn add(&mut self, span: &Range<usize>, what: String, hint: impl Into<String>) {
        self.problems.push(ClusterProblem::at(self.text, span, what, hint.into()));
    }
}

/// One table of the file. Every key must be asked for; [`end`](Self::end) complains of others.
pub(super) struct TableReader<'a> {
    name: &'static str,
    span: Range<usize>,
    table: &'a DeTable<'a>,
    asked: Vec<&'static str>,
}

impl<'a> TableReader<'a> {
    pub(super) fn new(name: &'static str, span: Range<usize>, table: &'a DeTable<'a>) -> Self {
        Self { name, span, table, asked: Vec::new() }
    }

    /// Where the table begins, for mistakes that no single key has made.
    pub(super) fn span(&self) -> Range<usize> {
        self.span.clone()
    }

    /// Where a key's value is, or the table.
    pub(super) fn span_of(&self, key: &str) -> Range<usize> {
        self.table.get(key).map_or_else(|| self.span(), Spanned::span)
    }

    pub(super) fn has(&self, key: &str) -> bool {
        self.table.contains_key(key)
    }

    fn get(&mut self, key: &'static str) -> Option<&'a Spanned<DeValue<'a>>> {
        self.asked.push(key);
        self.table.get(key)
    }

    fn missing(&self, key: &str, want: &str, list: &mut ProblemList<'_>) {
        let place =
            if self.name.is_empty() { String::new() } else { format!(" in [{}]", self.name) };
        let what = format!("`{key}` is missing{place}");
        list.add(&self.span, what, format!("add `{key} = …`, {want}"));
    }

    /// A number, or `default`; `None` makes the key required.
    pub(super) fn number(
        &mut self,
        key: &'static str,
        range: NumberRange,
        default: Option<f64>,
        list: &mut ProblemList<'_>,
    ) -> f64 {
        match self.get(key) {
            Some(value) => number_of(key, value, range, list),
            None => default.unwrap_or_else(|| {
                self.missing(key, range.words(), list);
                1.0
            }),
        }
    }

    /// A number that may be missing.
    pub(super) fn optional_number(
        &mut self,
        key: &'static str,
        range: NumberRange,
        list: &mut ProblemList<'_>,
    ) -> Option<f64> {
        self.get(key).map(|value| number_of(key, value, range, list))
    }

    /// A whole number of 1 or more, or `default`.
    pub(super) fn count(
        &mut self,
        key: &'static str,
        default: Option<usize>,
        list: &mut ProblemList<'_>,
    ) -> usize {
        let Some(value) = self.get(key) else {
            return default.unwrap_or_else(|| {
                self.missing(key, "a whole number of 1 or more", list);
                1
            });
        };
        let number = match value.get_ref() {
            DeValue::Integer(written) => usize::from_str_radix(written.as_str(), written.radix()),
            _ => "".parse(),
        };
        match number {
            Ok(count) if count > 0 => count,
            _ => {
                let what = format!("`{key}` is not a whole number of 1 or more");
                list.add(&value.span(), what, "write one such as `8`");
                1
            }
        }
    }

    /// A text, or `default`.
    pub(super) fn text(
        &mut self,
        key: &'static str,
        default: Option<&str>,
        list: &mut ProblemList<'_>,
    ) -> String {
        let Some(value) = self.get(key) else {
            return default.map(str::to_owned).unwrap_or_else(|| {
                self.missing(key, "a text in quotes", list);
                String::new()
            });
        };
        match value.get_ref() {
            DeValue::String(text) => text.as_ref().to_owned(),
            _ => {
                list.add(&value.span(), format!("`{key}` is not a text"), "put it in quotes");
                String::new()
            }
        }
    }

    /// `true` or `false`.
    pub(super) fn flag(
        &mut self,
        key: &'static str,
        default: bool,
        list: &mut ProblemList<'_>,
    ) -> bool {
        let Some(value) = self.get(key) else { return default };
        match value.get_ref() {
            DeValue::Boolean(flag) => *flag,
            _ => {
                let what = format!("`{key}` is neither true nor false");
                list.add(&value.span(), what, "write `true` or `false` without quotes");
                default
            }
        }
    }

    /// A table inside this one.
    pub(super) fn table(
        &mut self,
        key: &'static str,
        list: &mut ProblemList<'_>,
    ) -> Option<TableReader<'a>> {
        let value = self.get(key)?;
        let DeValue::Table(table) = value.get_ref() else {
            list.add(&value.span(), format!("`{key}` is not a table"), format!("write `[{key}]`"));
            return None;
        };
        Some(TableReader::new(key, value.span(), table))
    }

    /// A list of tables inside this one.
    pub(super) fn tables(
        &mut self,
        key: &'static str,
        list: &mut ProblemList<'_>,
    ) -> Vec<TableReader<'a>> {
        let Some(value) = self.get(key) else { return Vec::new() };
        let DeValue::Array(rows) = value.get_ref() else {
            let hint = format!("write `[[{}.{key}]]`", self.name);
            list.add(&value.span(), format!("`{key}` is not a list of tables"), hint);
            return Vec::new();
        };
        let mut tables = Vec::new();
        for row in rows.iter() {
            match row.get_ref() {
                DeValue::Table(table) => tables.push(TableReader::new(key, row.span(), table)),
                _ => list.add(&row.span(), format!("`{key}` holds something else"), "write tables"),
            }
        }
        tables
    }

    /// A list of pairs of numbers above 0, the first ones rising.
    pub(super) fn pairs(
        &mut self,
        key: &'static str,
        list: &mut ProblemList<'_>,
    ) -> Vec<(f64, f64)> {
        let Some(value) = self.get(key) else { return Vec::new() };
        let hint = "write `[[1024, 0.5], [65536, 3.2]]`: bytes and GB/s, sizes rising";
        let DeValue::Array(rows) = value.get_ref() else {
            list.add(&value.span(), format!("`{key}` is not a list of pairs"), hint);
            return Vec::new();
        };
        let mut pairs: Vec<(f64, f64)> = Vec::new();
        for row in rows.iter() {
            let numbers: Vec<f64> = match row.get_ref() {
                DeValue::Array(pair) => {
                    pair.iter().filter_map(|item| plain(item.get_ref())).collect()
                }
                _ => Vec::new(),
            };
            match numbers[..] {
                [bytes, rate] if bytes > 0.0 && rate > 0.0 => {
                    if pairs.last().is_some_and(|last| last.0 >= bytes) {
                        list.add(&row.span(), format!("sizes of `{key}` do not rise"), hint);
                    }
                    pairs.push((bytes, rate));
                }
                _ => list.add(&row.span(), "not a pair of numbers above 0".into(), hint),
            }
        }
        pairs
    }

    /// Complains of keys that nobody asked for.
    pub(super) fn end(self, list: &mut ProblemList<'_>) {
        for (key, _) in self.table.iter() {
            let written: &str = key.get_ref();
            if self.asked.iter().all(|asked| *asked != written) {
                let known = self.asked.join("`, `");
                list.add(
                    &key.span(),
                    format!("unknown key `{written}`"),
                    format!("known: `{known}`"),
                );
            }
        }
    }
}
