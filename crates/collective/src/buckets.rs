//! Which ranges of the pool are reduced together: GradientFlow's lazy allreduce without copies.

use std::ops::Range;

/// Ranges of the pool that are reduced in one collective each: a bucket is closed once it holds
/// more than `bucket_bytes` of `f32`. `ready` is the length of the pool's ready prefix after each
/// layer, in the order in which backward runs them.
#[must_use]
pub fn buckets(ready: impl IntoIterator<Item = usize>, bucket_bytes: usize) -> Vec<Range<usize>> {
    let mut buckets = Vec::new();
    let (mut start, mut end) = (0, 0);
    for ready in ready {
        end = ready.max(end);
        if (end - start) * size_of::<f32>() > bucket_bytes {
            buckets.push(start..end);
            start = end;
        }
    }
    if end > start {
        buckets.push(start..end);
    }
    buckets
}

#[cfg(test)]
mod tests {
    use super::buckets;

    #[test]
    fn a_bucket_is_closed_once_it_holds_more() {
        let ready = [0, 10, 10, 30, 31, 60];
        assert_eq!(buckets(ready, 0), [0..10, 10..30, 30..31, 31..60]);
        assert_eq!(buckets(ready, 40), [0..30, 30..60]);
        assert_eq!(buckets(ready, 1000).first(), Some(&(0..60)));
        assert_eq!(buckets([0, 0], 0), []);
    }
}
