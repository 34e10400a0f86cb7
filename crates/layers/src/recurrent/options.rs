//! `recurrent_param`, checked, and the sizes it gives a batch.

use base::Shape;
use caffe_format::{FillerParameter, RecurrentParameter};

use crate::{Bottom, LayerError, LayerSpec, ParamDecl};

/// `recurrent_param`, checked against the number of bottoms and tops.
#[derive(Debug)]
pub(super) struct RecurrentOptions {
    outputs: usize,
    /// The state's blobs are bottoms and tops.
    pub(super) expose: bool,
    /// Blobs of the state: 2 for LSTM (h and c), 1 for RNN (h).
    pub(super) states: usize,
    /// Bottom 2 is a static input.
    has_static: bool,
    weight_filler: FillerParameter,
    bias_filler: FillerParameter,
}

/// Sizes of one batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RecurrentSizes {
    pub(crate) steps: usize,
    pub(crate) streams: usize,
    /// Values of x for one step of one stream.
    pub(super) inputs: usize,
    /// Values of the static input for one stream.
    pub(super) static_inputs: Option<usize>,
    pub(crate) outputs: usize,
}

impl RecurrentOptions {
    pub(super) fn lower(spec: &LayerSpec<'_>, states: usize) -> Result<Self, LayerError> {
        let written: &RecurrentParameter = spec.layer.recurrent_param();
        let (outputs, expose) = (written.num_output() as usize, written.expose_hidden());
        if outputs == 0 {
            let option = "recurrent_param.num_output";
            return Err(LayerError::Missing { option, want: "the number of outputs" });
        }
        let exposed = if expose { states } else { 0 };
        let has_static = spec.bottoms > 2 + exposed;
        if !(2 + exposed..=3 + exposed).contains(&spec.bottoms) || spec.tops != 1 + exposed {
            return Err(LayerError::Option {
                option: "recurrent_param.expose_hidden",
                got: format!("{expose} with {} bottoms and {} tops", spec.bottoms, spec.tops),
                want: format!(
                    "{} bottoms, or one more for a static input, and {} tops",
                    2 + exposed,
                    1 + exposed
                ),
            });
        }
        let weight_filler = written.weight_filler().clone();
        let bias_filler = written.bias_filler().clone();
        Ok(Self { outputs, expose, states, has_static, weight_filler, bias_filler })
    }

    /// Sizes for these bottoms.
    pub(super) fn sizes(&self, bottoms: &[Shape]) -> Result<RecurrentSizes, LayerError> {
        let wrong = |index: usize, want: String| {
            Err(LayerError::Bottom { index, got: bottoms[index].clone(), want })
        };
        let x = bottoms[0].dims();
        if x.len() < 3 || bottoms[0].count() == 0 {
            return wrong(0, "(steps, streams, ..), not empty".into());
        }
        let (steps, streams) = (x[0], x[1]);
        if bottoms[1].dims() != [steps, streams] {
            return wrong(1, format!("{steps} steps by {streams} streams"));
        }
        let static_inputs = if self.has_static {
            let dims = bottoms[2].dims();
            if dims.len() < 2 || dims[0] != streams || bottoms[2].count() == 0 {
                return wrong(2, format!("(streams, ..) with {streams} streams"));
            }
            Some(bottoms[2].count_from(1))
        } else {
            None
        };
        for (index, state) in bottoms.iter().enumerate().skip(self.first_state()) {
            if state.dims() != [1, streams, self.outputs] {
                return wrong(index, format!("1 by {streams} by {}", self.outputs));
            }
        }
        let (inputs, outputs) = (bottoms[0].count_from(2), self.outputs);
        Ok(RecurrentSizes { steps, streams, inputs, static_inputs, outputs })
    }

    pub(super) fn top_shapes(&self, sizes: RecurrentSizes) -> Result<Vec<Shape>, LayerError> {
        let RecurrentSizes { steps, streams, outputs, .. } = sizes;
        let mut tops = vec![Shape::new(&[steps, streams, outputs])?];
        if self.expose {
            tops.extend(vec![Shape::new(&[1, streams, outputs])?; self.states]);
        }
        Ok(tops)
    }

    /// Index of the first bottom that holds a state, with `expose_hidden`.
    pub(super) fn first_state(&self) -> usize {
        2 + usize::from(self.has_static)
    }

    /// The static input's values.
    pub(super) fn static_input<'a>(&self, bottoms: &[Bottom<'a>]) -> Option<&'a [f32]> {
        self.has_static.then(|| bottoms[2].data())
    }

    /// Params that act on x and the static input: W_x, b, and W_static if there is one.
    pub(super) fn input_params(
        &self,
        width: usize,
        sizes: RecurrentSizes,
    ) -> Result<Vec<ParamDecl>, LayerError> {
        let mut decls = vec![self.weights(width, sizes.inputs)?, self.bias(width)?];
        if let Some(inputs) = sizes.static_inputs {
            decls.push(self.weights(width, inputs)?);
        }
        Ok(decls)
    }

    /// A param of `rows` by `cols` weights.
    pub(super) fn weights(&self, rows: usize, cols: usize) -> Result<ParamDecl, LayerError> {
        Ok(ParamDecl::learned(&Shape::new(&[rows, cols])?, &self.weight_filler))
    }

    /// A param of `len` biases.
    pub(super) fn bias(&self, len: usize) -> Result<ParamDecl, LayerError> {
        Ok(ParamDecl::learned(&Shape::new(&[len])?, &self.bias_filler))
    }
}

impl RecurrentSizes {
    /// Values of one blob of the state.
    pub(crate) fn state(self) -> usize {
        self.streams * self.outputs
    }

    /// Steps times streams.
    pub(crate) fn rows(self) -> usize {
        self.steps * self.streams
    }

    /// Number of params that act on x and the static input.
    pub(super) fn input_params(self) -> usize {
        2 + usize::from(self.static_inputs.is_some())
    }
}
