//! Scans: from Huffman codes to coefficients, baseline and progressive (ITU T.81, F.2 and G.2).

use super::{
    JpegProblem, PerComponent,
    frame::{JpegComponent, JpegFrame},
    huffman::{HuffmanTable, ScanBits},
};

/// Index in natural (row-major) order of each coefficient in the file's zigzag order.
#[rustfmt::skip]
pub(super) const ZIGZAG: [usize; 64] = [
     0,  1,  8, 16,  9,  2,  3, 10, 17, 24, 32, 25, 18, 11,  4,  5,
    12, 19, 26, 33, 40, 48, 41, 34, 27, 20, 13,  6,  7, 14, 21, 28,
    35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51,
    58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63,
];

/// What a scan header says.
pub(super) struct JpegScan<'a> {
    /// Index of each component, and its DC and AC code tables.
    pub(super) components: PerComponent<ScanComponent<'a>>,
    /// First and last coefficient, in zigzag order.
    pub(super) first: usize,
    pub(super) last: usize,
    /// Progressive: the bit that was sent before (0 in a first scan) and the one sent now.
    pub(super) bit_before: u32,
    pub(super) bit: u32,
    /// Units between restart markers; 0 for none.
    pub(super) restart: usize,
}

/// One component of a scan.
pub(super) struct ScanComponent<'a> {
    pub(super) component: usize,
    pub(super) dc: Option<&'a HuffmanTable>,
    pub(super) ac: Option<&'a HuffmanTable>,
}

/// What decoding a block needs from the blocks before it.
#[derive(Default)]
struct ScanState {
    /// DC coefficient of the last block of each component.
    means: [i32; 4],
    /// Blocks that have no more coefficients.
    empty_blocks: u32,
}

/// Reads the scan's data from `at` on; returns where it ends.
pub(super) fn read(
    scan: &JpegScan<'_>,
    frame: &mut JpegFrame<'_>,
    bytes: &[u8],
    at: usize,
) -> Result<usize, JpegProblem> {
    let mut bits = ScanBits::new(bytes, at);
    let mut state = ScanState::default();
    let (across, down) = units(scan, frame);
    for unit in 0..across * down {
        if scan.restart > 0 && unit > 0 && unit.is_multiple_of(scan.restart) {
            bits.check()?;
            bits = ScanBits::new(bytes, after_restart(bytes, bits.end())?);
            state = ScanState::default();
        }
        let (x, y) = (unit % across, unit / across);
        for (index, coded) in scan.components.iter().enumerate() {
            let component = &mut frame.components[coded.component];
            // Alone, a component's units are its blocks; together, h by v blocks.
            let (h, v) =
                if scan.components.len() == 1 { (1, 1) } else { (component.h, component.v) };
            for block in 0..h * v {
                let place = (x * h + block % h, y * v + block / h);
                decode_block(
                    scan,
                    index,
                    component,
                    place,
                    frame.progressive,
                    &mut state,
                    &mut bits,
                )?;
            }
        }
        if x + 1 == across {
            bits.check()?;
        }
    }
    Ok(bits.end())
}

fn units(scan: &JpegScan<'_>, frame: &JpegFrame<'_>) -> (usize, usize) {
    match scan.components.as_slice() {
        [coded] => frame.components[coded.component].used_blocks(),
        _ => (frame.width.div_ceil(8 * frame.h_max), frame.height.div_ceil(8 * frame.v_max)),
    }
}

/// The place after the next restart marker, which must be the next marker.
fn after_restart(bytes: &[u8], mut at: usize) -> Result<usize, JpegProblem> {
    loop {
        match bytes.get(at..) {
            Some([0xff, 0xd0..=0xd7, ..]) => return Ok(at + 2),
            Some([0xff, 0x00 | 0xff, ..]) => at += 1,
            Some([0xff, _, ..]) => return Err(JpegProblem::Damaged("a restart marker is missing")),
            Some([_, _, ..]) => at += 1,
            _ => return Err(JpegProblem::Truncated),
        }
    }
}

fn decode_block(
    scan: &JpegScan<'_>,
    index: usize,
    component: &mut JpegComponent<'_>,
    (x, y): (usize, usize),
    progressive: bool,
    state: &mut ScanState,
    bits: &mut ScanBits<'_>,
) -> Result<(), JpegProblem> {
    let coded = &scan.components[index];
    let block = component.block_mut(x, y);
    if !progressive {
        mean(coded, scan.bit, &mut state.means[index], block, bits)?;
        return rest(coded, block, bits);
    }
    match (scan.first, scan.bit_before) {
        (0, 0) => mean(coded, scan.bit, &mut state.means[index], block, bits),
        (0, _) => {
            block[0] |= i16::try_from(bits.take(1) << scan.bit).unwrap_or(0);
            Ok(())
        }
        (_, 0) => first_pass(scan, coded, block, state, bits),
        _ => refine(scan, coded, block, state, bits),
    }
}

/// The block's DC coefficient, coded as the difference to that of the block before.
fn mean(
    coded: &ScanComponent<'_>,
    bit: u32,
    before: &mut i32,
    block: &mut [i16; 64],
    bits: &mut ScanBits<'_>,
) -> Result<(), JpegProblem> {
    let size = bits.symbol(coded.dc.ok_or(NO_TABLE)?)?;
    if size > 15 {
        return Err(JpegProblem::Damaged("a mean of more than 15 bits"));
    }
    *before = before.wrapping_add(bits.signed(u32::from(size)));
    block[0] = low_16(*before << bit);
    Ok(())
}

/// The AC coefficients of a baseline block.
fn rest(
    coded: &ScanComponent<'_>,
    block: &mut [i16; 64],
    bits: &mut ScanBits<'_>,
) -> Result<(), JpegProblem> {
    let table = coded.ac.ok_or(NO_TABLE)?;
    let mut k = 1;
    while k < 64 {
        let symbol = bits.symbol(table)?;
        let (run, size) = (usize::from(symbol >> 4), u32::from(symbol & 15));
        if size == 0 {
            if run < 15 {
                break;
            }
            k += 16;
            continue;
        }
        k += run;
        let place = ZIGZAG.get(k).ok_or(BEYOND)?;
        block[*place] = low_16(bits.signed(size));
        k += 1;
    }
    Ok(())
}

/// Coefficients of a band, all but their lowest bits.
fn first_pass(
    scan: &JpegScan<'_>,
    coded: &ScanComponent<'_>,
    block: &mut [i16; 64],
    state: &mut ScanState,
    bits: &mut ScanBits<'_>,
) -> Result<(), JpegProblem> {
    if state.empty_blocks > 0 {
        state.empty_blocks -= 1;
        return Ok(());
    }
    let table = coded.ac.ok_or(NO_TABLE)?;
    let mut k = scan.first;
    while k <= scan.last {
        let symbol = bits.symbol(table)?;
        let (run, size) = (u32::from(symbol >> 4), u32::from(symbol & 15));
        if size == 0 && run < 15 {
            state.empty_blocks = (1 << run) - 1 + bits.take(run);
            break;
        }
        k += run as usize;
        if size > 0 {
            let place = ZIGZAG.get(k).filter(|_| k <= scan.last).ok_or(BEYOND)?;
            block[*place] = low_16(bits.signed(size) << scan.bit);
        }
        k += 1;
    }
    Ok(())
}

/// One more bit for the coefficients of a band, and new ones that are ±1 at this bit.
fn refine(
    scan: &JpegScan<'_>,
    coded: &ScanComponent<'_>,
    block: &mut [i16; 64],
    state: &mut ScanState,
    bits: &mut ScanBits<'_>,
) -> Result<(), JpegProblem> {
    let table = coded.ac.ok_or(NO_TABLE)?;
    let step = 1_i16.checked_shl(scan.bit).unwrap_or(0);
    let mut k = scan.first;
    while state.empty_blocks == 0 && k <= scan.last {
        let symbol = bits.symbol(table)?;
        let (mut run, size) = (u32::from(symbol >> 4), symbol & 15);
        let new = match size {
            0 if run < 15 => {
                state.empty_blocks = (1 << run) + bits.take(run);
                break;
            }
            0 => 0,
            1 if bits.take(1) == 1 => step,
            1 => -step,
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
    if state.empty_blocks > 0 {
        while k <= scan.last {
            let coefficient = &mut block[ZIGZAG[k]];
            if *coefficient != 0 {
                correct(coefficient, step, bits);
            }
            k += 1;
        }
        state.empty_blocks -= 1;
    }
    Ok(())
}

/// Moves a coefficient away from zero if its next bit says so.
fn correct(coefficient: &mut i16, step: i16, bits: &mut ScanBits<'_>) {
    if bits.take(1) == 1 && *coefficient & step == 0 {
        *coefficient = coefficient.wrapping_add(if *coefficient > 0 { step } else { -step });
    }
}

/// Coefficients have 16 bits; only damaged files have more.
#[expect(clippy::cast_possible_truncation, reason = "see above")]
fn low_16(value: i32) -> i16 {
    value as i16
}

const NO_TABLE: JpegProblem = JpegProblem::Damaged("a Huffman table is missing");
const BEYOND: JpegProblem = JpegProblem::Damaged("a block has more than 64 coefficients");
