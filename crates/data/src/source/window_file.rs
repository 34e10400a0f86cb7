//! Window files: images and boxes in them, and where a box is in the cropped output.
//!
//! ```text
//! # 0                          number of the image, from 0
//! VOC/2007/000005.jpg          its file
//! 3 375 500                    channels, height, width
//! 2                            number of boxes
//! 9 0.71 12 40 199 250         class, overlap with an object, x1 y1 x2 y2 (all included)
//! 0 0.02 300 10 340 90
//! ```

use std::{path::Path, str::FromStr};

use crate::error::DataError;

/// A window file, read and sorted.
#[derive(Debug, Default)]
pub(super) struct WindowFile {
    /// File names.
    pub(super) images: Vec<String>,
    /// Boxes that overlap an object enough.
    pub(super) foreground: Vec<ImageWindow>,
    /// Boxes that hardly do; their class is 0.
    pub(super) background: Vec<ImageWindow>,
    /// Channels of the last image, which Caffe takes for all.
    pub(super) channels: usize,
}

/// A box in an image, its borders included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ImageWindow {
    pub(super) image: usize,
    pub(super) label: i32,
    pub(super) x1: i32,
    pub(super) y1: i32,
    pub(super) x2: i32,
    pub(super) y2: i32,
}

/// Overlaps that tell objects from background.
#[derive(Debug, Clone, Copy)]
pub(super) struct OverlapThresholds {
    pub(super) foreground: f32,
    pub(super) background: f32,
}

impl WindowFile {
    pub(super) fn read(path: &Path, thresholds: OverlapThresholds) -> Result<Self, DataError> {
        let text = std::fs::read_to_string(path)
            .map_err(|source| DataError::Read { path: path.to_owned(), source })?;
        let words = (1..)
            .zip(text.lines())
            .flat_map(|(number, line)| line.split_whitespace().map(move |word| (number, word)));
        let mut tokens =
            WindowTokens { path, words: words.collect::<Vec<_>>().into_iter(), line: 1 };
        let mut windows = Self::default();
        while tokens.words.len() > 0 {
            windows.image(&mut tokens, thresholds)?;
        }
        if windows.foreground.is_empty() || windows.background.is_empty() {
            return Err(tokens.bad("both foreground and background boxes are needed"));
        }
        Ok(windows)
    }

    /// One image and its boxes.
    fn image(
        &mut self,
        tokens: &mut WindowTokens<'_>,
        thresholds: OverlapThresholds,
    ) -> Result<(), DataError> {
        if tokens.word()? != "#" || tokens.number::<usize>()? != self.images.len() {
            return Err(tokens.bad("expected `#` and the next number from 0"));
        }
        let image = self.images.len();
        self.images.push(tokens.word()?.to_owned());
        self.channels = tokens.number()?;
        let (_height, _width): (u32, u32) = (tokens.number()?, tokens.number()?);
        let boxes: u32 = tokens.number()?;
        for _ in 0..boxes {
            let (label, overlap): (i32, f32) = (tokens.number()?, tokens.number()?);
            let [x1, y1, x2, y2] =
                [tokens.number()?, tokens.number()?, tokens.number()?, tokens.number()?];
            let window = ImageWindow { image, label, x1, y1, x2, y2 };
            if x2 < x1 || y2 < y1 {
                return Err(tokens.bad("a box ends before it begins"));
            }
            if overlap >= thresholds.foreground {
                if label <= 0 {
                    return Err(tokens.bad("an object needs a class above 0"));
                }
                self.foreground.push(window);
            } else if overlap < thresholds.background {
                self.background.push(ImageWindow { label: 0, ..window });
            }
        }
        Ok(())
    }
}

/// Words with the numbers of their lines.
struct WindowTokens<'a> {
    path: &'a Path,
    words: std::vec::IntoIter<(usize, &'a str)>,
    line: usize,
}

impl<'a> WindowTokens<'a> {
    fn word(&mut self) -> Result<&'a str, DataError> {
        let (line, word) = self.words.next().ok_or_else(|| self.bad("the file ends too early"))?;
        self.line = line;
        Ok(word)
    }

    fn number<T: FromStr>(&mut self) -> Result<T, DataError> {
        let word = self.word()?;
        word.parse().map_err(|_| self.bad("expected a number"))
    }

    fn bad(&self, what: &'static str) -> DataError {
        DataError::Windows { path: self.path.to_owned(), line: self.line, what }
    }
}

/// Which rectangle of the image goes to which rectangle of the output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct WindowPlacement {
    /// First row and column of the image, and how many.
    pub(super) from: [usize; 2],
    pub(super) size: [usize; 2],
    /// First row and column of the output, and how many.
    pub(super) to: [usize; 2],
    pub(super) new_size: [usize; 2],
}

/// What surrounds a box in the output.
#[derive(Debug, Clone, Copy)]
pub(super) struct WindowContext {
    /// Side of the output.
    pub(super) crop: usize,
    /// Pixels of the output that show what is around the box.
    pub(super) pad: usize,
    /// Whether the box is widened to a square first.
    pub(super) square: bool,
}

impl ImageWindow {
    /// Where the box is in the output; `None` when nothing of it lies in the image.
    ///
    /// With context the box grows so that after scaling `pad` pixels lie around it; where it then
    /// leaves the image, the output stays empty. Caffe's arithmetic: f32, halves away from zero.
    pub(super) fn place(
        &self,
        image: [usize; 2],
        context: WindowContext,
        mirror: bool,
    ) -> Option<WindowPlacement> {
        let WindowContext { crop, pad, square } = context;
        let [rows, columns] = image.map(|side| i64::try_from(side).unwrap_or(i64::MAX));
        let [x1, y1, x2, y2] = [self.x1, self.y1, self.x2, self.y2].map(i64::from);
        if pad == 0 && !square {
            let inside = 0 <= x1 && 0 <= y1 && x2 < columns && y2 < rows;
            return inside
                .then_some(())
                .and_then(|()| placement([y1, x1], [y2, x2], [0, 0], [crop, crop]));
        }
        let grow = crop as f32 / (crop as f32 - 2.0 * pad as f32);
        let mut half = [(y2 - y1 + 1) as f32 / 2.0, (x2 - x1 + 1) as f32 / 2.0];
        let centre = [y1 as f32 + half[0], x1 as f32 + half[1]];
        if square {
            half = [half[0].max(half[1]); 2];
        }
        let mut ends = [[0; 2]; 2];
        let (mut to, mut new_size) = ([0; 2], [0; 2]);
        for axis in 0..2 {
            let limit = [rows, columns][axis];
            let low = whole(centre[axis] - half[axis] * grow);
            let high = whole(centre[axis] + half[axis] * grow);
            let (before, after) = ((-low).max(0), (high - limit + 1).max(0));
            let scale = crop as f32 / (high - low + 1) as f32;
            ends[axis] = [low + before, high - after];
            let clipped = ends[axis][1] - ends[axis][0] + 1;
            let [before, after] = [before, after].map(|pad| whole(pad as f32 * scale));
            let pad = if axis == 1 && mirror { after } else { before };
            to[axis] = usize::try_from(pad).ok()?;
            let size = usize::try_from(whole(clipped as f32 * scale)).ok()?;
            new_size[axis] = size.min(crop.checked_sub(to[axis])?);
        }
        placement([ends[0][0], ends[1][0]], [ends[0][1], ends[1][1]], to, new_size)
    }
}

fn placement(
    first: [i64; 2],
    last: [i64; 2],
    to: [usize; 2],
    new_size: [usize; 2],
) -> Option<WindowPlacement> {
    let side = |axis: usize| usize::try_from(last[axis] - first[axis] + 1).ok();
    let size = [side(0)?, side(1)?];
    let from = [usize::try_from(first[0]).ok()?, usize::try_from(first[1]).ok()?];
    let empty = size.contains(&0) || new_size.contains(&0);
    (!empty).then_some(WindowPlacement { from, size, to, new_size })
}

/// C's `round`, then an integer.
#[expect(clippy::cast_possible_truncation, reason = "saturates; checked against the image after")]
fn whole(value: f32) -> i64 {
    i64::from(value.round() as i32)
}
