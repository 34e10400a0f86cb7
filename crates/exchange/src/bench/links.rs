//! Round trip and bandwidth of every pair of ranks, for `firecaffe doctor`.
//!
//! Pairs exchange messages both ways, one pair per rank at a time, in rounds in which everybody
//! meets everybody. All ranks get the whole matrix.

use super::network::PairTraffic;
use crate::{Exchange, ExchangeError};
use base::{Clock, median};
use std::time::Duration;

/// Short exchanges of which the median counts.
const ROUND_TRIPS: usize = 9;
/// Bytes of a first look; a link that needs longer than [`LOOK_MAX`] for them is not asked for
/// more.
const LOOK_BYTES: usize = 500_000;
const LOOK_MAX: Duration = Duration::from_millis(40);
/// Bytes that measure bandwidth, where more than a look is asked for.
const LONG_BYTES: usize = 8_000_000;

/// What is measured.
#[derive(Debug, Clone, Copy)]
pub struct LinkBench<'a> {
    /// The ranks whose links are measured, the same on all; the others wait.
    pub ranks: &'a [usize],
    /// Rounds that would begin later are left out.
    pub until: Duration,
    /// Whether half a megabyte each way is enough.
    pub only_look: bool,
}

/// One pair of ranks.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RankLink {
    /// The lower of the two.
    pub one: usize,
    /// The higher.
    pub other: usize,
    /// Microseconds there and back.
    pub round_trip_us: f64,
    /// 10^6 bits per second, each way while both are used.
    pub mbits: f64,
    /// The higher of what the two noted after their exchanges.
    pub noted: f64,
}

/// Measures links; all ranks call it together and get the same answer. `note` is asked after each
/// pair, for what else is to be known about it.
pub fn measure_links(
    exchange: &mut Exchange,
    clock: &dyn Clock,
    bench: LinkBench<'_>,
    note: &mut dyn FnMut() -> f64,
) -> Result<Vec<RankLink>, ExchangeError> {
    let LinkBench { ranks, until, only_look } = bench;
    let (rank, count) = (exchange.rank(), ranks.len());
    let own = ranks.iter().position(|&other| other == rank.index());
    // Of every ordered pair: round trip, bandwidth and note of the first.
    let mut figures = vec![0.0_f32; 3 * count * count];
    let seats = count + count % 2;
    for turn in 0..seats.saturating_sub(1) {
        // Rank 0 decides for all: clocks differ.
        let mut late = [f32::from(u8::from(rank.is_first() && clock.now() > until))];
        exchange.sum(&mut late)?;
        if late[0] > 0.0 {
            break;
        }
        let partner = own.and_then(|own| partner(own, turn, seats)).filter(|&seat| seat < count);
        let measured = measure_pair(exchange, clock, partner.map(|seat| ranks[seat]), only_look)?;
        if let (Some(own), Some(seat), Some((round_trip_us, mbits))) = (own, partner, measured) {
            let at = 3 * (own * count + seat);
            #[expect(clippy::cast_possible_truncation, reason = "seven digits are enough")]
            figures[at..at + 3].copy_from_slice(&[round_trip_us, mbits, note()].map(|f| f as f32));
        }
    }
    exchange.sum(&mut figures)?;
    let mut links = Vec::new();
    for one in 0..count {
        for other in one + 1..count {
            let of = |from: usize, to: usize| -> [f64; 3] {
                std::array::from_fn(|figure| f64::from(figures[3 * (from * count + to) + figure]))
            };
            let [round_trip_us, mbits, first] = of(one, other);
            let noted = first.max(of(other, one)[2]);
            if mbits > 0.0 {
                let (one, other) = (ranks[one], ranks[other]);
                links.push(RankLink { one, other, round_trip_us, mbits, noted });
            }
        }
    }
    Ok(links)
}

/// Whom `own` of `seats` meets: all but the last move round a circle.
fn partner(own: usize, turn: usize, seats: usize) -> Option<usize> {
    let circle = seats - 1;
    if own == circle {
        return Some(turn % circle);
    }
    // Seats whose places on the circle add up to nothing meet. Who would meet itself meets the
    // last.
    let place = (own + circle - turn % circle) % circle;
    let other = (circle - place) % circle;
    Some(if other == place { circle } else { (other + turn) % circle })
}

/// Microseconds of a round trip and Mbit/s to `partner`; all ranks call it, with or without one.
fn measure_pair(
    exchange: &mut Exchange,
    clock: &dyn Clock,
    partner: Option<usize>,
    only_look: bool,
) -> Result<Option<(f64, f64)>, ExchangeError> {
    let traffic = |bytes| PairTraffic { distance: 1, bytes, messages: 1 };
    let mut trips = Vec::new();
    for _ in 0..ROUND_TRIPS {
        exchange.barrier()?;
        let short = traffic(8);
        trips.extend(short.run_with(exchange, clock, &mut short.buffer(), partner)?);
    }
    let longest = if only_look { LOOK_BYTES } else { LONG_BYTES };
    let mut buffer = traffic(longest).buffer();
    let mut exchange_bytes = |exchange: &mut Exchange, bytes: usize, with: Option<usize>| {
        exchange.barrier()?;
        traffic(bytes).run_with(exchange, clock, &mut buffer[..2 * bytes], with)
    };
    let look = exchange_bytes(exchange, LOOK_BYTES, partner)?;
    let mut long = None;
    if !only_look {
        let fast = look.is_some_and(|seconds| seconds < LOOK_MAX.as_secs_f64());
        let agreed = agree(exchange, clock, partner, fast)?;
        long = exchange_bytes(exchange, LONG_BYTES, partner.filter(|_| agreed))?;
    }
    let (bytes, seconds) = long.map_or((LOOK_BYTES, look), |long| (LONG_BYTES, Some(long)));
    let Some(seconds) = seconds else { return Ok(None) };
    let round_trip_us = 1e6 * median(trips);
    Ok(Some((round_trip_us, 8e-6 * bytes as f64 / seconds.max(1e-9))))
}

/// Whether both ranks of a pair say yes.
fn agree(
    exchange: &mut Exchange,
    clock: &dyn Clock,
    partner: Option<usize>,
    yes: bool,
) -> Result<bool, ExchangeError> {
    let mut said = [u8::from(yes), 0];
    exchange.barrier()?;
    PairTraffic { distance: 1, bytes: 1, messages: 1 }
        .run_with(exchange, clock, &mut said, partner)?;
    Ok(said == [1, 1])
}

#[cfg(test)]
mod tests {
    use super::{LinkBench, measure_links, partner};
    use crate::{ExchangeConfig, spawn_ranks};
    use base::Clock;
    use std::time::{Duration, Instant};

    #[derive(Debug)]
    struct TestClock(Instant);

    impl Clock for TestClock {
        fn now(&self) -> Duration {
            self.0.elapsed()
        }

        fn sleep(&self, _: Duration) {}
    }

    #[test]
    fn everybody_meets_everybody_once() {
        for seats in [2, 4, 6, 8, 10] {
            for own in 0..seats {
                let mut met: Vec<usize> = (0..seats - 1)
                    .map(|turn| {
                        let other = partner(own, turn, seats).unwrap();
                        assert_eq!(partner(other, turn, seats), Some(own), "{own} of {seats}");
                        other
                    })
                    .collect();
                met.sort_unstable();
                assert_eq!(met, (0..seats).filter(|&seat| seat != own).collect::<Vec<_>>());
            }
        }
    }

    #[test]
    fn all_links_between_some_ranks_are_measured() {
        #[expect(clippy::disallowed_methods, reason = "a clock for a test")]
        let clock = TestClock(Instant::now());
        let all = spawn_ranks(4, 2, &ExchangeConfig::LOCAL, |exchange| {
            let own = exchange.rank().index() as f64;
            let until = Duration::from_secs(600);
            let bench = LinkBench { ranks: &[0, 1, 3], until, only_look: false };
            measure_links(exchange, &clock, bench, &mut || own).unwrap()
        });
        let pairs: Vec<_> = all[0].iter().map(|link| (link.one, link.other)).collect();
        assert_eq!(pairs, [(0, 1), (0, 3), (1, 3)]);
        assert!(all.iter().all(|links| *links == all[0]), "the same on all ranks");
        assert!(all[0].iter().all(|link| (link.noted - link.other as f64).abs() < 1e-6));
        assert!(all[0].iter().all(|link| link.mbits > 0.0 && link.round_trip_us > 0.0));
    }
}
