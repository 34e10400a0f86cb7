//! Two steps by hand.

use crate::compression::tests::{config, setup_of, step};
use crate::{ExchangeConfig, spawn_ranks};

/// Two params of four and two values, tau 2.
///
/// ```text
/// step 1   rank 0: 1 -1 6 0   mean 2, T 4: sends +4 at 2, residual 1 -1 2 0
///                  8 0        mean 4, T 8: sends nothing, since 8 is not above 8
///          rank 1: 0 0 9 3    mean 3, T 6: sends +6 at 2, residual 0 0 3 3
///                  0 0        T 0: sends nothing
/// step 2   rank 0: 4 0 0 0    mean 1, T 2: sends +2 at 0, residual 3 -1 2 0
///                  2 -2       mean 2, T 4: sends +4 at 4, residual 6 -2
///          rank 1: 0 -2 0 2   mean 1, T 2: sends +2 at 2 and 3, residual 0 -2 1 3
///                  0 0
/// ```
#[test]
fn the_rest_stays() {
    let pools = spawn_ranks(2, 2, &ExchangeConfig::LOCAL, |exchange| {
        let setup = setup_of(exchange.rank(), 0.9, &[(1, 4), (2, 1)]);
        let mut compressor = config("threshold:tau=2").build(&setup).unwrap();
        let gradients: [[f32; 6]; 2] = match exchange.rank().index() {
            0 => [[1.0, -1.0, 6.0, 0.0, 8.0, 0.0], [4.0, 0.0, 0.0, 0.0, 2.0, -2.0]],
            _ => [[0.0, 0.0, 9.0, 3.0, 0.0, 0.0], [0.0, -2.0, 0.0, 2.0, 0.0, 0.0]],
        };
        let (first, one) = step(&mut compressor, &gradients[0], exchange);
        let (second, two) = step(&mut compressor, &gradients[1], exchange);
        let mut left = vec![0.0; 6];
        compressor.residual_into(&mut left);
        (first, second, left, [one.entries, two.entries])
    });
    assert_eq!(pools[0].0, [0.0, 0.0, 10.0, 0.0, 0.0, 0.0]);
    assert_eq!(pools[0].1, [2.0, 0.0, 2.0, 2.0, 4.0, 0.0]);
    assert_eq!(pools[0].2, [3.0, -1.0, 2.0, 0.0, 6.0, -2.0]);
    assert_eq!(pools[1].2, [0.0, -2.0, 1.0, 3.0, 0.0, 0.0]);
    assert_eq!(pools[1].1, pools[0].1);
    // Each rank sends its own block to the other.
    assert_eq!([pools[0].3, pools[1].3], [[1, 2], [1, 2]]);
}
