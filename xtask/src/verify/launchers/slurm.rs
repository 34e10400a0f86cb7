//! A Slurm of one machine, for as long as a value lives.
//!
//! munged, slurmctld and slurmd run in the foreground as our children, with key, socket, ports and
//! state of their own, so that a Slurm that is installed here is not touched. They are ended when
//! the value is dropped. Ctrl-C reaches them without us: they are in the terminal's process group.
//! Only the `slurmstepd` of a job that runs at that moment has a session of its own and may remain.

use std::fs::{self, File};
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use crate::shell;

/// How long a daemon may take until it answers.
const START_MAX: Duration = Duration::from_secs(60);
/// How long a daemon may take to end after SIGTERM; then it is killed.
const STOP_MAX: Duration = Duration::from_secs(10);
/// Longest job, in minutes: one that hangs is ended by Slurm.
const MINUTES_MAX: &str = "3";

pub(super) struct SlurmCluster {
    folder: PathBuf,
    /// In the order in which they were started.
    daemons: Vec<Daemon>,
}

struct Daemon {
    name: &'static str,
    child: Child,
}

impl SlurmCluster {
    /// Starts the daemons with their files in `folder`, and waits until the machine accepts jobs.
    pub(super) fn start(folder: &Path) -> Result<Self> {
        let mut cluster = Self { folder: folder.to_owned(), daemons: Vec::new() };
        cluster.configure().context("cannot write the configuration of Slurm")?;
        let path = |name: &str| folder.join(name).display().to_string();
        cluster.daemon(
            "munged",
            &[
                "--foreground",
                "--force", // its folder belongs to whoever runs us
                &format!("--key-file={}", path("munge.key")),
                &format!("--socket={}", path("munge.socket")),
                &format!("--pid-file={}", path("munged.pid")),
                &format!("--log-file={}", path("munged.log")),
                &format!("--seed-file={}", path("munged.seed")),
            ],
        )?;
        cluster.wait("munged", |cluster| cluster.folder.join("munge.socket").exists())?;
        cluster.daemon("slurmctld", &["-D", "-i"])?;
        cluster.daemon("slurmd", &["-D"])?;
        cluster.wait("slurmd", |cluster| {
            let state = shell::output(cluster.client("sinfo").args(["--noheader", "-o", "%T"]));
            state.is_ok_and(|state| state.trim() == "idle")
        })?;
        Ok(cluster)
    }

    /// `srun` with `tasks` tasks that find each other by `mpi`; the program's words follow.
    pub(super) fn srun(&self, tasks: usize, mpi: &str) -> Command {
        let mut command = self.client("srun");
        command.args(["--time", MINUTES_MAX, &format!("--mpi={mpi}"), "-n", &tasks.to_string()]);
        command
    }

    /// A command that talks to this Slurm.
    fn client(&self, program: &str) -> Command {
        let mut command = shell::command(program, &[]);
        command.env("SLURM_CONF", self.folder.join("slurm.conf"));
        command
    }

    fn configure(&self) -> Result<()> {
        let folder = &self.folder;
        for name in ["state", "spool"] {
            fs::create_dir_all(folder.join(name))?;
        }
        let mut key = [0; 128];
        File::open("/dev/urandom")?.read_exact(&mut key)?;
        fs::write(folder.join("munge.key"), key)?;
        fs::set_permissions(folder.join("munge.key"), fs::Permissions::from_mode(0o600))?;
        let host = fs::read_to_string("/proc/sys/kernel/hostname")?;
        let (host, folder) = (host.trim(), folder.display());
        let text = format!(
            "ClusterName=firecaffe
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort=16817
SlurmdPort=16818
SlurmUser=root
AuthInfo=socket={folder}/munge.socket
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SlurmdParameters=config_overrides
ReturnToService=2
NodeName={host} NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES State=UP
"
        );
        Ok(fs::write(self.folder.join("slurm.conf"), text)?)
    }

    fn daemon(&mut self, name: &'static str, args: &[&str]) -> Result<()> {
        let output = File::create(self.folder.join(format!("{name}.out")))?;
        let mut command = self.client(name);
        command.args(args).stdin(Stdio::null()).stdout(output.try_clone()?).stderr(output);
        let child = command.spawn().with_context(|| format!("cannot start {name}"))?;
        self.daemons.push(Daemon { name, child });
        Ok(())
    }

    /// Waits until `ready`; an error with the daemon's last words if it ends or takes too long.
    fn wait(&mut self, name: &str, ready: impl Fn(&Self) -> bool) -> Result<()> {
        let begin = Instant::now();
        while !ready(self) {
            let mut ended = None;
            for daemon in &mut self.daemons {
                if let Some(status) = daemon.child.try_wait()? {
                    ended = Some((daemon.name, status));
                }
            }
            if let Some((name, status)) = ended {
                bail!("{name} ended ({status}): {}", self.last_words(name));
            }
            if begin.elapsed() > START_MAX {
                bail!("{name} is not ready after {START_MAX:?}: {}", self.last_words(name));
            }
            sleep(Duration::from_millis(200));
        }
        Ok(())
    }

    fn last_words(&self, name: &str) -> String {
        let text = fs::read_to_string(self.folder.join(format!("{name}.out"))).unwrap_or_default();
        let lines: Vec<&str> = text.lines().collect();
        lines[lines.len().saturating_sub(5)..].join("\n")
    }
}

impl Drop for SlurmCluster {
    /// Ends the daemons, the one started last first.
    fn drop(&mut self) {
        for Daemon { name, child } in self.daemons.iter_mut().rev() {
            // Whoever has ended already is not signalled: its number may be somebody else's by now.
            if !matches!(child.try_wait(), Ok(None)) {
                continue;
            }
            let _ = shell::output(&mut shell::command("kill", &[&child.id().to_string()]));
            let begin = Instant::now();
            while matches!(child.try_wait(), Ok(None)) {
                if begin.elapsed() > STOP_MAX {
                    println!("{name} does not end; it is killed");
                    let _ = child.kill();
                    let _ = child.wait();
                }
                sleep(Duration::from_millis(50));
            }
        }
    }
}
