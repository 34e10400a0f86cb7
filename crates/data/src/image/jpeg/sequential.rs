//! Blocks of baseline files (ITU T.81, F.2): all coefficients of a block, one after another.

use kernels::jpeg::DctBlock;

use super::{
    JpegProblem,
    bits::ScanBits,
    scan::{BEYOND, NO_TABLE, ScanComponent, ZIGZAG},
};

/// Reads a block; `mean` is the DC coefficient of the block before, and then of this one.
pub(super) fn block(
    coded: &ScanComponent<'_>,
    mean: &mut i16,
    block: &mut DctBlock,
    scan_bits: &mut ScanBits<'_>,
) -> Result<(), JpegProblem> {
    let (Some(dc), Some(ac)) = (coded.dc, coded.ac) else { return Err(NO_TABLE) };
    let mut bits = *scan_bits; // a copy can stay in registers
    *block = [0; 64];
    *mean = mean.wrapping_add(coded.difference(dc, &mut bits)?);
    block[0] = *mean;
    let mut k = 0;
    while k < 63 {
        let (entry, number) = bits.code(ac)?;
        k += entry.forward();
        if entry.size() > 0 {
            block[*ZIGZAG.get(k).ok_or(BEYOND)?] = number;
        } else if entry.forward() == 0 {
            break;
        }
    }
    *scan_bits = bits;
    Ok(())
}
