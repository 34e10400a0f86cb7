//! `train --page`: the report of the run that goes on, served to one's own browser.
//!
//! A server of our own on std's sockets: four paths, no dependency, nothing to build. Whoever asks
//! must know the token that the log shows once. The run only adds entries to a history; threads of
//! the page copy it, draw sections at most so often that it costs a four-hundredth of a core, and
//! send those that changed. A reader that does not read is dropped by a time limit of its own
//! thread.
//!
//! | path | does | needs |
//! |---|---|---|
//! | `GET /?token=…` | sets the cookie and leads to `/` | the token |
//! | `GET /` | the page | the cookie |
//! | `GET /events` | sections as server-sent events | the cookie |
//! | `POST /snapshot`, `/stop` | a request to the run | the cookie, `Origin` |
//! | `GET /metrics` | Prometheus' text format | the token as bearer |

mod access;
mod request;
mod stream;

use std::io::Write;
use std::net::{SocketAddr, TcpListener, TcpStream, ToSocketAddrs};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use report::html::{PageKind, live_policy, page};
use report::record::RunEntry;
use report::{RunHistory, metrics};

use access::Access;
use request::{HttpReply, HttpRequest};
use stream::Sections;

/// Where the page is unless told otherwise: a free port of this machine only.
pub(crate) const DEFAULT_ADDRESS: &str = "127.0.0.1:0";

/// Connections at once; more get 503.
const CONNECTIONS_MAX: usize = 64;
/// How long a client may take to send its request, or to take what is sent to it.
const PATIENCE: Duration = Duration::from_secs(5);
/// Enough for a request of [`request::HEAD_MAX`] and a page.
const STACK_BYTES: usize = 512 << 10;

/// What all threads of the page share.
struct PageState {
    access: Access,
    history: Mutex<RunHistory>,
    sections: Mutex<Sections>,
    connections: AtomicUsize,
    stop: Arc<AtomicBool>,
    snapshot: Arc<AtomicBool>,
    /// How the run ended, once it has.
    end: Mutex<Option<String>>,
}

/// A page that is being served.
pub(crate) struct LivePage {
    state: Arc<PageState>,
    address: SocketAddr,
}

/// Flags of requests to the run, as signal handlers set them.
pub(crate) struct RunRequests {
    pub(crate) stop: Arc<AtomicBool>,
    pub(crate) snapshot: Arc<AtomicBool>,
}

impl LivePage {
    /// Listens at `address` (`PORT` or `HOST:PORT`) and serves from now on.
    pub(crate) fn open(address: &str, requests: RunRequests) -> Result<Self> {
        let is_port = address.parse::<u16>().is_ok();
        let full = if is_port { format!("127.0.0.1:{address}") } else { address.to_owned() };
        let found = full.to_socket_addrs().with_context(|| {
            format!("`--page {address}`: expected PORT or HOST:PORT, as in 127.0.0.1:8080")
        })?;
        let addresses: Vec<_> = found.collect();
        let listener = TcpListener::bind(&addresses[..]).with_context(|| {
            format!("cannot listen at {full}: give another port, or `--page` alone for a free one")
        })?;
        let address = listener.local_addr().context("the page's address")?;
        let host = full.rsplit_once(':').map_or("", |(host, _)| host);
        let state = Arc::new(PageState {
            access: Access::new(host, address.port())?,
            history: Mutex::default(),
            sections: Mutex::default(),
            connections: AtomicUsize::new(0),
            stop: requests.stop,
            snapshot: requests.snapshot,
            end: Mutex::default(),
        });
        let shared = Arc::clone(&state);
        let accept =
            move || listener.incoming().flatten().for_each(|client| admit(&shared, client));
        thread::Builder::new()
            .name("page".into())
            .spawn(accept)
            .context("cannot start the page's thread")?;
        Ok(Self { state, address })
    }

    /// What to open in a browser.
    pub(crate) fn url(&self) -> String {
        self.state.access.url(self.address)
    }

    /// Whether other machines can reach it.
    pub(crate) fn is_public(&self) -> bool {
        !self.address.ip().is_loopback()
    }

    /// Shows an entry.
    pub(crate) fn take(&self, entry: &RunEntry) {
        let mut history = lock(&self.state.history);
        if history.name.is_empty() {
            history.name = "training".into();
        }
        history.add(entry.clone());
        history.end.get_or_insert_with(|| "training".into());
        drop(history);
        if let RunEntry::End { how, .. } = entry {
            *lock(&self.state.end) = Some(how.clone());
        }
    }
}

impl Drop for LivePage {
    fn drop(&mut self) {
        lock(&self.state.end).get_or_insert_with(|| "ended".into());
        // Streams get a moment to send the last sections; the process ends after it.
        let begin = Instant::now();
        while self.state.connections.load(Ordering::Relaxed) > 0
            && begin.elapsed() < stream::LAST_WORDS
        {
            thread::sleep(Duration::from_millis(10));
        }
    }
}

/// What is behind a lock; a thread that panicked has left it as it was between two entries.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Serves a client on a thread of its own, unless there are too many.
fn admit(state: &Arc<PageState>, client: TcpStream) {
    let timed =
        client.set_read_timeout(Some(PATIENCE)).and(client.set_write_timeout(Some(PATIENCE)));
    if timed.is_err() {
        return;
    }
    if state.connections.fetch_add(1, Ordering::Relaxed) >= CONNECTIONS_MAX {
        state.connections.fetch_sub(1, Ordering::Relaxed);
        let busy = HttpReply::text(503, "too many connections\n");
        _ = { client }.write_all(&busy.bytes()); // a small reply fits the socket's buffer
        return;
    }
    let shared = Arc::clone(state);
    let serve = move || {
        _ = serve(&shared, client); // a client that has gone is not ours to report
        shared.connections.fetch_sub(1, Ordering::Relaxed);
    };
    let spawned =
        thread::Builder::new().name("page client".into()).stack_size(STACK_BYTES).spawn(serve);
    if spawned.is_err() {
        state.connections.fetch_sub(1, Ordering::Relaxed);
    }
}

fn serve(state: &PageState, mut client: TcpStream) -> std::io::Result<()> {
    let reply = match HttpRequest::read(&mut client, PATIENCE)? {
        Ok(request) if request.path == "/events" && state.access.reads(&request) => {
            return stream::send(state, client);
        }
        Ok(request) => answer(state, &request),
        Err(reply) => reply,
    };
    client.write_all(&reply.bytes())?;
    client.flush()
}

/// The reply to anything but a stream of events.
fn answer(state: &PageState, request: &HttpRequest) -> HttpReply {
    let access = &state.access;
    let forbidden = || HttpReply::text(403, "forbidden: open the address that the log shows\n");
    if !access.knows_host(request) {
        return forbidden();
    }
    match (request.method.as_str(), request.path.as_str()) {
        ("GET", "/") if access.has_token(request) => access.welcome(),
        ("GET", "/") if access.reads(request) => {
            let run = lock(&state.history).clone();
            HttpReply::page(page(&[run], PageKind::Live), &live_policy())
        }
        ("GET", "/metrics") if access.has_bearer(request) => {
            let run = lock(&state.history).clone();
            HttpReply::text(200, &metrics(&run))
        }
        ("POST", path @ ("/snapshot" | "/stop")) if access.writes(request) => {
            let flag = if path == "/stop" { &state.stop } else { &state.snapshot };
            flag.store(true, Ordering::Relaxed);
            HttpReply::text(202, "requested\n")
        }
        (_, "/" | "/events" | "/metrics" | "/snapshot" | "/stop") => forbidden(),
        _ => HttpReply::text(404, "not found\n"),
    }
}

#[cfg(test)]
mod tests;
