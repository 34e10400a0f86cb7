//! `train` inside another program: a notebook, a script.
//!
//! It takes the options of the command line, so that all of them are there and a run is the same as
//! that of the command. Signals are the program's own: it asks for a stop or a snapshot through
//! [`Control`] instead.

use std::ffi::OsString;

use ::train::{AddedLayers, Control, Event};
use clap::Parser;

use crate::cli::{Cli, CliCommand};
use crate::commands::train::{self, TrainHost};

/// Why a run failed, with its causes as sources; or what is wrong with the options.
pub type TrainFailure = Box<dyn std::error::Error + Send + Sync>;

/// What the surrounding program does for a run.
pub struct Embedding<'a> {
    /// Layer types that it brings.
    pub added: AddedLayers,
    /// Asked between iterations, on the thread that called [`train`].
    pub control: &'a dyn Control,
    /// Hears every event, on the same thread.
    pub events: &'a mut dyn FnMut(&Event),
    /// Whether the log stays empty and no progress bar is shown.
    pub quiet: bool,
}

/// Runs `train` with `options`: what would follow `firecaffe train` on a command line.
pub fn train(options: Vec<OsString>, embedding: Embedding<'_>) -> Result<(), TrainFailure> {
    let words = ["firecaffe".into(), "train".into()].into_iter().chain(options);
    let CliCommand::Train(args) = Cli::try_parse_from(crate::args::normalise(words))?.command
    else {
        unreachable!("the second word says `train`");
    };
    let Embedding { added, control, events, quiet } = embedding;
    let host = TrainHost { added, control: Some(control), events, quiet };
    Ok(train::run_in(&args, host)?)
}
