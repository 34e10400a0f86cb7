//! What Chromium and TensorBoard show.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result, bail, ensure};
use report::RunHistory;
use serde_json::Value;

use super::{RecordedJob, last_hash, logged, long_run};
use crate::packages::{self, Packages};
use crate::shell::{self, command, root};

const LOOK: &str = "xtask/src/verify/report/look.mjs";
const LIVE: &str = "xtask/src/verify/report/live.mjs";
const BOARD: &str = "xtask/src/verify/report/board.py";
/// Part of the process's CPU time that page and record may take, in percent.
const SHOWING_CPU_MAX: f64 = 0.5;
/// Part of its speed that training keeps while clients crowd: the clients' own work is in it.
const CROWDED_MIN: f64 = 0.9;

/// Node with puppeteer-core and axe-core, and a Python with tensorboard.
pub(super) struct Browser {
    folder: PathBuf,
    python: String,
}

impl Browser {
    pub(super) fn prepare(folder: &Path) -> Result<Self> {
        // Debian's npm conflicts with a Node.js from elsewhere, which brings its own.
        let has_npm = shell::output(&mut command("npm", &["--version"])).is_ok();
        let node: &[&str] = if has_npm { &[] } else { &["nodejs", "npm"] };
        let debian = [&["chromium", "fonts-dejavu-core"], node].concat();
        if let Packages::Missing(why) = packages::ensure(&debian)? {
            bail!("the pages cannot be looked at: {why}");
        }
        let npm = ["install", "--no-audit", "--no-fund", "--silent", "puppeteer-core", "axe-core"];
        shell::run(command("npm", &npm).current_dir(folder))?;
        let venv = folder.join("venv");
        let python = venv.join("bin/python").to_string_lossy().into_owned();
        if !venv.exists() {
            shell::run(&mut command("python3", &["-m", "venv", &venv.to_string_lossy()]))?;
        }
        let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "tensorboard"];
        shell::run(&mut command(&python, &pip))?;
        Ok(Self { folder: folder.to_owned(), python })
    }

    fn node(&self, script: &str, args: &[&str]) -> Result<Value> {
        let script = root().join(script);
        let mut node = command("node", &[&script.to_string_lossy()]);
        let text = shell::output(node.args(args).current_dir(&self.folder))?;
        serde_json::from_str(&text).with_context(|| format!("{} printed {text}", script.display()))
    }

    /// What a page shows; screenshots begin with `prefix`.
    pub(super) fn look(&self, page: &str, prefix: &str) -> Result<Value> {
        let found = self.node(LOOK, &[page, prefix])?;
        check(&found).with_context(|| format!("{page}: {found:#}"))?;
        Ok(found)
    }

    /// Reports of one run, and of it beside logs of Caffe's with both headers.
    pub(super) fn look_at_reports(&self, job: &RecordedJob) -> Result<()> {
        job.solver(
            "looked",
            "max_iter: 3000 display: 50 test_iter: 4 test_interval: 500 snapshot: 1000",
        )?;
        let hash = last_hash(&logged(&mut job.train("looked", &["--record", "looked"]))?)?;
        let log = root().join("testdata/golden/solvers/adam/log.txt");
        let text = fs::read_to_string(&log)?;
        fs::write(job.path("old.log"), text.replace("I2026", "I"))?;
        let runs: [(&str, &[&str], usize); 2] =
            [("one", &["looked"], 1), ("many", &["looked", "old.log", &log.to_string_lossy()], 3)];
        for (name, runs, curves) in runs {
            let page = format!("{name}.html");
            logged(&mut job.firecaffe(&[&["report", "--out", &page], runs].concat()))?;
            let found = self.look(&page, name)?;
            check_curves(&found, curves).with_context(|| format!("{page}: {found:#}"))?;
        }
        let html = fs::read_to_string(job.path("one.html"))?;
        let command = html.split("<code>").nth(1).and_then(|text| text.split("</code>").next());
        let command = command.context("the page has no command")?.replace("&amp;", "&");
        let repeated = last_hash(&logged(Command::new("sh").args(["-c", &command]))?)?;
        ensure!(repeated == hash, "the command on the page gave {repeated} instead of {hash}");
        let shots = self.folder.join("*.png");
        println!("reports passed; screenshots: {}", shots.display());
        Ok(())
    }

    /// The live page during training, and its stop button.
    pub(super) fn watch_live_page(&self, job: &RecordedJob) -> Result<()> {
        // LeNet's batch: what is shown of an iteration costs the same for any.
        let net = fs::read_to_string(job.path("net.prototxt"))?;
        let large = net.replace("batch_size: 16", "batch_size: 64");
        ensure!(large != net, "the net has batches of 16");
        fs::write(job.path("live_net.prototxt"), large)?;
        job.solver_of(
            "live_net",
            "live",
            "max_iter: 100000000 display: 50 test_iter: 4 test_interval: 5000 snapshot: 0",
        )?;
        let args = ["--page", "--record", "live-record"];
        let mut child = job.train("live", &args).stderr(Stdio::piped()).spawn()?;
        let watched = self.watch(&mut child);
        let ended = child.try_wait()?;
        if ended.is_none() {
            child.kill()?;
            child.wait()?;
        }
        let found = watched?;
        let is = |name: &str, want: Value| {
            ensure!(found[name] == want, "{name}: {} instead of {want}", found[name]);
            Ok(())
        };
        is("errors", Value::Array(Vec::new()))?;
        is("no_token", 403.into())?;
        is("wrong_token", 403.into())?;
        is("rebinding", 403.into())?;
        is("other_origin", "nothing".into())?;
        is("cookie", "true Strict".into())?;
        is("script_sees_cookie", "".into())?;
        is("crowded", "503".into())?;
        is("address", "clean".into())?;
        is("readers", 8.into())?;
        is("readers_kept", 0.into())?;
        ensure!(found["after"].as_u64() > found["before"].as_u64(), "the curve does not grow");
        let rate = |name: &str| found[name].as_f64().unwrap_or(0.0);
        let (quiet, crowded) = (rate("quiet_rate"), rate("crowded_rate"));
        println!("{quiet:.0} iterations/s; {crowded:.0} with a crowd of clients");
        ensure!(crowded > CROWDED_MIN * quiet, "a crowd of clients slows training");
        ensure!(
            ended.is_some_and(|status| status.success()),
            "the stop button did not stop the run"
        );
        let models = fs::read_dir(&self.folder)?
            .flatten()
            .filter(|entry| entry.file_name().to_string_lossy().starts_with("live_iter_"));
        ensure!(models.count() > 0, "the stop left no snapshot");
        println!("the live page passed: {found}");
        Ok(())
    }

    fn watch(&self, child: &mut Child) -> Result<Value> {
        let mut lines = BufReader::new(child.stderr.take().context("stderr is piped")?).lines();
        let url = loop {
            let line = lines.next().context("the log has no address of a page")??;
            if let Some((_, url)) = line.split_once("page: ") {
                break url.to_owned();
            }
        };
        // The log must be read, or the run would wait for us.
        std::thread::spawn(move || lines.for_each(drop));
        let pid = child.id();
        let record = self.folder.join("live-record");
        let cpu = std::thread::spawn(move || {
            std::thread::sleep(std::time::Duration::from_secs(10));
            Some((cpu_seconds(pid)?, RunHistory::read(&record).ok()?.iteration()))
        });
        let found = self.node(LIVE, &[&url, "live", &pid.to_string()])?;
        let ([page, all], iterations) = cpu.join().ok().flatten().context("no CPU times")?;
        // Records are written by the thread that trains: what the same entries take here counts.
        let record = long_run::seconds_per_iteration(&self.folder)? * iterations as f64;
        let [page, record] = [page, record].map(|seconds| 100.0 * seconds / all);
        println!("of the process's CPU time: the page {page:.2} %, the record {record:.2} %");
        ensure!(page + record <= SHOWING_CPU_MAX, "that is more than {SHOWING_CPU_MAX} %");
        Ok(found)
    }

    /// Scalars equal to the log.
    pub(super) fn tensorboard(&self, job: &RecordedJob) -> Result<()> {
        job.solver(
            "board",
            "max_iter: 300 display: 10 test_iter: 4 test_interval: 100 snapshot: 0",
        )?;
        let log =
            logged(&mut job.train("board", &["--tensorboard", "board", "--histograms", "50"]))?;
        fs::write(job.path("board.log"), log)?;
        self.read_board(&["board", "board.log"])
    }

    /// TensorBoard's files of a folder, in order and no step twice; as a log has them, if given.
    pub(super) fn read_board(&self, args: &[&str]) -> Result<()> {
        let script = root().join(BOARD);
        let mut python = command(&self.python, &[&script.to_string_lossy()]);
        print!("{}", shell::output(python.args(args).current_dir(&self.folder))?);
        Ok(())
    }
}

/// What no page in Chromium may show, and the axes of all.
fn check(found: &Value) -> Result<()> {
    let empty = |name: &str| found[name].as_array().is_some_and(Vec::is_empty);
    ensure!(empty("errors"), "the console has errors");
    ensure!(empty("violations"), "axe-core has complaints");
    ensure!(found["dialogs"] == 0, "a name became a script");
    let widths = found["widths"].as_object().context("no widths")?;
    ensure!(widths["390 light"] == 390, "a phone must scroll sideways");
    let has = |list: &str, text: &str| {
        found[list].as_array().is_some_and(|all| all.iter().any(|found| found == text))
    };
    for axis in
        ["iterations", "loss", "speed, images/s", "time, ms", "share of the time, %", "memory, MB"]
    {
        ensure!(has("axes", axis), "no axis is called `{axis}`");
    }
    Ok(())
}

/// Curves of a run of 3,000 iterations, and what the controls do to them.
fn check_curves(found: &Value, curves: usize) -> Result<()> {
    let points = found["points"].as_array().context("no curves")?;
    ensure!(points.len() >= curves, "{} curves", points.len());
    let first = points[0].as_u64().unwrap_or(0);
    ensure!((1000..=2000).contains(&first), "3,000 iterations became {first} points");
    ensure!(found["smoothed"] == true && found["logarithmic"] == true, "the controls do nothing");
    ensure!(found["zoomed"].as_u64() < Some(first) && found["whole"] == first, "zooming fails");
    Ok(())
}

/// CPU seconds of the threads that serve the page, and of all.
fn cpu_seconds(pid: u32) -> Option<[f64; 2]> {
    /// The kernel's unit in `/proc`, on every architecture.
    const TICKS_PER_SECOND: f64 = 100.0;
    let (mut page, mut all) = (0.0, 0.0);
    for task in fs::read_dir(format!("/proc/{pid}/task")).ok()?.flatten() {
        // A client's thread may have ended since the folder was listed.
        let Ok(stat) = fs::read_to_string(task.path().join("stat")) else { continue };
        let (head, rest) = stat.rsplit_once(") ")?;
        let words: Vec<&str> = rest.split(' ').collect();
        let ticks = words.get(11)?.parse::<f64>().ok()? + words.get(12)?.parse::<f64>().ok()?;
        all += ticks / TICKS_PER_SECOND;
        page += if head.contains("(page") { ticks / TICKS_PER_SECOND } else { 0.0 };
    }
    (all > 0.0).then_some([page, all])
}
