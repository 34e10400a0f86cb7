use std::path::Path;

use super::{SnapshotPaths, iteration_of};
use crate::SnapshotFormat;

#[test]
fn names_are_caffes() {
    let names = SnapshotPaths::new("out/lenet", 40, SnapshotFormat::Binaryproto);
    assert_eq!(names.model, Path::new("out/lenet_iter_40.caffemodel"));
    assert_eq!(names.sidecar, Path::new("out/lenet_iter_40.firecaffe"));
    assert_eq!(names.state, Path::new("out/lenet_iter_40.solverstate"));
    let h5 = SnapshotPaths::new("out/", 7, SnapshotFormat::Hdf5);
    assert_eq!(h5.model, Path::new("out/_iter_7.caffemodel.h5"));
    assert_eq!(h5.state, Path::new("out/_iter_7.solverstate.h5"));
    for names in [names, h5] {
        assert_eq!(SnapshotPaths::of_state(&names.state), Some(names));
    }
    assert_eq!(SnapshotPaths::of_state(Path::new("lenet.caffemodel")), None);
}

#[test]
fn states_are_told_from_other_files() {
    for (name, want) in [
        ("a_iter_40.solverstate", Some(40)),
        ("a_iter_40.solverstate.h5", Some(40)),
        ("a_iter_40.solverstate.partial", None),
        ("a_iter_40.caffemodel", None),
        ("a_iter_.solverstate", None),
        ("a_iter_-1.solverstate", None),
        ("a_iter_+1.solverstate", None),
        ("a_iter_99999999999999999999.solverstate", None),
        ("ba_iter_40.solverstate", None),
    ] {
        assert_eq!(iteration_of(name, "a_iter_"), want, "{name}");
    }
}
