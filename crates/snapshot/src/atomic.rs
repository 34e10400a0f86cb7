//! Files that are replaced whole: a reader finds the old version or the new one, never a mixture.
//!
//! The bytes go to `{path}.partial`, are synced, and take the name in one rename, which is synced
//! too. A crash, a full disk or a writer that gives up leaves what was at `path` untouched. Missing
//! folders are created.

use std::{
    ffi::OsString,
    fs::{self, File},
    io::{self, BufWriter, Write},
    path::{Path, PathBuf},
};

/// Large enough that system calls cost little beside copying.
const BUFFER_BYTES: usize = 1 << 20;

/// A file could not be written; what was there before still is.
#[derive(Debug, thiserror::Error)]
#[error("cannot write {}: {action} failed", path.display())]
pub struct WriteError {
    /// The file that was to be written.
    pub path: PathBuf,
    /// What went wrong: `create`, `write`, `sync`, `rename`.
    pub action: &'static str,
    /// The cause.
    pub source: io::Error,
}

/// Replaces `path` with `bytes`, or leaves it as it was.
pub fn write(path: &Path, bytes: &[u8]) -> Result<(), WriteError> {
    write_with(path, |out| out.write_all(bytes))
}

/// Replaces `path` with what `body` writes, or leaves it as it was. `out` is buffered.
pub(crate) fn write_with(
    path: &Path,
    body: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), WriteError> {
    let partial = partial(path);
    let failed = |action| {
        let path = path.to_owned();
        move |source| WriteError { path, action, source }
    };
    let result = (|| {
        create_folder(path).map_err(failed("create"))?;
        let file = fill(&partial, body).map_err(failed("write"))?;
        file.sync_all().map_err(failed("sync"))?; // the data, before the name that promises it
        fs::rename(&partial, path).map_err(failed("rename"))?;
        sync_folder(path).map_err(failed("sync"))
    })();
    if result.is_err() {
        // What is left of the attempt only takes space; that it may not exist is no second failure.
        let _ = fs::remove_file(&partial);
    }
    result
}

#[expect(clippy::disallowed_methods, reason = "the file gets its name only when it is complete")]
fn fill(partial: &Path, body: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<File> {
    let mut out = BufWriter::with_capacity(BUFFER_BYTES, File::create(partial)?);
    body(&mut out)?;
    out.into_inner().map_err(io::IntoInnerError::into_error)
}

/// Makes the folder of `path`.
fn create_folder(path: &Path) -> io::Result<()> {
    fs::create_dir_all(folder(path))
}

/// The new name itself: without this a power failure may undo the rename.
fn sync_folder(path: &Path) -> io::Result<()> {
    File::open(folder(path))?.sync_all()
}

/// The folder that `path` lies in.
pub(crate) fn folder(path: &Path) -> &Path {
    path.parent().filter(|dir| !dir.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

fn partial(path: &Path) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(".partial");
    name.into()
}

#[cfg(test)]
mod tests;
