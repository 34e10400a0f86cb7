//! Why records cannot be read in the order, or from where, they were asked for.

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

    /// The ranks of a host would need more memory than it has.
    #[error(
        "`--data memory` needs {} for the records of {ranks} rank{} on {host}, where {} are \
         available: use `--data stream`, or more hosts",
        megabytes(*.needed), if *.ranks == 1 { "" } else { "s" }, megabytes(*.available)
    )]
    Memory {
        /// The machine.
        host: String,
        /// Ranks on it.
        ranks: usize,
        /// Bytes that they need together.
        needed: u64,
        /// Bytes that are available there.
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

/// Bytes as megabytes of 10^6.
fn megabytes(bytes: u64) -> String {
    format!("{:.1} MB", bytes as f64 / 1e6)
}
