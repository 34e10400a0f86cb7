//! Stamps: what every message of a collective says about it.

use base::Fingerprint;
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
    Stamp { sequence, label, fingerprint: Fingerprint::of(shape.as_bytes()).value() }
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
