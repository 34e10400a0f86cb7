//! A ring of bare TCP connections: every host sends to the next and receives from the one before.
//!
//! A byte that goes round twice lets all begin together; after it each host sends and receives the
//! whole at the same time. The slowest host counts.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, ensure};
use base::median;

use crate::bench::cluster_run::{FOREGROUND, SCRIPT};
use crate::shell::command;

const PORT: u16 = 7311;
/// Bytes that are written or read at once.
const BLOCK: usize = 1 << 18;
/// How long neighbours may take to listen.
const START_MAX: Duration = Duration::from_secs(20);

/// Milliseconds of one exchange, the median over iterations of the slowest host.
pub(super) fn measure(hosts: usize, bytes: usize, iterations: &str) -> Result<f64> {
    let program = std::env::current_exe().context("where this program is")?;
    let start = |host: usize| -> Result<Child> {
        let next = format!("10.83.0.{}", (host + 1) % hosts + 1);
        let words = ["in", &host.to_string(), "sh", "-c", FOREGROUND].map(str::to_owned);
        let mut process = command(SCRIPT, &[]);
        process.args(words).arg(&program).args(["bench", "tcp-stream", &next]);
        process.args([&bytes.to_string(), iterations, &host.to_string()]);
        process.stdout(Stdio::piped()).spawn().context("cannot start a host's process")
    };
    let processes: Vec<Child> = (0..hosts).map(start).collect::<Result<_>>()?;
    let mut slowest: Vec<f64> = Vec::new();
    for process in processes {
        let output = process.wait_with_output()?;
        ensure!(output.status.success(), "a stream failed");
        let text = String::from_utf8_lossy(&output.stdout);
        // The first warms up.
        let times = text.lines().skip(1).map(|line| line.trim().parse().context("a time in ms"));
        let times: Vec<f64> = times.collect::<Result<_>>()?;
        slowest.resize(times.len(), 0.0);
        slowest.iter_mut().zip(times).for_each(|(slowest, time)| *slowest = slowest.max(time));
    }
    ensure!(!slowest.is_empty(), "no stream was measured");
    Ok(median(slowest))
}

/// One host of the ring: `bench tcp-stream NEXT BYTES ITERATIONS HOST`. Prints milliseconds.
pub(in crate::bench) fn run(args: &[String]) -> Result<()> {
    let [next, bytes, iterations, host] = args else { anyhow::bail!("four words are needed") };
    let (bytes, iterations): (usize, usize) = (bytes.parse()?, iterations.parse()?);
    let listener = TcpListener::bind(("0.0.0.0", PORT))?;
    let mut to = connect(next)?;
    let (mut from, _) = listener.accept()?;
    to.set_nodelay(true)?;
    for _ in 0..=iterations {
        pass_round(&mut to, &mut from, host == "0")?;
        pass_round(&mut to, &mut from, host == "0")?;
        let begin = Instant::now();
        thread::scope(|scope| -> Result<()> {
            let sent = scope.spawn(|| send(&mut to, bytes));
            let mut block = vec![0; BLOCK];
            let mut left = bytes;
            while left > 0 {
                let read = from.read(&mut block[..left.min(BLOCK)])?;
                ensure!(read > 0, "the host before has gone");
                left -= read;
            }
            sent.join().map_err(|_| anyhow!("sending panicked"))?
        })?;
        println!("{}", begin.elapsed().as_secs_f64() * 1e3);
    }
    Ok(())
}

fn send(to: &mut TcpStream, bytes: usize) -> Result<()> {
    let block = vec![1; BLOCK];
    let mut left = bytes;
    while left > 0 {
        left -= to.write(&block[..left.min(BLOCK)])?;
    }
    Ok(())
}

fn connect(next: &str) -> Result<TcpStream> {
    let begin = Instant::now();
    loop {
        match TcpStream::connect((next, PORT)) {
            Ok(stream) => return Ok(stream),
            Err(error) if begin.elapsed() > START_MAX => return Err(error.into()),
            Err(_) => thread::sleep(Duration::from_millis(20)),
        }
    }
}

/// One byte goes round, which the first host begins.
fn pass_round(to: &mut TcpStream, from: &mut TcpStream, first: bool) -> Result<()> {
    if first {
        to.write_all(&[1])?;
    }
    from.read_exact(&mut [0])?;
    if !first {
        to.write_all(&[1])?;
    }
    Ok(())
}
