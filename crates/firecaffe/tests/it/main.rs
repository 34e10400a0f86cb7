//! The binary, as its users run it: every test in a fresh folder, with real files and exit codes.
#![expect(clippy::unwrap_used, reason = "a helper that fails fails its test")]

mod bad_input;
mod bench;
mod check;
mod commands;
mod data;
mod disk;
mod doctor;
mod emulate;
mod launch;
mod log;
mod memory;
mod model;
mod report;
mod resume;
mod signals;
mod simulate;
mod snapshots;
mod solver;
mod supervise;
mod support;
mod time;
mod train;
