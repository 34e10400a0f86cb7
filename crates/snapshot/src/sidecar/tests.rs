use crate::hash::hash;

use super::{
    BatchMeaning, ResidualSeal, RunState, SavedReplica, SavedStatistics, Sidecar, SidecarError,
    SidecarSeal, SidecarSection, read, write,
};

/// Something of everything.
pub(crate) fn run() -> RunState {
    let replica = |r: u8| SavedReplica {
        sources: vec![("data".into(), vec![r, 1, 2]), ("more data".into(), Vec::new())],
        random: vec![r; 20],
        statistics: vec![SavedStatistics {
            layer: "bn".into(),
            blob: 2,
            values: vec![f32::from(r), -0.0, f32::MAX],
        }],
        extra: vec![SidecarSection { tag: *b"MORE", bytes: vec![9; 5] }],
    };
    RunState {
        seed: -1701,
        batch: BatchMeaning::Global,
        run_id: 77,
        residuals: ResidualSeal {
            compression: "top-k:share=0.01".into(),
            hashes: vec![3, u64::MAX],
        },
        replicas: vec![replica(0), replica(1), SavedReplica::default()],
        extra: vec![SidecarSection { tag: *b"NEW!", bytes: b"from a later version".to_vec() }],
    }
}

fn sidecar() -> Sidecar {
    Sidecar { seal: SidecarSeal { iteration: 40, model: 1, state: u64::MAX }, run: run() }
}

#[test]
fn what_is_written_is_read() {
    assert_eq!(read(&write(&sidecar())), Ok(sidecar()));
    let empty = Sidecar { seal: SidecarSeal::default(), run: RunState::default() };
    assert_eq!(read(&write(&empty)), Ok(empty));
}

#[test]
fn every_flipped_byte_and_every_cut_is_an_error() {
    let good = write(&sidecar());
    for at in 0..good.len() {
        for flip in [0x01, 0x80, 0xff] {
            let mut bad = good.clone();
            bad[at] ^= flip;
            assert!(read(&bad).is_err(), "byte {at} of {}", good.len());
        }
        assert!(read(&good[..at]).is_err(), "cut at {at} of {}", good.len());
    }
    assert!(read(&[good.as_slice(), b"x"].concat()).is_err());
}

/// Whoever makes up a file can make up its hash as well: then the lengths must hold alone.
#[test]
fn lengths_are_not_trusted_even_when_the_hash_is_right() {
    let good = write(&sidecar());
    let body = good.len() - 8;
    let mut errors = 0;
    for at in 12..body {
        for flip in [0x01, 0x7f, 0x80, 0xff] {
            let mut bad = good[..body].to_vec();
            bad[at] ^= flip;
            bad.extend(hash(&bad).to_le_bytes());
            errors += usize::from(read(&bad).is_err()); // must not panic, nor allocate the sky
        }
        let mut cut = good[..at].to_vec();
        cut.extend(hash(&cut).to_le_bytes());
        errors += usize::from(read(&cut).is_err());
    }
    assert!(errors > 100, "only {errors} errors");
}

#[test]
fn errors_say_what_is_wrong() {
    let good = write(&sidecar());
    let sealed = |mut bytes: Vec<u8>| {
        bytes.extend(hash(&bytes).to_le_bytes());
        read(&bytes).unwrap_err()
    };
    assert_eq!(read(b"\x89HDF\r\n\x1a\n, something else"), Err(SidecarError::NotASidecar));
    let mut later = good[..good.len() - 8].to_vec();
    later[8] = 2;
    assert_eq!(sealed(later), SidecarError::Version { got: 2 });
    assert_eq!(
        sealed(good[..12].to_vec()).to_string(),
        "section `SEAL` is missing",
        "a head without sections"
    );
    let mut long = good[..good.len() - 8].to_vec();
    long[16] += 200; // the length of `SEAL`, the first section
    long.truncate(100);
    assert_eq!(
        sealed(long),
        SidecarError::Short { section: "head".into(), missing: 224 - (100 - 24) }
    );
}
