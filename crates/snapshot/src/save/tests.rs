use std::{fs, path::Path};

use caffe_format::{BlobProto, LayerParameter, NetParameter, SolverState};

use super::{check_writable, save};
use crate::{
    LoadedSnapshot, ResidualSeal, ResumeExactness, RunState, Snapshot, SnapshotError,
    SnapshotFormat, SnapshotPaths, find_latest, load, load_model, sidecar,
};

/// A snapshot after `iter` iterations, in `dir`.
fn snapshot(dir: &Path, iter: i32, format: SnapshotFormat) -> SnapshotPaths {
    save(&prefix(dir), format, contents(iter)).unwrap()
}

fn prefix(dir: &Path) -> String {
    dir.join("out/net").display().to_string()
}

fn contents(iter: i32) -> Snapshot {
    let blob = BlobProto::from_values(&[2, 3], vec![iter as f32; 6]);
    let layer = LayerParameter {
        name: Some("fc".into()),
        blobs: vec![blob.clone()],
        ..LayerParameter::default()
    };
    Snapshot {
        model: NetParameter { layer: vec![layer], ..NetParameter::default() },
        state: SolverState {
            iter: Some(iter),
            history: vec![blob],
            current_step: Some(2),
            ..SolverState::default()
        },
        // Files of residuals are written apart; `residuals` and `train` test them.
        run: RunState { residuals: ResidualSeal::default(), ..sidecar::tests::run() },
    }
}

#[track_caller]
fn check(loaded: LoadedSnapshot, iter: i32, names: &SnapshotPaths) {
    let Snapshot { model, mut state, run } = contents(iter);
    state.learned_net = Some(names.model.display().to_string());
    assert_eq!(
        loaded,
        LoadedSnapshot { model: Some(model), state, resume: ResumeExactness::Exact(run) }
    );
}

#[expect(clippy::disallowed_methods, reason = "damage done on purpose")]
fn put(path: &Path, bytes: &[u8]) {
    fs::write(path, bytes).unwrap();
}

#[test]
fn what_is_saved_is_loaded() {
    for format in [SnapshotFormat::Binaryproto, SnapshotFormat::Hdf5] {
        let dir = tempfile::tempdir().unwrap();
        let names = snapshot(dir.path(), 40, format);
        check(load(&names.state).unwrap(), 40, &names);
        assert_eq!(load_model(&names.model).unwrap(), contents(40).model);
        let latest = find_latest(&prefix(dir.path())).unwrap().unwrap();
        assert_eq!((latest.iteration, latest.state), (40, names.state));
    }
}

#[test]
fn a_moved_snapshot_finds_its_model() {
    let dir = tempfile::tempdir().unwrap();
    let names = snapshot(dir.path(), 40, SnapshotFormat::Binaryproto);
    fs::rename(dir.path().join("out"), dir.path().join("moved")).unwrap();
    let state = dir.path().join("moved").join(names.state.file_name().unwrap());
    check(load(&state).unwrap(), 40, &names);
}

#[test]
fn a_state_without_its_sidecar_resumes_as_caffe_does() {
    let dir = tempfile::tempdir().unwrap();
    let names = snapshot(dir.path(), 40, SnapshotFormat::Binaryproto);
    fs::remove_file(&names.sidecar).unwrap();
    let loaded = load(&names.state).unwrap();
    assert_eq!(loaded.resume, ResumeExactness::AsCaffe { missing: names.sidecar });
    assert_eq!(loaded.model, Some(contents(40).model));
    assert!(find_latest(&prefix(dir.path())).unwrap().is_none(), "not complete");
}

/// Damages each file of the last snapshot: `load` names it, `find_latest` falls back to the one
/// before.
#[test]
fn damage_to_any_file_is_noticed() {
    for format in [SnapshotFormat::Binaryproto, SnapshotFormat::Hdf5] {
        for which in 0..3 {
            let dir = tempfile::tempdir().unwrap();
            let before = snapshot(dir.path(), 20, format);
            let names = snapshot(dir.path(), 100, format); // later than 20 as a number, not as text
            let files = [&names.model, &names.sidecar, &names.state];
            let path = files[which];
            let good = fs::read(path).unwrap();
            for at in (0..good.len()).step_by(7).chain([good.len() - 1]) {
                let mut bad = good.clone();
                bad[at] ^= 0x10;
                put(path, &bad);
                let error = load(&names.state).unwrap_err();
                assert!(
                    error.to_string().contains(&path.display().to_string()),
                    "byte {at} of {path:?}: {error}"
                );
            }
            put(path, &good[..good.len() / 2]);
            let latest = find_latest(&prefix(dir.path())).unwrap().unwrap();
            assert_eq!((latest.iteration, &latest.state), (20, &before.state));
            assert_eq!(latest.skipped.len(), 1);
            fs::remove_file(path).unwrap();
            let latest = find_latest(&prefix(dir.path())).unwrap().unwrap();
            assert_eq!(latest.iteration, 20);
        }
    }
}

/// A crash after any number of files: the model and sidecar of a new snapshot, but not its state.
#[test]
fn a_snapshot_that_was_not_finished_is_passed_over() {
    let dir = tempfile::tempdir().unwrap();
    snapshot(dir.path(), 20, SnapshotFormat::Binaryproto);
    let names = snapshot(dir.path(), 40, SnapshotFormat::Binaryproto);
    fs::remove_file(&names.state).unwrap();
    assert_eq!(find_latest(&prefix(dir.path())).unwrap().unwrap().iteration, 20);
}

#[test]
fn no_folder_and_no_snapshot_are_no_error() {
    let dir = tempfile::tempdir().unwrap();
    assert!(find_latest(&prefix(dir.path())).unwrap().is_none());
    check_writable(&prefix(dir.path())).unwrap();
    assert_eq!(fs::read_dir(dir.path().join("out")).unwrap().count(), 0);
    assert!(find_latest(&prefix(dir.path())).unwrap().is_none());
}

#[test]
fn a_place_that_cannot_be_written_is_named() {
    let dir = tempfile::tempdir().unwrap();
    put(&dir.path().join("out"), b"a file");
    let error = check_writable(&prefix(dir.path())).unwrap_err();
    assert!(matches!(&error, SnapshotError::Write(_)), "{error}");
    assert!(save(&prefix(dir.path()), SnapshotFormat::Binaryproto, contents(1)).is_err());
}

#[test]
fn files_belong_to_the_run_in_their_sidecar() {
    let dir = tempfile::tempdir().unwrap();
    let names = snapshot(dir.path(), 40, SnapshotFormat::Binaryproto);
    let own = sidecar::tests::run().run_id;
    assert!(!names.belong_to_another(own));
    assert!(names.belong_to_another(own + 1));
    put(&names.sidecar, b"damaged");
    assert!(names.belong_to_another(own), "nobody knows");
    fs::remove_file(&names.sidecar).unwrap();
    assert!(names.belong_to_another(own), "Caffe's");
    let absent = SnapshotPaths::new(&prefix(dir.path()), 41, SnapshotFormat::Binaryproto);
    assert!(!absent.belong_to_another(own), "nothing is overwritten");
}
