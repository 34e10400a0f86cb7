//! `NAME:KEY=VALUE,…` as `--compression` takes it, checked.

use super::{
    CompressionError, CompressionKey, CompressionKind, CompressionSetup, Compressor, find,
};
use std::fmt;
use std::str::FromStr;

/// The key of a warm-up, for rows that have one.
pub(super) const WARMUP: &str = "warmup";

/// A row with checked options. [`Display`](fmt::Display) writes all of them, so two equal texts
/// mean the same.
#[derive(Debug, Clone, PartialEq)]
pub struct CompressionConfig {
    kind: &'static CompressionKind,
    /// One per key of the row. Whole numbers are below 2^32, so they are exact.
    values: Vec<f64>,
}

impl CompressionConfig {
    /// The row.
    #[must_use]
    pub fn kind(&self) -> &'static CompressionKind {
        self.kind
    }

    /// The value of an option.
    ///
    /// # Panics
    ///
    /// If the row has no such key: rows ask for their own.
    #[must_use]
    pub fn number(&self, key: &str) -> f64 {
        let at = self.kind.keys.iter().position(|known| known.name == key);
        self.values[at.expect("a row asks for its own keys")]
    }

    /// The value of an option whose values are whole numbers.
    ///
    /// # Panics
    ///
    /// As [`number`](Self::number).
    #[must_use]
    #[expect(clippy::cast_possible_truncation, reason = "a whole number below 2^32")]
    #[expect(clippy::cast_sign_loss, reason = "a whole number below 2^32")]
    pub(super) fn whole(&self, key: &str) -> usize {
        self.number(key) as usize
    }

    /// The same as it is after its warm-up.
    #[must_use]
    pub fn without_warmup(mut self) -> Self {
        for (key, value) in self.kind.keys.iter().zip(&mut self.values) {
            if key.name == WARMUP {
                *value = 0.0;
            }
        }
        self
    }

    /// What runs it on one rank.
    ///
    /// # Panics
    ///
    /// If params or buckets of `setup` do not tile the pool: our own caller made them.
    pub fn build(&self, setup: &CompressionSetup) -> Result<Compressor, CompressionError> {
        setup.check();
        Ok(Compressor::new(self.clone(), setup, (self.kind.build)(self, setup)?))
    }
}

impl FromStr for CompressionConfig {
    type Err = CompressionError;

    fn from_str(written: &str) -> Result<Self, CompressionError> {
        let (name, options) = match written.split_once(':') {
            Some((name, options)) => (name, Some(options)),
            None => (written, None),
        };
        let kind = find(name)?;
        let mut given: Vec<Option<f64>> = vec![None; kind.keys.len()];
        for option in options.into_iter().flat_map(|options| options.split(',')) {
            let (at, value) = parse_option(kind, option)?;
            if given[at].replace(value).is_some() {
                return Err(CompressionError::KeyTwice { kind, key: kind.keys[at].name });
            }
        }
        let or_default = |(key, given): (&CompressionKey, Option<f64>)| {
            given.unwrap_or_else(|| key.range.parse(key.default).expect("defaults are valid"))
        };
        let values = kind.keys.iter().zip(given).map(or_default).collect();
        Ok(Self { kind, values })
    }
}

/// Which key an option has, and its value.
fn parse_option(
    kind: &'static CompressionKind,
    option: &str,
) -> Result<(usize, f64), CompressionError> {
    let (name, value) = option
        .split_once('=')
        .ok_or_else(|| CompressionError::NotAPair { kind, written: option.to_owned() })?;
    let at = kind.keys.iter().position(|key| key.name == name);
    let at = at.ok_or_else(|| CompressionError::UnknownKey { kind, key: name.to_owned() })?;
    let key = &kind.keys[at];
    match key.range.parse(value) {
        Some(value) => Ok((at, value)),
        None => Err(CompressionError::Value {
            kind,
            key: key.name,
            written: value.to_owned(),
            range: key.range,
        }),
    }
}

impl fmt::Display for CompressionConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.kind.name)?;
        for (index, (key, value)) in self.kind.keys.iter().zip(&self.values).enumerate() {
            let before = if index == 0 { ':' } else { ',' };
            write!(f, "{before}{}={value}", key.name)?;
        }
        Ok(())
    }
}
