//! Numbers of cores, as Linux lists them: `0-3,8`.

use std::fmt;

/// Cores in rising order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct CoreList(Vec<usize>);

impl CoreList {
    /// Reads a list; what is no number or range is left out.
    pub(super) fn parse(text: &str) -> Self {
        let range = |range: &str| {
            let (first, last) = range.split_once('-').unwrap_or((range, range));
            let [first, last] = [first, last].map(|text| text.trim().parse::<usize>().ok());
            first.zip(last).map_or(0..0, |(first, last)| first..last.saturating_add(1))
        };
        text.split(',').flat_map(range).collect()
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = usize> {
        self.0.iter().copied()
    }

    pub(super) fn contains(&self, core: usize) -> bool {
        self.0.binary_search(&core).is_ok()
    }
}

impl FromIterator<usize> for CoreList {
    fn from_iter<I: IntoIterator<Item = usize>>(cores: I) -> Self {
        let mut cores: Vec<usize> = cores.into_iter().collect();
        cores.sort_unstable();
        cores.dedup();
        Self(cores)
    }
}

impl fmt::Display for CoreList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let runs = self.0.chunk_by(|one, next| one + 1 == *next);
        for (index, run) in runs.enumerate() {
            let comma = if index > 0 { "," } else { "" };
            match run {
                [one] => write!(f, "{comma}{one}")?,
                [first, .., last] => write!(f, "{comma}{first}-{last}")?,
                [] => {}
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::CoreList;

    #[test]
    fn lists_are_read_and_written() {
        for (text, cores, written) in [
            ("\t0-1", &[0, 1][..], "0-1"),
            ("3", &[3], "3"),
            ("10-11,0-3,8\n", &[0, 1, 2, 3, 8, 10, 11], "0-3,8,10-11"),
            ("", &[], ""),
            ("x-2", &[], ""),
            ("5-4", &[], ""),
        ] {
            let list = CoreList::parse(text);
            assert_eq!(list.iter().collect::<Vec<_>>(), cores, "{text}");
            assert_eq!(list.to_string(), written, "{text}");
        }
    }
}
