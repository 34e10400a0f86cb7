//! `firecaffe model …`: looking into models and converting them.

mod draw;
mod extract_features;
mod filters;
mod picture;
mod safetensors;
mod summary;
mod upgrade;

use anyhow::Result;
use train::AddedLayers;

/// One variant per file in `model/`.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum ModelCommand {
    /// Show layers, shapes, parameters, multiply-adds and memory of a net
    Summary(summary::SummaryArgs),
    /// Draw a net as a graph: SVG or DOT
    Draw(draw::DrawArgs),
    /// Show the weights of a convolution as an image
    Filters(filters::FiltersArgs),
    /// Write blobs of a trained net to databases
    ExtractFeatures(extract_features::ExtractFeaturesArgs),
    /// Bring a net, model or solver of an older Caffe up to date
    Upgrade(upgrade::UpgradeArgs),
    /// Convert a model to safetensors
    ToSafetensors(safetensors::ToSafetensorsArgs),
    /// Convert safetensors to a model
    FromSafetensors(safetensors::FromSafetensorsArgs),
}

pub(crate) fn run(command: &ModelCommand, added: AddedLayers) -> Result<()> {
    match command {
        ModelCommand::Summary(args) => summary::run(args, added),
        ModelCommand::Draw(args) => draw::run(args),
        ModelCommand::Filters(args) => filters::run(args),
        ModelCommand::ExtractFeatures(args) => extract_features::run(args),
        ModelCommand::Upgrade(args) => upgrade::run(args),
        ModelCommand::ToSafetensors(args) => safetensors::to(args),
        ModelCommand::FromSafetensors(args) => safetensors::from(args),
    }
}
