//! "Did you mean": the nearest of a list of names by edit distance.

/// No name of Caffe's schema is longer; a hostile file's may be, and distance costs their product.
const NAME_CHARS_MAX: usize = 64;

/// What nearly all messages of layers end with; it says nothing about which is meant.
const COMMON_ENDING: &str = "_param";

/// A hint with the candidate nearest to `written`, if one is near: a third of it may differ, not
/// counting [`COMMON_ENDING`]. Of equally near ones, one that `written` begins with is preferred.
pub(super) fn did_you_mean<'a>(
    written: &str,
    candidates: impl Iterator<Item = &'a str>,
) -> Option<String> {
    let stem = written.strip_suffix(COMMON_ENDING).unwrap_or(written);
    let allowed = stem.chars().count().div_ceil(3);
    if allowed > NAME_CHARS_MAX / 3 {
        return None;
    }
    let lower = written.to_lowercase();
    let rank = |name: &str| (distance(&lower, &name.to_lowercase()), !written.starts_with(name));
    let ranked = candidates.map(|name| (rank(name), name));
    let near = ranked.filter(|((distance, _), _)| *distance <= allowed);
    let (_, name) = near.min_by_key(|(rank, _)| *rank)?;
    Some(format!("did you mean `{name}`?"))
}

/// Edits (insert, remove, replace, swap two neighbours) that turn `a` into `b`.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut before: Vec<usize> = Vec::new();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut next = vec![i; b.len() + 1];
        for j in 1..=b.len() {
            let replaced = row[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            next[j] = replaced.min(row[j] + 1).min(next[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                next[j] = next[j].min(before[j - 2] + 1);
            }
        }
        before = row;
        row = next;
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::{did_you_mean, distance};

    #[test]
    fn distances() {
        for (a, b, want) in [
            ("", "", 0),
            ("abc", "", 3),
            ("", "ab", 2),
            ("pool", "pool", 0),
            ("num_ouput", "num_output", 1),
            ("tpye", "type", 1),
            ("kitten", "sitting", 3),
        ] {
            assert_eq!(distance(a, b), want, "{a} {b}");
        }
    }

    #[test]
    fn far_names_are_not_suggested() {
        assert_eq!(did_you_mean("convolution", ["pool", "pad"].into_iter()), None);
        let hint = did_you_mean("kernel", ["stride", "kernel_h"].into_iter());
        assert_eq!(hint.as_deref(), Some("did you mean `kernel_h`?"));
        let params = || ["prelu_param", "loss_param", "pooling_param"].into_iter();
        assert_eq!(did_you_mean("permute_param", params()), None);
        assert_eq!(did_you_mean("yolo_param", params()), None);
        let hint = did_you_mean("poling_param", params());
        assert_eq!(hint.as_deref(), Some("did you mean `pooling_param`?"));
    }
}
