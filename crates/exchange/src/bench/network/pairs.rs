//! Exchanges of pairs of ranks, all at the same time.

use crate::bench::allreduce::BenchError;
use crate::{Exchange, ExchangeError};
use base::{Clock, Rank};
use transport::{LinkError, Transport, session};

/// Receives that are announced before their messages are taken.
const AHEAD: usize = 2;

/// What the ranks of a pair send each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::bench) struct PairTraffic {
    /// How far apart they are.
    pub(in crate::bench) distance: usize,
    /// Of every message.
    pub(in crate::bench) bytes: usize,
    /// In each direction, one after another.
    pub(in crate::bench) messages: usize,
}

impl PairTraffic {
    /// The other rank of `rank`'s pair; `None` if it has none. Blocks of `distance` ranks pair up,
    /// the first with the second, the third with the fourth.
    pub(super) fn partner(&self, rank: Rank) -> Option<usize> {
        let (index, distance) = (rank.index(), self.distance.max(1));
        let other = match (index / distance) % 2 {
            0 => index + distance,
            _ => index - distance,
        };
        (other < rank.world()).then_some(other)
    }

    /// Memory for [`run`](Self::run).
    pub(in crate::bench) fn buffer(&self) -> Vec<u8> {
        vec![1; 2 * self.bytes]
    }

    /// One exchange with the rank's partner; seconds, or `None` without one.
    pub(super) fn run(
        &self,
        exchange: &mut Exchange,
        clock: &dyn Clock,
        buffer: &mut [u8],
    ) -> Result<Option<f64>, BenchError> {
        let partner = self.partner(exchange.rank());
        Ok(self.run_with(exchange, clock, buffer, partner)?)
    }

    /// As [`run`](Self::run), with a partner that the two have agreed on.
    pub(in crate::bench) fn run_with(
        &self,
        exchange: &mut Exchange,
        clock: &dyn Clock,
        buffer: &mut [u8],
        partner: Option<usize>,
    ) -> Result<Option<f64>, ExchangeError> {
        let link = exchange.link("an exchange of pairs");
        let seconds = match partner {
            None => None,
            Some(other) => {
                let start = clock.now();
                swap(link, other, self, buffer).map_err(|source| ExchangeError::Link {
                    sequence: 0,
                    label: "an exchange of pairs".to_owned(),
                    source,
                })?;
                Some((clock.now() - start).as_secs_f64())
            }
        };
        link.end();
        Ok(seconds)
    }
}

/// Mean over pairs of the median time of their exchanges; the same on all ranks.
pub(super) fn mean_time_us(
    exchange: &mut Exchange,
    clock: &dyn Clock,
    traffic: PairTraffic,
    repeats: usize,
) -> Result<f64, BenchError> {
    let mut buffer = traffic.buffer();
    let mut times = Vec::new();
    for _ in 0..repeats {
        exchange.barrier()?;
        times.extend(traffic.run(exchange, clock, &mut buffer)?);
    }
    times.sort_by(f64::total_cmp);
    let median = times.get(times.len() / 2);
    let [mean] = mean_over_ranks(exchange, median.map(|&seconds| [1e6 * seconds]))?;
    Ok(mean)
}

/// Mean over the ranks that have values; the same on all ranks.
#[expect(clippy::cast_possible_truncation, reason = "no measurement has more digits than f32")]
pub(super) fn mean_over_ranks<const N: usize>(
    exchange: &mut Exchange,
    own: Option<[f64; N]>,
) -> Result<[f64; N], BenchError> {
    let mut sums = vec![0.0; N + 1];
    if let Some(own) = own {
        sums[N] = 1.0;
        sums.iter_mut().zip(own).for_each(|(sum, value)| *sum = value as f32);
    }
    exchange.sum(&mut sums)?;
    Ok(std::array::from_fn(|index| f64::from(sums[index] / sums[N].max(1.0))))
}

/// Sends the first half of `buffer` again and again, and receives into the second.
fn swap(
    link: &mut dyn Transport,
    other: usize,
    traffic: &PairTraffic,
    buffer: &mut [u8],
) -> Result<(), LinkError> {
    let (len, messages) = (traffic.bytes, traffic.messages);
    session(link, [buffer].into_iter(), copy, |session| {
        let (mut sent, mut received, mut announced) = (0, 0, 0);
        while sent < messages || received < messages {
            while announced < messages.min(received + AHEAD) {
                session.expect(other, 0, len)?;
                announced += 1;
            }
            let mut moved = false;
            if sent < messages && session.send(other, 0, 0, 0..len)? {
                (sent, moved) = (sent + 1, true);
            }
            if received < messages && session.recv_copy(other, 0, 0, len..2 * len)? {
                (received, moved) = (received + 1, true);
            }
            if !moved {
                session.wait(&[other])?;
            }
        }
        Ok(())
    })
}

/// Nothing is added here.
fn copy(into: &mut [u8], bytes: &[u8]) {
    into.copy_from_slice(bytes);
}
