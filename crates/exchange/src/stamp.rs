//! Labels: what every message of a collective says about it.

use crate::ByteSegmentation;
use base::Fingerprint;
use std::sync::Arc;
use transport::Stamp;

/// What a collective is, the same on all ranks that run it. Made once and used for every
/// repetition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CollectiveLabel {
    text: Arc<str>,
    fingerprint: u64,
}

impl CollectiveLabel {
    /// `text` names operation, length, format and algorithm; the segmentation also shapes the plan.
    pub(crate) fn new(text: &str, segmentation: ByteSegmentation) -> Self {
        let ByteSegmentation { segment_bytes, lanes } = segmentation;
        let shape = format!("{text} {segment_bytes} {lanes}");
        Self { text: text.into(), fingerprint: Fingerprint::of(shape.as_bytes()).value() }
    }

    /// The stamp of collective number `sequence`.
    pub(crate) fn stamp(&self, sequence: u64) -> Stamp {
        Stamp { sequence, label: Arc::clone(&self.text), fingerprint: self.fingerprint }
    }
}

#[cfg(test)]
mod tests {
    use super::CollectiveLabel;
    use crate::ByteSegmentation;

    #[test]
    fn every_difference_shows() {
        let label = |text, segment_bytes, lanes| {
            CollectiveLabel::new(text, ByteSegmentation { segment_bytes, lanes })
        };
        let stamp = label("all-reduce of 10 f32 by ring", 8, 2).stamp(7);
        assert_eq!((stamp.sequence, &*stamp.label), (7, "all-reduce of 10 f32 by ring"));
        let others = [
            label("all-reduce of 11 f32 by ring", 8, 2),
            label("all-reduce of 10 f16 by ring", 8, 2),
            label("all-reduce of 10 f32 by ring", 9, 2),
            label("all-reduce of 10 f32 by ring", 8, 1),
        ];
        assert!(others.iter().all(|other| other.stamp(7).fingerprint != stamp.fingerprint));
    }
}
