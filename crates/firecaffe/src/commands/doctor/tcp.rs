//! Two processes measure the TCP connection between them.
//!
//! ```text
//!   client ── token, bytes ──▶ server        who does not know the token is turned away
//!          ── one byte ──▶ ◀── one byte      several times: the round trip
//!          ── bytes ─────▶ ◀── one byte      the bandwidth, one way
//! ```

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream, ToSocketAddrs};
use std::sync::mpsc::channel;
use std::thread;
use std::time::{Duration, Instant};

use base::median;

/// What a client says first: only who was told may measure.
pub(super) type ProbeToken = [u8; 16];

/// How long a connection, and each answer, may take.
const PATIENCE: Duration = Duration::from_secs(3);
/// How long a name service may take; where none answers, the system's resolver waits far longer.
const RESOLVE_MAX: Duration = Duration::from_secs(4);
/// Round trips of which the median counts.
const ROUND_TRIPS: usize = 11;
/// Bytes that are written at once.
const BLOCK: usize = 1 << 17;

/// What a client found.
#[derive(Debug, Clone, Copy)]
pub(super) struct TcpFigures {
    pub(super) round_trip_us: f64,
    pub(super) mbits: f64,
}

/// Answers everybody who knows `token`, on a port of its own, for as long as the process lives.
pub(super) fn serve(token: ProbeToken) -> io::Result<u16> {
    let listener = TcpListener::bind(("0.0.0.0", 0))?;
    let port = listener.local_addr()?.port();
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            thread::spawn(move || answer(stream, token)); // who goes away is not our problem
        }
    });
    Ok(port)
}

fn answer(mut stream: TcpStream, token: ProbeToken) -> io::Result<()> {
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    let mut said = ProbeToken::default();
    stream.read_exact(&mut said)?;
    if said != token {
        return Ok(());
    }
    let mut len = [0; 8];
    stream.read_exact(&mut len)?;
    for _ in 0..ROUND_TRIPS {
        stream.read_exact(&mut [0])?;
        stream.write_all(&[1])?;
    }
    let len = u64::from_le_bytes(len);
    io::copy(&mut (&stream).take(len), &mut io::sink())?;
    stream.write_all(&[1])
}

/// The addresses of a name.
pub(super) fn addresses(host: &str, port: u16) -> io::Result<Vec<SocketAddr>> {
    let asked = (host.to_owned(), port);
    let found = within(RESOLVE_MAX, move || asked.to_socket_addrs().map(Iterator::collect));
    found.unwrap_or_else(|| {
        let seconds = RESOLVE_MAX.as_secs();
        Err(io::Error::other(format!("the name service has not answered within {seconds} s")))
    })
}

/// What `work` comes to on a thread of its own, which is left behind if it takes longer.
fn within<T: Send + 'static>(
    patience: Duration,
    work: impl FnOnce() -> T + Send + 'static,
) -> Option<T> {
    let (send, done) = channel();
    thread::spawn(move || send.send(work()));
    done.recv_timeout(patience).ok()
}

/// The address at which a server listens.
pub(super) fn resolve(host: &str, port: u16) -> io::Result<SocketAddr> {
    // The server listens on IPv4.
    let found = addresses(host, port)?.into_iter().find(SocketAddr::is_ipv4);
    found.ok_or_else(|| io::Error::other("no IPv4 address"))
}

/// Measures the way to the server at `address` with `bytes` bytes.
pub(super) fn measure(
    address: SocketAddr,
    token: ProbeToken,
    bytes: usize,
) -> io::Result<TcpFigures> {
    let mut stream = TcpStream::connect_timeout(&address, PATIENCE)?;
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(2 * PATIENCE))?;
    stream.set_write_timeout(Some(2 * PATIENCE))?;
    let len = u64::try_from(bytes).unwrap_or(u64::MAX).to_le_bytes();
    stream.write_all(&[&token[..], &len].concat())?;
    let mut trips = Vec::new();
    for _ in 0..ROUND_TRIPS {
        let begin = Instant::now();
        stream.write_all(&[1])?;
        stream.read_exact(&mut [0])?;
        trips.push(begin.elapsed().as_secs_f64() * 1e6);
    }
    let (block, begin, mut left) = (vec![0; BLOCK], Instant::now(), bytes);
    while left > 0 {
        left -= stream.write(&block[..left.min(BLOCK)])?;
    }
    stream.read_exact(&mut [0])?;
    let seconds = begin.elapsed().as_secs_f64().max(1e-9);
    Ok(TcpFigures { round_trip_us: median(trips), mbits: 8e-6 * bytes as f64 / seconds })
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;
    use std::time::Duration;

    use super::{measure, resolve, serve, within};

    #[test]
    fn work_that_does_not_end_is_left_behind() {
        let (ends, ended) = channel::<()>();
        assert_eq!(within(Duration::from_millis(1), move || ended.recv()), None);
        drop(ends);
        assert_eq!(within(Duration::from_secs(60), || 7), Some(7));
    }

    #[test]
    fn who_knows_the_token_is_measured() {
        let port = serve([7; 16]).unwrap();
        let address = resolve("localhost", port).unwrap();
        let figures = measure(address, [7; 16], 1_000_000).unwrap();
        assert!(figures.mbits > 0.0 && figures.round_trip_us > 0.0, "{figures:?}");
        assert!(measure(address, [8; 16], 0).is_err(), "another token");
        assert!(resolve("no-such-host.invalid", port).is_err());
    }
}
