//! What a stream promises beyond its values: records per replica, resuming, errors, ending.

use base::random::Mt19937;
use caffe_format::{LayerParameter, Phase};
use data::{
    BatchStream, DataError, OnBadSample, ReplicaSlice, SourceOptions, StreamState, lmdb::LmdbWriter,
};
use expect_test::expect;

use crate::golden::{golden_layer, layer, options};

pub(crate) fn open(
    layer: &LayerParameter,
    options: &SourceOptions,
) -> Result<BatchStream, DataError> {
    data::open(layer, Phase::Train, options, &mut Mt19937::new(1701))
}

/// All values, labels and names of the next batch.
fn next(stream: &mut BatchStream) -> (Vec<u32>, Vec<f32>, Vec<String>) {
    let batch = stream.next_batch().unwrap();
    let labels = crate::values(batch, 1);
    let values = crate::values(batch, 0).iter().map(|v| v.to_bits()).collect();
    let names = (0..labels.len()).map(|item| stream.record_name(item).unwrap()).collect();
    (values, labels, names)
}

#[test]
fn a_restored_stream_goes_on_to_the_bit() {
    for case in
        ["data_crop_mirror_train", "data_lmdb", "data_raw_color", "hdf5_data", "image_data_shuffle"]
    {
        let layer = golden_layer(case);
        let mut unbroken = open(&layer, &options()).unwrap();
        for consumed in 0..40 {
            // Enough batches to wrap round the database several times.
            let saved = StreamState::from_bytes(&unbroken.state().to_bytes()).unwrap();
            let want = next(&mut unbroken);
            if consumed % 7 == 0 {
                let mut resumed = open(&layer, &options()).unwrap();
                next(&mut resumed);
                resumed.restore(&saved).unwrap();
                assert_eq!(*resumed.state(), saved);
                assert!(next(&mut resumed) == want, "{case} after {consumed}");
                assert_eq!(resumed.state(), unbroken.state());
            }
        }
    }
}

#[test]
fn skipping_batches_is_as_good_as_taking_them() {
    for case in
        ["data_crop_mirror_train", "data_lmdb", "data_raw_color", "hdf5_data", "image_data_shuffle"]
    {
        for (replica, replicas) in [(0, 1), (1, 3)] {
            for on_bad_sample in [OnBadSample::Fail, OnBadSample::Skip] {
                let options = SourceOptions {
                    slice: ReplicaSlice { replica, replicas },
                    on_bad_sample,
                    ..options()
                };
                let layer = golden_layer(case);
                let mut unbroken = open(&layer, &options).unwrap();
                let mut skipping = open(&layer, &options).unwrap();
                // Round the database several times in all.
                for batches in [0, 1, 5, 23] {
                    (0..batches).for_each(|_| _ = next(&mut unbroken));
                    skipping.skip(batches, 0).unwrap();
                    let (got, want) = (next(&mut skipping), next(&mut unbroken));
                    assert!(got == want, "{case}: {batches} batches of {replica}/{replicas}");
                }
            }
        }
    }
}

#[test]
fn another_layers_position_is_refused() {
    let mut stream = open(&golden_layer("data_lmdb"), &options()).unwrap();
    let cropping = open(&golden_layer("data_crop_mirror_train"), &options()).unwrap();
    let error = stream.restore(cropping.state()).unwrap_err();
    assert!(matches!(error, DataError::State { .. }), "{error:?}");
    let mut state = cropping.state().clone();
    state.source = "HDF5Data";
    assert!(matches!(stream.restore(&state), Err(DataError::State { .. })));
}

/// Replica r of R gets the records i with i mod R = r of the endless sequence.
#[test]
fn replicas_take_records_in_turn() {
    let layer = layer(
        r#"layer { type: "Data" top: "data" top: "label"
             data_param { source: "fashion128_lmdb" batch_size: 7 backend: LMDB } }"#,
    );
    for replicas in [1, 2, 3, 5] {
        for replica in 0..replicas {
            let options = SourceOptions { slice: ReplicaSlice { replica, replicas }, ..options() };
            let mut stream = open(&layer, &options).unwrap();
            let mut record = replica;
            let mut restarts = 0;
            for _ in 0..50 {
                for name in next(&mut stream).2 {
                    assert_eq!(name, format!("{:08}", record % 128));
                    record += replicas;
                }
                restarts += stream.state().epochs - restarts;
            }
            assert_eq!(restarts, (record - replicas + 1) as u64 / 128);
        }
    }
}

/// The same images are in a LevelDB; its number of records is not known beforehand.
#[test]
fn a_leveldb_gives_what_the_lmdb_gives() {
    let open_with = |backend: &str| {
        let layer = layer(&format!(
            r#"layer {{ type: "Data" top: "data" top: "label" transform_param {{ crop_size: 20 }}
                 data_param {{ source: "fashion512_{}" batch_size: 100 backend: {backend} }} }}"#,
            backend.to_lowercase()
        ));
        open(&layer, &options()).unwrap()
    };
    let (mut lmdb, mut leveldb) = (open_with("LMDB"), open_with("LEVELDB"));
    for _ in 0..12 {
        let state = leveldb.state().clone();
        let want = next(&mut lmdb);
        assert!(next(&mut leveldb) == want);
        leveldb.restore(&state).unwrap();
        assert!(next(&mut leveldb) == want, "restored");
        assert_eq!(leveldb.state(), lmdb.state());
    }
    lmdb.skip(9, 0).unwrap();
    leveldb.skip(9, 0).unwrap();
    assert!(next(&mut leveldb) == next(&mut lmdb), "skipped");
}

#[test]
fn testing_reads_everything() {
    let layer = golden_layer("data_lmdb");
    let options = SourceOptions { slice: ReplicaSlice { replica: 1, replicas: 2 }, ..options() };
    let mut rng = Mt19937::new(1);
    let mut stream = data::open(&layer, Phase::Test, &options, &mut rng).unwrap();
    stream.next_batch().unwrap();
    let names = [0, 1, 50].map(|item| stream.record_name(item));
    assert_eq!(names, [Some("00000000".into()), Some("00000001".into()), None]);
}

#[test]
fn ended_epochs_are_counted() {
    let mut stream = open(&golden_layer("data_lmdb"), &options()).unwrap(); // 50 of 128
    let ended = (0..6).map(|_| {
        stream.next_batch().unwrap();
        stream.origin().epochs_ended
    });
    assert_eq!(ended.collect::<Vec<_>>(), [0, 0, 1, 0, 0, 1]);
}

/// A database of four records, the second damaged, in a folder that lives as long as the result.
fn with_bad_record() -> (tempfile::TempDir, LayerParameter) {
    let folder = tempfile::tempdir().unwrap();
    let mut writer = LmdbWriter::create(&folder.path().join("db")).unwrap();
    // channels 1, height 1, width 1, data [n], label n
    let datum = |n: u8| [8, 1, 16, 1, 24, 1, 34, 1, n, 40, n];
    writer.put(b"a", &datum(1)).unwrap();
    writer.put(b"b", &[0x08, 0x01, 0x22, 0x05, 0x00]).unwrap();
    writer.put(b"c", &datum(3)).unwrap();
    writer.put(b"d", &[8, 1, 16, 1, 24, 2, 34, 2, 7, 8, 40, 9]).unwrap();
    writer.finish().unwrap();
    let layer = layer(
        r#"layer { type: "Data" top: "data" top: "label"
             data_param { source: "db" batch_size: 2 backend: LMDB rand_skip: 3 } }"#,
    );
    (folder, layer)
}

pub(crate) fn chain(error: &dyn std::error::Error) -> String {
    let cause = error.source().map(|cause| format!(": {}", chain(cause)));
    format!("{error}{}", cause.unwrap_or_default())
}

#[test]
fn a_bad_record_is_named_and_ends_the_stream() {
    let (folder, layer) = with_bad_record();
    let options = SourceOptions { root: folder.path().into(), ..options() };
    let mut stream = open(&layer, &options).unwrap();
    expect![[r#"
        [
            RandSkip,
        ]
    "#]]
    .assert_debug_eq(&stream.notices());
    let error = chain(&stream.next_batch().unwrap_err());
    let error = error.replace(&*folder.path().to_string_lossy(), "DIR");
    expect!["record `b` of DIR/db/data.mdb: is not a Datum: in `Datum.data` at byte 4: 5 bytes are announced, 1 are left"].assert_eq(&error);
    assert!(matches!(stream.next_batch(), Err(DataError::Ended)));
}

#[test]
fn bad_records_can_be_skipped() {
    let (folder, layer) = with_bad_record();
    let root = folder.path().to_owned();
    let options =
        SourceOptions { root: root.into(), on_bad_sample: OnBadSample::Skip, ..options() };
    let mut stream = open(&layer, &options).unwrap();
    for _ in 0..3 {
        let batch = stream.next_batch().unwrap();
        assert_eq!([0, 1].map(|top| crate::values(batch, top)), [[1.0, 3.0], [1.0, 3.0]]);
        assert_eq!(stream.origin().skipped.len(), 1);
        // The next batch begins with `d`, whose size is another; it then asks for more such.
        let batch = stream.next_batch().unwrap();
        assert_eq!(batch.shape(0).dims(), [2, 1, 1, 2]);
        assert_eq!(crate::values(batch, 0), [7.0, 8.0, 7.0, 8.0]);
        assert_eq!(stream.origin().skipped.len(), 3);
    }
}

#[test]
fn a_stream_can_be_dropped_at_any_time() {
    let layer = golden_layer("data_crop_mirror_train");
    for consumed in 0..20 {
        let mut stream = open(&layer, &options()).unwrap();
        (0..consumed).for_each(|_| _ = stream.next_batch().unwrap());
    }
}

/// What is wrong with a layer, in one line.
#[track_caller]
fn check(prototxt: &str, want: expect_test::Expect) {
    let error = open(&layer(prototxt), &options()).err().unwrap();
    let root = options().root.folder.to_string_lossy().into_owned();
    want.assert_eq(&chain(&error).replace(&root, "DIR"));
}

#[test]
#[expect(clippy::too_many_lines, reason = "a list of cases with their messages")]
fn what_cannot_be_opened_is_said() {
    let data = |extra: &str| {
        format!(r#"layer {{ type: "Data" top: "x" data_param {{ backend: LMDB {extra} }} }}"#)
    };
    check(
        r#"layer { type: "Dta" }"#,
        expect![
            "layer type `Dta` is not a source of data (known: Data, HDF5Data, ImageData, MemoryData, WindowData)"
        ],
    );
    check(&data(""), expect!["`data_param.batch_size` must be set and above 0"]);
    check(
        &data("batch_size: 1"),
        expect!["`data_param.source` is missing: the path of the LMDB or LevelDB"],
    );
    check(
        r#"layer { type: "ImageData" top: "x" top: "y" image_data_param { batch_size: 1 } }"#,
        expect!["`image_data_param.source` is missing: the path of the list of images and labels"],
    );
    check(
        r#"layer { type: "HDF5Data" top: "x" hdf5_data_param { batch_size: 1 source: "" } }"#,
        expect!["`hdf5_data_param.source` is missing: the path of the list of HDF5 files"],
    );
    check(
        r#"layer { type: "WindowData" top: "x" top: "y" window_data_param { batch_size: 1 }
             transform_param { crop_size: 8 } }"#,
        expect!["`window_data_param.source` is missing: the path of the window file"],
    );
    check(
        &data(r#"batch_size: 1 source: "absent""#),
        expect!["DIR/absent: cannot read: No such file or directory (os error 2)"],
    );
    check(
        &data(r#"batch_size: 1 source: "mean.binaryproto""#),
        expect![
            "DIR/mean.binaryproto, page 0: is not an LMDB file (64-bit, little-endian, version 1)"
        ],
    );
    check(
        &data(r#"batch_size: 4000000000 source: "fashion128_lmdb""#),
        expect![
            "record `00000000` of DIR/fashion128_lmdb/data.mdb: a batch of records like it does not fit a blob: shape [4000000000, 1, 28, 28] holds more than 2147483647 values"
        ],
    );
    let transform = |param: &str| {
        format!(
            r#"layer {{ type: "Data" top: "x" transform_param {{ {param} }}
                 data_param {{ backend: LMDB batch_size: 1 source: "images_raw_lmdb" }} }}"#
        )
    };
    check(
        &transform("mean_file: ''"),
        expect!["`transform_param.mean_file` is missing: the path of the mean image"],
    );
    check(
        &transform(r#"mean_file: "absent""#),
        expect!["cannot read DIR/absent: No such file or directory (os error 2)"],
    );
    check(
        &transform(r#"mean_file: "images/img00.jpg""#),
        expect![
            "DIR/images/img00.jpg is not a mean file: in `BlobProto` at byte 0: 7 is no wire type"
        ],
    );
    check(
        &transform(r#"mean_file: "mean.binaryproto""#),
        expect![
            "record `00000000_img00.jpg` of DIR/images_raw_lmdb/data.mdb: is [3, 32, 32] (channels, height, width), the mean image is [1, 28, 28]"
        ],
    );
    check(
        &transform(r#"mean_file: "mean.binaryproto" mean_value: 1"#),
        expect!["`mean_file` and `mean_value` exclude each other"],
    );
    check(
        &transform("mean_value: 1 mean_value: 2"),
        expect![
            "record `00000000_img00.jpg` of DIR/images_raw_lmdb/data.mdb: has 3 channels, but there are 2 mean values"
        ],
    );
    check(
        &transform("crop_size: 100"),
        expect![
            "record `00000000_img00.jpg` of DIR/images_raw_lmdb/data.mdb: is [3, 32, 32] (channels, height, width), smaller than `crop_size: 100`"
        ],
    );
    check(
        &transform("force_color: true force_gray: true"),
        expect!["`force_color` and `force_gray` exclude each other"],
    );
    check(
        r#"layer { type: "Data" data_param { batch_size: 1 } }"#,
        expect!["has 0 tops, needs 1 (data) or 2 (data, label)"],
    );
}
