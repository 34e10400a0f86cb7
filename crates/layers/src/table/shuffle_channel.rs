//! ShuffleChannel: channel `i` of each group in turn, so that the next grouped convolution sees all
//! groups (Zhang et al. 2017). Not in Caffe; layer type `ShuffleChannel` of the ShuffleNet fork
//! (farmingyard), `shuffle_channel_param`: `group`, which divides the channels. Never runs in
//! place.
//!
//! Channels are a matrix of `group` rows, which is transposed: `y[i * group + j] = x[j * c / group
//! + i]`. Works on both memory orders.

use base::Shape;
use kernels::permute::Permutation;
use tensor::Layout;

use crate::{
    Backward, BottomFill, Forward, GradientCase, InPlace, Layer, LayerError, LayerKind, LayerSpec,
    LayoutRule,
};

/// This layer's row in the [layer table](super::LAYERS).
pub(super) const KIND: LayerKind = LayerKind {
    name: "ShuffleChannel",
    fork: "ShuffleNet",
    options: "shuffle_channel_param",
    formula: "y[i * group + j] = x[j * c / group + i], i and j counting channels",
    in_place: InPlace::ReadsOverwritten,
    build,
    cases: &[
        GradientCase {
            options: "shuffle_channel_param { group: 3 }",
            bottoms: &[(&[2, 6, 2, 3], BottomFill::Gaussian)],
            tops: 1,
        },
        GradientCase {
            options: "shuffle_channel_param { group: 2 }",
            bottoms: &[(&[2, 6], BottomFill::Gaussian)],
            tops: 1,
        },
        GradientCase::image(""),
    ],
    ..LayerKind::UNARY
};

fn build(spec: &LayerSpec<'_>) -> Result<Box<dyn Layer>, LayerError> {
    let group = spec.layer.shuffle_channel_param().group() as usize;
    let (row_major, channels_last) = (ChannelShuffle::default(), ChannelShuffle::default());
    Ok(Box::new(ShuffleChannelLayer { group, row_major, channels_last }))
}

struct ShuffleChannelLayer {
    group: usize,
    row_major: ChannelShuffle,
    channels_last: ChannelShuffle,
}

/// The permutations of forward and backward in one memory order.
#[derive(Default)]
struct ChannelShuffle {
    forward: Permutation,
    backward: Permutation,
}

impl ChannelShuffle {
    /// For `outer` lists of `groups` groups of `channels` channels of `inner` values.
    fn new(outer: usize, [groups, channels]: [usize; 2], inner: usize) -> Self {
        let transposed = |rows, cols| Permutation::new(&[outer, rows, cols, inner], &[0, 2, 1, 3]);
        Self { forward: transposed(groups, channels), backward: transposed(channels, groups) }
    }
}

impl ShuffleChannelLayer {
    fn shuffle(&self, layout: Layout) -> &ChannelShuffle {
        match layout {
            Layout::RowMajor => &self.row_major,
            Layout::ChannelsLast => &self.channels_last,
        }
    }
}

impl Layer for ShuffleChannelLayer {
    fn reshape(&mut self, bottoms: &[Shape]) -> Result<Vec<Shape>, LayerError> {
        let shape = &bottoms[0];
        let &[n, c, ..] = shape.dims() else {
            let (index, got, want) = (0, shape.clone(), "2 axes or more".into());
            return Err(LayerError::Bottom { index, got, want });
        };
        if self.group == 0 || !c.is_multiple_of(self.group) {
            return Err(LayerError::Option {
                option: "shuffle_channel_param.group",
                got: self.group.to_string(),
                want: format!("a divisor of the bottom's {c} channels"),
            });
        }
        let (matrix, pixels) = ([self.group, c / self.group], shape.count_from(2));
        self.row_major = ChannelShuffle::new(n, matrix, pixels);
        self.channels_last = ChannelShuffle::new(n * pixels, matrix, 1);
        Ok(bottoms.to_vec())
    }

    fn layouts(&self) -> LayoutRule {
        LayoutRule::Same
    }

    fn forward(&mut self, io: &mut Forward<'_>) -> Result<(), LayerError> {
        let bottom = &io.bottoms[0];
        self.shuffle(bottom.layout).forward.apply(io.cpu, bottom.data(), io.tops[0].data());
        Ok(())
    }

    fn backward(&mut self, io: &mut Backward<'_>) -> Result<(), LayerError> {
        let bottom = &mut io.bottoms[0];
        let shuffle = self.shuffle(bottom.layout);
        if let Some(dx) = bottom.diff.as_deref_mut() {
            shuffle.backward.apply(io.cpu, io.tops[0].diff(), dx);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{error, forward};

    #[test]
    fn channels_of_all_groups_alternate() {
        let text = "type: \"ShuffleChannel\" shuffle_channel_param { group: 2 }";
        let x = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
        assert_eq!(
            forward(text, &[(&[1, 6], &x)], 1).unwrap().remove(0).1,
            [1.0, 4.0, 2.0, 5.0, 3.0, 6.0]
        );
    }

    #[test]
    fn a_group_that_does_not_divide_the_channels_is_reported() {
        for group in [0, 4] {
            let text =
                format!("type: \"ShuffleChannel\" shuffle_channel_param {{ group: {group} }}");
            assert_eq!(
                error(&text, &[&[1, 6]], 1),
                format!(
                    "`shuffle_channel_param.group` is {group}, expected a divisor of the bottom's 6 \
                     channels"
                )
            );
        }
        let text = "type: \"ShuffleChannel\"";
        assert_eq!(error(text, &[&[6]], 1), "bottom 0 has shape 6 (6), expected 2 axes or more");
    }
}
