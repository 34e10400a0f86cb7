//! Debian packages: installed when we are root, else reported as missing.

use anyhow::Result;

use crate::shell;

/// Whether packages are there to be used.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Packages {
    /// All are installed.
    Ready,
    /// They are not, and this is why.
    Missing(String),
}

/// Makes sure that `names` are installed.
pub(crate) fn ensure(names: &[&str]) -> Result<Packages> {
    let missing: Vec<&str> = names.iter().copied().filter(|name| !installed(name)).collect();
    if missing.is_empty() {
        return Ok(Packages::Ready);
    }
    let list = missing.join(" ");
    if !has_apt() {
        return Ok(Packages::Missing(format!("no apt-get to install {list} with")));
    }
    if !is_root() {
        return Ok(Packages::Missing(format!("not root; run `apt-get install {list}`")));
    }
    // A fresh machine may be installing something of its own, and a mirror may not answer at once.
    let patience = ["-o", "DPkg::Lock::Timeout=300", "-o", "Acquire::Retries=3"];
    let apt = |args: &[&str]| {
        let args = [&patience[..], args].concat();
        shell::run(shell::command("apt-get", &args).env("DEBIAN_FRONTEND", "noninteractive"))
    };
    let install = [&["install", "-y", "-q", "--no-install-recommends"], &missing[..]].concat();
    match apt(&["update", "-q"]).and_then(|()| apt(&install)) {
        Ok(()) => Ok(Packages::Ready),
        Err(error) => Ok(Packages::Missing(format!("{error:#}"))),
    }
}

/// Files of an installed package.
pub(crate) fn files(name: &str) -> Result<Vec<String>> {
    let list = shell::output(&mut shell::command("dpkg", &["-L", name]))?;
    Ok(list.lines().map(str::to_owned).collect())
}

fn installed(name: &str) -> bool {
    let query = ["-W", "-f", "${Status}", name];
    shell::output(&mut shell::command("dpkg-query", &query))
        .is_ok_and(|status| status == "install ok installed")
}

fn has_apt() -> bool {
    shell::output(&mut shell::command("apt-get", &["--version"])).is_ok()
}

pub(crate) fn is_root() -> bool {
    shell::output(&mut shell::command("id", &["-u"])).is_ok_and(|id| id.trim() == "0")
}
