//! Server-sent events: sections of the page whenever they have changed.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use report::html::PageSection;
use rustix::time::{ClockId, clock_gettime};

use super::{PageState, lock, request};

/// Shortest time between two drawings.
const DRAW_INTERVAL: Duration = Duration::from_secs(1);
/// A drawing is followed by so many times its own CPU time without one: a four-hundredth of a core.
const DRAW_REST: u32 = 400;
/// How often a stream looks whether there is something new.
const LOOK_INTERVAL: Duration = Duration::from_millis(250);
/// How long the end of a run waits for streams.
pub(super) const LAST_WORDS: Duration = Duration::from_secs(1);

/// The sections as last drawn, for all streams.
#[derive(Default)]
pub(super) struct Sections {
    drawn: Arc<Vec<PageSection>>,
    /// What they show.
    iteration: u64,
    /// Not before this.
    next: Option<Instant>,
}

/// The latest sections, drawn anew if that is due, and the iteration they show.
fn latest(state: &PageState, must_draw: bool) -> (Arc<Vec<PageSection>>, u64) {
    let mut sections = lock(&state.sections);
    let begin = Instant::now();
    if must_draw || sections.next.is_none_or(|next| begin >= next) {
        let cpu_before = thread_cpu();
        let run = lock(&state.history).clone();
        sections.iteration = run.iteration();
        sections.drawn = Arc::new(report::html::sections(&[run]));
        let rest = ((thread_cpu() - cpu_before) * DRAW_REST).max(DRAW_INTERVAL);
        sections.next = Some(Instant::now() + rest);
    }
    (Arc::clone(&sections.drawn), sections.iteration)
}

/// CPU time of this thread: on cores that are all busy, more time passes while it draws.
fn thread_cpu() -> Duration {
    Duration::try_from(clock_gettime(ClockId::ThreadCPUTime)).unwrap_or_default()
}

/// Sends sections until the run ends or the client has gone.
pub(super) fn send(state: &PageState, mut client: TcpStream) -> io::Result<()> {
    let head =
        format!("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n{}\r\n", request::ALWAYS);
    client.write_all(head.as_bytes())?;
    let mut sent: BTreeMap<&'static str, String> = BTreeMap::new();
    let mut shown = None;
    loop {
        let end = lock(&state.end).clone();
        let (sections, iteration) = latest(state, end.is_some());
        if shown != Some(iteration) || end.is_some() {
            let changed =
                sections.iter().filter(|section| sent.get(section.id) != Some(&section.html));
            let changed: BTreeMap<&str, &str> =
                changed.map(|section| (section.id, section.html.as_str())).collect();
            event(&mut client, "sections", &serde_json::to_string(&changed)?)?;
            event(&mut client, "state", &json(&format!("iteration {iteration}")))?;
            sent = sections.iter().map(|section| (section.id, section.html.clone())).collect();
            shown = Some(iteration);
        }
        if let Some(how) = end {
            return event(&mut client, "end", &json(&how));
        }
        wait(&mut client)?;
    }
}

/// Waits a moment. A comment finds out whether the client is still there.
fn wait(client: &mut TcpStream) -> io::Result<()> {
    thread::sleep(LOOK_INTERVAL);
    client.write_all(b":\n")
}

fn event(client: &mut TcpStream, name: &str, data: &str) -> io::Result<()> {
    client.write_all(format!("event: {name}\ndata: {data}\n\n").as_bytes())?;
    client.flush()
}

fn json(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
