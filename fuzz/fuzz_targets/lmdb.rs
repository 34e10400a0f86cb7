//! Any bytes as an LMDB file: an error or records, in bounded time and memory.
#![no_main]

use std::path::Path;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| data::lmdb::read_all(Path::new("fuzz"), bytes));
