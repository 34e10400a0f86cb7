//! A heartbeat as bytes: little-endian, a version first, lengths before what they count.

use transport::{BegunCollective, Waiting};

const VERSION: u8 = 2;
/// Longer labels are cut: enough for an operation, a length and an algorithm.
const LABEL_BYTES_MAX: usize = 120;

/// What a rank tells the others about itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Heartbeat {
    /// It has ended its work.
    pub(super) leaving: bool,
    /// Whom it waits for.
    pub(super) waiting: Waiting,
    /// Grows while it works.
    pub(super) moves: u64,
    /// The last collectives it began, newest last.
    pub(super) begun: Vec<BegunCollective>,
}

impl Heartbeat {
    pub(super) fn encode(&self) -> Vec<u8> {
        let mut bytes = vec![VERSION, u8::from(self.leaving)];
        let waiting = match self.waiting {
            Waiting::Nobody => 0,
            Waiting::Everyone => 1,
            Waiting::For(rank) => u64::try_from(rank).map_or(1, |rank| rank + 2),
        };
        bytes.extend(waiting.to_le_bytes());
        bytes.extend(self.moves.to_le_bytes());
        for entry in &self.begun {
            bytes.extend(entry.sequence.to_le_bytes());
            bytes.extend(entry.fingerprint.to_le_bytes());
            let mut end = entry.label.len().min(LABEL_BYTES_MAX);
            while !entry.label.is_char_boundary(end) {
                end -= 1;
            }
            bytes.push(u8::try_from(end).unwrap_or(0));
            bytes.extend(&entry.label.as_bytes()[..end]);
        }
        bytes
    }

    /// `None` for bytes that are no heartbeat of this version: another program's, or cut short.
    pub(super) fn decode(bytes: &[u8]) -> Option<Self> {
        let (head, mut rest) = bytes.split_at_checked(18)?;
        let [VERSION, leaving, numbers @ ..] = head else {
            return None;
        };
        let (waiting, moves) = numbers.split_at_checked(8)?;
        let moves = u64::from_le_bytes(moves.try_into().ok()?);
        let waiting = match u64::from_le_bytes(waiting.try_into().ok()?) {
            0 => Waiting::Nobody,
            1 => Waiting::Everyone,
            code => Waiting::For(usize::try_from(code - 2).ok()?),
        };
        let mut begun = Vec::new();
        while !rest.is_empty() {
            let (entry, label) = rest.split_at_checked(17)?;
            let (numbers, len) = entry.split_at(16);
            let (sequence, fingerprint) = numbers.split_at(8);
            let (label, after) = label.split_at_checked(usize::from(len[0]))?;
            begun.push(BegunCollective {
                sequence: u64::from_le_bytes(sequence.try_into().ok()?),
                fingerprint: u64::from_le_bytes(fingerprint.try_into().ok()?),
                label: std::str::from_utf8(label).ok()?.into(),
            });
            rest = after;
        }
        Some(Self { leaving: *leaving != 0, waiting, moves, begun })
    }
}

#[cfg(test)]
mod tests {
    use super::Heartbeat;
    use transport::{BegunCollective, Waiting};

    #[test]
    fn read_back_and_never_a_panic() {
        let entry = |sequence: u8| BegunCollective {
            sequence: u64::from(sequence),
            fingerprint: 7 * u64::from(sequence),
            label: "é".repeat(50 + usize::from(sequence)).into(),
        };
        let heartbeat = Heartbeat {
            leaving: false,
            waiting: Waiting::For(3),
            moves: 9,
            begun: vec![entry(1), entry(2)],
        };
        let bytes = heartbeat.encode();
        assert_eq!(Heartbeat::decode(&bytes).as_ref(), Some(&heartbeat));
        for cut in 0..bytes.len() {
            assert_ne!(Heartbeat::decode(&bytes[..cut]).as_ref(), Some(&heartbeat));
        }
        for at in 0..bytes.len() {
            let mut wrong = bytes.clone();
            wrong[at] ^= 0xff;
            let _ = Heartbeat::decode(&wrong);
        }
        let long = Heartbeat { begun: vec![entry(90)], ..heartbeat };
        assert_eq!(Heartbeat::decode(&long.encode()).unwrap().begun[0].label.len(), 120);
    }
}
