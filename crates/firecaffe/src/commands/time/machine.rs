//! What the machine can do at most: multiply-adds on registers, and sums of arrays that no cache
//! holds.
//!
//! Measured, not looked up: clock rates move, and neighbours share memory channels. The best of
//! several tries counts, since disturbance only ever slows down. Costs about half a second.

use std::hint::black_box;
use std::time::{Duration, Instant};

use kernels::{Cpu, peak};

const TRIES: usize = 7;
/// Steps of the multiply-add loop in one try: about 20 ms.
const STEPS: usize = 10_000_000;
/// Values of each of the two arrays: 128 MB.
const VALUES: usize = 32 << 20;
/// Values a thread takes at a time.
const CHUNK: usize = 1 << 16;
/// `y += x` reads both and writes one.
const BYTES_A_VALUE: usize = 12;

/// Limits of all threads together.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MachinePeaks {
    /// Floating-point operations a second.
    pub(crate) flops: f64,
    /// Bytes of memory traffic a second.
    pub(crate) bandwidth: f64,
}

impl MachinePeaks {
    /// Measures with the threads of `cpu`.
    pub(crate) fn measure(cpu: &Cpu) -> Self {
        let threads = cpu.threads();
        let multiply = || {
            cpu.run(threads, |_| {
                black_box(peak::multiply_adds(black_box(STEPS)));
            });
        };
        let (x, mut y) = (vec![1.0_f32; VALUES], vec![0.0_f32; VALUES]);
        let add = || {
            cpu.run_blocks(&mut y, CHUNK, |index, y| {
                y.iter_mut().zip(&x[index * CHUNK..]).for_each(|(y, x)| *y += x);
            });
        };
        Self {
            flops: (threads * peak::flops(STEPS)) as f64 / best(multiply).as_secs_f64(),
            bandwidth: (BYTES_A_VALUE * VALUES) as f64 / best(add).as_secs_f64(),
        }
    }
}

fn best(mut work: impl FnMut()) -> Duration {
    let times = (0..TRIES).map(|_| {
        let begin = Instant::now();
        work();
        begin.elapsed()
    });
    times.min().unwrap_or_default()
}
