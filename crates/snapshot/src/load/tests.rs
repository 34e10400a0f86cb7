use std::{
    fs,
    path::{Path, PathBuf},
};

use caffe_format::{BlobProto, NetParameter, V1LayerParameter, V1LayerParameterLayerType, binary};

use super::{ResumeExactness, load, load_model};

/// What Caffe wrote.
fn caffe(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("test_data").join(name)
}

#[expect(clippy::disallowed_methods, reason = "damage done on purpose")]
fn put(path: &Path, bytes: &[u8]) {
    fs::write(path, bytes).unwrap();
}

#[test]
fn caffes_snapshots_load() {
    for end in ["", ".h5"] {
        let loaded = load(&caffe(&format!("snap_iter_20.solverstate{end}"))).unwrap();
        assert_eq!((loaded.state.iter(), loaded.state.history.len()), (20, 8));
        assert!(matches!(loaded.resume, ResumeExactness::AsCaffe { .. }));
        let model = loaded.model.unwrap();
        assert_eq!(model, load_model(&caffe(&format!("snap_iter_20.caffemodel{end}"))).unwrap());
        let conv1 = model.layer.iter().find(|layer| layer.name() == "conv1").unwrap();
        assert_eq!(conv1.blobs[0].data.len(), 150);
    }
}

/// `layers` with old blobs, as Caffe wrote them in 2014.
#[test]
fn models_of_old_caffes_are_brought_up_to_date() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("old.caffemodel");
    let blob = BlobProto {
        num: Some(1),
        channels: Some(1),
        height: Some(2),
        width: Some(1),
        data: vec![3.0, 4.0],
        ..BlobProto::default()
    };
    let layer = V1LayerParameter {
        name: Some("fc".into()),
        type_: Some(V1LayerParameterLayerType::InnerProduct),
        blobs: vec![blob],
        ..V1LayerParameter::default()
    };
    let old = NetParameter { layers: vec![layer], ..NetParameter::default() };
    put(&path, &binary::write(&old));
    let model = load_model(&path).unwrap();
    assert_eq!((model.layer[0].name(), model.layer[0].type_()), ("fc", "InnerProduct"));
    assert!(model.layer[0].blobs[0].fits(&[2, 1]));
    assert_eq!(*model.layer[0].blobs[0].values().unwrap(), [3.0, 4.0]);
}

#[test]
fn what_cannot_be_read_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.solverstate");
    let message = || {
        let error = load(&path).unwrap_err().to_string();
        error.replace(&dir.path().display().to_string(), "DIR")
    };
    assert_eq!(message(), "cannot read DIR/x.solverstate");
    put(&path, &[0xff; 10]);
    assert_eq!(message(), "DIR/x.solverstate is not a valid solver state");
    put(&path, b"\x12\x06absent"); // learned_net: "absent"
    assert_eq!(
        message(),
        "DIR/x.solverstate names the model `absent`, which is neither beside it nor where it says"
    );
    put(&path, b"\x08\x05"); // iter: 5
    assert_eq!(load(&path).unwrap().model, None, "a state may name no model");
    put(&dir.path().join("x.firecaffe"), b"nonsense");
    assert!(message().starts_with("DIR/x.firecaffe is not a valid sidecar"), "{}", message());
}
