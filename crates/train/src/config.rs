//! What a job is, resolved: nothing below reads flags, environment or clock for itself.

use std::path::PathBuf;

use caffe_format::SolverParameter;
use kernels::Simd;

use crate::files::UnknownFields;

/// Everything [`Job::open`](crate::Job::open) needs to know.
#[derive(Debug, Clone)]
pub struct Config {
    /// The solver, upgraded.
    pub solver: SolverParameter,
    /// Model files to start from, in order; overrides the solver's `weights`.
    pub weights: Vec<PathBuf>,
    /// The solver state to go on from.
    pub resume: Option<PathBuf>,
    /// Where a resumed run reads data.
    pub resume_data: ResumeData,
    /// Threads of the worker.
    pub threads: usize,
    /// SIMD level.
    pub simd: Simd,
    /// Seed when the solver names none.
    pub seed: u32,
    /// Folder that relative paths in prototxts start from; empty for the working directory, as in Caffe.
    pub root: PathBuf,
    /// Fields that Caffe does not have, in the solver's net files.
    pub unknown: UnknownFields,
    /// What to do with a record that cannot be decoded.
    pub on_bad_sample: data::OnBadSample,
}

impl Config {
    /// Trains `solver` from its first iteration: on one thread at the machine's SIMD level, with the
    /// seed 1 if the solver has none, paths relative to the working directory, and an error for unknown
    /// fields and bad records. Fields are public: set what should be otherwise.
    #[must_use]
    pub fn new(solver: SolverParameter) -> Self {
        Self {
            solver,
            weights: Vec::new(),
            resume: None,
            resume_data: ResumeData::Continue,
            threads: 1,
            simd: Simd::detect(),
            seed: 1,
            root: PathBuf::new(),
            unknown: UnknownFields::Reject,
            on_bad_sample: data::OnBadSample::Fail,
        }
    }
}

/// Where a resumed run reads data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResumeData {
    /// Where the interrupted run was: to the bit with the sidecar, by counting batches without.
    Continue,
    /// From the first record, as Caffe does.
    Start,
}
