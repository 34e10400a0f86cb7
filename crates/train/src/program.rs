//! Which program runs: its version, and which build of that.
//!
//! Builds of one version may compute differently, so ranks compare the file that this code was
//! loaded from: a program, or a module of Python's.

use std::fs::File;
use std::io::{self, Read};
use std::path::PathBuf;
use std::sync::LazyLock;

/// Bytes that are read at once.
const BLOCK: usize = 1 << 20;

/// `0.1.0 (build 1a2b3c4d)`: the same for the same file, wherever it lies. Computed once, in some
/// 30 ms; without a build where the file cannot be read.
#[must_use]
pub fn program_version() -> &'static str {
    static VERSION: LazyLock<String> = LazyLock::new(|| {
        let version = env!("CARGO_PKG_VERSION");
        let build = own_file().and_then(|file| checksum(file).ok());
        build.map_or_else(|| version.to_owned(), |build| format!("{version} (build {build:08x})"))
    });
    &VERSION
}

/// The file that holds this function's code.
fn own_file() -> Option<File> {
    let maps = std::fs::read_to_string("/proc/self/maps").ok();
    let here = program_version as *const () as usize;
    let mapped = maps.and_then(|maps| file_at(&maps, here));
    // A program that was replaced meanwhile is found by its process only.
    mapped.and_then(|path| File::open(path).ok()).or_else(|| File::open("/proc/self/exe").ok())
}

/// The file that is mapped at an address, in a list of lines like
/// `7f1c5000-7f1c9000 r-xp 00002000 fe:00 2470 /usr/bin/firecaffe`.
fn file_at(maps: &str, address: usize) -> Option<PathBuf> {
    let holds = |line: &&str| {
        let range = line.split(' ').next().and_then(|range| range.split_once('-'));
        let number = |text| usize::from_str_radix(text, 16).ok();
        let range = range.and_then(|(begin, end)| Some(number(begin)?..number(end)?));
        range.is_some_and(|range| range.contains(&address))
    };
    let line = maps.lines().find(holds)?;
    Some(PathBuf::from(&line[line.find('/')?..]))
}

fn checksum(mut from: impl Read) -> io::Result<u32> {
    let (mut sum, mut block) = (0, vec![0; BLOCK]);
    loop {
        match from.read(&mut block)? {
            0 => return Ok(sum),
            len => sum = crc32c::crc32c_append(sum, &block[..len]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{checksum, file_at, program_version};

    #[test]
    fn the_build_is_that_of_the_file_that_runs() {
        let own = std::fs::File::open(std::env::current_exe().unwrap()).unwrap();
        let want = format!(" (build {:08x})", checksum(own).unwrap());
        assert!(program_version().ends_with(&want), "{}, but {want}", program_version());
        let [one, other] = [&b"firecaffe"[..], b"firecaffe\n"].map(|file| checksum(file).unwrap());
        assert_ne!(one, other);
    }

    #[test]
    fn a_module_is_found_by_its_address() {
        let maps = "5000-6000 r-xp 0 fe:00 1    /usr/bin/python3\n\
                    8000-9fff rw-p 0 00:00 0    [heap]\n\
                    a000-b000 r-xp 0 fe:00 2    /venv/my caffe/_caffe.abi3.so\n";
        let found = |address| file_at(maps, address).map(|path| path.display().to_string());
        assert_eq!(found(0xa123).as_deref(), Some("/venv/my caffe/_caffe.abi3.so"));
        assert_eq!(found(0x5000).as_deref(), Some("/usr/bin/python3"));
        assert_eq!(found(0x6000), None);
        assert_eq!(found(0x8000), None);
    }
}
