//! Any bytes as a prototxt: what is read prints as text that reads as the same.
#![no_main]

use caffe_format::{NetParameter, text, upgrade};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(net) = text::read_bytes::<NetParameter>("net", bytes) {
        let printed = text::write(&net);
        let again: NetParameter = text::read("again", &printed).expect("what we print we can read");
        assert_eq!(text::write(&again), printed);
        drop(upgrade::net(net));
    }
});
