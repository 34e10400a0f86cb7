//! Hostile files, old files, and both with every byte damaged: an error or a message, never a
//! panic.
//!
//! `test_data/hostile` is also the start of the fuzzer's corpus; whatever the fuzzer finds is put
//! there under a name that says what it did. The properties are those of `fuzz/fuzz_targets`.

use std::fs;
use std::path::{Path, PathBuf};

use caffe_format::{Datum, NetParameter, SolverParameter, binary, text, upgrade};

fn files(folder: &str) -> Vec<(PathBuf, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("test_data").join(folder);
    let entries = fs::read_dir(folder).expect("the folder is part of the crate");
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("listing works").path()).collect();
    paths.sort();
    let read = |path: PathBuf| (path.clone(), fs::read(path).expect("the file can be read"));
    paths.into_iter().map(read).collect()
}

/// What is read is written, upgraded and read again; what is not is reported.
fn text_survives(bytes: &[u8]) {
    match text::read_bytes::<NetParameter>("net", bytes) {
        Ok(net) => {
            let printed = text::write(&net);
            let again: NetParameter =
                text::read("again", &printed).expect("what we print we can read");
            assert_eq!(text::write(&again), printed);
            drop(upgrade::net(net));
        }
        Err(report) => assert!(!report.errors().is_empty() && !report.to_string().is_empty()),
    }
}

fn solver_survives(bytes: &[u8]) {
    drop(text::read_bytes::<SolverParameter>("solver", bytes).map(upgrade::solver));
}

fn binary_survives(bytes: &[u8]) {
    if let Ok(net) = binary::read::<NetParameter>(bytes) {
        let written = binary::write(&net);
        let again: NetParameter = binary::read(&written).expect("what we write we can read");
        assert_eq!(binary::write(&again), written);
        drop(upgrade::net(net));
    }
    if let Ok(datum) = binary::read::<Datum>(bytes) {
        drop(datum.dims());
    }
}

/// Cuts at every length and, at every byte, flips the lowest, the highest and all bits.
fn damage(bytes: &[u8], survives: fn(&[u8])) {
    for i in 0..bytes.len() {
        survives(&bytes[..i]);
        for bits in [0x01, 0x80, 0xff] {
            let mut damaged = bytes.to_vec();
            damaged[i] ^= bits;
            survives(&damaged);
        }
    }
}

#[test]
fn hostile_text() {
    for (path, bytes) in files("hostile/text") {
        text_survives(&bytes);
        let report = text::read_bytes::<NetParameter>("f", &bytes);
        assert!(report.is_err(), "{} is wrong and nobody said so", path.display());
    }
}

#[test]
fn hostile_binary() {
    for (path, bytes) in files("hostile/binary") {
        binary_survives(&bytes);
        let harmless =
            ["empty.bin", "empty_layers.bin", "unknown_enum.bin", "wrong_wire_types.bin"];
        let name = path.file_name().unwrap().to_str().unwrap();
        let read = binary::read::<NetParameter>(&bytes);
        assert_eq!(read.is_ok(), harmless.contains(&name), "{name}: {read:?}");
    }
}

#[test]
fn damaged_prototxt() {
    for (path, bytes) in files("legacy") {
        let solver = path.to_str().unwrap().contains("solver");
        damage(&bytes, if solver { solver_survives } else { text_survives });
    }
    for (_, bytes) in files("hostile/text").iter().filter(|(_, bytes)| bytes.len() < 200) {
        damage(bytes, text_survives);
    }
}

#[test]
fn damaged_binary() {
    for (path, bytes) in files("legacy") {
        if !path.to_str().unwrap().contains("solver") {
            let net: NetParameter = text::read_bytes("net", &bytes).unwrap();
            damage(&binary::write(&net), binary_survives);
        }
    }
    for (_, bytes) in files("hostile/binary").iter().filter(|(_, bytes)| bytes.len() < 200) {
        damage(bytes, binary_survives);
    }
}

#[test]
fn parameters_print_as_caffes_log_does() {
    for (path, bytes) in files("log") {
        let want = String::from_utf8(bytes).unwrap();
        let got = match path.to_str().unwrap().contains("_solver") {
            true => text::write(&text::read::<SolverParameter>("log", &want).unwrap()),
            false => text::write(&text::read::<NetParameter>("log", &want).unwrap()),
        };
        assert_eq!(got, want, "{}", path.display());
    }
}
