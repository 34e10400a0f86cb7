//! Communication algorithms as data: plans, their proof, their price.
//!
//! An algorithm is a pure function from (rank, world, length) to a [`Plan`]: lanes of
//! `Send / RecvReduce / RecvCopy / Add` over slots of memory. One list has four readers: `exchange`
//! runs it, [`verify()`] proves it, [`Algorithm::cost_us`] prices it and a simulator can time it.
//!
//! ```text
//!   name ──▶ Algorithm ──▶ stripes (the reducing half) ──▶ plan of one rank ──▶ executor
//!            (a table row)          mirrored: the spreading half     └── all ranks ──▶ verify
//! ```
//!
//! Pure: no socket, thread, clock or file; the same arguments give the same plan.

mod algorithms;
mod canonical;
mod choose;
mod cost;
mod plan;
mod size;
mod step;
mod stripe;

pub mod docs;
pub mod verify;

pub use algorithms::{ALGORITHMS, Algorithm, Claim, NameError, Row, find};
pub use canonical::tree_split;
pub use choose::{Choice, ChoiceError, Rule, all_with_plans, choose};
pub use cost::{Network, NetworkError};
pub use plan::{Cut, Operation, broadcast};
pub use size::{SizeError, parse_size};
pub use step::{Lane, Place, Plan, Step};
pub use verify::{Figures, VerifyError, verify};
