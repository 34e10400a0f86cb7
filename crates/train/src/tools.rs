//! The tools behind `firecaffe model`, `solver` and `time`, as functions: one file per tool.

mod draw;
mod features;
mod safetensors;
mod scale;
mod unit_diff;
mod upgrade;

pub use draw::{Direction, draw};
pub use features::{Features, extract_features};
pub use safetensors::{from_safetensors, to_safetensors};
pub use scale::{ScaledSolver, ScalingError, ScalingInput, ScalingRule, scale_solver};
pub use unit_diff::weigh_outputs;
pub use upgrade::{upgrade_net, upgrade_solver};
