//! What is wrong with a solver's schedule or with the nets that it names.

use super::WhichNet;

/// What is wrong with a solver. Its rates and its update rule are checked by `solver`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SolverProblem {
    /// A number in the solver is too small.
    #[error("solver: `{field}` must be {least} or more, not {value}")]
    SolverField {
        /// The field.
        field: &'static str,
        /// As written.
        value: i32,
        /// The smallest value that makes sense.
        least: i32,
    },

    /// Tests are asked for, but never.
    #[error("solver: `test_iter` without a positive `test_interval`")]
    NoTestInterval,

    /// Snapshots are asked for, but nowhere.
    #[error("solver: `snapshot` without `snapshot_prefix`")]
    NoSnapshotPrefix,

    /// Two fields state the same net.
    #[error("solver: `net` and `net_param` exclude each other")]
    NetTwice,

    /// Nothing states what to train.
    #[error("solver: no train net; give one of `net`, `net_param`, `train_net`, `train_net_param`")]
    NoTrainNet,

    /// Several fields state what to train.
    #[error(
        "solver: more than one train net; keep one of `net`, `net_param`, `train_net`, \
         `train_net_param`"
    )]
    SeveralTrainNets,

    /// Test nets and their numbers of iterations do not match.
    #[error("solver: {test_iter} `test_iter` for {nets} test nets; give one each")]
    TestIterCount {
        /// How many `test_iter` there are.
        test_iter: usize,
        /// How many test nets.
        nets: usize,
    },

    /// Test nets and their states do not match.
    #[error("solver: {test_state} `test_state` for {nets} test nets; give none or one each")]
    TestStateCount {
        /// How many `test_state` there are.
        test_state: usize,
        /// How many test nets.
        nets: usize,
    },

    /// A test net cannot use the train net's parameters.
    #[error("solver: layer `{layer}` has other parameter shapes in the train net than in {which}")]
    TestShapes {
        /// The layer.
        layer: String,
        /// The test net.
        which: WhichNet,
    },
}
