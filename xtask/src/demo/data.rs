//! Where the demo's images come from.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::packages::{self, Packages};

/// The Debian package.
const PACKAGE: &str = "dataset-fashion-mnist";
/// Names of the four files, plain or with `.gz`.
const FILES: [&str; 4] = [
    "train-images-idx3-ubyte",
    "train-labels-idx1-ubyte",
    "t10k-images-idx3-ubyte",
    "t10k-labels-idx1-ubyte",
];
/// Pixels on a side.
const SIDE: usize = 28;

/// Four idx files.
pub(crate) struct IdxFiles {
    files: [PathBuf; 4],
    /// Where they come from, for people.
    pub(crate) origin: String,
    /// What they are called.
    pub(super) name: &'static str,
}

impl IdxFiles {
    /// Name, images and labels of the two sets.
    pub(crate) fn parts(&self) -> [(&'static str, &Path, &Path); 2] {
        let [a, b, c, d] = &self.files;
        [("train", a, b), ("test", c, d)]
    }
}

/// Finds the files in `given`, else in the package, else draws some into `folder`.
pub(crate) fn find(given: Option<&Path>, folder: &Path) -> Result<IdxFiles> {
    const NAME: &str = "Fashion-MNIST's test set";
    if let Some(given) = given {
        let list: Vec<_> = FILES
            .iter()
            .flat_map(|name| [given.join(name), given.join(format!("{name}.gz"))])
            .filter(|path| path.exists())
            .collect();
        let Some(files) = pick(&list) else {
            bail!("{} does not hold {}", given.display(), FILES.join(", "));
        };
        let origin = format!("the files in {}", given.display());
        return Ok(IdxFiles { files, origin, name: "the given test set" });
    }
    let why = match packages::ensure(&[PACKAGE])? {
        Packages::Ready => {
            let list: Vec<_> = packages::files(PACKAGE)?.into_iter().map(PathBuf::from).collect();
            if let Some(files) = pick(&list) {
                let origin = format!("Fashion-MNIST, from the Debian package {PACKAGE}");
                return Ok(IdxFiles { files, origin, name: NAME });
            }
            format!("package {PACKAGE} does not hold the four idx files")
        }
        Packages::Missing(reason) => reason,
    };
    let files = draw(folder)?;
    let origin = format!(
        "no Fashion-MNIST ({why}); drawing ten kinds of bars instead. Give the real files with --data DIR"
    );
    Ok(IdxFiles { files, origin, name: "the drawn test set" })
}

/// The four files among `list`, each by its name.
fn pick(list: &[PathBuf]) -> Option<[PathBuf; 4]> {
    let found = FILES.map(|name| {
        let fits =
            |path: &&PathBuf| path.file_stem() == Some(name.as_ref()) || path.ends_with(name);
        list.iter().find(fits).cloned()
    });
    let [Some(a), Some(b), Some(c), Some(d)] = found else { return None };
    Some([a, b, c, d])
}

/// Writes a substitute: a bar whose place tells the class, shifted a little, under noise.
fn draw(folder: &Path) -> Result<[PathBuf; 4]> {
    let files = FILES.map(|name| folder.join(name));
    let mut noise = PictureNoise(1);
    for (part, items) in [(0, 12_000_u32), (2, 10_000)] {
        let mut images = header(&[2051, items, 28, 28]);
        let mut labels = header(&[2049, items]);
        for _ in 0..items {
            let class = noise.below(10);
            labels.extend(u8::try_from(class));
            let (dx, dy) = (noise.below(5), noise.below(5));
            for pixel in 0..SIDE * SIDE {
                let (y, x) = (pixel / SIDE, pixel % SIDE);
                let place = if class < 5 { x + dx } else { y + dy };
                let bright = place / 6 == class % 5;
                let value = noise.below(120) + if bright { 120 } else { 0 };
                images.extend(u8::try_from(value));
            }
        }
        for (file, bytes) in [(&files[part], images), (&files[part + 1], labels)] {
            fs::write(file, bytes).with_context(|| format!("cannot write {}", file.display()))?;
        }
    }
    Ok(files)
}

fn header(numbers: &[u32]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_be_bytes()).collect()
}

/// A small generator (Knuth's constants); the pictures need no better one.
struct PictureNoise(u64);

impl PictureNoise {
    fn below(&mut self, limit: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 40).unwrap_or(0) % limit
    }
}
