//! The tools behind `firecaffe model`, `solver`, `time` and `bench`, as functions: a file per tool.

mod draw;
mod features;
mod gradients;
mod safetensors;
mod scale;
mod unit_diff;
mod upgrade;

pub use draw::{Direction, draw};
pub use features::{Features, extract_features};
pub use gradients::{NetGradients, net_gradients};
pub use safetensors::{from_safetensors, to_safetensors};
pub use scale::{ScaledSolver, ScalingError, ScalingInput, ScalingRule, scale_solver};
pub use unit_diff::weigh_outputs;
pub use upgrade::{upgrade_net, upgrade_solver};
