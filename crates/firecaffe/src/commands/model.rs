//! `firecaffe model …`: looking into models and converting them.

mod draw;
mod extract_features;
mod safetensors;
mod summary;
mod upgrade;

use anyhow::Result;

/// One variant a file in `model/`.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Command {
    /// Show layers, shapes, parameters, multiply-adds and memory of a net
    Summary(summary::Args),
    /// Draw a net as a graph: DOT, or SVG through Graphviz
    Draw(draw::Args),
    /// Write blobs of a trained net to databases
    ExtractFeatures(extract_features::Args),
    /// Bring a net, model or solver of an older Caffe up to date
    Upgrade(upgrade::Args),
    /// Convert a model to safetensors
    ToSafetensors(safetensors::To),
    /// Convert safetensors to a model
    FromSafetensors(safetensors::From),
}

pub(crate) fn run(command: &Command) -> Result<()> {
    match command {
        Command::Summary(args) => summary::run(args),
        Command::Draw(args) => draw::run(args),
        Command::ExtractFeatures(args) => extract_features::run(args),
        Command::Upgrade(args) => upgrade::run(args),
        Command::ToSafetensors(args) => safetensors::to(args),
        Command::FromSafetensors(args) => safetensors::from(args),
    }
}
