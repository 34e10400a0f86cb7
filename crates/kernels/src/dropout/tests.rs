use super::apply;
use crate::{
    Unary,
    testing::{noise, on_every_cpu},
};

#[test]
fn kept_values_are_scaled_and_others_zero() {
    let x = noise(37, 1);
    let keep: Vec<u8> = (0..37).map(|i| u8::from(i % 3 != 0)).collect();
    on_every_cpu(|cpu| {
        let mut y = vec![7.0; 37];
        apply(cpu, &keep, 2.0, Unary::OutOfPlace { x: &x, y: &mut y });
        for i in 0..37 {
            assert_eq!(y[i].to_bits(), if i % 3 == 0 { 0.0 } else { 2.0 * x[i] }.to_bits());
        }
        let mut in_place = x.clone();
        apply(cpu, &keep, 2.0, Unary::InPlace(&mut in_place));
        assert_eq!(in_place, y);
        y
    });
}
