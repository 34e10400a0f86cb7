//! Training and running Caffe networks: the border for programs that embed FireCaffe.
//!
//! [`Job`] trains what a solver describes; [`Job::step`] is one iteration and the map of the program.
//! [`Single`] runs one net without a solver: scoring, timing, classifying. Both report what happens
//! as [`Event`]s and take clock, seed and stop requests as arguments; neither prints nor reads
//! flags or environment.

mod board;
mod config;
mod error;
mod evaluate;
mod event;
pub mod files;
mod job;
pub mod nets;
mod open;
mod parallel;
mod reduce;
mod restore;
mod run;
mod save;
mod single;
mod sources;
mod stage;
mod times;
mod weights;
mod worker;

pub use config::{Config, ResumeData};
pub use data::OnBadSample;
pub use error::TrainError;
pub use event::{Display, Event};
pub use job::Job;
pub use open::check_solver;
pub use parallel::{BatchMeaning, BatchNormState, Dealing, Overlap};
pub use run::{Control, Ending, NoControl, Request};
pub use single::{Means, NetConfig, Single};
pub use sources::FileSources;
pub use times::Times;

/// An error with its causes, on one line.
#[must_use]
pub fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    text
}
