//! Where an emulated backward takes gradients from.
//!
//! A file is read again in every iteration: it stays in the page cache, which all ranks of a
//! machine share, and its bytes move as those of a real gradient would. Every rank begins at
//! another position of it in every iteration, so that no two sums are alike. The shift is small
//! against most layers, so that the sizes of gradients stay where they were.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use base::random::Mt19937;
use exchange::wire::bytes_of;

use super::EmulationProblem;

/// Values that are drawn if there is no file; the pool repeats them.
const DRAWN: usize = 1 << 20;

/// Mean size of a drawn value.
const DRAWN_MEAN: f32 = 1e-3;

/// Shifts are below this prime.
const SHIFTS: usize = 65_521;

/// A source of gradients that never ends.
#[derive(Debug)]
pub(crate) enum GradientValues {
    /// One backward's, in the order of the pool.
    File {
        path: PathBuf,
        file: File,
        /// How many.
        len: usize,
    },
    /// Of a double exponential distribution: most are small, some are large.
    Drawn(Vec<f32>),
}

impl GradientValues {
    /// The gradients in `path` for a pool of `len` values; without one they are drawn.
    pub(crate) fn open(path: Option<&Path>, len: usize) -> Result<Self, EmulationProblem> {
        let Some(path) = path else { return Ok(Self::Drawn(drawn())) };
        let unreadable = |source| EmulationProblem::Gradients { path: path.into(), source };
        let file = File::open(path).map_err(unreadable)?;
        let bytes = file.metadata().map_err(unreadable)?.len();
        let expected = (size_of::<f32>() * len) as u64;
        if bytes != expected {
            return Err(EmulationProblem::GradientBytes { path: path.into(), bytes, expected });
        }
        Ok(Self::File { path: path.into(), file, len })
    }

    /// Where replica `replica` begins in iteration `iter`.
    pub(crate) fn shift(replica: usize, iter: u64) -> usize {
        let iter = usize::try_from(iter % SHIFTS as u64).expect("below 65,521");
        (replica % SHIFTS * 1021 + iter * 127) % SHIFTS
    }

    /// Fills `into`, whose first value is at `position` of the endless repetition.
    pub(crate) fn copy(&self, position: usize, into: &mut [f32]) -> Result<(), EmulationProblem> {
        let len = match self {
            Self::File { len, .. } => *len,
            Self::Drawn(values) => values.len(),
        };
        let mut done = 0;
        while done < into.len() {
            let from = (position + done) % len;
            let count = (len - from).min(into.len() - done);
            let into = &mut into[done..done + count];
            match self {
                Self::Drawn(values) => into.copy_from_slice(&values[from..from + count]),
                Self::File { path, file, .. } => read(file, from, into)
                    .map_err(|source| EmulationProblem::Gradients { path: path.clone(), source })?,
            }
            done += count;
        }
        Ok(())
    }
}

fn read(file: &File, from: usize, into: &mut [f32]) -> io::Result<()> {
    file.read_exact_at(bytes_of(into), (size_of::<f32>() * from) as u64)
}

fn drawn() -> Vec<f32> {
    let mut rng = Mt19937::new(1);
    let mut value = || -DRAWN_MEAN * rng.uniform(f32::MIN_POSITIVE, 1.0).ln();
    (0..DRAWN).map(|index| if index % 2 == 0 { value() } else { -value() }).collect()
}
