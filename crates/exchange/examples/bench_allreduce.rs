//! What the tests run under `mpirun`: `firecaffe bench allreduce`, with ways to go wrong on purpose.
//!
//! `bench_allreduce [--workers N] [--sizes 1K,100M] [--algorithms a,b] [--iterations N] [--json FILE]
//! [--network true]`

use base::Clock;
use collective::{Choice, Cut, parse_size};
use exchange::bench::allreduce::{Options, run_local};
use exchange::bench::network;
use exchange::bench::report::{Measured, json};
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

/// What the flags ask for.
struct Asked {
    workers: usize,
    json: Option<String>,
    options: Options,
    /// Measure the network first, show it, and let `auto` reckon with it.
    network: bool,
    faults: Faults,
}

/// Ways to go wrong on purpose, for the tests.
#[derive(Default)]
struct Faults {
    /// This rank never comes to the first collective.
    absent: Option<usize>,
    /// This rank asks for a value more.
    stray: Option<usize>,
    /// Say every rank's process number.
    pids: bool,
    silence_max: Option<Duration>,
}

fn asked() -> Result<Asked, Box<dyn std::error::Error>> {
    let mut asked = Asked {
        workers: 2,
        json: None,
        options: Options {
            sizes: Options::SIZES.to_vec(),
            algorithms: Options::all_algorithms("local"),
            iterations: 10,
            warm_ups: 2,
            cut: None,
            network: None,
        },
        network: false,
        faults: Faults::default(),
    };
    let options = &mut asked.options;
    let mut args = std::env::args().skip(1);
    while let Some(flag) = args.next() {
        let value = args.next().ok_or_else(|| format!("{flag} needs a value"))?;
        match flag.as_str() {
            "--workers" => asked.workers = value.parse()?,
            "--sizes" => {
                options.sizes = value.split(',').map(parse_size).collect::<Result<_, _>>()?;
            }
            "--algorithms" => {
                let names = value.split(',').map(Choice::parse);
                options.algorithms = names.collect::<Result<_, _>>()?;
            }
            "--iterations" => options.iterations = value.parse()?,
            "--warm-ups" => options.warm_ups = value.parse()?,
            "--cut" => {
                let (segment, lanes) = value.split_once('x').ok_or("write --cut SEGMENTxLANES")?;
                options.cut =
                    Some(Cut { segment: parse_size(segment)? / 4, lanes: lanes.parse()? });
            }
            "--json" => asked.json = Some(value),
            "--network" => asked.network = value.parse()?,
            "--absent" => asked.faults.absent = Some(value.parse()?),
            "--stray" => asked.faults.stray = Some(value.parse()?),
            "--pids" => asked.faults.pids = value.parse()?,
            "--silence-max" => {
                asked.faults.silence_max = Some(Duration::from_secs_f64(value.parse()?));
            }
            _ => return Err(format!("unknown flag {flag}").into()),
        }
    }
    Ok(asked)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let asked = asked()?;
    #[expect(clippy::disallowed_methods, reason = "a binary supplies the clock")]
    let clock = Machine(Instant::now());
    #[cfg(feature = "mpi")]
    let results = match std::env::var_os("OMPI_COMM_WORLD_SIZE").or(std::env::var_os("PMI_SIZE")) {
        Some(_) => under_mpi(&asked, clock)?,
        None => Some(on_threads(&asked, &clock)?),
    };
    #[cfg(not(feature = "mpi"))]
    let results = Some(on_threads(&asked, &clock)?);
    let Some(results) = results else {
        return Ok(()); // rank 0 speaks for all
    };
    if let Some(file) = asked.json {
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

fn on_threads(asked: &Asked, clock: &Machine) -> Result<Vec<Measured>, Box<dyn std::error::Error>> {
    let cores = std::thread::available_parallelism()?.get();
    let mut options = asked.options.clone();
    if asked.network {
        let network = network::measure_local(asked.workers, cores, clock)?;
        std::io::stdout().write_all(network.to_string().as_bytes())?;
        options.network = Some(network);
    }
    Ok(run_local(asked.workers, cores, &options, clock, &mut std::io::stdout())?)
}

/// The results on rank 0, nothing on others.
#[cfg(feature = "mpi")]
fn under_mpi(
    asked: &Asked,
    clock: Machine,
) -> Result<Option<Vec<Measured>>, Box<dyn std::error::Error>> {
    use exchange::bench::allreduce::run_rank;
    use exchange::{Config, mpi, watch};

    let clock = std::sync::Arc::new(clock);
    let faults = &asked.faults;
    let silence_max = faults.silence_max.unwrap_or(watch::SILENCE_MAX);
    let (mut exchange, watch) =
        mpi::start(Config::MPI, clock.clone(), silence_max, watch::to_stderr())?;
    let me = exchange.rank().index();
    if faults.pids {
        let line = format!("rank {me} pid {}\n", std::process::id());
        std::io::stderr().write_all(line.as_bytes())?;
    }
    while faults.absent == Some(me) {
        clock.sleep(Duration::from_millis(100));
    }
    let mut options = asked.options.clone();
    if faults.stray == Some(me) {
        options.sizes.iter_mut().for_each(|bytes| *bytes += 4);
    }
    let first = exchange.rank().coordinator().is_some();
    let mut table: Box<dyn Write> =
        if first { Box::new(std::io::stdout()) } else { Box::new(std::io::sink()) };
    if asked.network {
        let network = network::measure(&mut exchange, &*clock)?;
        table.write_all(network.to_string().as_bytes())?;
        options.network = Some(network);
    }
    let done = run_rank(&mut exchange, &Config::MPI, &options, &*clock, &mut table);
    drop(exchange);
    match done {
        Ok(results) => Ok(first.then_some(results)),
        Err(error) => {
            let source = std::error::Error::source(&error).map(ToString::to_string);
            watch.abort(&format!("{error}: {}", source.unwrap_or_default()), watch::EXIT_CODE);
            Err(error.into())
        }
    }
}
