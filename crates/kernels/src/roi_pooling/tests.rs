//! Against the definitions in f64, for random bins: overlapping, empty, of any image.

use std::ops::Range;

use proptest::prelude::*;

use super::{RoiBins, RoiImages, max_backward, max_forward, mean_backward, mean_forward};
use crate::reference::roi_pooling as reference;
use crate::testing::{assert_close, noise, on_every_cpu};

/// Images, a grid, and per box its image and the ranges of its bins.
type Boxes = Vec<(usize, Vec<Range<usize>>, Vec<Range<usize>>)>;

fn cases() -> impl Strategy<Value = (RoiImages, [usize; 2], Boxes)> {
    let sizes = (1..=3_usize, prop_oneof![1..=9_usize, 15..=18_usize], 1..=6_usize, 1..=7_usize);
    (sizes, prop::array::uniform2(1..=3_usize)).prop_flat_map(|((n, c, h, w), grid)| {
        let range = |size: usize| (0..=size, 0..=size).prop_map(|(from, to)| from..to);
        let one = (
            0..n,
            prop::collection::vec(range(h), grid[0]),
            prop::collection::vec(range(w), grid[1]),
        );
        let boxes = prop::collection::vec(one, 0..=5);
        (Just(RoiImages { n, c, h, w }), Just(grid), boxes)
    })
}

fn placed(grid: [usize; 2], boxes: &Boxes) -> RoiBins {
    let mut bins = RoiBins::new(boxes.len(), grid);
    for (at, (image, rows, cols)) in boxes.iter().enumerate() {
        bins.place(at, *image, |axis, i| [rows, cols][axis][i].clone());
    }
    bins
}

proptest! {
    #[test]
    fn largest_values_equal_the_reference((images, grid, boxes) in cases()) {
        let RoiImages { n, c, h, w } = images;
        let bins = placed(grid, &boxes);
        let x = noise(n * h * w * c, 1);
        let dy = noise(boxes.len() * grid[0] * grid[1] * c, 2);
        let (mut want, mut want_dx) = (Vec::new(), vec![0.0; x.len()]);
        for (image, rows, cols) in &boxes {
            let from = image * h * w * c;
            for (rows, cols) in rows.iter().flat_map(|r| cols.iter().map(move |c| (r, c))) {
                for channel in 0..c {
                    let max = reference::max(&x[from..], [w, c], rows, cols, channel);
                    if let Some((_, pixel)) = max {
                        want_dx[from + pixel * c + channel] += f64::from(dy[want.len()]);
                    }
                    want.push(max.map_or(0.0, |(value, _)| value));
                }
            }
        }
        on_every_cpu(|cpu| {
            let (mut y, mut mask) = (vec![7.0; dy.len()], vec![7; dy.len()]);
            max_forward(cpu, &images, &bins, &x, (&mut y, &mut mask));
            assert_close(&y, &want, 0.0);
            let mut dx = vec![7.0; x.len()];
            max_backward(cpu, &images, &bins, (&dy, &mask), &mut dx);
            assert_close(&dx, &want_dx, 1e-6);
            dx
        });
    }

    #[test]
    fn means_equal_the_reference((images, grid, boxes) in cases()) {
        let RoiImages { n, h, w, .. } = images;
        let c = grid[0] * grid[1] * 2;
        let images = RoiImages { c, ..images };
        let bins = placed(grid, &boxes);
        let (x, dy) = (noise(n * c * h * w, 1), noise(boxes.len() * c, 2));
        let (mut want, mut want_dx) = (Vec::new(), vec![0.0; x.len()]);
        for (image, rows, cols) in &boxes {
            for q in 0..c {
                let (rows, cols) = (&rows[q / grid[1] % grid[0]], &cols[q % grid[1]]);
                let from = (image * c + q) * h * w;
                let share = f64::from(dy[want.len()]) / (rows.len() * cols.len()).max(1) as f64;
                for pixel in rows.clone().flat_map(|i| cols.clone().map(move |j| i * w + j)) {
                    want_dx[from + pixel] += share;
                }
                want.push(reference::mean(&x[from..], w, rows, cols));
            }
        }
        on_every_cpu(|cpu| {
            let mut y = vec![7.0; dy.len()];
            mean_forward(cpu, &images, &bins, &x, &mut y);
            assert_close(&y, &want, 1e-6);
            let mut dx = vec![7.0; x.len()];
            mean_backward(cpu, &images, &bins, &dy, &mut dx);
            assert_close(&dx, &want_dx, 1e-6);
            dx
        });
    }
}
