//! The program `firecaffe`; all of it is in the library.

use std::process::ExitCode;

use train::AddedLayers;

fn main() -> ExitCode {
    ExitCode::from(firecaffe::run(std::env::args_os(), AddedLayers::default()))
}
