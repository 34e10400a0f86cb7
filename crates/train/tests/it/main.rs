//! Whole runs through the library's border, against what Caffe recorded and against each other.

#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "helpers of tests are tests; files are made in temporary folders"
)]

mod added;
mod compression;
mod driven;
mod exact;
mod files;
mod forks;
mod golden;
mod library;
mod ranks;
mod resume;
mod support;
mod times;
mod tools;
mod wire;
