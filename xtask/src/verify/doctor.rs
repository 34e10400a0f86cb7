//! `cargo xtask verify doctor`: `firecaffe doctor` names what is wrong with a cluster.
//!
//! A cluster of network namespaces is healthy at first, and nothing may be found. Then one thing
//! after another is made wrong: [`FAULTS`] lists them. Each must be named within [`SECONDS_MAX`],
//! with words that lead to it, and the exit code must say so. Needs root.

mod faults;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};

use crate::demo;
use crate::packages::{self, Packages};
use crate::shell::{self, cargo, command, root, target_dir};
use faults::{FAULTS, SeededFault, Way};

const PACKAGES: &[&str] = &["openmpi-bin", "iproute2", "nftables"];
const SCRIPT: &str = "scripts/netns-cluster";
const HOSTS: usize = 4;
/// How long an examination may take.
const SECONDS_MAX: f64 = 30.0;

pub(super) fn run(args: &[String]) -> Result<()> {
    let (filter, rest) = args.split_first().map_or(("", args), |(name, rest)| (&**name, rest));
    if let Some(arg) = rest.first() {
        bail!("`{arg}` is not an option of `verify doctor [FAULT]`");
    }
    if let Packages::Missing(reason) = packages::ensure(PACKAGES)? {
        bail!("the cluster cannot be made: {reason}");
    }
    shell::run(&mut cargo(&["build", "--release", "--package", "firecaffe"]))?;
    let cluster = DoctorCluster::new(&target_dir().join("verify-doctor"))?;
    let mut named = 0;
    for fault in FAULTS.iter().filter(|fault| fault.name.contains(filter)) {
        cluster.check(fault)?;
        named += usize::from(!fault.named.is_empty());
    }
    println!("{named} faults are named within {SECONDS_MAX} s, and a healthy cluster has none");
    Ok(())
}

/// Hosts that are made anew for every fault, and the job that they would run.
struct DoctorCluster {
    folder: PathBuf,
}

impl DoctorCluster {
    /// Writes a small job: LeNet, its database, and a stub of an MPI library.
    fn new(folder: &Path) -> Result<Self> {
        if folder.exists() {
            fs::remove_dir_all(folder).context("cannot remove the folder of an earlier run")?;
        }
        fs::create_dir_all(folder.join("snapshots"))?;
        let example = root().join("examples/lenet/net.prototxt");
        let net = fs::read_to_string(example)?.replace("examples/lenet/", "");
        let train_only = net.replace("test_lmdb", "train_lmdb");
        fs::write(folder.join("net.prototxt"), &train_only)?;
        fs::write(
            folder.join("other.prototxt"),
            train_only.replace("num_output: 500", "num_output: 400"),
        )?;
        fs::write(
            folder.join("solver.prototxt"),
            "net: \"net.prototxt\"\nbase_lr: 0.01\nlr_policy: \"fixed\"\nmax_iter: 5\n\
             snapshot_prefix: \"snapshots/lenet\"\nrandom_seed: 1701\n",
        )?;
        let images = root().join("testdata/golden/data/fashion128-images-idx3-ubyte");
        let labels = root().join("testdata/golden/data/fashion128-labels-idx1-ubyte");
        let mut convert = demo::firecaffe();
        convert.args(["data", "convert-idx"]).args([&images, &labels]).arg("train_lmdb");
        shell::output(convert.current_dir(folder))?;
        let firecaffe = fs::read(demo::firecaffe().get_program())?;
        fs::write(folder.join("older"), other_version(firecaffe)?)?;
        shell::output(command("chmod", &["+x"]).arg(folder.join("older")))?;
        fs::write(folder.join("stub.c"), faults::STUB)?;
        let mut cc = command("cc", &["-shared", "-fPIC", "-o"]);
        shell::output(cc.arg(folder.join("libstub.so")).arg(folder.join("stub.c")))?;
        let cluster = Self { folder: folder.to_owned() };
        cluster.write_login()?;
        Ok(cluster)
    }

    /// The remote shell: `login ADDRESS COMMAND`. What spoils a host's files is mounted for the
    /// command alone, since every `ip netns exec` has mounts of its own.
    fn write_login(&self) -> Result<()> {
        let login = self.folder.join("login");
        let text = format!(
            "#!/bin/sh\nhost=$((${{1##*.}} - 1)); shift\nexec {} in $host sh -c '. \"$0\"; exec sh -c \
             \"$1\"' {}/spoil.$host \"$*\"\n",
            root().join(SCRIPT).display(),
            self.folder.display()
        );
        fs::write(&login, text)?;
        shell::output(command("chmod", &["+x"]).arg(login)).map(drop)
    }

    /// Makes the hosts, spoils them, and lets the doctor look.
    fn check(&self, fault: &SeededFault) -> Result<()> {
        let up = HostsUp::new()?;
        let mut names: Vec<String> =
            (1..=HOSTS).map(|host| format!("10.83.0.{host} slots=1")).collect();
        names.extend(fault.more_hosts.iter().map(|&name| name.to_owned()));
        fs::write(self.folder.join("hosts"), names.join("\n") + "\n")?;
        for host in 0..HOSTS {
            let spoiled = if fault.host == Some(host) { fault.files } else { "" };
            let binary = demo::firecaffe().get_program().to_string_lossy().into_owned();
            let spoiled = spoiled.replace("FIRECAFFE", &binary);
            let spoiled = spoiled.replace("FOLDER", &self.folder.to_string_lossy());
            fs::write(self.folder.join(format!("spoil.{host}")), spoiled)?;
            if fault.host.is_none_or(|spoiled| spoiled == host) && !fault.network.is_empty() {
                let network = fault.network.replace("HOST", &host.to_string());
                shell::output(&mut command("sh", &["-ec", &network]))?;
            }
        }
        let begin = Instant::now();
        let output = self.doctor(fault).output().context("cannot start the doctor")?;
        let seconds = begin.elapsed().as_secs_f64();
        drop(up);
        let said = format!(
            "{}{}",
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        );
        let name = fault.name;
        ensure!(seconds < SECONDS_MAX, "{name}: it took {seconds:.1} s:\n{said}");
        if fault.named.is_empty() {
            ensure!(output.status.success(), "{name}: the exit code is not 0:\n{said}");
            ensure!(said.contains("nothing found"), "{name}: something was found:\n{said}");
        } else {
            ensure!(!output.status.success(), "{name}: the exit code is 0:\n{said}");
            let line = said.lines().find(|line| fault.named.iter().all(|word| line.contains(word)));
            let line = line.with_context(|| format!("{name}: no word of it:\n{said}"))?;
            println!("   {line}");
        }
        println!("ok: {name} ({seconds:.1} s)");
        Ok(())
    }

    fn doctor(&self, fault: &SeededFault) -> Command {
        let firecaffe = demo::firecaffe().get_program().to_string_lossy().into_owned();
        let solver = ["doctor", "--solver", "solver.prototxt"];
        let mut doctor = match fault.way {
            Way::Hosts => {
                let mut doctor = command(SCRIPT, &["in", "0", &firecaffe]);
                let login = self.folder.join("login");
                doctor.args(solver).args(["--hosts", "hosts", "--rsh"]).arg(login);
                doctor
            }
            Way::Launcher | Way::OtherInterface => {
                let mut doctor = command(SCRIPT, &["mpirun", &HOSTS.to_string()]);
                doctor.arg(firecaffe).args(solver);
                doctor
            }
            Way::OneHost => {
                let mpirun = ["in", "0", "mpirun", "--allow-run-as-root", "-n", "2"];
                let mut doctor = command(SCRIPT, &mpirun);
                doctor.args(["--oversubscribe", "--bind-to", "none"]).args(fault.options);
                doctor.arg(firecaffe).args(solver);
                doctor
            }
            Way::Stub => {
                let mut doctor = command(&firecaffe, &solver);
                doctor.arg("--mpi").arg(self.folder.join("libstub.so"));
                doctor
            }
        };
        // The script is named relative to the project's root, but the job lies elsewhere.
        if fault.way != Way::Stub {
            let args: Vec<_> = doctor.get_args().map(ToOwned::to_owned).collect();
            doctor = Command::new(root().join(SCRIPT));
            doctor.args(args);
        }
        if fault.way == Way::OtherInterface {
            doctor.env("CLUSTER_INTERFACE", "eth9");
        }
        doctor.current_dir(&self.folder);
        doctor
    }
}

/// Takes the hosts down, whatever happens.
struct HostsUp;

impl HostsUp {
    fn new() -> Result<Self> {
        let up = Self;
        shell::output(&mut command(SCRIPT, &["up", &HOSTS.to_string(), "500mbit"]))?;
        Ok(up)
    }
}

impl Drop for HostsUp {
    fn drop(&mut self) {
        let _ = command(SCRIPT, &["down"]).output();
    }
}

/// The same program, which says that it is of another version.
fn other_version(mut program: Vec<u8>) -> Result<Vec<u8>> {
    let version = env!("CARGO_PKG_VERSION").as_bytes();
    let other: Vec<u8> =
        version.iter().map(|&byte| if byte == b'1' { b'7' } else { byte }).collect();
    ensure!(other != version, "a version that can be changed");
    let at: Vec<usize> = (0..program.len() - version.len())
        .filter(|&at| program[at..].starts_with(version))
        .collect();
    for at in at {
        program[at..at + version.len()].copy_from_slice(&other);
    }
    Ok(program)
}
