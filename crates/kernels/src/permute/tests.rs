use proptest::prelude::*;

use super::{Permutation, PermutedAxis};
use crate::testing::{noise, on_every_cpu};

/// Sizes of up to five axes, and an order of them.
fn permutations() -> impl Strategy<Value = (Vec<usize>, Vec<usize>)> {
    prop::collection::vec(1..=7_usize, 0..=5).prop_flat_map(|dims| {
        let axes: Vec<usize> = (0..dims.len()).collect();
        (Just(dims), Just(axes).prop_shuffle())
    })
}

/// Index by index, from the definition.
fn reference(dims: &[usize], order: &[usize], x: &[f32]) -> Vec<f32> {
    let mut y = vec![0.0; x.len()];
    for (at, &value) in x.iter().enumerate() {
        let mut rest = at;
        let mut index = vec![0; dims.len()];
        for axis in (0..dims.len()).rev() {
            index[axis] = rest % dims[axis];
            rest /= dims[axis];
        }
        let to = order.iter().fold(0, |to, &axis| to * dims[axis] + index[axis]);
        y[to] = value;
    }
    y
}

proptest! {
    #[test]
    fn equals_the_reference((dims, order) in permutations(), seed: u64) {
        let x = noise(dims.iter().product(), seed);
        let want = reference(&dims, &order, &x);
        on_every_cpu(|cpu| {
            let mut y = vec![7.0; x.len()];
            Permutation::new(&dims, &order).apply(cpu, &x, &mut y);
            assert_eq!(y, want, "{dims:?} {order:?}");
            y
        });
    }
}

/// More rows than one task has.
#[test]
fn tasks_continue_where_others_end() {
    for (dims, order) in [([3, 5, 70, 90], [0, 2, 3, 1]), ([2, 40, 300, 1], [2, 0, 1, 3])] {
        let x = noise(dims.iter().product(), 1);
        let want = reference(&dims, &order, &x);
        on_every_cpu(|cpu| {
            let mut y = vec![7.0; x.len()];
            Permutation::new(&dims, &order).apply(cpu, &x, &mut y);
            assert_eq!(y, want);
            y
        });
    }
}

#[test]
fn axes_that_stay_neighbours_are_one() {
    let axes = |dims: &[usize], order: &[usize]| -> Vec<[usize; 2]> {
        let Permutation { axes } = Permutation::new(dims, order);
        axes.iter().map(|&PermutedAxis { size, step }| [size, step]).collect()
    };
    assert_eq!(axes(&[2, 3, 4, 5], &[0, 1, 2, 3]), [[120, 1]]);
    assert_eq!(axes(&[2, 3, 4, 5], &[0, 2, 3, 1]), [[2, 60], [20, 1], [3, 20]]);
    assert_eq!(axes(&[2, 3, 1, 5], &[0, 3, 2, 1]), [[2, 15], [5, 1], [3, 5]]);
    assert_eq!(axes(&[1, 1], &[1, 0]), [[0; 2]; 0]);
}

#[test]
fn no_values() {
    on_every_cpu(|cpu| {
        Permutation::new(&[0, 3], &[1, 0]).apply(cpu, &[], &mut []);
        Vec::new()
    });
}
