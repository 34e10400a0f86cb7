use half::{bf16, f16};

use super::{
    Bf16Codec, F16Codec, HalfFormat, HalfRows, NoRounding, Rounder, compress, expand, round,
};
use crate::{Cpu, Unary, testing::on_every_cpu};

const FORMATS: [HalfFormat; 2] = [HalfFormat::Bf16, HalfFormat::F16];

/// What the crate `half` makes of a value.
fn reference(format: HalfFormat, v: f32) -> f32 {
    match format {
        HalfFormat::Bf16 => bf16::from_f32(v).to_f32(),
        HalfFormat::F16 => f16::from_f32(v).to_f32(),
    }
}

/// Every sign and exponent, with significands around every tie that matters.
fn values() -> Vec<f32> {
    let significands = [0, 1, 0xFFF, 0x1000, 0x1001, 0x2FFF, 0x3000, 0x3001];
    let upper = [0x7FFF, 0x8000, 0x8001, 0x1_7FFF, 0x1_8000, 0x1_8001, 0x7F_EFFF, 0x7F_F000];
    let all = significands.into_iter().chain(upper).chain([0x7F_7FFF, 0x7F_8000, 0x7F_FFFF]);
    let all = all.flat_map(|s| (0..512_u32).map(move |e| f32::from_bits(e << 23 | s)));
    all.collect()
}

fn same(got: f32, want: f32) -> bool {
    got.to_bits() == want.to_bits() || (got.is_nan() && want.is_nan())
}

fn rows_of(cpu: &Cpu, format: HalfFormat, x: &[f32]) -> (Vec<u16>, Vec<f32>) {
    let (mut stored, mut back) = (vec![0; x.len()], vec![0.0; x.len()]);
    compress(cpu, format, HalfRows::dense(), x, &mut stored);
    expand(cpu, format, HalfRows::dense(), &stored, &mut back);
    (stored, back)
}

#[test]
fn values_are_rounded_to_nearest_even_whether_stored_or_not() {
    let x = values();
    for format in FORMATS {
        on_every_cpu(|cpu| {
            let (_, back) = rows_of(cpu, format, &x);
            let mut rounded = vec![0.0; x.len()];
            round(cpu, format, Unary::OutOfPlace { x: &x, y: &mut rounded });
            for (i, &v) in x.iter().enumerate() {
                let want = reference(format, v);
                assert!(same(back[i], want), "{format}: {v:e} is stored as {:e}", back[i]);
                assert!(same(rounded[i], want), "{format}: {v:e} is rounded to {:e}", rounded[i]);
            }
            rounded.into_iter().filter(|v| !v.is_nan()).collect()
        });
    }
}

#[test]
fn every_16_bit_value_survives() {
    let all: Vec<u16> = (0..=u16::MAX).collect();
    for format in FORMATS {
        on_every_cpu(|cpu| {
            let mut x = vec![0.0; all.len()];
            expand(cpu, format, HalfRows::dense(), &all, &mut x);
            let (stored, _) = rows_of(cpu, format, &x);
            for ((&before, &after), v) in all.iter().zip(&stored).zip(&x) {
                assert!(before == after || v.is_nan(), "{format}: {before:#x} becomes {after:#x}");
            }
            x.into_iter().filter(|v| !v.is_nan()).collect()
        });
    }
}

#[test]
fn rows_of_a_wider_blob_leave_their_neighbours_alone() {
    let rows = HalfRows { stride: 5, offset: 2, len: 3 };
    let x: Vec<f32> = (1_u8..=12).map(f32::from).collect();
    for format in FORMATS {
        on_every_cpu(|cpu| {
            let (mut wide, mut back) = (vec![7; 20], vec![0.0; x.len()]);
            compress(cpu, format, rows, &x, &mut wide);
            expand(cpu, format, rows, &wide, &mut back);
            assert_eq!(back, x, "{format}");
            let gaps = wide.chunks_exact(5).flat_map(|row| &row[..2]);
            assert!(gaps.into_iter().all(|&gap| gap == 7), "{format}: {wide:?}");
            back
        });
    }
}

/// What a mask of values that are yet to be rounded relies on.
#[test]
fn values_round_to_more_than_zero_from_half_the_smallest_on() {
    fn check<R: Rounder>(rounder: R) {
        let limit = R::ROUNDS_TO_ZERO;
        let near = [limit.next_down(), limit, limit.next_up(), 2.0 * limit];
        for v in near.into_iter().chain([-limit, -1.0, 1.0, f32::NAN, f32::INFINITY]) {
            assert_eq!(rounder.round(v) > 0.0, v > limit, "{v:e}");
        }
    }
    check(Bf16Codec);
    check(F16Codec);
    check(NoRounding);
}
