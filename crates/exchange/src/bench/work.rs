//! How fast a thread does what a collective needs between messages: adding, copying, converting.
//!
//! Messages arrive in a buffer that is still in the cache; what they are added to comes from
//! memory.

use crate::wire::{self, WIRE_FORMATS, bytes_of};
use base::Clock;
use std::hint::black_box;

/// Values that are walked over: 16 MB, more than a cache holds.
const VALUES: usize = 4_000_000;
/// Values of a message: 256 KiB.
const SEGMENT: usize = 65_536;
/// Walks; the fastest counts.
const WALKS: usize = 5;

/// Rates in 10^9 bytes of messages per second.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WorkRates {
    /// Additions of `f32`.
    pub reduce_gbs: f64,
    /// Additions of 16-bit elements.
    pub reduce_half_gbs: f64,
    /// Copies.
    pub copy_gbs: f64,
    /// Encoding or decoding of 16-bit elements.
    pub convert_gbs: f64,
}

/// Measures on this thread, by its CPU time if the clock has it.
#[must_use]
pub fn work_rates(clock: &dyn Clock) -> WorkRates {
    let half = WIRE_FORMATS.iter().find(|format| format.name == "f16").expect("it is in the table");
    let conversion = half.conversion.expect("16 bits are not 32");
    let mut walk = WorkWalk::new(clock);
    // Of 16-bit elements a message has half the bytes.
    let halved = 2 * SEGMENT;
    let reduce_gbs = walk.reduce_gbs();
    let copy_gbs = walk.gbs(4 * SEGMENT, |into, message| into.copy_from_slice(message));
    let reduce_half_gbs = walk.gbs(halved, |sum, message| {
        (half.add)(&mut bytes_of(sum)[..halved], &bytes_of(message)[..halved]);
    });
    let encode = walk.gbs(halved, |values, message| {
        (conversion.encode)(1.0, values, &mut bytes_of(message)[..halved]);
    });
    let decode = walk.gbs(halved, |values, message| {
        (conversion.decode)(&bytes_of(message)[..halved], values);
    });
    let convert_gbs = 2.0 / (1.0 / encode + 1.0 / decode);
    WorkRates { reduce_gbs, reduce_half_gbs, copy_gbs, convert_gbs }
}

/// Additions of `f32` alone, in 10^9 bytes of messages per second.
#[must_use]
pub fn reduce_rate(clock: &dyn Clock) -> f64 {
    WorkWalk::new(clock).reduce_gbs()
}

/// Works through values in memory, message by message.
struct WorkWalk<'a> {
    clock: &'a dyn Clock,
    values: Vec<f32>,
    message: Vec<f32>,
}

impl<'a> WorkWalk<'a> {
    fn new(clock: &'a dyn Clock) -> Self {
        Self { clock, values: vec![1.0; VALUES], message: vec![1.0; SEGMENT] }
    }

    fn reduce_gbs(&mut self) -> f64 {
        self.gbs(4 * SEGMENT, |sum, message| (wire::F32.add)(bytes_of(sum), bytes_of(message)))
    }

    /// Rate of `step` on a segment of the values and a message of `message_bytes`.
    fn gbs(&mut self, message_bytes: usize, step: impl Fn(&mut [f32], &mut [f32])) -> f64 {
        let Self { clock, values, message } = self;
        let seconds = (0..WALKS).map(|_| {
            let begin = clock.thread_spent();
            values.chunks_exact_mut(SEGMENT).for_each(|segment| step(segment, message));
            black_box(&mut *values);
            clock.thread_spent().saturating_sub(begin).as_secs_f64()
        });
        let best = seconds.fold(f64::INFINITY, f64::min).max(1e-9);
        (VALUES / SEGMENT * message_bytes) as f64 / best / 1e9
    }
}
