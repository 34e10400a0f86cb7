//! Caffe's own log, so that old runs can be compared with new ones: curves only.
//!
//! Headers of both ages are read: `I1115 20:23:16.6 …` and `I20261115 20:23:16.6 …`. What is looked
//! for stands after `] `:
//!
//! ```text
//! Iteration 100 (50 iter/s, 2s/100 iters), loss = 0.5     Iteration 100, lr = 0.01
//!     Train net output #0: loss = 0.5 (* 1 = 0.5 loss)    Iteration 100, Testing net (#0)
//!     Test net output #0: accuracy = 0.9                  Snapshotting to binary proto file a.caffemodel
//! Optimization Done.                                      Optimization stopped early.
//! ```

use std::fs;
use std::path::Path;

use crate::ReportError;
use crate::record::{DisplayEntry, RunBegin, RunEntry, TestEntry};

/// Largest log that is read: that of a year of training.
const BYTES_MAX: u64 = 1 << 30;

/// Passes what the log at `path` says to `take`.
pub(crate) fn read(path: &Path, take: &mut dyn FnMut(RunEntry)) -> Result<(), ReportError> {
    let failed = |source| ReportError::Read { path: path.to_owned(), source };
    let bytes = fs::metadata(path).map_err(failed)?.len();
    if bytes > BYTES_MAX {
        return Err(ReportError::LogTooLarge { path: path.to_owned(), bytes, most: BYTES_MAX });
    }
    let text = fs::read(path).map_err(failed)?;
    match parse(&String::from_utf8_lossy(&text), take) {
        true => Ok(()),
        false => Err(ReportError::NoLog { path: path.to_owned() }),
    }
}

/// Whether `text` has lines of a training run; they are passed to `take`.
fn parse(text: &str, take: &mut dyn FnMut(RunEntry)) -> bool {
    let mut log = LogReader::default();
    let mut in_solver = false;
    for line in text.lines() {
        match message(line) {
            Some(message) => {
                in_solver = message.starts_with("Initializing solver from");
                log.message(message, take);
            }
            // The solver follows its line without a header.
            None if in_solver => log.solver += &format!("{line}\n"),
            None => {}
        }
    }
    log.flush(take);
    log.found
}

/// What stands after glog's header.
fn message(line: &str) -> Option<&str> {
    let digits = line.strip_prefix(['I', 'W', 'E', 'F'])?;
    let date = digits.bytes().take_while(u8::is_ascii_digit).count();
    if date != 4 && date != 8 {
        return None;
    }
    line.split_once("] ").map(|(_, message)| message)
}

/// Collects what several lines say of one display or test.
#[derive(Default)]
struct LogReader {
    found: bool,
    solver: String,
    display: Option<DisplayEntry>,
    test: Option<TestEntry>,
    iteration: u64,
    stopped: bool,
}

impl LogReader {
    fn message(&mut self, message: &str, take: &mut dyn FnMut(RunEntry)) {
        if message.starts_with("Solving ") {
            let net = message.trim_start_matches("Solving ").to_owned();
            let solver = std::mem::take(&mut self.solver);
            let begin = RunBegin { net, solver, ..RunBegin::default() };
            take(RunEntry::Begin(Box::new(begin)));
            self.found = true;
        } else if let Some(rest) = message.strip_prefix("Iteration ") {
            self.iteration_line(rest, take);
        } else if let Some(output) = message.trim_start().strip_prefix("Train net output #") {
            let output = named(output);
            self.display.iter_mut().for_each(|display| display.outputs.extend(output.clone()));
        } else if let Some(output) = message.trim_start().strip_prefix("Test net output #") {
            let output = named(output);
            self.test.iter_mut().for_each(|test| test.outputs.extend(output.clone()));
        } else if let Some(model) = message.strip_prefix("Snapshotting to binary proto file ") {
            let iteration = iteration_of(model).unwrap_or(self.iteration);
            take(RunEntry::Snapshot { iteration, model: model.to_owned() });
        } else if message.starts_with("Optimization stopped early.") {
            self.stopped = true;
        } else if message.starts_with("Optimization Done.") {
            let how = if self.stopped { "stopped" } else { "finished" };
            take(RunEntry::End { iteration: self.iteration, how: how.into() });
        }
    }

    /// A line that begins with "Iteration ".
    fn iteration_line(&mut self, rest: &str, take: &mut dyn FnMut(RunEntry)) {
        let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        let Ok(iteration) = rest[..end].parse() else { return };
        self.found = true;
        self.iteration = iteration;
        if let Some(net) = rest.split("Testing net (#").nth(1) {
            self.flush(take);
            let net = net.trim_end_matches(')').parse().unwrap_or(0);
            self.test = Some(TestEntry { iteration, net, outputs: Vec::new() });
        } else if let Some(rate) = number_after(rest, "lr = ") {
            self.display.iter_mut().for_each(|display| display.rate = rate);
        } else if let Some(loss) = number_after(rest, "loss = ") {
            self.flush(take);
            let (rate, outputs) = (f64::NAN, Vec::new());
            let display = DisplayEntry { iteration, loss, rate, images_per_s: None, outputs };
            self.display = Some(display);
        }
    }

    fn flush(&mut self, take: &mut dyn FnMut(RunEntry)) {
        self.display.take().into_iter().for_each(|display| take(RunEntry::Display(display)));
        self.test.take().into_iter().for_each(|test| take(RunEntry::Test(test)));
    }
}

/// The iteration in a name like `lenet_iter_500.caffemodel`.
fn iteration_of(model: &str) -> Option<u64> {
    let (_, rest) = model.rsplit_once("_iter_")?;
    rest.split('.').next()?.parse().ok()
}

/// The number behind `name`; what is not finite is written in words.
fn number_after(text: &str, name: &str) -> Option<f64> {
    let (_, rest) = text.split_once(name)?;
    rest.split([' ', ',', ')']).next()?.parse().ok()
}

/// `0: loss = 0.5 (* 1 = 0.5 loss)` as a name and a value.
fn named(output: &str) -> Option<(String, f64)> {
    let (_, rest) = output.split_once(": ")?;
    let (name, value) = rest.split_once(" = ")?;
    Some((name.to_owned(), value.split(' ').next()?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::parse;
    use crate::record::RunEntry;
    use crate::run::RunHistory;

    const NEW: &str = "\
I20261115 20:23:16.1 1 solver.cpp:45] Initializing solver from parameters: 
base_lr: 0.01
I20261115 20:23:16.6 1 solver.cpp:1] Solving small
I20261115 20:23:16.6 1 solver.cpp:2] Iteration 0, Testing net (#0)
I20261115 20:23:16.6 1 solver.cpp:3]     Test net output #0: accuracy = 0.125
I20261115 20:23:16.6 1 solver.cpp:4] Iteration 0 (-1 iter/s, 0.1s/1 iters), loss = 2.5
I20261115 20:23:16.6 1 solver.cpp:5]     Train net output #0: loss = 2.5 (* 1 = 2.5 loss)
I20261115 20:23:16.6 1 sgd_solver.cpp:6] Iteration 0, lr = 0.01
I20261115 20:23:16.6 1 solver.cpp:4] Iteration 10 (5 iter/s, 2s/10 iters), loss = nan
I20261115 20:23:16.6 1 solver.cpp:7] Snapshotting to binary proto file a_iter_11.caffemodel
I20261115 20:23:16.6 1 solver.cpp:8] Optimization Done.
";

    #[test]
    fn headers_of_both_ages_give_the_same() {
        let of = |text: &str| {
            let mut run = RunHistory::default();
            assert!(parse(text, &mut |entry| run.add(entry)));
            run
        };
        let run = of(NEW);
        assert_eq!(run.begins[0].solver, "base_lr: 0.01\n");
        assert_eq!((run.displays.len(), run.tests.len()), (2, 1));
        assert_eq!((run.displays[0].loss, run.displays[0].rate), (2.5, 0.01));
        assert!(run.displays[1].loss.is_nan());
        assert_eq!(run.tests[0].outputs, [("accuracy".to_owned(), 0.125)]);
        assert_eq!(run.snapshots, [(11, "a_iter_11.caffemodel".to_owned())]);
        assert_eq!(run.end.as_deref(), Some("finished"));
        assert_eq!(of(&NEW.replace("I20261115", "I1115")).displays[0], run.displays[0]);
    }

    #[test]
    fn other_text_is_no_log() {
        assert!(!parse("Iteration 5, loss = 1\nI18n is hard] Solving", &mut |_: RunEntry| ()));
    }

    #[test]
    fn logs_of_a_reference_caffe_are_read() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/golden/solvers");
        let mut logs = 0;
        for solver in std::fs::read_dir(root).unwrap() {
            let log = solver.unwrap().path().join("log.txt");
            if log.exists() {
                let run = RunHistory::read(&log).unwrap();
                assert!(run.displays.len() > 1 && run.displays[0].loss > 0.0, "{}", log.display());
                logs += 1;
            }
        }
        assert!(logs >= 10);
    }
}
