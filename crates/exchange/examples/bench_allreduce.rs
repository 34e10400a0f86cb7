//! `firecaffe bench allreduce` before there is a `firecaffe`: also what the tests run under `mpirun`.
//!
//! `bench_allreduce [--workers N] [--sizes 1K,100M] [--algorithms a,b] [--iterations N] [--json FILE]`

use base::Clock;
use collective::{Choice, Cut, all_with_plans, parse_size};
use exchange::bench::allreduce::{Options, run_local};
use exchange::bench::report::json;
use std::io::Write;
use std::time::{Duration, Instant};

/// Time since the program began.
struct Machine(Instant);

#[expect(clippy::disallowed_methods, reason = "a binary supplies the clock")]
impl Clock for Machine {
    fn now(&self) -> Duration {
        self.0.elapsed()
    }

    fn sleep(&self, duration: Duration) {
        std::thread::sleep(duration);
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut workers = 2;
    let mut file = None;
    let mut options = Options {
        sizes: Options::SIZES.to_vec(),
        algorithms: all_with_plans().into_iter().map(Choice::Named).collect(),
        iterations: 10,
        warm_ups: 2,
        cut: None,
        network: None,
    };
    let mut args = std::env::args().skip(1);
    while let Some(flag) = args.next() {
        let value = args.next().ok_or_else(|| format!("{flag} needs a value"))?;
        match flag.as_str() {
            "--workers" => workers = value.parse()?,
            "--sizes" => {
                options.sizes = value.split(',').map(parse_size).collect::<Result<_, _>>()?
            }
            "--algorithms" => {
                options.algorithms =
                    value.split(',').map(Choice::parse).collect::<Result<_, _>>()?;
            }
            "--iterations" => options.iterations = value.parse()?,
            "--warm-ups" => options.warm_ups = value.parse()?,
            "--cut" => {
                let (segment, lanes) = value.split_once('x').ok_or("write --cut SEGMENTxLANES")?;
                options.cut =
                    Some(Cut { segment: parse_size(segment)? / 4, lanes: lanes.parse()? });
            }
            "--json" => file = Some(value),
            _ => return Err(format!("unknown flag {flag}").into()),
        }
    }
    #[expect(clippy::disallowed_methods, reason = "a binary supplies the clock")]
    let clock = Machine(Instant::now());
    let cores = std::thread::available_parallelism()?.get();
    let results = run_local(workers, cores, &options, &clock, &mut std::io::stdout())?;
    if let Some(file) = file {
        #[expect(clippy::disallowed_methods, reason = "an example writes its own file")]
        match file.as_str() {
            "-" => std::io::stdout().write_all(json(&results).as_bytes())?,
            _ => std::fs::write(file, json(&results))?,
        }
    }
    if results.iter().any(|measured| measured.wrong > 0) {
        return Err("wrong sums".into());
    }
    Ok(())
}
