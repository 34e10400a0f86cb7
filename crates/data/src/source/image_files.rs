//! Image files that a list names, read and decoded one after another in memory that is kept.

use std::{
    collections::{BTreeMap, btree_map::Entry},
    fs::File,
    io::Read,
    path::{Path, PathBuf},
};

use crate::{
    error::SampleProblem,
    image::{Color, DecodedImage, ImageDecoder, resize::ImageResizer},
};

/// Reads the images of a list. Once its memory is large enough it allocates nothing for a JPEG.
pub(super) struct ImageFiles {
    reader: FileReader,
    color: Color,
    /// Height and width that every image gets.
    new_size: Option<(usize, usize)>,
    /// The files read so far, by their index, when they are kept in memory.
    cache: Option<BTreeMap<usize, Vec<u8>>>,
    decoder: ImageDecoder,
    image: DecodedImage,
    resizer: ImageResizer,
    resized: DecodedImage,
}

impl ImageFiles {
    /// Paths are `root` joined with `root_folder` and a name.
    pub(super) fn new(root: &Path, root_folder: &str, color: Color) -> Self {
        Self {
            reader: FileReader::new(root, root_folder),
            color,
            new_size: None,
            cache: None,
            decoder: ImageDecoder::default(),
            image: DecodedImage::default(),
            resizer: ImageResizer::default(),
            resized: DecodedImage::default(),
        }
    }

    /// Images are resized to a height and width.
    pub(super) fn resized(self, new_size: Option<(usize, usize)>) -> Self {
        Self { new_size, ..self }
    }

    /// Files are kept in memory.
    pub(super) fn cached(self) -> Self {
        Self { cache: Some(BTreeMap::new()), ..self }
    }

    /// Image `index` of the list, which is in the file called `name`.
    pub(super) fn image(
        &mut self,
        index: usize,
        name: &str,
    ) -> Result<&DecodedImage, SampleProblem> {
        let bytes = match &mut self.cache {
            None => self.reader.read(name)?,
            Some(cache) => match cache.entry(index) {
                Entry::Occupied(kept) => kept.into_mut(),
                Entry::Vacant(place) => place.insert(self.reader.read(name)?.to_vec()),
            },
        };
        let decoded = self.decoder.decode(bytes, self.color, &mut self.image);
        decoded.map_err(SampleProblem::Image)?;
        let Some((height, width)) = self.new_size else { return Ok(&self.image) };
        self.resizer.resize(&self.image, height, width, &mut self.resized);
        Ok(&self.resized)
    }
}

/// Reads files into one buffer.
struct FileReader {
    root: PathBuf,
    /// In front of the names, as text: Caffe adds no separator.
    root_folder: String,
    /// The name with the folder in front, and the path that it becomes.
    name: String,
    path: PathBuf,
    bytes: Vec<u8>,
}

impl FileReader {
    fn new(root: &Path, root_folder: &str) -> Self {
        let (root, root_folder) = (root.to_owned(), root_folder.to_owned());
        Self { root, root_folder, name: String::new(), path: PathBuf::new(), bytes: Vec::new() }
    }

    fn read(&mut self, name: &str) -> Result<&[u8], SampleProblem> {
        self.name.clear();
        self.name.push_str(&self.root_folder);
        self.name.push_str(name);
        self.path.clear();
        self.path.push(&self.root);
        self.path.push(&self.name);
        self.bytes.clear();
        let read = File::open(&self.path).and_then(|mut file| file.read_to_end(&mut self.bytes));
        read.map_err(SampleProblem::Read)?;
        Ok(&self.bytes)
    }
}
