//! The safetensors files of the recordings.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};

/// A recorded file: named f32 tensors and what is said about them.
pub(crate) struct Tensors {
    values: BTreeMap<String, Vec<f32>>,
    metadata: BTreeMap<String, String>,
}

impl Tensors {
    /// Reads a file whose tensors are all f32.
    pub(crate) fn read(path: &Path) -> Result<Self> {
        let bytes = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
        let (_, header) = safetensors::SafeTensors::read_metadata(&bytes)
            .with_context(|| format!("{}", path.display()))?;
        let file = safetensors::SafeTensors::deserialize(&bytes)?;
        let mut values = BTreeMap::new();
        for (name, tensor) in file.tensors() {
            if tensor.dtype() != safetensors::Dtype::F32 {
                bail!("{}: {name} is not f32", path.display());
            }
            let floats = tensor.data().as_chunks::<4>().0.iter().map(|b| f32::from_le_bytes(*b));
            values.insert(name, floats.collect());
        }
        let metadata = header.metadata().clone().unwrap_or_default();
        let metadata = metadata.into_iter().collect();
        Ok(Self { values, metadata })
    }

    /// Tensors under `prefix/`, with the rest of their names.
    pub(crate) fn under<'a>(
        &'a self,
        prefix: &'a str,
    ) -> impl Iterator<Item = (&'a str, &'a [f32])> + 'a {
        self.values.iter().filter_map(move |(name, values)| {
            Some((name.strip_prefix(prefix)?.strip_prefix('/')?, values.as_slice()))
        })
    }

    /// A metadata entry that is there and not empty.
    pub(crate) fn note(&self, key: &str) -> Option<&str> {
        self.metadata.get(key).map(String::as_str).filter(|text| !text.is_empty())
    }
}

/// `layer/index` of a parameter's name.
pub(crate) fn param_name(name: &str) -> Result<(&str, usize)> {
    let (layer, index) = name.rsplit_once('/').with_context(|| format!("param name {name}"))?;
    Ok((layer, index.parse()?))
}
