//! The sidecar: what a bit-exact resume needs and Caffe's files have no place for.
//!
//! ```text
//! file     "FIRECAFE"  version u32  section*  hash of all before u64
//! section  tag 4 bytes  length u64  bytes
//! ```
//!
//! All numbers are little-endian. Sections of the file: `SEAL` (iteration, hashes of model and
//! state), `RUN ` (seed, batch, id of the run), `RESI` (compression, hashes of the files of
//! residuals) if there are any, one `REPL` per replica, which holds sections again: `FEED` (data
//! position of a data layer), `RAND` (random streams), `STAT` (running
//! statistics of a layer). Tags that this program does not know are kept, so that a later one can
//! add to the format; a change of what is there raises the version. The bytes may be anything:
//! lengths are checked before they are used, and nothing is allocated that the file does not back.

mod read;
mod write;

pub(crate) use read::read;
pub(crate) use write::write;

const MAGIC: &[u8; 8] = b"FIRECAFE";
const VERSION: u32 = 1;
const SEAL: [u8; 4] = *b"SEAL";
const RUN: [u8; 4] = *b"RUN ";
const REPLICA: [u8; 4] = *b"REPL";
const FEED: [u8; 4] = *b"FEED";
const RANDOM: [u8; 4] = *b"RAND";
const STATISTICS: [u8; 4] = *b"STAT";
const RESIDUALS: [u8; 4] = *b"RESI";

/// A sidecar as it is in the file.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Sidecar {
    pub(crate) seal: SidecarSeal,
    pub(crate) run: RunState,
}

/// Ties the three files of a snapshot together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct SidecarSeal {
    pub(crate) iteration: u64,
    /// Hash of the model file's bytes.
    pub(crate) model: u64,
    /// Hash of the state file's bytes.
    pub(crate) state: u64,
}

/// The state of all replicas; it does not depend on which workers ran them.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RunState {
    /// The job's seed.
    pub seed: i64,
    /// What `batch_size` means.
    pub batch: BatchMeaning,
    /// Tells this run's snapshots from those of others; a resumed run keeps that of its snapshot.
    pub run_id: u64,
    /// The files of residuals that belong to the snapshot.
    pub residuals: ResidualSeal,
    /// One per replica; on resume, their number is the job's number of replicas.
    pub replicas: Vec<SavedReplica>,
    /// Sections that other parts of the program, or later versions of it, added.
    pub extra: Vec<SidecarSection>,
}

impl RunState {
    /// A sidecar that belongs to no files: how ranks send each other the states of their replicas.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        write(&Sidecar { seal: SidecarSeal::default(), run: self.clone() })
    }

    /// What [`to_bytes`](Self::to_bytes) gave.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, SidecarError> {
        read(bytes).map(|sidecar| sidecar.run)
    }
}

/// Ties files of residuals to a snapshot.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ResidualSeal {
    /// The compression with its options.
    pub compression: String,
    /// Hash of each file, in order of ranks or workers.
    pub hashes: Vec<u64>,
}

/// What `batch_size` means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum BatchMeaning {
    /// Each replica's, as in Caffe.
    #[default]
    PerReplica,
    /// That of all replicas together: each replica takes an equal number of items.
    Global,
}

base::names!(pub BatchMeaning { PerReplica = "per-replica", Global = "global" });

/// What belongs to one replica.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SavedReplica {
    /// State of each data layer's stream, by layer name, as the stream wrote it.
    pub sources: Vec<(String, Vec<u8>)>,
    /// State of its random streams, as they wrote it.
    pub random: Vec<u8>,
    /// Running statistics of its BatchNorm layers.
    pub statistics: Vec<SavedStatistics>,
    /// Sections that other parts of the program or later versions of it added.
    pub extra: Vec<SidecarSection>,
}

/// A blob that each replica has for itself.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SavedStatistics {
    /// The layer.
    pub layer: String,
    /// Which of its blobs.
    pub blob: u32,
    /// The values.
    pub values: Vec<f32>,
}

/// A section of the sidecar that is not read here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SidecarSection {
    /// Not one of the tags above.
    pub tag: [u8; 4],
    /// Its bytes.
    pub bytes: Vec<u8>,
}

/// What is wrong with a sidecar.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SidecarError {
    /// Another kind of file.
    #[error("does not begin as a sidecar does")]
    NotASidecar,
    /// Written by a later program.
    #[error("is of version {got}, this program reads version {VERSION}")]
    Version {
        /// As the file has it.
        got: u32,
    },
    /// Damaged or cut short.
    #[error("its checksum is wrong: it is damaged or cut short")]
    Checksum,
    /// A length leads beyond the end.
    #[error("section `{section}` ends too early, {missing} bytes are missing")]
    Short {
        /// Where.
        section: String,
        /// How many bytes are missing.
        missing: u64,
    },
    /// Something that must be there is not.
    #[error("section `{section}` is missing")]
    Missing {
        /// Which.
        section: String,
    },
    /// A value that means nothing.
    #[error("section `{section}` holds {what}")]
    Bad {
        /// Where.
        section: String,
        /// What is wrong.
        what: &'static str,
    },
}

#[cfg(test)]
pub(crate) mod tests;
