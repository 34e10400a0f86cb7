//! A login on another host, and the probe that it starts.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use serde::de::DeserializeOwned;

use super::findings::Finding;
use super::probe::{ProbeAnswer, ProbeGreeting, ProbeQuestion};
use super::tcp;

/// How the remote shell says that the working directory, or the program, is not there. Neither ssh
/// nor shells use them.
const NO_FOLDER: i32 = 81;
const NO_PROGRAM: i32 = 82;

/// How long after the end of its output a login may take to end, and to say why. A connection that
/// it leaves in the background may hold its error stream open for ever.
const ENDING: Duration = Duration::from_secs(1);

/// What is started on every host.
pub(super) struct RemoteProgram {
    /// The words before the host's name.
    pub(super) rsh: Vec<String>,
    pub(super) program: PathBuf,
    pub(super) folder: PathBuf,
    pub(super) solver: Option<PathBuf>,
}

/// A probe on another host; ends when this is dropped.
pub(super) struct ProbeLogin {
    host: String,
    /// As asked for, for messages.
    program: PathBuf,
    folder: PathBuf,
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    errors: Receiver<String>,
}

impl RemoteProgram {
    /// Logs in on `host`, and hears the first words of its probe.
    pub(super) fn greeted(
        &self,
        host: &str,
        patience: Duration,
    ) -> Result<(ProbeLogin, ProbeGreeting), Finding> {
        let until = Instant::now() + patience;
        let mut login = self.start(host)?;
        let greeting = login.hear(until)?;
        Ok((login, greeting))
    }

    fn start(&self, host: &str) -> Result<ProbeLogin, Finding> {
        // The resolver of this machine; a login may have names of its own (ssh's configuration).
        let resolves = tcp::addresses(host, 22);
        let (words, remote) = (&self.rsh, self.command());
        let spawned = Command::new(&words[0])
            .args(&words[1..])
            .args([host, &remote])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn();
        let mut child = spawned.map_err(|error| {
            let problem = format!("`{}` cannot be started: {error}", words[0]);
            Finding::new(host, problem, "give the remote shell of this cluster by `--rsh`")
        })?;
        let lines = read_lines(child.stdout.take());
        let errors = read_lines(child.stderr.take());
        let (program, folder) = (self.program.clone(), self.folder.clone());
        let input = child.stdin.take();
        let login = ProbeLogin { host: host.into(), program, folder, child, input, lines, errors };
        match resolves {
            Ok(_) => Ok(login),
            Err(error) => Err(Finding::new(
                host,
                format!("the name does not resolve here: {error}"),
                "correct it in the host file, or add it to DNS or /etc/hosts of every host",
            )),
        }
    }

    /// What the shell of the host is to run.
    fn command(&self) -> String {
        let [folder, program] = [&self.folder, &self.program].map(|path| quoted(path));
        let solver = self.solver.as_deref().map(|solver| format!(" --solver {}", quoted(solver)));
        format!(
            "cd {folder} || exit {NO_FOLDER}; [ -x {program} ] || exit {NO_PROGRAM}; exec {program} \
             doctor --probe{}",
            solver.unwrap_or_default()
        )
    }
}

/// As a word of a shell.
fn quoted(path: &Path) -> String {
    format!("'{}'", path.display().to_string().replace('\'', r"'\''"))
}

/// Lines of a stream, read by a thread of its own, so that one can stop waiting for them.
fn read_lines(stream: Option<impl Read + Send + 'static>) -> Receiver<String> {
    let (send, lines) = channel();
    if let Some(stream) = stream {
        thread::spawn(move || {
            let read = BufReader::new(stream).lines().map_while(Result::ok);
            let _ = read.into_iter().try_for_each(|line| send.send(line));
        });
    }
    lines
}

impl ProbeLogin {
    pub(super) fn ask(&mut self, question: &ProbeQuestion) -> Result<(), Finding> {
        let text = serde_json::to_string(question).unwrap_or_default();
        let sent = self.input.as_mut().map(|input| writeln!(input, "{text}"));
        match sent {
            Some(Ok(())) => Ok(()),
            _ => Err(self.silent("its probe has ended".into())),
        }
    }

    pub(super) fn answer(&mut self, until: Instant) -> Result<ProbeAnswer, Finding> {
        self.hear(until)
    }

    /// The next line that is what we wait for; greetings of login shells are passed over.
    fn hear<T: DeserializeOwned>(&mut self, until: Instant) -> Result<T, Finding> {
        loop {
            let left = until.saturating_duration_since(Instant::now());
            match self.lines.recv_timeout(left) {
                Ok(line) => {
                    if let Ok(heard) = serde_json::from_str(&line) {
                        return Ok(heard);
                    }
                }
                Err(RecvTimeoutError::Timeout) => return Err(self.no_answer()),
                Err(RecvTimeoutError::Disconnected) => return Err(self.why_ended()),
            }
        }
    }

    fn no_answer(&self) -> Finding {
        let remedy = "check the login (`--rsh`) and its network";
        Finding::new(&self.host, "the login or its probe does not answer", remedy)
    }

    /// What is wrong with a host whose probe says no more.
    fn why_ended(&mut self) -> Finding {
        let Some(status) = self.ended() else { return self.no_answer() };
        let program = self.program.display();
        match status.code() {
            Some(NO_FOLDER) => Finding::new(
                &self.host,
                format!("there is no folder {}", self.folder.display()),
                "share it, copy it there, or start where all hosts have it",
            ),
            Some(NO_PROGRAM) => Finding::new(
                &self.host,
                format!("there is no {program}, or it cannot be run"),
                "copy firecaffe to the same path on every host, or give `--program PATH`",
            ),
            code => {
                let said = self.last_error();
                let said = said.as_deref().map_or("nothing", str::trim);
                let code = code.map_or("a signal".to_owned(), |code| format!("exit code {code}"));
                self.silent(format!("the login or its probe ended with {code} and said: {said}"))
            }
        }
    }

    /// How the login ended, if it did. Its output ends a moment before it does.
    fn ended(&mut self) -> Option<ExitStatus> {
        let until = Instant::now() + ENDING;
        loop {
            match self.child.try_wait() {
                Ok(None) if Instant::now() < until => thread::sleep(Duration::from_millis(5)),
                status => return status.ok().flatten(),
            }
        }
    }

    /// The last line of its error stream, or of what there is of it in time.
    fn last_error(&self) -> Option<String> {
        let until = Instant::now() + ENDING;
        let next = || {
            let left = until.saturating_duration_since(Instant::now());
            self.errors.recv_timeout(left).ok()
        };
        std::iter::from_fn(next).last()
    }

    fn silent(&self, problem: String) -> Finding {
        let remedy = "log in by hand with the same command (`--rsh`), without a password";
        Finding::new(&self.host, problem, remedy)
    }
}

impl Drop for ProbeLogin {
    fn drop(&mut self) {
        self.input = None; // the probe ends with its input
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::mpsc::channel;
    use std::thread;
    use std::time::Duration;

    use super::{RemoteProgram, quoted};

    /// A login by a shell on this machine: `$0` is the host's name, `$1` the command.
    const SHELL: &str = r#"exec sh -c "$1""#;
    const PATIENCE: Duration = Duration::from_secs(20);

    fn start(host: &str, program: &str, folder: &str) -> String {
        start_by(SHELL, host, program, folder)
    }

    fn start_by(shell: &str, host: &str, program: &str, folder: &str) -> String {
        let program = RemoteProgram {
            rsh: ["sh", "-c", shell].map(str::to_owned).to_vec(),
            program: program.into(),
            folder: folder.into(),
            solver: None,
        };
        let heard = program.greeted(host, PATIENCE).map(drop);
        heard.expect_err("there is no probe").in_words()
    }

    /// As ssh does that shares its connection: a process in the background has the error stream.
    #[test]
    fn an_error_stream_that_stays_open_is_not_waited_for() {
        let (send, done) = channel();
        thread::spawn(move || {
            let shell = "echo no such key >&2; exec 3<&0; cat <&3 >/dev/null & exit 255";
            send.send(start_by(shell, "localhost", "/bin/true", "."))
        });
        let found = done.recv_timeout(PATIENCE).expect("it ends while the stream is open");
        assert!(found.contains("exit code 255 and said: no such key"), "{found}");
    }

    #[test]
    fn what_a_login_lacks_is_named() {
        let found = start("localhost", "/no/firecaffe", ".");
        assert!(found.starts_with("localhost: there is no /no/firecaffe, or"), "{found}");
        let found = start("localhost", "/bin/true", "/no/folder");
        assert!(found.starts_with("localhost: there is no folder /no/folder; "), "{found}");
        let found = start("localhost", "/bin/false", ".");
        assert!(found.contains("ended with exit code 1"), "{found}");
        let found = start("no-such-host.invalid", "/bin/true", ".");
        assert!(found.contains("the name does not resolve here"), "{found}");
    }

    #[test]
    fn words_for_shells_are_quoted() {
        assert_eq!(quoted(Path::new("a b'c")), r"'a b'\''c'");
    }
}
