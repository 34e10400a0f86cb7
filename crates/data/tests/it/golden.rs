//! `testdata/golden/data/feeds`: three batches of each data layer after seed 1701, in both phases.

use std::path::{Path, PathBuf};

use base::random::Mt19937;
use caffe_format::{LayerParameter, NetParameter, Phase, text};
use data::{OnBadSample, RecordAccess, ReplicaSlice, SourceOptions};
use safetensors::SafeTensors;

pub(crate) fn golden() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/golden/data")
}

pub(crate) fn options() -> SourceOptions {
    SourceOptions {
        root: golden().into(),
        slice: ReplicaSlice::ALL,
        on_bad_sample: OnBadSample::Fail,
        access: RecordAccess::Database,
        monitor: Default::default(),
    }
}

/// The one layer of a prototxt.
pub(crate) fn layer(prototxt: &str) -> LayerParameter {
    let net: NetParameter = text::read("test", prototxt).unwrap();
    net.layer.into_iter().next().unwrap()
}

pub(crate) fn golden_layer(case: &str) -> LayerParameter {
    layer(&std::fs::read_to_string(golden().join(format!("feeds/{case}.prototxt"))).unwrap())
}

/// Compares all batches, to the bit.
#[track_caller]
fn check(case: &str) {
    for (phase, name) in [(Phase::Train, "train"), (Phase::Test, "test")] {
        let layer = golden_layer(case);
        let mut rng = Mt19937::new(1701);
        let mut stream = data::open(&layer, phase, &options(), &mut rng).unwrap();
        assert_eq!(stream.shapes(), data::shapes(&layer, phase, &options()).unwrap());
        let bytes = std::fs::read(golden().join(format!("feeds/{case}.{name}.safetensors")));
        let bytes = bytes.unwrap();
        let recorded = SafeTensors::deserialize(&bytes).unwrap();
        for index in 0..3 {
            let batch = stream.next_batch().unwrap();
            for (top, blob) in layer.top.iter().enumerate() {
                let want = recorded.tensor(&format!("batch{index}/{blob}")).unwrap();
                assert_eq!(batch.shape(top).dims(), want.shape(), "{case} {name} {blob}");
                let (words, _) = want.data().as_chunks::<4>();
                for (i, (&got, word)) in crate::values(batch, top).iter().zip(words).enumerate() {
                    let want = f32::from_le_bytes(*word);
                    let equal = got.to_bits() == want.to_bits();
                    assert!(equal, "{case} {name} batch {index}, {blob}[{i}]: {got} for {want}");
                }
            }
        }
    }
}

#[test]
fn data_lmdb() {
    check("data_lmdb");
}

#[test]
fn data_crop_mirror_train() {
    check("data_crop_mirror_train");
}

#[test]
fn data_raw_color() {
    check("data_raw_color");
}
#[test]
fn data_encoded() {
    check("data_encoded");
}

#[test]
fn image_data() {
    check("image_data");
}

#[test]
fn image_data_shuffle() {
    check("image_data_shuffle");
}

#[test]
fn hdf5_data() {
    check("hdf5_data");
}
