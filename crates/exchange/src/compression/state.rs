//! Residuals as named vectors, so that a file per rank can hold them.

use super::CompressionError;
use std::borrow::Cow;

/// What one rank must keep to go on: named vectors.
#[derive(Debug, Clone, PartialEq)]
pub struct ResidualState<'a> {
    /// The compression as [`CompressionConfig`](super::CompressionConfig) displays it.
    pub compression: String,
    /// Whose residuals they are.
    pub rank: u64,
    /// Number of ranks.
    pub world: u64,
    /// Each name occurs once.
    pub vectors: Vec<ResidualVector<'a>>,
}

/// One vector.
#[derive(Debug, Clone, PartialEq)]
pub struct ResidualVector<'a> {
    /// What it is.
    pub name: String,
    /// What it holds.
    pub values: ResidualValues<'a>,
}

/// The numbers of a vector.
#[derive(Debug, Clone, PartialEq)]
pub enum ResidualValues<'a> {
    /// Values of gradients.
    F32(Cow<'a, [f32]>),
    /// Counts, indices, flags.
    U64(Cow<'a, [u64]>),
}

impl<'a> ResidualState<'a> {
    /// The same, independent of the compression that it was taken from.
    #[must_use]
    pub fn into_owned(self) -> ResidualState<'static> {
        let own = |vector: ResidualVector<'_>| ResidualVector {
            name: vector.name,
            values: match vector.values {
                ResidualValues::F32(values) => ResidualValues::F32(Cow::Owned(values.into_owned())),
                ResidualValues::U64(values) => ResidualValues::U64(Cow::Owned(values.into_owned())),
            },
        };
        ResidualState {
            compression: self.compression,
            rank: self.rank,
            world: self.world,
            vectors: self.vectors.into_iter().map(own).collect(),
        }
    }

    pub(super) fn push_f32(&mut self, name: &str, values: &'a [f32]) {
        let values = ResidualValues::F32(Cow::Borrowed(values));
        self.vectors.push(ResidualVector { name: name.to_owned(), values });
    }

    pub(super) fn push_u64(&mut self, name: &str, values: Vec<u64>) {
        let values = ResidualValues::U64(Cow::Owned(values));
        self.vectors.push(ResidualVector { name: name.to_owned(), values });
    }

    /// Copies the vector `name`, which must have as many values.
    pub fn copy_f32(&self, name: &str, into: &mut [f32]) -> Result<(), CompressionError> {
        let values = match self.find(name) {
            Some(ResidualValues::F32(values)) => values,
            _ => return Err(self.missing(name, "f32")),
        };
        self.check_len(name, into.len(), values.len())?;
        into.copy_from_slice(values);
        Ok(())
    }

    /// The vector `name`, which must have `len` numbers, all below `limit`.
    pub(super) fn numbers(
        &self,
        name: &str,
        len: usize,
        limit: u64,
    ) -> Result<&[u64], CompressionError> {
        let values = match self.find(name) {
            Some(ResidualValues::U64(values)) => values,
            _ => return Err(self.missing(name, "u64")),
        };
        self.check_len(name, len, values.len())?;
        match values.iter().find(|&&value| value >= limit) {
            Some(&found) => Err(CompressionError::VectorValue {
                compression: self.compression.clone(),
                name: name.to_owned(),
                found,
                limit,
            }),
            None => Ok(values),
        }
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.find(name).is_some()
    }

    fn find(&self, name: &str) -> Option<&ResidualValues<'a>> {
        let found = self.vectors.iter().find(|vector| vector.name == name);
        found.map(|vector| &vector.values)
    }

    fn missing(&self, name: &str, numbers: &'static str) -> CompressionError {
        let (compression, name) = (self.compression.clone(), name.to_owned());
        CompressionError::MissingVector { compression, name, numbers }
    }

    fn check_len(&self, name: &str, expected: usize, found: usize) -> Result<(), CompressionError> {
        if expected == found {
            return Ok(());
        }
        let (compression, name) = (self.compression.clone(), name.to_owned());
        Err(CompressionError::VectorLength { compression, name, expected, found })
    }
}
