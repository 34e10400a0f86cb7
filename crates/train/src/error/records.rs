//! Why records cannot be read in the order, or from where, they were asked for.

use crate::LimitOrigin;

/// Why the train net's records cannot be shuffled or held in memory.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RecordsProblem {
    /// There is nothing to shuffle.
    #[error(
        "`--shuffle` and `--data memory` are for records of Data layers, and the train net has none; ImageData and \
         HDF5Data have a field `shuffle` of their own"
    )]
    NoDataLayer,

    /// Two sources whose items belong together would be ordered differently.
    #[error(
        "layer `{layer}` ({kind}) reads in an order of its own, so its items would \
         not match the records of layer `{data}`"
    )]
    OtherSource {
        /// The layer.
        layer: String,
        /// Its type.
        kind: String,
        /// A layer that is shuffled.
        data: String,
    },

    /// All data layers share one order.
    #[error(
        "layer `{layer}` has {records} records and layer `{first}` {wanted}: data \
         layers share one order, so their databases must have the same number of records"
    )]
    RecordCounts {
        /// A layer.
        layer: String,
        /// Its records.
        records: u64,
        /// The first data layer.
        first: String,
        /// Its records.
        wanted: u64,
    },

    /// Groups, and shards that stay, are parts of the random order.
    #[error(
        "`--data-groups` and `--exchange-every` say how records are shuffled: give `--shuffle` too"
    )]
    SharingInKeyOrder,

    /// Groups of replicas are of one size.
    #[error("`--data-groups {groups}` does not divide the {replicas} replicas")]
    Groups {
        /// As asked for.
        groups: usize,
        /// R.
        replicas: usize,
    },

    /// A rank holds records of one group only, or of all.
    #[error(
        "`--data-groups {groups}` does not divide the {ranks} ranks: each group's copy of the \
         records is held by ranks of its own"
    )]
    GroupRanks {
        /// As asked for.
        groups: usize,
        /// Processes.
        ranks: usize,
    },

    /// A replica without records would have nothing to read for several epochs.
    #[error(
        "`--exchange-every` needs at least one record per replica: {records} records, {replicas} \
         replicas share them"
    )]
    FewRecords {
        /// Of the database.
        records: u64,
        /// Of a group.
        replicas: usize,
    },

    /// Replicas that leave out records do not use them at the same pace.
    #[error(
        "`--data memory` on several ranks cannot skip bad records: give `--on-bad-sample fail`, or \
         remove them (`firecaffe data check` lists them)"
    )]
    SkipInMemory,

    /// Ranks that share memory would need more than there is.
    #[error(
        "`--data memory` needs {} for records beside {} for nets of {ranks} rank{} on {}, where {}: \
         use `--data stream`, or more hosts",
        megabytes(*.records), megabytes(*.nets), if *.ranks == 1 { "" } else { "s" },
        if .host.is_empty() { "this machine" } else { .host }, allows(*.origin, *.available)
    )]
    Memory {
        /// The machine; empty for the only one.
        host: String,
        /// What limits them.
        origin: LimitOrigin,
        /// Ranks that share it.
        ranks: usize,
        /// Bytes that their nets need together.
        nets: u64,
        /// Bytes that their records need.
        records: u64,
        /// Bytes that are available to them.
        available: u64,
    },

    /// An epoch's records are not those that were loaded.
    #[error(
        "layer `{layer}`: of epoch {epoch}'s {want} records {got} arrived in memory, or others than \
         were loaded: a rank's memory or the network changed them"
    )]
    Damaged {
        /// The layer.
        layer: String,
        /// From 0.
        epoch: u64,
        /// Records that arrived.
        got: u64,
        /// Records of the database.
        want: u64,
    },
}

fn allows(origin: LimitOrigin, bytes: u64) -> String {
    match origin {
        LimitOrigin::Machine => format!("{} are available", megabytes(bytes)),
        _ => format!("{origin} allows {}", megabytes(bytes)),
    }
}

/// Bytes as megabytes of 10^6.
fn megabytes(bytes: u64) -> String {
    format!("{:.1} MB", bytes as f64 / 1e6)
}
