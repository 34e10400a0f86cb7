use caffe_format::{BlobProto, LayerParameter, NetParameter, SolverState, binary};

use super::{read_model, read_state, write_model, write_state};

const MODEL: &[u8] = include_bytes!("../../test_data/snap_iter_20.caffemodel");
const MODEL_H5: &[u8] = include_bytes!("../../test_data/snap_iter_20.caffemodel.h5");
const STATE: &[u8] = include_bytes!("../../test_data/snap_iter_20.solverstate");
const STATE_H5: &[u8] = include_bytes!("../../test_data/snap_iter_20.solverstate.h5");

/// Names and blobs of all layers, by name.
fn layers(model: &NetParameter) -> Vec<(&str, &[BlobProto])> {
    let mut layers: Vec<_> =
        model.layer.iter().map(|layer| (layer.name(), layer.blobs.as_slice())).collect();
    layers.sort_by_key(|(name, _)| *name);
    layers
}

#[test]
fn caffes_files_hold_what_its_binary_ones_hold() {
    let (want, got): (NetParameter, _) =
        (binary::read(MODEL).unwrap(), read_model(MODEL_H5.to_vec()).unwrap());
    assert_eq!(layers(&want), layers(&got));
    assert_eq!(want.layer.iter().map(|layer| layer.blobs.len()).sum::<usize>(), 8);

    let (want, got): (SolverState, _) =
        (binary::read(STATE).unwrap(), read_state(STATE_H5.to_vec()).unwrap());
    assert_eq!(got.learned_net.as_deref(), Some("snap_iter_20.caffemodel.h5"));
    assert_eq!(SolverState { learned_net: want.learned_net.clone(), ..got }, want);
}

#[test]
fn what_is_written_is_read() {
    let state: SolverState = binary::read(STATE).unwrap();
    assert_eq!(read_state(write_state(&state).unwrap()).unwrap(), state);
    let nameless = SolverState { learned_net: None, ..state };
    assert_eq!(read_state(write_state(&nameless).unwrap()).unwrap(), nameless);

    let mut model: NetParameter = binary::read(MODEL).unwrap();
    let blobs = model.layer[1].blobs.clone();
    for name in ["inception/1x1", "inception/3x3", "inception"] {
        let (name, blobs) = (Some(name.to_owned()), blobs.clone());
        model.layer.push(LayerParameter { name, blobs, ..LayerParameter::default() });
    }
    model.layer[3].blobs.insert(0, BlobProto::default()); // shared, so left out
    let again = read_model(write_model(&model).unwrap()).unwrap();
    assert_eq!(layers(&model), layers(&again));
}

/// The strings of C end in a zero byte, and Caffe's reader looks for one.
#[test]
fn the_models_name_ends_in_zero() {
    let state = SolverState { learned_net: Some("NAME".into()), ..SolverState::default() };
    let bytes = write_state(&state).unwrap();
    assert!(bytes.windows(5).any(|window| window == b"NAME\0"));
}

#[test]
fn damage_never_panics() {
    let damaged = |bytes: &[u8], read: &dyn Fn(Vec<u8>)| {
        for at in (0..bytes.len()).step_by(if cfg!(debug_assertions) { 61 } else { 1 }) {
            let mut bad = bytes.to_vec();
            bad[at] ^= 0xff;
            read(bad);
            read(bytes[..at].to_vec());
        }
        for at in 0..bytes.len().min(2048) {
            let mut bad = bytes.to_vec();
            bad[at] ^= 1 << (at % 8);
            read(bad);
        }
    };
    damaged(MODEL_H5, &|bytes| drop(read_model(bytes)));
    damaged(STATE_H5, &|bytes| drop(read_state(bytes)));
}
