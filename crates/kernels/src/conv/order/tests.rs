use std::collections::BTreeSet;

use super::Order;
use crate::pack::even_runs;

#[test]
fn every_pixel_has_one_number_and_follows_the_one_before() {
    for (images, most) in [(1, 1), (3, 1), (5, 12), (13, 6), (12, 12)] {
        let order = Order::new(even_runs(images, most), [2, 3]);
        let mut seen = BTreeSet::new();
        let mut spot = order.spot(0);
        for index in 0..images * 6 {
            let place = |spot: super::Spot| (spot.image, spot.row, spot.column);
            assert_eq!(place(spot), place(order.spot(index)), "pixel {index} of {images} images");
            assert!(spot.image < images && spot.row < 2 && spot.column < 3);
            assert!(seen.insert(place(spot)), "pixel {index} comes twice");
            spot = order.skip(spot, 1);
        }
    }
}

#[test]
fn a_stretch_is_one_place() {
    let order = Order::new(even_runs(7, 4), [2, 2]);
    let first = order.spot(0);
    assert_eq!(order.stretch(first), 3);
    let next = order.skip(first, 3);
    assert_eq!((next.image, next.row, next.column), (0, 0, 1));
    let group = order.spot(12);
    assert_eq!((group.image, group.row, group.column, order.stretch(group)), (3, 0, 0, 4));
}
