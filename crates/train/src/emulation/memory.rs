//! Whether the ranks of an emulated job fit the memory of their machines.
//!
//! Emulated hosts share machines, often a single one, and a machine that runs out of memory ends
//! more than the job. So every rank says what it will allocate and on which machine, before it
//! does.

use serde::{Deserialize, Serialize};

use super::{Emulation, EmulationProblem};
use crate::{Ranks, TrainError};

/// The memory of a machine that emulated ranks share.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MachineMemory {
    /// The same on all ranks of one machine, and on no other.
    pub machine: String,
    /// What can still be allocated.
    pub free_bytes: u64,
}

impl Emulation {
    /// An error, the same on all ranks, if some machine has not the memory that its ranks need,
    /// `bytes` on this one. A collective: all ranks call it.
    pub(crate) fn check_memory(&self, ranks: &Ranks, bytes: u64) -> Result<(), TrainError> {
        let own = serde_json::to_vec(&(&self.memory, bytes)).expect("a name and numbers");
        let all = ranks.gather(own)?;
        let read = |(rank, bytes): (usize, &Vec<u8>)| {
            serde_json::from_slice(bytes).map_err(|_| TrainError::State { rank })
        };
        let all: Vec<(MachineMemory, u64)> =
            all.iter().enumerate().map(read).collect::<Result<_, _>>()?;
        Ok(fits(&all)?)
    }
}

/// The first machine on which what its ranks need exceeds what any of them has found free.
fn fits(ranks: &[(MachineMemory, u64)]) -> Result<(), EmulationProblem> {
    for (MachineMemory { machine, .. }, _) in ranks {
        let here = || ranks.iter().filter(|(memory, _)| memory.machine == *machine);
        let free = here().map(|(memory, _)| memory.free_bytes).min().unwrap_or(0);
        let needed = here().fold(0_u64, |sum, (_, bytes)| sum.saturating_add(*bytes));
        if needed > free {
            return Err(EmulationProblem::Memory {
                ranks: here().count(),
                needed_mb: needed / 1_000_000,
                free_mb: free / 1_000_000,
            });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{MachineMemory, fits};

    #[test]
    fn ranks_of_one_machine_share_its_memory() {
        let rank = |machine: &str, free_bytes, bytes| {
            (MachineMemory { machine: machine.into(), free_bytes }, bytes)
        };
        let both = |one, other| fits(&[rank("a", 10_000_000, one), rank("b", 5_000_000, other)]);
        assert!(both(10_000_000, 5_000_000).is_ok());
        assert!(both(10_000_000, 5_000_001).is_err());
        let shared = [rank("a", 10_000_000, 6_000_000), rank("a", 9_000_000, 6_000_000)];
        let error = fits(&shared).unwrap_err().to_string();
        assert!(error.starts_with("2 emulated ranks on this machine would need 12 MB"), "{error}");
        assert!(error.contains("9 MB are free"), "{error}");
    }
}
