//! A reader for the part of safetensors that the recordings use: f32 tensors and a map of strings.
//!
//! A file is the length of a JSON header, the header, and the bytes that it points into. The header
//! is flat enough to be read by searching for its keys. The files are ours, so anything unexpected
//! panics.

use std::{collections::BTreeMap, path::Path};

/// A tensor: its shape and its values in Caffe's order.
pub(super) type RecordedTensor = (Vec<usize>, Vec<f32>);

/// A file's tensors and metadata by name.
#[derive(Default)]
pub(super) struct Recording {
    pub(super) tensors: BTreeMap<String, RecordedTensor>,
    pub(super) metadata: BTreeMap<String, String>,
}

impl Recording {
    pub(super) fn read(path: &Path) -> Self {
        let bytes = std::fs::read(path).unwrap();
        let length = usize::try_from(u64::from_le_bytes(*bytes.first_chunk().unwrap())).unwrap();
        let (header, data) = bytes[8..].split_at(length);
        let mut recorded = Self::default();
        // `"name":{ .. }` for each entry: no object within has objects of its own.
        let header = str::from_utf8(header).unwrap().trim().trim_start_matches('{');
        for entry in header.split('}').filter(|entry| entry.contains('{')) {
            let (name, fields) = entry.split_once('{').unwrap();
            let name = name.split('"').nth(1).unwrap();
            if name == "__metadata__" {
                let quoted: Vec<_> = fields.split('"').skip(1).step_by(2).collect();
                let pairs = quoted.chunks_exact(2).map(|pair| (pair[0].into(), pair[1].into()));
                recorded.metadata = pairs.collect();
                continue;
            }
            assert!(fields.contains("\"F32\""), "{name} is not f32");
            let range = numbers(fields, "data_offsets");
            let (words, _) = data[range[0]..range[1]].as_chunks::<4>();
            let values = words.iter().map(|&word| f32::from_le_bytes(word)).collect();
            recorded.tensors.insert(name.into(), (numbers(fields, "shape"), values));
        }
        recorded
    }
}

/// The numbers of `"key":[1,2,3]`.
fn numbers(fields: &str, key: &str) -> Vec<usize> {
    let (_, list) = fields.split_once(key).unwrap();
    let (list, _) = list.split_once('[').unwrap().1.split_once(']').unwrap();
    list.split(',').map(str::trim).filter(|n| !n.is_empty()).map(|n| n.parse().unwrap()).collect()
}
