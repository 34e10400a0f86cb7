//! Damaged and hostile files: an error or a message, never a panic, never much memory.

use super::bytes;
use crate::binary::{read, write};
use crate::{BlobProto, BlobShape, DEPTH_MAX, LayerParameter, NetParameter, text};

fn small_model() -> Vec<u8> {
    let shape = Some(BlobShape { dim: vec![2, 3], ..BlobShape::EMPTY });
    let blob = BlobProto { shape, data: vec![0.5; 6], ..BlobProto::EMPTY };
    let layer =
        LayerParameter { name: Some("fc".into()), blobs: vec![blob], ..LayerParameter::EMPTY };
    let name = Some("model".to_owned());
    write(&NetParameter { name, layer: vec![layer.clone(), layer], ..NetParameter::EMPTY })
}

/// What can be read can be written and read again; anything else is an error.
fn survive(bytes: &[u8]) {
    if let Ok(net) = read::<NetParameter>(bytes) {
        let again = read::<NetParameter>(&write(&net)).expect("what we write we can read");
        assert_eq!(format!("{again:?}"), format!("{net:?}"));
        assert!(!text::write(&net).contains('\0'));
    }
}

#[test]
fn cut_at_every_length() {
    let model = small_model();
    (0..model.len()).for_each(|len| survive(&model[..len]));
}

#[test]
fn every_bit_flipped_and_every_byte_replaced() {
    let model = small_model();
    for i in 0..model.len() {
        for value in 0..=255 {
            let mut damaged = model.clone();
            damaged[i] = value;
            survive(&damaged);
        }
    }
}

#[test]
fn deep_groups_are_refused() {
    let deep = bytes("a37d").repeat(100_000);
    let error = read::<NetParameter>(&deep).unwrap_err().to_string();
    assert!(error.contains(&format!("nested deeper than {DEPTH_MAX}")), "{error}");
}

#[test]
fn empty_messages_do_not_eat_all_memory() {
    let layers = bytes("a206 00").repeat(100_000);
    let error = read::<NetParameter>(&layers).unwrap_err().to_string();
    assert!(error.contains("more messages than any net has"), "{error}");
}

#[test]
fn announced_lengths_are_not_believed() {
    // layer { blobs { data: 2^40 bytes of floats } }
    for hex in ["a206 09 3a 07 2a 808080808020", "a206 808080808020", "2a ffffffff0f"] {
        assert!(read::<NetParameter>(&bytes(hex)).is_err(), "{hex}");
    }
}
