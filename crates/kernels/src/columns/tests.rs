use super::{sums_into, sums_of_few_into};
use crate::{
    Rows, Write,
    testing::{assert_close, noise, on_every_cpu},
};

/// Few columns, odd and whole vectors, with rows that do and do not come in eights, densely and with gaps.
#[test]
fn sums_of_few_columns_equal_the_reference_wherever_rows_lie() {
    for (rows, cols) in
        [(0, 3), (7, 3), (8, 20), (1003, 20), (999, 50), (64, 10), (100, 16), (50, 65)]
    {
        let (dense, gap) = (noise(rows * cols, 1), 5);
        let mut apart = noise(rows * (cols + gap), 2);
        let mut want = vec![0.0; cols];
        for r in 0..rows {
            let row = &dense[r * cols..][..cols];
            apart[r * (cols + gap) + gap..][..cols].copy_from_slice(row);
            want.iter_mut().zip(row).for_each(|(want, &x)| *want += f64::from(x));
        }
        let apart = Rows { data: &apart, stride: cols + gap, offset: gap };
        on_every_cpu(|cpu| {
            let [mut here, mut there, mut plain] = [(); 3].map(|()| vec![7.0; cols]);
            sums_of_few_into(cpu, rows, cols, Rows::dense(&dense, cols), Write::Set, &mut here);
            sums_of_few_into(cpu, rows, cols, apart, Write::Set, &mut there);
            sums_into(cpu, rows, cols, apart, Write::Set, &mut plain);
            assert_eq!(here, there, "{rows} rows of {cols}");
            assert_close(&here, &want, 1e-5);
            assert_close(&plain, &want, 1e-5);
            here
        });
    }
}
