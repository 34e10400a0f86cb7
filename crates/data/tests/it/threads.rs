//! Any number of threads gives the batches of one.

use std::sync::Arc;

use data::{FillMonitor, OnBadSample, SourceOptions, lmdb::LmdbWriter};

use crate::{
    golden::{golden_layer, layer, options},
    stream::{chain, open},
};

fn on_threads(threads: usize) -> SourceOptions {
    let monitor = FillMonitor::default();
    monitor.set_threads(threads);
    SourceOptions { monitor: Arc::new(monitor), ..options() }
}

/// Raw records and encoded ones, with random crops and mirrors; also when the number changes.
#[test]
fn batches_and_states_do_not_depend_on_threads() {
    for case in ["data_crop_mirror_train", "data_lmdb", "data_encoded", "data_raw_color"] {
        let layer = golden_layer(case);
        for threads in [2, 3, 7] {
            let changing = on_threads(threads);
            let mut several = open(&layer, &changing).unwrap();
            let mut one = open(&layer, &options()).unwrap();
            for batch in 0..12 {
                let (got, want) = (several.next_batch().unwrap(), one.next_batch().unwrap());
                assert!(crate::values(got, 0) == crate::values(want, 0), "{case}, {threads}");
                assert!(crate::values(got, 1) == crate::values(want, 1), "{case}, {threads}");
                assert_eq!(several.state(), one.state());
                assert_eq!(several.record_name(0), one.record_name(0));
                changing.monitor.set_threads(1 + batch % threads);
            }
        }
    }
}

#[test]
fn the_first_bad_record_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let mut writer = LmdbWriter::create(&folder.path().join("db")).unwrap();
    for key in 0..40_u8 {
        let pixel = caffe_format::Datum::raw([1, 1, 1], vec![key], 0);
        let good = caffe_format::binary::write(&pixel);
        let value = if key == 23 || key == 31 { b"damaged".to_vec() } else { good };
        writer.put(format!("{key:08}").as_bytes(), &value).unwrap();
    }
    writer.finish().unwrap();
    let layer = layer(
        r#"layer { type: "Data" top: "data" top: "label"
             data_param { source: "db" batch_size: 30 backend: LMDB } }"#,
    );
    let fails = SourceOptions { root: folder.path().into(), ..on_threads(3) };
    let error = chain(&open(&layer, &fails).unwrap().next_batch().err().unwrap());
    assert!(
        error.starts_with("record `00000023` of ") && error.contains("is not a Datum"),
        "{error}"
    );
    let skips = SourceOptions { on_bad_sample: OnBadSample::Skip, ..fails };
    let mut stream = open(&layer, &skips).unwrap();
    assert_eq!(crate::values(stream.next_batch().unwrap(), 0)[22..24], [22.0, 24.0]);
}
