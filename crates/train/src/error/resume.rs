//! How a snapshot does not fit the job that is to go on from it.

use caffe_format::BlobError;
use exchange::compression::CompressionError;
use layers::DataSourceError;
use net::Precision;

/// What of a snapshot does not fit. The error around it names the file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ResumeProblem {
    /// The order of a shuffled run depends on the number of records.
    #[error(
        "layer `{layer}` had {saved} records when the snapshot was written and has {now} now: give \
         the same database, or `--resume-data start`"
    )]
    RecordCount {
        /// The data layer.
        layer: String,
        /// Then.
        saved: u64,
        /// Now.
        now: u64,
    },

    /// Other records would lead to other weights without a word.
    #[error(
        "layer `{layer}`: what it reads is not what it was when the snapshot was written: give the \
         same data, or `--resume-data start`"
    )]
    DataChanged {
        /// The data layer.
        layer: String,
    },

    /// What the snapshot says about numbers of records, or about what they are, cannot be read.
    #[error("the stored description of the data is damaged")]
    DataDescription,

    /// The iteration is negative.
    #[error("its iteration is {iter}")]
    Iteration {
        /// As stored.
        iter: i32,
    },

    /// It was trained with other roundings.
    #[error("it was trained in {saved}, not in {asked}; resume with `--precision {saved}`")]
    Precision {
        /// In the snapshot.
        saved: String,
        /// The job's.
        asked: Precision,
    },

    /// Another update rule or another net wrote it.
    #[error("it has {got} history blobs, rule {rule} needs {want} for this net")]
    HistoryCount {
        /// In the snapshot.
        got: usize,
        /// The solver's rule.
        rule: &'static str,
        /// What the rule needs.
        want: usize,
    },

    /// A history blob is damaged.
    #[error(transparent)]
    HistoryBlob(#[from] BlobError),

    /// A history blob is that of another layer.
    #[error("history of layer `{layer}` has {got} values, expected {want}")]
    HistoryLength {
        /// The layer.
        layer: String,
        /// In the snapshot.
        got: usize,
        /// In the net.
        want: usize,
    },

    /// The state of a replica's random numbers is damaged.
    #[error(transparent)]
    Random(#[from] base::random::StateError),

    /// What recurrent layers carry from batch to batch is damaged.
    #[error("the recurrent state of replica {replica} is damaged")]
    Carried {
        /// The replica.
        replica: usize,
    },

    /// The decision where compressing pays is damaged.
    #[error("its decision where compressing pays is damaged")]
    Decision,

    /// Residuals of another net, or of other buckets.
    #[error("its residuals do not fit this net, or were saved with another `--bucket-mb`")]
    Residuals(#[source] CompressionError),

    /// The scale of gradients is damaged.
    #[error("its scale of gradients is damaged")]
    Scale,

    /// Statistics of a BatchNorm layer that the net does not have, or not in this size.
    #[error("it has statistics of layer `{layer}` that do not fit this net")]
    Statistics {
        /// The layer.
        layer: String,
    },

    /// A data layer that the snapshot does not know.
    #[error("it has no position for data layer `{layer}`")]
    NoPosition {
        /// The layer.
        layer: String,
    },

    /// The position of a data layer cannot be used.
    #[error("data layer `{layer}`")]
    Position {
        /// The layer.
        layer: String,
        /// Why.
        source: DataSourceError,
    },
}
