//! Scans: the order of their units and blocks, and restarts.

use std::ops::Range;

use kernels::Simd;

use super::{
    COMPONENTS_MAX, JpegProblem, PerComponent,
    bits::{ScanBits, unstuff},
    frame::{JpegComponent, JpegFrame},
    huffman::HuffmanTable,
    planes::JpegPlanes,
    progressive, sequential,
};

/// Index in natural (row-major) order of each coefficient in the file's zigzag order.
#[rustfmt::skip]
pub(super) const ZIGZAG: [usize; 64] = [
     0,  1,  8, 16,  9,  2,  3, 10, 17, 24, 32, 25, 18, 11,  4,  5,
    12, 19, 26, 33, 40, 48, 41, 34, 27, 20, 13,  6,  7, 14, 21, 28,
    35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51,
    58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63,
];

pub(super) const NO_TABLE: JpegProblem = JpegProblem::Damaged("a Huffman table is missing");
pub(super) const BEYOND: JpegProblem =
    JpegProblem::Damaged("a block has more than 64 coefficients");

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

impl ScanComponent<'_> {
    /// The DC coefficient less that of the block before.
    #[inline(always)]
    pub(super) fn difference(
        &self,
        dc: &HuffmanTable,
        bits: &mut ScanBits<'_>,
    ) -> Result<i16, JpegProblem> {
        match bits.code(dc)? {
            (entry, difference) if entry.run() == 0 => Ok(difference),
            _ => Err(JpegProblem::Damaged("a mean of more than 15 bits")),
        }
    }
}

/// What decoding a block needs from the blocks before it.
#[derive(Default)]
struct ScanState {
    /// DC coefficient of the last block of each component.
    means: [i16; COMPONENTS_MAX],
    /// Progressive: blocks that have no more coefficients.
    empty_blocks: u32,
}

impl JpegScan<'_> {
    /// Reads the scan's data from `at` on; returns where it ends. Sequential scans are transformed
    /// too. `interval` is scratch.
    pub(super) fn read(
        &self,
        (frame, planes): (&JpegFrame, &mut JpegPlanes),
        simd: Simd,
        interval: &mut Vec<u8>,
        bytes: &[u8],
        mut at: usize,
    ) -> Result<usize, JpegProblem> {
        let (across, down) = self.units(frame);
        let all = across * down;
        let per_interval = if self.restart > 0 { self.restart } else { all };
        let mut unit = 0;
        while unit < all {
            if unit > 0 {
                at = after_restart(bytes, at)?;
            }
            at = unstuff(bytes, at, interval);
            let mut bits = ScanBits::new(interval);
            let mut state = ScanState::default();
            let end = all.min(unit + per_interval);
            // Row by row, or what this interval has of a row.
            while unit < end {
                let (x, y) = (unit % across, unit / across);
                let units = x..across.min(x + end - unit);
                unit += units.len();
                self.read_units(frame, planes, (units, y), &mut state, &mut bits)?;
                bits.check()?;
                if unit.is_multiple_of(across) && !frame.progressive {
                    self.transform(frame, planes, simd, y)?;
                }
            }
        }
        Ok(at)
    }

    fn units(&self, frame: &JpegFrame) -> (usize, usize) {
        match self.components.as_slice() {
            [coded] => frame.components[coded.component].used_blocks(),
            _ => (frame.width.div_ceil(8 * frame.h_max), frame.height.div_ceil(8 * frame.v_max)),
        }
    }

    /// Blocks of a component in a unit: alone, a component's units are its blocks.
    fn unit_blocks(&self, component: &JpegComponent) -> (usize, usize) {
        if self.components.len() == 1 { (1, 1) } else { (component.h, component.v) }
    }

    fn read_units(
        &self,
        frame: &JpegFrame,
        planes: &mut JpegPlanes,
        (units, y): (Range<usize>, usize),
        state: &mut ScanState,
        bits: &mut ScanBits<'_>,
    ) -> Result<(), JpegProblem> {
        for x in units {
            for (coded, mean) in self.components.iter().zip(&mut state.means) {
                let component = &frame.components[coded.component];
                let (h, v) = self.unit_blocks(component);
                // A sequential frame keeps the coefficients of one row of units only.
                let top = if frame.progressive { y * v } else { 0 };
                for row in top..top + v {
                    let first = row * component.blocks_across + x * h;
                    let blocks = &mut planes.coefficients[coded.component][first..first + h];
                    for block in blocks {
                        if frame.progressive {
                            let before = (&mut *mean, &mut state.empty_blocks);
                            progressive::block(self, coded, before, block, bits)?;
                        } else {
                            sequential::block(coded, mean, block, bits)?;
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// Transforms row `y` of units.
    fn transform(
        &self,
        frame: &JpegFrame,
        planes: &mut JpegPlanes,
        simd: Simd,
        y: usize,
    ) -> Result<(), JpegProblem> {
        for coded in &self.components {
            let component = &frame.components[coded.component];
            let (_, v) = self.unit_blocks(component);
            for row in 0..v {
                planes.transform(simd, (coded.component, component), row, y * v + row)?;
            }
        }
        Ok(())
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
