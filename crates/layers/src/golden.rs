//! Every layer against recordings of Caffe: `testdata/golden/layers`, one folder per case.
//!
//! A case is a net of Input layers and one layer `l`, with blobs recorded before and after. It runs
//! in every layout the layer takes. Params drawn by a filler must be equal to the bit, tops and
//! gradients to a relative error of 1e-4.

mod case;
mod safetensors;

use std::path::Path;

use case::GoldenCase;

/// The least number of recordings; a missing folder must not look like success.
const CASES_MIN: usize = 92;

#[test]
fn layers_give_what_caffe_gave() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/golden/layers");
    let mut folders: Vec<_> = std::fs::read_dir(root).unwrap().map(|e| e.unwrap().path()).collect();
    folders.sort();
    let mut failures = Vec::new();
    let mut passed = 0;
    for folder in folders {
        let case = GoldenCase::open(&folder);
        let result = match crate::find(case.layer_type()) {
            Some(kind) => case.run(kind),
            None => Err(format!("no layer type `{}`", case.layer_type())),
        };
        match result {
            Ok(()) => passed += 1,
            Err(why) => failures.push(format!("{}: {why}", case.name)),
        }
    }
    assert!(failures.is_empty(), "{passed} passed, but\n{}", failures.join("\n"));
    assert!(passed >= CASES_MIN, "only {passed} cases were found");
}
