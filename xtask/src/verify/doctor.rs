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
    let chosen = chosen(filter)?;
    if let Packages::Missing(reason) = packages::ensure(PACKAGES)? {
        bail!("the cluster cannot be made: {reason}");
    }
    shell::run(&mut cargo(&["build", "--release", "--package", "firecaffe"]))?;
    let cluster = DoctorCluster::new(&target_dir().join("verify-doctor"))?;
    for fault in &chosen {
        cluster.check(fault)?;
    }
    println!("{}", in_words(&chosen));
    Ok(())
}

/// The faults whose names contain `filter`.
fn chosen(filter: &str) -> Result<Vec<&'static SeededFault>> {
    let chosen: Vec<_> = FAULTS.iter().filter(|fault| fault.name.contains(filter)).collect();
    let names: Vec<&str> = FAULTS.iter().map(|fault| fault.name).collect();
    ensure!(!chosen.is_empty(), "no fault is called `{filter}`; there are:\n{}", names.join("\n"));
    Ok(chosen)
}

/// What has been shown once all of `chosen` have passed.
fn in_words(chosen: &[&SeededFault]) -> String {
    let healthy = chosen.iter().filter(|fault| fault.named.is_empty()).count();
    let faults = match chosen.len() - healthy {
        0 => None,
        named => Some(format!("{named} faults are named within {SECONDS_MAX} s")),
    };
    let healthy = (healthy > 0).then(|| "a healthy cluster has no finding".to_owned());
    faults.into_iter().chain(healthy).collect::<Vec<_>>().join(", and ")
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
        // The loader passes over what follows; to the doctor it is another build.
        let mut other = fs::read(demo::firecaffe().get_program())?;
        other.extend_from_slice(b"another build");
        fs::write(folder.join("other"), other)?;
        shell::output(command("chmod", &["+x"]).arg(folder.join("other")))?;
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

#[cfg(test)]
mod tests {
    use super::{FAULTS, chosen, in_words};

    #[test]
    fn a_misspelled_fault_is_refused() {
        assert_eq!(chosen("").unwrap().len(), FAULTS.len());
        let error = chosen("packet los,").unwrap_err().to_string();
        assert!(error.contains("no fault is called `packet los,`; there are:"), "{error}");
    }

    #[test]
    fn only_what_ran_is_said() {
        let said = |filter: &str| in_words(&chosen(filter).unwrap());
        assert_eq!(said("packet loss"), "2 faults are named within 30 s");
        assert_eq!(said("healthy"), "a healthy cluster has no finding");
        assert!(said("").ends_with(" s, and a healthy cluster has no finding"), "{}", said(""));
    }
}
