//! What LSTM and RNN share: options, shapes, and the hidden state from one batch to the next.
//!
//! A batch holds `steps` time steps of `streams` independent sequences. `cont` is 0 where a
//! sequence begins, which forgets the stream's state, else 1. Bottoms are x (steps, streams, ..),
//! cont (steps, streams), perhaps a static input (streams, ..) that every step sees, and with
//! `expose_hidden` the first state; tops are the outputs (steps, streams, outputs) and with
//! `expose_hidden` the last state.
//!
//! Without `expose_hidden` the last state is where the next batch begins, as in Caffe. Also as in
//! Caffe, no gradient passes through a state that comes in or goes out: backward ends at the
//! batch. The state lies in the layer, which shows it as [`carried`](crate::Layer::carried), so that
//! replicas which one worker runs in turn each go on from their own.

use base::Shape;
use caffe_format::{FillerParameter, RecurrentParameter};
use kernels::channel::{self, Channels};
use kernels::inner_product::{self, InnerProduct as Product};
use kernels::{Cpu, Unary, Write, elementwise};

use crate::{Backward, Bottom, Case, Fill, LayerError, ParamDecl, Spec};

/// What the gradient checker tries: sequences that begin within a batch, with and without a static input.
pub(crate) const CASES: &[Case] = &[
    Case {
        options: "recurrent_param { num_output: 2 }",
        bottoms: &[(&[4, 2, 3], Fill::Gaussian), (&[4, 2], Fill::Sequences(2))],
        tops: 1,
    },
    Case {
        options: "recurrent_param { num_output: 3 }",
        bottoms: &[
            (&[3, 2, 1, 2], Fill::Gaussian),
            (&[3, 2], Fill::Sequences(2)),
            (&[2, 4], Fill::Gaussian),
        ],
        tops: 1,
    },
];

/// `recurrent_param`, checked.
#[derive(Debug)]
pub(crate) struct Options {
    pub(crate) outputs: usize,
    /// The state's blobs are bottoms and tops.
    expose: bool,
    /// Blobs of the state: 2 for LSTM (h and c), 1 for RNN.
    states: usize,
    /// There is a static input.
    fixed: bool,
    weight_filler: FillerParameter,
    bias_filler: FillerParameter,
}

/// Sizes of one batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Sizes {
    pub(crate) steps: usize,
    pub(crate) streams: usize,
    /// Values of x for one step of one stream.
    pub(crate) inputs: usize,
    /// Values of the static input for one stream.
    pub(crate) fixed: Option<usize>,
    pub(crate) outputs: usize,
}

impl Options {
    pub(crate) fn lower(spec: &Spec<'_>, states: usize) -> Result<Self, LayerError> {
        let written: &RecurrentParameter = spec.layer.recurrent_param();
        let (outputs, expose) = (written.num_output() as usize, written.expose_hidden());
        if outputs == 0 {
            let option = "recurrent_param.num_output";
            return Err(LayerError::Missing { option, want: "the number of outputs" });
        }
        let exposed = if expose { states } else { 0 };
        let fixed = spec.bottoms > 2 + exposed;
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
        Ok(Self { outputs, expose, states, fixed, weight_filler, bias_filler })
    }

    /// Sizes for these bottoms.
    pub(crate) fn over(&self, bottoms: &[Shape]) -> Result<Sizes, LayerError> {
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
        let fixed = if self.fixed {
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
        Ok(Sizes { steps, streams, inputs, fixed, outputs })
    }

    /// The first bottom with a state, if there is one.
    fn first_state(&self) -> usize {
        2 + usize::from(self.fixed)
    }

    pub(crate) fn top_shapes(&self, sizes: Sizes) -> Result<Vec<Shape>, LayerError> {
        let Sizes { steps, streams, outputs, .. } = sizes;
        let mut tops = vec![Shape::new(&[steps, streams, outputs])?];
        if self.expose {
            tops.extend(vec![Shape::new(&[1, streams, outputs])?; self.states]);
        }
        Ok(tops)
    }

    /// The static input, if there is one.
    pub(crate) fn fixed<'a>(&self, bottoms: &[Bottom<'a>]) -> Option<&'a [f32]> {
        self.fixed.then(|| bottoms[2].data)
    }

    /// A weight param of `rows` by `cols`.
    pub(crate) fn weights(&self, rows: usize, cols: usize) -> Result<ParamDecl, LayerError> {
        Ok(ParamDecl::learned(&Shape::new(&[rows, cols])?, &self.weight_filler))
    }

    /// A bias param.
    pub(crate) fn bias(&self, len: usize) -> Result<ParamDecl, LayerError> {
        Ok(ParamDecl::learned(&Shape::new(&[len])?, &self.bias_filler))
    }
}

/// The state between batches, or what the bottoms say.
#[derive(Debug, Default)]
pub(crate) struct State {
    /// Each (streams, outputs).
    carried: Vec<Vec<f32>>,
}

impl State {
    /// The state's blobs, unless bottoms and tops hold them.
    pub(crate) fn carried(&mut self, options: &Options) -> &mut [Vec<f32>] {
        if options.expose { &mut [] } else { &mut self.carried }
    }

    /// Forgets everything when the number of streams changes.
    pub(crate) fn resize(&mut self, options: &Options, sizes: Sizes) {
        self.carried.resize(options.states, Vec::new());
        for values in &mut self.carried {
            if values.len() != sizes.state() {
                *values = vec![0.0; sizes.state()];
            }
        }
    }

    /// Blob `index` of the state that a batch begins with.
    pub(crate) fn first<'s>(
        &'s self,
        options: &Options,
        bottoms: &[Bottom<'s>],
        index: usize,
    ) -> &'s [f32] {
        match options.expose {
            true => bottoms[options.first_state() + index].data,
            false => &self.carried[index],
        }
    }

    /// Hands blob `index` on, to the top or to the next batch.
    pub(crate) fn last(
        &mut self,
        options: &Options,
        tops: &mut [crate::Top<'_>],
        index: usize,
        values: &[f32],
    ) {
        match options.expose {
            true => tops[1 + index].data().copy_from_slice(values),
            false => self.carried[index].copy_from_slice(values),
        }
    }
}

impl Sizes {
    /// Values of one blob of the state.
    pub(crate) fn state(&self) -> usize {
        self.streams * self.outputs
    }

    /// Steps times streams.
    pub(crate) fn rows(&self) -> usize {
        self.steps * self.streams
    }

    /// Of one forward: every step makes `gates` times the outputs, each a sum over the inputs and
    /// over `squares` times the outputs; the static input is seen once.
    pub(crate) fn multiply_adds(&self, gates: u64, squares: u64) -> u64 {
        let [rows, streams, d] = [self.rows(), self.streams, self.outputs].map(|n| n as u64);
        let [inputs, fixed] = [self.inputs, self.fixed.unwrap_or(0)].map(|n| n as u64);
        let terms = (rows * (inputs + squares * d)).saturating_add(streams * fixed);
        (gates * d).saturating_mul(terms)
    }

    /// `h` with its streams as channels, for products with `cont`.
    pub(crate) fn by_stream(&self) -> Channels {
        Channels { outer: 1, c: self.streams, inner: self.outputs }
    }

    /// `cont` of one step.
    pub(crate) fn at<'a>(&self, cont: &'a [f32], step: usize) -> &'a [f32] {
        &cont[step * self.streams..][..self.streams]
    }

    /// What x and the static input add to every step: `W x + b + V fixed`, (steps, streams, width).
    pub(crate) fn apply_inputs(
        &self,
        cpu: &Cpu,
        width: usize,
        (x, fixed): (&[f32], Option<&[f32]>),
        params: &[&[f32]],
        y: &mut [f32],
    ) {
        let product = Product { n: self.rows(), d: self.inputs, k: width };
        inner_product::forward(cpu, product, x, params[0], Some(params[1]), y);
        if let (Some(fixed), Some(d)) = (fixed, self.fixed) {
            let mut once = vec![0.0; self.streams * width];
            let product = Product { n: self.streams, d, k: width };
            inner_product::forward(cpu, product, fixed, params[2], None, &mut once);
            y.chunks_exact_mut(once.len()).for_each(|y| elementwise::add(cpu, &once, y));
        }
    }

    /// Gradients of [`Sizes::apply_inputs`]; states and `cont` get none.
    pub(crate) fn backward_inputs(&self, width: usize, dy: &[f32], io: &mut Backward<'_>) {
        let (cpu, params) = (io.cpu, &io.params);
        let x = io.bottoms[0].data;
        let product = Product { n: self.rows(), d: self.inputs, k: width };
        if let Some(g) = &mut io.gradients[0] {
            inner_product::backward_weights(cpu, product, x, dy, g.write, g.values);
        }
        if let Some(g) = &mut io.gradients[1] {
            inner_product::backward_bias(cpu, product, dy, g.write, g.values);
        }
        if let Some(dx) = io.bottoms[0].diff.as_deref_mut() {
            inner_product::backward_data(cpu, product, dy, params[0], dx);
        }
        let mut first_without = 1;
        if let Some(d) = self.fixed {
            let mut sum = vec![0.0; self.streams * width];
            let steps = Channels { outer: self.steps, c: sum.len(), inner: 1 };
            channel::backward_bias(cpu, steps, dy, Write::Set, &mut sum);
            let product = Product { n: self.streams, d, k: width };
            if let Some(g) = &mut io.gradients[2] {
                let fixed = io.bottoms[2].data;
                inner_product::backward_weights(cpu, product, fixed, &sum, g.write, g.values);
            }
            if let Some(dx) = io.bottoms[2].diff.as_deref_mut() {
                inner_product::backward_data(cpu, product, &sum, params[2], dx);
            }
            if let Some(cont) = io.bottoms[1].diff.as_deref_mut() {
                cont.fill(0.0);
            }
            first_without = 3;
        }
        io.no_gradient(first_without);
    }

    /// `y = cont * h`, stream by stream.
    pub(crate) fn continued(&self, cpu: &Cpu, cont: &[f32], values: Unary<'_>) {
        channel::scale(cpu, self.by_stream(), cont, None, values);
    }
}

#[cfg(test)]
mod tests;
