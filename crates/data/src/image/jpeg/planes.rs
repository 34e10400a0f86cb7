//! Coefficients and samples of all components, in memory that is kept.

use kernels::{
    Simd,
    jpeg::{DctBlock, inverse_dct},
};

use super::{
    COMPONENTS_MAX, JpegProblem,
    frame::{JpegComponent, JpegFrame},
};

/// One of each per component.
#[derive(Debug, Default)]
pub(super) struct JpegPlanes {
    /// Blocks of the whole frame if it is progressive, else of one row of units.
    pub(super) coefficients: [Vec<DctBlock>; COMPONENTS_MAX],
    /// Rows of whole blocks. What is not wanted has any value.
    samples: [Vec<u8>; COMPONENTS_MAX],
}

impl JpegPlanes {
    /// Takes the memory for a frame. New memory comes zeroed from the system, which takes none for
    /// a size that is announced and never used.
    pub(super) fn prepare(&mut self, frame: &JpegFrame) {
        for (component, blocks) in frame.components.iter().zip(&mut self.coefficients) {
            let rows = if frame.progressive { component.blocks_down } else { component.v };
            let len = rows * component.blocks_across;
            if blocks.capacity() < len {
                *blocks = vec![[0; 64]; len];
            } else {
                blocks.clear();
                blocks.resize(len, [0; 64]);
            }
        }
        for (component, samples) in frame.components.iter().zip(&mut self.samples) {
            let len = 64 * component.blocks_down * component.blocks_across;
            if samples.capacity() < len {
                *samples = vec![0; len];
            } else if samples.len() < len {
                samples.resize(len, 0);
            }
        }
    }

    /// Transforms row `from` of the coefficients of a component to row `to` of its samples, both
    /// counted in blocks, as far as they are wanted.
    pub(super) fn transform(
        &mut self,
        simd: Simd,
        (index, component): (usize, &JpegComponent),
        from: usize,
        to: usize,
    ) -> Result<(), JpegProblem> {
        let quant = component.quant.as_ref().ok_or(NO_SCAN)?;
        let (columns, rows) = component.wanted_blocks();
        if rows.contains(&to) {
            let across = component.blocks_across;
            let blocks = &self.coefficients[index][from * across..][columns.clone()];
            let out = &mut self.samples[index][64 * to * across + 8 * columns.start..];
            inverse_dct(simd, blocks, quant, out, 8 * across);
        }
        Ok(())
    }

    /// Transforms all that is wanted of a frame whose coefficients are all here.
    pub(super) fn transform_all(
        &mut self,
        simd: Simd,
        frame: &JpegFrame,
    ) -> Result<(), JpegProblem> {
        for component in frame.components.iter().enumerate() {
            let (_, rows) = component.1.wanted_blocks();
            rows.into_iter().try_for_each(|row| self.transform(simd, component, row, row))?;
        }
        Ok(())
    }

    /// Row `y` of a component's samples, as far as it is wanted; the last one for those beyond.
    pub(super) fn row(&self, index: usize, component: &JpegComponent, y: usize) -> &[u8] {
        let y = y.min(component.height - 1);
        &self.samples[index][8 * y * component.blocks_across..][component.columns.clone()]
    }
}

/// What a component without coefficients is called.
pub(super) const NO_SCAN: JpegProblem = JpegProblem::Damaged("a component has no scan");
