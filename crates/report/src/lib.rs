//! What a run did, for people to look at: charts, records, one HTML file, TensorBoard files.
//!
//! Plain values go in, text and files come out: no nets, no ranks, no clocks. Everything that is
//! shown is text to this crate: names from files never become markup.

mod caffe_log;
pub mod chart;
mod error;
mod findings;
pub mod html;
mod metrics;
pub mod record;
mod run;
mod sha256;
pub mod tensorboard;
pub mod text;

pub use error::ReportError;
pub use findings::findings;
pub use metrics::metrics;
pub use run::RunHistory;
