//! What events about set-up carry.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::ResumeData;

/// Which field of a solver states a net.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum NetOrigin {
    /// `net`: a file.
    Net(String),
    /// `net_param`.
    NetParam,
    /// `train_net`: a file.
    TrainNet(String),
    /// `train_net_param`.
    TrainNetParam,
    /// `test_net`: a file.
    TestNet(String),
    /// `test_net_param`.
    TestNetParam,
}

impl NetOrigin {
    /// The net's file, as the solver writes it.
    #[must_use]
    pub fn file(&self) -> Option<&str> {
        match self {
            Self::Net(file) | Self::TrainNet(file) | Self::TestNet(file) => Some(file),
            Self::NetParam | Self::TrainNetParam | Self::TestNetParam => None,
        }
    }
}

/// What a snapshot without a sidecar leaves open, and where the run continues.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResumeGap {
    /// The sidecar that is not there.
    pub missing: PathBuf,
    /// Where data is read: by counting the batches of the iterations so far, or from the first
    /// record. Random numbers of layers start from the seed either way.
    pub data: ResumeData,
}

/// Memory of one rank for the records of one data layer, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordMemory {
    /// For an epoch's records of its replicas, with their index.
    pub shard: u64,
    /// More than that, at most, while records are exchanged.
    pub exchange: u64,
}
