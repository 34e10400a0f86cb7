//! One rank's end of all collectives: chooses the algorithm, keeps its plans, counts and stamps.

use crate::execute;
use crate::stamp::stamp;
use base::Rank;
use collective::{Choice, Cut, Network, Operation, Plan, broadcast};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;
use transport::{LinkError, Transport};

/// How values are exchanged. Plain data; the same on all ranks.
#[derive(Debug, Clone, PartialEq)]
pub struct Config {
    /// Which algorithm moves which sizes.
    pub choice: Choice,
    /// What the choice reckons with.
    pub network: Network,
    /// How buffers are cut.
    pub cut: Cut,
}

impl Config {
    /// For threads: segments that stay in the second-level cache.
    pub const LOCAL: Self = Self {
        choice: Choice::Auto,
        network: Network::LOCAL,
        cut: Cut { segment: 32 << 10, lanes: 2 },
    };
    /// For MPI: segments long enough to fill a link, several under way.
    pub const MPI: Self = Self {
        choice: Choice::Auto,
        network: Network::GIGABIT,
        cut: Cut { segment: 64 << 10, lanes: 4 },
    };
}

/// Why an exchange ended.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ExchangeError {
    /// A message did not arrive.
    #[error("collective {sequence}, {label}")]
    Link {
        /// The how-many-th collective.
        sequence: u64,
        /// What it was.
        label: String,
        /// Who is at fault.
        source: LinkError,
    },
}

/// Sums, gathers and spreads values between ranks. One per rank; calls must come in the same order on
/// all of them, and the stamps say so when they do not.
pub struct Exchange {
    link: Box<dyn Transport>,
    config: Config,
    sequence: u64,
    scratch: Vec<Vec<f32>>,
    /// Plans by operation, length and algorithm: training asks for the same few again and again.
    plans: BTreeMap<(u8, usize, String), Arc<Plan>>,
}

impl Exchange {
    /// An exchange over `link`.
    #[must_use]
    pub fn new(link: Box<dyn Transport>, config: Config) -> Self {
        Self { link, config, sequence: 0, scratch: Vec::new(), plans: BTreeMap::new() }
    }

    /// Who we are.
    #[must_use]
    pub fn rank(&self) -> Rank {
        self.link.rank()
    }

    /// `local` or `mpi`.
    #[must_use]
    pub fn transport(&self) -> &'static str {
        self.link.name()
    }

    /// How values are exchanged from here on.
    pub fn configure(&mut self, config: Config) {
        self.config = config;
        self.plans.clear(); // they depend on the cut
    }

    /// Leaves the sum over all ranks in `values`. Returns the name of the algorithm that did it.
    pub fn all_reduce(&mut self, values: &mut [f32]) -> Result<String, ExchangeError> {
        let name = self.algorithm(values.len());
        self.run(Operation::AllReduce, &name, values)?;
        Ok(name)
    }

    /// As [`all_reduce`](Self::all_reduce), by the algorithm of this name.
    pub fn all_reduce_by(&mut self, name: &str, values: &mut [f32]) -> Result<(), ExchangeError> {
        self.run(Operation::AllReduce, name, values)?;
        Ok(())
    }

    /// Leaves the sum in the ranges that are returned: this rank's share.
    pub fn reduce_scatter(
        &mut self,
        values: &mut [f32],
    ) -> Result<Vec<Range<usize>>, ExchangeError> {
        let name = self.shared_algorithm(values.len());
        let plan = self.run(Operation::ReduceScatter, &name, values)?;
        Ok(plan.map_or_else(Vec::new, |plan| plan.owned.clone()))
    }

    /// Fills `values` with what every rank has in the share that
    /// [`reduce_scatter`](Self::reduce_scatter) gives it.
    pub fn all_gather(&mut self, values: &mut [f32]) -> Result<(), ExchangeError> {
        let name = self.shared_algorithm(values.len());
        self.run(Operation::AllGather, &name, values)?;
        Ok(())
    }

    /// Leaves what `root` has in `values` on all ranks.
    pub fn broadcast(&mut self, root: usize, values: &mut [f32]) -> Result<(), ExchangeError> {
        self.run(Operation::Broadcast { root }, "reduction-tree", values)?;
        Ok(())
    }

    /// Returns when all ranks have come here.
    pub fn barrier(&mut self) -> Result<(), ExchangeError> {
        self.run(Operation::AllReduce, "direct", &mut [0.0; 1])?;
        Ok(())
    }

    /// What every rank gives, in order of rank: for words and small states. Two bytes travel as one
    /// number, which no algorithm can change by adding zeros to it.
    pub fn gather(&mut self, bytes: &[u8]) -> Result<Vec<Vec<u8>>, ExchangeError> {
        let rank = self.rank();
        let mut lens = vec![0.0; 2 * rank.world()];
        let len = u32::try_from(bytes.len()).expect("states are small").to_le_bytes();
        pack(&len, &mut lens[2 * rank.index()..]);
        self.run(Operation::AllReduce, "reduction-tree", &mut lens)?;
        let len = |two: &[f32]| {
            let bytes = unpack(two, 4).try_into().expect("two numbers hold four bytes");
            u32::from_le_bytes(bytes) as usize
        };
        let lens: Vec<usize> = lens.chunks(2).map(len).collect();
        let place = |rank: usize| lens[..rank].iter().map(|len| len.div_ceil(2)).sum::<usize>();
        let mut all = vec![0.0; place(rank.world())];
        pack(bytes, &mut all[place(rank.index())..]);
        self.run(Operation::AllReduce, "reduction-tree", &mut all)?;
        Ok((0..rank.world()).map(|rank| unpack(&all[place(rank)..], lens[rank])).collect())
    }

    /// The transport, stamped as the next collective, for measurements that are not one.
    pub(crate) fn link(&mut self, what: &str) -> &mut dyn Transport {
        self.sequence += 1;
        self.link.begin(&stamp(self.sequence, Operation::AllReduce, 0, what, self.config.cut));
        &mut *self.link
    }

    /// The name of the algorithm for `len` values.
    fn algorithm(&self, len: usize) -> String {
        let Config { choice, network, .. } = &self.config;
        let world = self.rank().world();
        if let (Choice::Auto | Choice::AutoAny, Some(own)) = (choice, self.link.own_exact()) {
            return own.to_owned();
        }
        choice.algorithm(world, size_of::<f32>() * len, network).name().to_owned()
    }

    /// As [`algorithm`](Self::algorithm), for the halves of an all-reduce, which need a plan.
    fn shared_algorithm(&self, len: usize) -> String {
        let name = self.algorithm(len);
        if name == "mpi" { "direct".to_owned() } else { name }
    }

    /// Runs one collective; its plan, unless the transport did without.
    fn run(
        &mut self,
        operation: Operation,
        name: &str,
        values: &mut [f32],
    ) -> Result<Option<Arc<Plan>>, ExchangeError> {
        self.sequence += 1;
        let stamp = stamp(self.sequence, operation, values.len(), name, self.config.cut);
        self.link.begin(&stamp);
        let native = match operation {
            Operation::AllReduce => self.link.all_reduce(name, values),
            _ => None,
        };
        let done = match native {
            Some(done) => done.map(|()| None),
            None => self.plan(operation, name, values.len()).and_then(|plan| {
                execute(&mut *self.link, &plan, values, &mut self.scratch).map(|()| Some(plan))
            }),
        };
        self.link.end();
        done.map_err(|source| ExchangeError::Link {
            sequence: stamp.sequence,
            label: stamp.label,
            source,
        })
    }

    fn plan(
        &mut self,
        operation: Operation,
        name: &str,
        len: usize,
    ) -> Result<Arc<Plan>, LinkError> {
        let kind = match operation {
            Operation::AllReduce => 0,
            Operation::ReduceScatter => 1,
            Operation::AllGather => 2,
            Operation::Broadcast { root } => {
                return Ok(Arc::new(broadcast(root, self.rank(), len, self.config.cut)));
            }
        };
        let key = (kind, len, name.to_owned());
        if let Some(plan) = self.plans.get(&key) {
            return Ok(Arc::clone(plan));
        }
        let algorithm = collective::find(name).expect("a choice holds names of the table");
        let plan = algorithm.plan(operation, self.rank(), len, self.config.cut);
        let missing = || LinkError::NotHere { name: name.to_owned(), transport: "mpi" };
        let plan = Arc::new(plan.ok_or_else(missing)?);
        self.plans.insert(key, Arc::clone(&plan));
        Ok(plan)
    }
}

/// Two bytes a number.
fn pack(bytes: &[u8], numbers: &mut [f32]) {
    for (number, pair) in numbers.iter_mut().zip(bytes.chunks(2)) {
        let high = pair.get(1).copied().unwrap_or(0);
        *number = f32::from(u16::from_le_bytes([pair[0], high]));
    }
}

/// The first `len` bytes of what [`pack`] made.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "they were u16")]
fn unpack(numbers: &[f32], len: usize) -> Vec<u8> {
    let pairs = numbers[..len.div_ceil(2)].iter().map(|&number| number as u16);
    let mut bytes: Vec<u8> = pairs.flat_map(u16::to_le_bytes).collect();
    bytes.truncate(len);
    bytes
}

#[cfg(test)]
mod tests;
