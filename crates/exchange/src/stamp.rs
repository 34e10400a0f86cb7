//! Stamps: what every message of a collective says about it.

use collective::{Cut, Operation};
use transport::Stamp;

/// The stamp of collective number `sequence`: operation, length, type and all that shapes its plan.
pub(crate) fn stamp(
    sequence: u64,
    operation: Operation,
    len: usize,
    name: &str,
    cut: Cut,
) -> Stamp {
    let operation = match operation {
        Operation::AllReduce => "all-reduce".to_owned(),
        Operation::ReduceScatter => "reduce-scatter".to_owned(),
        Operation::AllGather => "all-gather".to_owned(),
        Operation::Broadcast { root } => format!("broadcast from {root}"),
    };
    let label = format!("{operation} of {len} f32 by {name}");
    let shape = format!("{label} {} {}", cut.segment, cut.lanes);
    Stamp { sequence, label, fingerprint: fnv1a(shape.as_bytes()) }
}

/// FNV-1a, 64 bits: the same on every machine, unlike std's hashers.
fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::stamp;
    use collective::{Cut, Operation};

    #[test]
    fn every_difference_shows() {
        let base = stamp(1, Operation::AllReduce, 10, "ring", Cut::WHOLE);
        assert_eq!(base.label, "all-reduce of 10 f32 by ring");
        let others = [
            stamp(1, Operation::ReduceScatter, 10, "ring", Cut::WHOLE),
            stamp(1, Operation::AllReduce, 11, "ring", Cut::WHOLE),
            stamp(1, Operation::AllReduce, 10, "direct", Cut::WHOLE),
            stamp(1, Operation::AllReduce, 10, "ring", Cut { segment: 5, lanes: 1 }),
        ];
        assert!(others.iter().all(|other| other.fingerprint != base.fingerprint));
    }
}
