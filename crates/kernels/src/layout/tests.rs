use proptest::prelude::*;

use super::{to_channels_last, to_row_major};
use crate::{
    reference::matrix::transpose,
    testing::{noise, on_every_cpu},
};

proptest! {
    #[test]
    fn converts_and_comes_back(n in 0..4_usize, c in 1..70_usize, pixels in 1..200_usize) {
        let x = noise(n * c * pixels, 1);
        let want: Vec<f32> = x
            .chunks_exact(c * pixels)
            .flat_map(|image| transpose(c, pixels, image))
            .collect();
        on_every_cpu(|cpu| {
            let [mut y, mut back] = [(); 2].map(|()| vec![7.0; x.len()]);
            to_channels_last(cpu, n, c, pixels, &x, &mut y);
            assert_eq!(y, want);
            to_row_major(cpu, n, c, pixels, &y, &mut back);
            assert_eq!(back, x);
            y
        });
    }
}
