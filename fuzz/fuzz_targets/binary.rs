//! Any bytes as a model: what is read is written as bytes that read as the same.
#![no_main]

use caffe_format::{NetParameter, binary, upgrade};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(net) = binary::read::<NetParameter>(bytes) {
        let written = binary::write(&net);
        let again: NetParameter = binary::read(&written).expect("what we write we can read");
        assert_eq!(binary::write(&again), written);
        drop(upgrade::net(net));
    }
});
