//! What ranks compare before the first iteration.

use std::fmt;

use serde::{Deserialize, Serialize};

/// One thing that must be equal on all ranks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum ComparedItem {
    /// The version of the program.
    Version,
    /// The SIMD level, on which the last bits depend.
    Simd,
    /// The solver's prototxt.
    Solver,
    /// The train net's prototxt.
    TrainNet,
    /// A test net's prototxt, counted from 0.
    TestNet(usize),
    /// Workers per rank.
    Workers,
    /// Replicas of all ranks.
    Replicas,
    /// Which BatchNorm statistics count.
    BatchNorm,
    /// The size of buckets.
    BucketBytes,
    /// How gradients are summed.
    Allreduce,
    /// What `auto` is computed from.
    Network,
    /// How gradients are represented in messages.
    Wire,
    /// What is waited for instead of computing.
    Emulation,
    /// How gradients are compressed.
    Compression,
    /// What blobs and params are rounded to.
    Precision,
    /// Whether a timeline is recorded.
    Timeline,
    /// Where a resumed run reads data.
    ResumeData,
    /// Where records lie.
    DataMode,
    /// Whether records are shuffled.
    Shuffle,
    /// Groups of replicas, and epochs between exchanges of records.
    RecordSharing,
    /// The iteration of the snapshot.
    Iteration,
    /// What a data layer reads.
    Data {
        /// The layer.
        layer: String,
    },
    /// The weights that training begins with.
    Weights,
}

impl fmt::Display for ComparedItem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Version => "the version of firecaffe",
            Self::Simd => "the SIMD level",
            Self::Solver => "the solver",
            Self::TrainNet => "the train net",
            Self::TestNet(index) => return write!(f, "test net {index}"),
            Self::Workers => "the number of workers",
            Self::Replicas => "the number of replicas",
            Self::BatchNorm => "`--batch-norm`",
            Self::BucketBytes => "`--bucket-mb`",
            Self::Allreduce => "`--allreduce`",
            Self::Network => "`--network`",
            Self::Wire => "the wire format",
            Self::Emulation => "`--emulate` or `--dilate`",
            Self::Compression => "`--compression`",
            Self::Precision => "`--precision`",
            Self::Timeline => "`--timeline`",
            Self::ResumeData => "`--resume-data`",
            Self::DataMode => "`--data`",
            Self::Shuffle => "`--shuffle`",
            Self::RecordSharing => "`--data-groups` or `--exchange-every`",
            Self::Iteration => "the snapshot's iteration",
            Self::Data { layer } => return write!(f, "the data of layer `{layer}`"),
            Self::Weights => "the weights",
        })
    }
}
