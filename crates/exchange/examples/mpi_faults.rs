//! What the tests run under `mpirun` to see faults: ranks that sum until something goes wrong.
//!
//! `mpi_faults BYTES ALGORITHM SILENCE_MAX [absent RANK | diverge RANK]`: every rank says its
//! process number and all-reduces over and over. An absent rank never comes to the first
//! collective, one that diverges asks for a value more than the others.

use base::{Clock, line_to_stderr};
use collective::parse_size;
use exchange::{Exchange, ExchangeConfig, ExchangeError, mpi, watch};
use std::convert::Infallible;
use std::sync::Arc;
use std::time::{Duration, Instant};
use transport::mpi::{LibrarySearch, MpiLibrary};

/// Time since the program began.
#[derive(Debug)]
struct ProcessClock(Instant);

#[expect(clippy::disallowed_methods, reason = "a binary supplies the clock")]
impl Clock for ProcessClock {
    fn now(&self) -> Duration {
        self.0.elapsed()
    }

    fn sleep(&self, duration: Duration) {
        std::thread::sleep(duration);
    }
}

#[expect(clippy::disallowed_methods, reason = "a binary reads the environment")]
fn environment(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<_> = std::env::args().skip(1).collect();
    let [bytes, algorithm, silence_max, fault @ ..] = &args[..] else {
        return Err("BYTES ALGORITHM SILENCE_MAX [absent RANK | diverge RANK]".into());
    };
    let mut len = parse_size(bytes)? / size_of::<f32>();
    let config = ExchangeConfig { choice: algorithm.parse()?, ..ExchangeConfig::MPI };
    let silence_max = Duration::from_secs_f64(silence_max.parse()?);
    #[expect(clippy::disallowed_methods, reason = "a binary supplies the clock")]
    let clock = Arc::new(ProcessClock(Instant::now()));
    let job = MpiLibrary::load(&LibrarySearch::of_launcher(&environment))?.start()?;
    let report = Box::new(line_to_stderr);
    let (mut exchange, watch) = mpi::connect(&job, config, clock.clone(), silence_max, report)?;
    drop(job);
    let me = exchange.rank().index();
    line_to_stderr(&format!("rank {me} pid {}", std::process::id()));
    match fault {
        [kind, rank] if rank.parse() == Ok(me) => match kind.as_str() {
            "absent" => loop {
                clock.sleep(Duration::from_millis(100));
            },
            _ => len += 1,
        },
        _ => {}
    }
    let Err(error) = sum(&mut exchange, len);
    drop(exchange);
    watch.abort(&error.to_string(), watch::EXIT_CODE);
    Err(error.into())
}

/// Zeros, which stay what they are however often they are summed.
fn sum(exchange: &mut Exchange, len: usize) -> Result<Infallible, ExchangeError> {
    let mut values = vec![0.0_f32; len];
    loop {
        exchange.all_reduce(&mut values)?;
    }
}
