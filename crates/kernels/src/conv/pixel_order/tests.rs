use std::collections::BTreeSet;

use super::PixelOrder;
use crate::pack::even_ranges;

#[test]
fn every_pixel_has_one_number_and_follows_the_one_before() {
    for (images, most) in [(1, 1), (3, 1), (5, 12), (13, 6), (12, 12)] {
        let order = PixelOrder::new(even_ranges(images, most), [2, 3]);
        let mut seen = BTreeSet::new();
        let mut spot = order.at(0);
        for index in 0..images * 6 {
            let place = |spot: super::PixelPosition| (spot.image, spot.row, spot.column);
            assert_eq!(place(spot), place(order.at(index)), "pixel {index} of {images} images");
            assert!(spot.image < images && spot.row < 2 && spot.column < 3);
            assert!(seen.insert(place(spot)), "pixel {index} comes twice");
            spot = order.skip(spot, 1);
        }
    }
}

#[test]
fn a_stretch_is_one_place() {
    let order = PixelOrder::new(even_ranges(7, 4), [2, 2]);
    let first = order.at(0);
    assert_eq!(order.same_position(first), 3);
    let next = order.skip(first, 3);
    assert_eq!((next.image, next.row, next.column), (0, 0, 1));
    let group = order.at(12);
    assert_eq!((group.image, group.row, group.column, order.same_position(group)), (3, 0, 0, 4));
}
