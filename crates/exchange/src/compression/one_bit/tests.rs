//! Two steps by hand.

use crate::compression::tests::{config, setup_of, step};
use crate::{ExchangeConfig, spawn_ranks};

/// One matrix of two columns with four values, owned by one rank each. Of the first:
///
/// ```text
/// step 1   rank 0: 1 3 -2 -4   means 2 and -3: 2 2 -3 -3, residual -1 1 1 -1
///          rank 1: 4 -4 4 -4   exact
///          owner:  6 -2 1 -7   means 3.5 and -4.5, residual 2.5 2.5 -2.5 -2.5
/// step 2   rank 0: -1 1 1 -1   exact; rank 1: zeros
///          owner:  1.5 3.5 -1.5 -3.5 with its residual, means 2.5 and -2.5
/// ```
#[test]
fn errors_come_back_on_both_sides() {
    let pools = spawn_ranks(2, 2, &ExchangeConfig::LOCAL, |exchange| {
        let setup = setup_of(exchange.rank(), 0.9, &[(2, 4)]);
        let mut compressor = config("one-bit").build(&setup).unwrap();
        let gradient: [f32; 8] = match exchange.rank().index() {
            0 => [1.0, 3.0, -2.0, -4.0, 1.0, 1.0, 1.0, 1.0],
            _ => [4.0, -4.0, 4.0, -4.0, 1.0, 1.0, -1.0, -1.0],
        };
        let (first, _) = step(&mut compressor, &gradient, exchange);
        let mut left = vec![0.0; 8];
        compressor.residual_into(&mut left);
        let (second, _) = step(&mut compressor, &[0.0; 8], exchange);
        (first, left, second)
    });
    let (first, left, second) = &pools[0];
    assert_eq!(first[..4], [3.5, -4.5, 3.5, -4.5]);
    assert_eq!(first[4..], [1.0; 4]); // 2 2 0 0, and zero is not below zero: one mean
    assert_eq!(left[..4], [1.5, 3.5, -1.5, -3.5]); // rank 0's own and the owner's
    assert_eq!(second[..4], [2.5, 2.5, -2.5, -2.5]);
    assert_eq!(pools[1].0, *first);
}
