//! `bench/jpeg_peer.py`: libjpeg-turbo in a virtual environment under the build folder.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::shell::{self, command, target_dir};

const SCRIPT: &str = "bench/jpeg_peer.py";

/// What the script imports. `simplejpeg` and Pillow each hold a libjpeg-turbo.
const PACKAGES: [&str; 3] = ["simplejpeg==1.9.0", "pillow==12.0.0", "numpy>=2,<3"];

/// A folder to work in, and a Python with the packages.
pub(crate) struct JpegPeer {
    folder: PathBuf,
    python: String,
}

impl JpegPeer {
    /// Makes the environment once.
    pub(crate) fn prepare() -> Result<Self> {
        let folder = target_dir().join("jpeg-peer");
        fs::create_dir_all(&folder).context("cannot make a folder to work in")?;
        let venv = folder.join("venv");
        let python = venv.join("bin/python").to_string_lossy().into_owned();
        let works = || {
            let import = "import simplejpeg, PIL; assert simplejpeg.__version__ == '1.9.0'";
            shell::output(command(&python, &["-c", import]).env("PYTHONNOUSERSITE", "1")).is_ok()
        };
        if !works() {
            shell::run(&mut command("python3", &["-m", "venv", &venv.to_string_lossy()]))?;
            let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
            shell::run(command(&python, &pip).args(PACKAGES))?;
            ensure!(works(), "simplejpeg was installed but cannot be imported");
        }
        Ok(Self { folder, python })
    }

    /// `jpeg_peer.py name args…`
    pub(crate) fn script(&self, name: &str) -> Command {
        let mut script = command(&self.python, &[SCRIPT, name]);
        script.env("PYTHONNOUSERSITE", "1");
        script
    }

    /// A folder of this name without files.
    pub(crate) fn empty_folder(&self, name: &str) -> Result<PathBuf> {
        let folder = self.folder.join(name);
        if folder.exists() {
            fs::remove_dir_all(&folder).context("cannot remove old files")?;
        }
        fs::create_dir_all(&folder).context("cannot make a folder for files")?;
        Ok(folder)
    }
}

/// The `.jpg` files of a folder, sorted.
pub(crate) fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder)? {
        paths.push(entry?.path());
    }
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "jpg"));
    paths.sort();
    Ok(paths)
}
