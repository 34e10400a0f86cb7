//! Communication algorithms as data: plans, their proof, their price.
//!
//! An algorithm is a pure function from (rank, world, length) to a [`Plan`]: lanes of `Send`,
//! `RecvReduce`, `RecvCopy` and `Add` over slots of memory, counted in elements. `exchange` runs
//! plans, [`verify()`] proves them and counts what they cost, and [`Algorithm::cost_us`] computes
//! with the same figures.
//!
//! ```text
//!   name ──▶ Algorithm ──▶ reducing half ──▶ plan of one rank ──▶ executor
//!            (a table row)     mirrored: the spreading half └── all ranks ──▶ verify
//! ```
//!
//! Besides all-reduce there are [`broadcast`], [`all_gather_v`] and [`all_to_all_v`].
//!
//! Pure: no socket, thread, clock or file; the same arguments give the same plan.

mod algorithms;
mod buckets;
mod canonical;
mod choose;
mod cost;
mod plan;
mod reducing;
mod size;
mod step;
mod variable;

pub mod docs;
pub mod verify;

pub use algorithms::{
    ALGORITHMS, Algorithm, AlgorithmCost, AlgorithmRow, NameError, SettingsError,
};
pub use buckets::buckets;
pub use canonical::tree_split;
pub use choose::{AlgorithmChoice, AlgorithmChoiceError, AlgorithmRule, all_with_plans};
pub use cost::Network;
pub use plan::{CollectiveOperation, LANES_MAX, Segmentation, broadcast};
pub use size::{SizeError, parse_size};
pub use step::{Lane, LanePass, Plan, PlanStep, SlotRange};
pub use variable::{all_gather_v, all_to_all_v};
pub use verify::{PlanFigures, VerifyError, verify};
