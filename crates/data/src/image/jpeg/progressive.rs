//! Blocks of progressive files (ITU T.81, G.2): a scan adds a band of coefficients, or one more bit
//! of them.

use kernels::jpeg::DctBlock;

use super::{
    JpegProblem,
    bits::ScanBits,
    scan::{BEYOND, JpegScan, NO_TABLE, ScanComponent, ZIGZAG},
};

/// Adds what this scan has of a block. `mean` is the DC coefficient of the block before, and
/// `empty_blocks` how many blocks from this one on have no more coefficients.
pub(super) fn block(
    scan: &JpegScan<'_>,
    coded: &ScanComponent<'_>,
    (mean, empty_blocks): (&mut i16, &mut u32),
    block: &mut DctBlock,
    bits: &mut ScanBits<'_>,
) -> Result<(), JpegProblem> {
    match (scan.first, scan.bit_before) {
        (0, 0) => {
            *mean = mean.wrapping_add(coded.difference(coded.dc.ok_or(NO_TABLE)?, bits)?);
            block[0] = *mean << scan.bit;
            Ok(())
        }
        (0, _) => {
            block[0] |= i16::try_from(bits.take(1) << scan.bit).unwrap_or(0);
            Ok(())
        }
        (_, 0) => first_pass(scan, coded, empty_blocks, block, bits),
        _ => refine(scan, coded, empty_blocks, block, bits),
    }
}

/// Coefficients of a band, all but their lowest bits.
fn first_pass(
    scan: &JpegScan<'_>,
    coded: &ScanComponent<'_>,
    empty_blocks: &mut u32,
    block: &mut DctBlock,
    bits: &mut ScanBits<'_>,
) -> Result<(), JpegProblem> {
    if *empty_blocks > 0 {
        *empty_blocks -= 1;
        return Ok(());
    }
    let table = coded.ac.ok_or(NO_TABLE)?;
    let mut next = scan.first;
    while next <= scan.last {
        let (entry, number) = bits.code(table)?;
        if entry.forward() == 0 {
            *empty_blocks = (1 << entry.run()) - 1 + bits.take(entry.run());
            break;
        }
        next += entry.forward();
        if entry.size() > 0 {
            let k = next - 1;
            let place = ZIGZAG.get(k).filter(|_| k <= scan.last).ok_or(BEYOND)?;
            block[*place] = number << scan.bit;
        }
    }
    Ok(())
}

/// One more bit for the coefficients of a band, and new ones that are ±1 at this bit.
fn refine(
    scan: &JpegScan<'_>,
    coded: &ScanComponent<'_>,
    empty_blocks: &mut u32,
    block: &mut DctBlock,
    bits: &mut ScanBits<'_>,
) -> Result<(), JpegProblem> {
    let table = coded.ac.ok_or(NO_TABLE)?;
    let step = 1_i16.checked_shl(scan.bit).unwrap_or(0);
    let mut k = scan.first;
    while *empty_blocks == 0 && k <= scan.last {
        let (entry, number) = bits.code(table)?;
        let mut run = entry.run();
        let new = match entry.size() {
            0 if run < 15 => {
                *empty_blocks = (1 << run) + bits.take(run);
                break;
            }
            // Of one bit: 1 or -1. Of none, in a run of 16 zeros: 0.
            0 | 1 => number.wrapping_mul(step),
            _ => return Err(JpegProblem::Damaged("a refinement of more than one bit")),
        };
        // Over `run` zeros; what is not zero on the way gets its bit.
        while k <= scan.last {
            let coefficient = &mut block[ZIGZAG[k]];
            k += 1;
            if *coefficient != 0 {
                correct(coefficient, step, bits);
            } else if run == 0 {
                *coefficient = new;
                break;
            } else {
                run -= 1;
            }
        }
    }
    if *empty_blocks > 0 {
        while k <= scan.last {
            let coefficient = &mut block[ZIGZAG[k]];
            if *coefficient != 0 {
                correct(coefficient, step, bits);
            }
            k += 1;
        }
        *empty_blocks -= 1;
    }
    Ok(())
}

/// Moves a coefficient away from zero if its next bit says so.
fn correct(coefficient: &mut i16, step: i16, bits: &mut ScanBits<'_>) {
    if bits.take(1) == 1 && *coefficient & step == 0 {
        *coefficient = coefficient.wrapping_add(if *coefficient > 0 { step } else { -step });
    }
}
