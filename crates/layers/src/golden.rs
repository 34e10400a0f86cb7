//! Every layer against recordings of Caffe: `testdata/golden/layers`, one folder per case.
//!
//! A case is a net of Input layers and one layer `l`, with blobs recorded before and after. It runs
//! in every layout the layer takes. Params drawn by a filler must be equal to the bit, tops and
//! gradients to a relative error of 1e-4.

mod case;
mod safetensors;

use std::{collections::BTreeSet, path::Path};

use case::GoldenCase;

use crate::LAYERS;

/// Types of Caffe without a recording: data and output layers, and those that compute nothing.
const UNRECORDED: [&str; 10] = [
    "Data",
    "DummyData",
    "HDF5Data",
    "HDF5Output",
    "ImageData",
    "Input",
    "MemoryData",
    "Parameter",
    "Silence",
    "WindowData",
];

#[test]
fn layers_give_what_caffe_gave() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/golden/layers");
    let mut folders: Vec<_> = std::fs::read_dir(root).unwrap().map(|e| e.unwrap().path()).collect();
    folders.sort();
    let mut failures = Vec::new();
    let mut recorded = BTreeSet::new();
    for folder in folders {
        let case = GoldenCase::open(&folder);
        let result = match crate::find(case.layer_type()) {
            Some(kind) => case.run(kind),
            None => Err(format!("no layer type `{}`", case.layer_type())),
        };
        if let Err(why) = result {
            failures.push(format!("{}: {why}", case.name));
        }
        recorded.insert(case.layer_type().to_owned());
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    let caffes = LAYERS.iter().filter(|kind| kind.fork.is_empty()).map(|kind| kind.name);
    let unrecorded: Vec<_> = caffes.filter(|name| !recorded.contains(*name)).collect();
    assert_eq!(unrecorded, UNRECORDED);
}
