//! Which MPI library to load: the one named, or the one that belongs to the launcher.
//!
//! ```text
//!   --mpi PATH ──▶ that file
//!   else ──▶ beside the launcher: <launcher>/../lib, for every process above us
//!        ──▶ by name, where the loader looks, in the order that the launcher's variables suggest
//! ```
//!
//! A launcher that lies in a folder of its own has its library there, so the two fit; by name alone
//! another MPI could be found, whose processes each would be a world of one.

use super::abi::{MPICH, MpiAbi, OPEN_MPI, STANDARD};
use super::object::SharedObject;
use std::fs;
use std::path::{Path, PathBuf};

/// Where libraries lie below a launcher's folder.
const LIBRARY_FOLDERS: &[&str] = &["lib", "lib64", "lib/x86_64-linux-gnu", "lib/aarch64-linux-gnu"];
/// Processes above us that are looked at: a launcher, its helpers, a shell or two.
const ANCESTORS_MAX: usize = 8;

/// How the processes of a launcher find each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProcessManagement {
    /// PMIx: Open MPI's own launchers, `srun --mpi=pmix`.
    Pmix,
    /// PMI 1 or 2: MPICH's and Intel's launchers, `srun --mpi=pmi2`.
    Pmi,
}

/// What is known before a library is loaded.
#[derive(Debug, Clone)]
pub struct LibrarySearch {
    /// The library that the user named.
    pub named: Option<PathBuf>,
    /// What the launcher's variables say.
    pub management: ProcessManagement,
    /// Folders to look in before the loader's own.
    pub folders: Vec<PathBuf>,
}

/// Why no library was loaded.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// The named one does not load.
    #[error("--mpi {}: {complaint}", path.display())]
    Open {
        /// What was named.
        path: PathBuf,
        /// The loader's words.
        complaint: String,
    },
    /// It is no MPI that we know.
    #[error(
        "{} has none of the symbols that tell Open MPI, MPICH and the standard ABI of MPI 5 apart: \
         name the file of the MPI library itself, such as libmpi.so.40 or libmpi.so.12", path.display()
    )]
    Unknown {
        /// Its file.
        path: PathBuf,
    },
    /// It lacks a function.
    #[error("{}: {abi} without {symbol}: is it complete, and of version 3 or later?", path.display())]
    Symbol {
        /// Its file.
        path: PathBuf,
        /// What it seems to be.
        abi: &'static str,
        /// What is missing.
        symbol: String,
    },
    /// There is none.
    #[error(
        "a launcher started this process as a rank, but there is no MPI library here: searched for \
         {searched}{complaints}; install the MPI of the launcher (Debian: openmpi-bin, or mpich), or \
         give `--mpi PATH`; `--mpi off` trains alone"
    )]
    Missing {
        /// Names and folders.
        searched: String,
        /// What the loader said of files that are there.
        complaints: String,
    },
}

impl LibrarySearch {
    /// What the variables of a launcher and the processes above us suggest.
    #[must_use]
    pub fn of_launcher(environment: &dyn Fn(&str) -> Option<String>) -> Self {
        let has = |name: &str| environment(name).is_some();
        let pmi = has("PMI_SIZE") && !has("OMPI_COMM_WORLD_SIZE") && !has("PMIX_RANK");
        let management = if pmi { ProcessManagement::Pmi } else { ProcessManagement::Pmix };
        Self { named: None, management, folders: beside_launchers() }
    }

    /// Rows in the order in which they are tried.
    fn rows(&self) -> [&'static MpiAbi; 3] {
        match self.management {
            ProcessManagement::Pmix => [&OPEN_MPI, &STANDARD, &MPICH],
            ProcessManagement::Pmi => [&MPICH, &STANDARD, &OPEN_MPI],
        }
    }

    /// Opens the library. A file that is there but does not load, or is another MPI than its name
    /// says, is passed over.
    pub(super) fn open(&self) -> Result<(SharedObject, &'static MpiAbi), LoadError> {
        if let Some(path) = &self.named {
            let object = SharedObject::open(path)
                .map_err(|complaint| LoadError::Open { path: path.clone(), complaint })?;
            let abi = MpiAbi::of(&object);
            return match abi {
                Some(abi) => Ok((object, abi)),
                None => Err(LoadError::Unknown { path: path.clone() }),
            };
        }
        let missing = |complaints| LoadError::Missing { searched: self.searched(), complaints };
        first_that_fits(self.candidates()).map_err(missing)
    }

    /// Files that exist beside the launcher, then names for the loader.
    fn candidates(&self) -> Vec<(PathBuf, &'static MpiAbi)> {
        let rows = self.rows();
        let named = || rows.iter().flat_map(|row| row.files.iter().map(move |file| (file, *row)));
        let mut all = Vec::new();
        for folder in &self.folders {
            let here = named().map(|(file, row)| (folder.join(file), row));
            all.extend(here.filter(|(path, _)| path.is_file()));
        }
        all.extend(named().map(|(file, row)| (PathBuf::from(file), row)));
        all
    }

    /// Where an error says that we looked.
    fn searched(&self) -> String {
        let mut names: Vec<&str> = Vec::new();
        for name in self.rows().iter().flat_map(|row| row.files) {
            if !names.contains(name) {
                names.push(name);
            }
        }
        let folders = self.folders.iter().map(|folder| format!("{}, ", folder.display()));
        let folders: String = folders.collect();
        format!("{} in {folders}LD_LIBRARY_PATH and the system's folders", names.join(", "))
    }
}

/// The first library that is what its name says; else what the loader said of files that are there.
fn first_that_fits(
    candidates: Vec<(PathBuf, &'static MpiAbi)>,
) -> Result<(SharedObject, &'static MpiAbi), String> {
    let mut complaints = String::new();
    for (path, row) in candidates {
        match SharedObject::open(&path) {
            Ok(object) if MpiAbi::of(&object).is_some_and(|abi| std::ptr::eq(abi, row)) => {
                return Ok((object, row));
            }
            Ok(_) => {}
            Err(complaint) if is_missing(&path, &complaint) => {}
            Err(complaint) => {
                let path = path.display();
                complaints += &format!("; {path} is there, but does not load: {complaint}");
            }
        }
    }
    Err(complaints)
}

/// Whether the loader has not found the file itself, rather than something that the file needs.
fn is_missing(path: &Path, complaint: &str) -> bool {
    let own = format!("{}: cannot open shared object file: No such file", path.display());
    complaint.starts_with(&own)
}

/// Library folders of the installations that the processes above us were started from.
fn beside_launchers() -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> = Vec::new();
    let mut process = std::os::unix::process::parent_id();
    for _ in 0..ANCESTORS_MAX {
        let Some(parent) = parent_of(process) else { break };
        let program = fs::read_link(format!("/proc/{process}/exe")).unwrap_or_default();
        let prefix = program.parent().and_then(Path::parent).filter(|prefix| !is_system(prefix));
        for folder in
            prefix.iter().flat_map(|prefix| LIBRARY_FOLDERS.iter().map(|f| prefix.join(f)))
        {
            if folder.is_dir() && !folders.contains(&folder) {
                folders.push(folder);
            }
        }
        process = parent;
    }
    folders
}

/// Folders that the loader searches by itself.
fn is_system(prefix: &Path) -> bool {
    prefix == Path::new("/") || prefix == Path::new("/usr")
}

/// The parent of a process; `None` at the top.
fn parent_of(process: u32) -> Option<u32> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    let parent = stat.rsplit(") ").next()?.split(' ').nth(1)?.parse().ok()?;
    (parent > 0).then_some(parent)
}

#[cfg(test)]
mod tests;
