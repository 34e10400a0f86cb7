//! `bench/torch_peer.py` as a process: asked for iterations now and then, or run once with several
//! workers.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use super::Rate;
use crate::shell::{command, output};

const SCRIPT: &str = "bench/torch_peer.py";

/// What to do where PyTorch is missing.
const INSTALL: &str = "pip install torch==2.13.0 numpy";

/// Memory orders to try: which is faster depends on the network.
pub(super) const LAYOUTS: [&str; 2] = ["nhwc", "nchw"];

/// A Python that can import torch.
pub(super) struct Python(String);

impl Python {
    /// Says that PyTorch is left out, and how to get it, when `python` cannot import it.
    pub(super) fn find(python: &str) -> Option<Self> {
        let found = output(&mut command(python, &["-c", "import torch; print(torch.__version__)"]));
        match &found {
            Ok(version) => println!("PyTorch {}", version.trim()),
            Err(_) => println!(
                "PyTorch is left out: `{python}` cannot import torch ({INSTALL}; --python PATH)"
            ),
        }
        found.is_ok().then(|| Self(python.to_owned()))
    }

    /// Images per second of `workers` processes over gloo, with the update.
    pub(super) fn gloo(
        &self,
        net: &str,
        layout: &str,
        workers: usize,
        more: &[&str],
    ) -> Result<f64> {
        let workers = workers.to_string();
        let flags = ["--layout", layout, "--workers", &workers, "--threads", "1", "--update"];
        let text = output(command(&self.0, &[SCRIPT, net]).args(flags).args(more))?;
        let last = text.lines().last().context("the peer printed nothing")?;
        number(&serde_json::from_str(last)?, "images_per_s")
    }

    /// A network that waits to be asked.
    pub(super) fn start(&self, net: &str, layout: &str, threads: usize) -> Result<Peer> {
        let threads = threads.to_string();
        let mut start = command(&self.0, &[SCRIPT, net, "--layout", layout, "--update"]);
        start.args(["--threads", &threads, "--on-request"]);
        Peer::start(&mut start).with_context(|| format!("{SCRIPT} {net}"))
    }
}

/// A running network.
pub(super) struct Peer {
    child: Child,
    /// `None` once it shall end.
    requests: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
}

impl Peer {
    fn start(start: &mut Command) -> Result<Self> {
        let mut child = start.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let answers = BufReader::new(child.stdout.take().context("its output")?);
        let mut peer = Self { requests: child.stdin.take(), child, answers };
        peer.answer()?; // it is warm
        Ok(peer)
    }

    /// Runs some iterations.
    pub(super) fn measure(&mut self, iterations: usize) -> Result<Rate> {
        let requests = self.requests.as_mut().context("it has ended")?;
        writeln!(requests, "{iterations}")?;
        let answer = self.answer()?;
        let [ms, update, images] = ["ms", "update_ms", "images"].map(|name| number(&answer, name));
        let (ms, update, images) = (ms?, update?, images?);
        Ok(Rate { pass: 1e3 * images / (ms - update), all: 1e3 * images / ms })
    }

    fn answer(&mut self) -> Result<Value> {
        let mut line = String::new();
        self.answers.read_line(&mut line)?;
        ensure!(!line.is_empty(), "the peer ended early");
        Ok(serde_json::from_str(&line)?)
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        self.requests = None;
        let _ = self.child.wait();
    }
}

fn number(answer: &Value, name: &str) -> Result<f64> {
    answer[name].as_f64().with_context(|| format!("no `{name}` in the peer's answer"))
}
