//! Padding that differs from side to side: `pad_l`, `pad_r`, `pad_t` and `pad_b` of
//! `convolution_param` and `pooling_param`. Not in Caffe; fields of the Synopsys fork, as that
//! reads them: sides left out have none, and all four 0 is as if none were written.

use base::BLOB_VALUES_MAX;

use crate::LayerError;

/// The fields of one message.
pub(crate) struct SidePads {
    /// The field for all sides.
    pub(crate) all: &'static str,
    /// Left, right, top, bottom.
    pub(crate) sides: [&'static str; 4],
}

/// A field that is not 0, and the padding before and after the image, each (vertical, horizontal).
pub(crate) type LoweredPads = (&'static str, [[usize; 2]; 2]);

impl SidePads {
    /// The padding as written; `None` where no side has any. `all` says whether the padding for all
    /// sides is written too.
    pub(crate) fn lower(
        &self,
        all: bool,
        sides: [Option<i64>; 4],
    ) -> Result<Option<LoweredPads>, LayerError> {
        let mut pads = [0; 4];
        for ((pad, &option), side) in pads.iter_mut().zip(&self.sides).zip(sides) {
            let side = side.unwrap_or(0);
            let valid = usize::try_from(side).ok().filter(|&side| side <= BLOB_VALUES_MAX);
            *pad = valid.ok_or_else(|| LayerError::Option {
                option,
                got: side.to_string(),
                want: format!("from 0 to {BLOB_VALUES_MAX}"),
            })?;
        }
        let Some(first) = pads.iter().position(|&pad| pad > 0) else { return Ok(None) };
        let option = self.sides[first];
        if all {
            let (first, second) = (self.all, option);
            let remedy = "write the padding once, or for each side";
            return Err(LayerError::Conflict { first, second, remedy });
        }
        let [left, right, top, bottom] = pads;
        Ok(Some((option, [[top, left], [bottom, right]])))
    }
}
