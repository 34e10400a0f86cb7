//! Where a stream stands, as plain data that a snapshot can hold.
//!
//! It describes what the net has consumed, not what the thread has prefetched. A shuffled order is
//! not stored (it may be a million names) but made again from its seed by repeating the shuffles.

use std::num::NonZeroU32;

use base::random::{Mt19937, STATE_BYTES};

use crate::{order::RecordSharing, source};

/// First bytes of a stored state, with a version.
const MAGIC: [u8; 8] = *b"fcdata\x001";

/// A place in a stream of records.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StreamState {
    /// The layer type that it belongs to.
    pub source: &'static str,
    /// `Data`, `HDF5Data`: records passed in all. `ImageData`, `MemoryData`: records passed in this
    /// epoch. `WindowData`: batches made.
    pub position: u64,
    /// Records passed in this epoch, for `Data` and `HDF5Data`.
    pub record: u64,
    /// Epochs that have ended.
    pub epochs: u64,
    /// Seed of the shuffle, 0 without one.
    pub shuffle_seed: u32,
    /// Groups and exchanges of the shuffle, which are the default without one (`Data`).
    pub sharing: RecordSharing,
    /// The transformer's generator, when it crops or mirrors at random.
    pub transform: Option<Mt19937>,
    /// The generator that picks windows (`WindowData`).
    pub windows: Option<Mt19937>,
}

impl StreamState {
    /// The state as bytes.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        let name = self.source.as_bytes();
        bytes.push(u8::try_from(name.len()).expect("names of sources are short"));
        bytes.extend_from_slice(name);
        bytes.extend_from_slice(&self.position.to_le_bytes());
        bytes.extend_from_slice(&self.record.to_le_bytes());
        bytes.extend_from_slice(&self.epochs.to_le_bytes());
        bytes.extend_from_slice(&self.shuffle_seed.to_le_bytes());
        for rng in [&self.transform, &self.windows] {
            bytes.push(u8::from(rng.is_some()));
            bytes.extend(rng.iter().flat_map(Mt19937::state));
        }
        if self.sharing != RecordSharing::default() {
            bytes.extend_from_slice(&self.sharing.groups.get().to_le_bytes());
            bytes.extend_from_slice(&self.sharing.exchange_every.get().to_le_bytes());
        }
        bytes
    }

    /// Reads a state from a file, so every byte is checked; `None` when it is not one.
    #[must_use]
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let rest = bytes.strip_prefix(&MAGIC)?;
        let (&len, rest) = rest.split_first()?;
        let len = usize::from(len);
        let (name, rest) = rest.split_at_checked(len)?;
        let (position, rest) = rest.split_first_chunk()?;
        let (record, rest) = rest.split_first_chunk()?;
        let (epochs, rest) = rest.split_first_chunk()?;
        let (shuffle_seed, rest) = rest.split_first_chunk()?;
        let (transform, rest) = read_rng(rest)?;
        let (windows, rest) = read_rng(rest)?;
        let sharing = read_sharing(rest)?;
        Some(Self {
            source: source::find(str::from_utf8(name).ok()?)?.name,
            position: u64::from_le_bytes(*position),
            record: u64::from_le_bytes(*record),
            epochs: u64::from_le_bytes(*epochs),
            shuffle_seed: u32::from_le_bytes(*shuffle_seed),
            sharing,
            transform,
            windows,
        })
    }
}

fn read_rng(bytes: &[u8]) -> Option<(Option<Mt19937>, &[u8])> {
    match bytes.split_first()? {
        (0, rest) => Some((None, rest)),
        (1, rest) => {
            let (state, rest) = rest.split_at_checked(STATE_BYTES)?;
            Some((Some(Mt19937::from_state(state).ok()?), rest))
        }
        _ => None,
    }
}

/// At the end, and only if it is not the default.
fn read_sharing(bytes: &[u8]) -> Option<RecordSharing> {
    let ([groups, exchange_every], []) = bytes.as_chunks() else {
        return bytes.is_empty().then(RecordSharing::default);
    };
    let [groups, exchange_every] = [groups, exchange_every].map(|n| u32::from_le_bytes(*n));
    let sharing = RecordSharing {
        groups: NonZeroU32::new(groups)?,
        exchange_every: NonZeroU32::new(exchange_every)?,
    };
    (sharing != RecordSharing::default()).then_some(sharing)
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU32;

    use base::random::Mt19937;

    use super::{RecordSharing, StreamState};

    #[test]
    fn states_survive_storage_and_damage_is_noticed() {
        let state = StreamState {
            source: "Data",
            position: 1 << 40,
            record: 5,
            epochs: 3,
            shuffle_seed: 77,
            sharing: RecordSharing {
                groups: NonZeroU32::new(4).unwrap(),
                exchange_every: NonZeroU32::new(3).unwrap(),
            },
            transform: Some(Mt19937::new(1)),
            windows: None,
        };
        let bytes = state.to_bytes();
        assert_eq!(StreamState::from_bytes(&bytes), Some(state.clone()));
        assert_eq!(StreamState::from_bytes(&[&bytes[..], &[0]].concat()), None);
        for len in 0..bytes.len() {
            // Without its last eight bytes it is the state of a run without groups.
            let shorter = StreamState { sharing: RecordSharing::default(), ..state.clone() };
            let want = (len == bytes.len() - 8).then_some(shorter);
            assert_eq!(StreamState::from_bytes(&bytes[..len]), want, "cut to {len}");
        }
        for at in 0..bytes.len() {
            let mut bad = bytes.clone();
            bad[at] ^= 0xff;
            assert_ne!(StreamState::from_bytes(&bad), StreamState::from_bytes(&bytes), "{at}");
        }
    }

    /// Snapshots of earlier versions hold these bytes.
    #[test]
    fn the_stored_form_does_not_change() {
        let state = StreamState {
            source: "HDF5Data",
            position: 0x0102,
            record: 3,
            epochs: 4,
            shuffle_seed: 5,
            sharing: RecordSharing::default(),
            transform: None,
            windows: Some(Mt19937::new(1)),
        };
        let numbers = [2, 1, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0];
        let want: Vec<u8> = [&b"fcdata\x001\x08HDF5Data"[..], &numbers, &[5, 0, 0, 0, 0, 1]]
            .concat()
            .into_iter()
            .chain(Mt19937::new(1).state())
            .collect();
        assert!(state.to_bytes() == want);
        assert_eq!(StreamState::from_bytes(&want), Some(state));
    }
}
