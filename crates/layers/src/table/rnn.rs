//! RNN: a recurrent layer with one hidden layer, unrolled over the steps of a batch. Caffe type
//! `RNN`, `recurrent_param`: `num_output`, `weight_filler`, `bias_filler`, `expose_hidden`.
//! `debug_info` is accepted. Bottoms, tops and the state between batches: [`crate::recurrent`].
//!
//! `h = tanh(W_xh x + b_h + W_hh (cont h))`, plus `W_static x_static` within if there is one; `y =
//! tanh(W_ho h + b_o)`. Params: W_xh, b_h, W_static if any, W_hh, W_ho, b_o.

use base::Shape;
use kernels::inner_product::{self, InnerProduct as Product};
use kernels::{Mat, RowsMut, Unary, Write, elementwise, gemm, math};
use tensor::Slab;

use crate::recurrent::{CASES, Options, Sizes, State};
use crate::{Arity, Backward, Forward, Layer, LayerError, LayerKind, ParamDecl, Spec};

/// This layer's row in the [layer table](super::LAYERS).
pub(super) const KIND: LayerKind = LayerKind {
    name: "RNN",
    options: "recurrent_param",
    formula: "h_t = tanh(W x_t + V h_(t-1) + b); y_t = tanh(U h_t + c)",
    bottoms: Arity { min: 2, max: 4 },
    tops: Arity { min: 1, max: 2 },
    build,
    cases: CASES,
    ..LayerKind::UNARY
};

fn build(spec: &Spec<'_>) -> Result<Box<dyn Layer>, LayerError> {
    Ok(Box::new(Rnn {
        options: Options::lower(spec, 1)?,
        sizes: None,
        decls: Vec::new(),
        state: State::default(),
        hidden: Slab::default(),
        continued: Slab::default(),
        output: Slab::default(),
        scratch: <[Slab; 2]>::default(),
    }))
}

struct Rnn {
    options: Options,
    sizes: Option<Sizes>,
    decls: Vec<ParamDecl>,
    state: State,
    /// h after each step, (steps, streams, outputs), as everything below.
    hidden: Slab,
    /// `cont h` that each step began with.
    continued: Slab,
    /// The top, before layers above change it in place.
    output: Slab,
    /// Gradients of what goes into the two tanh.
    scratch: [Slab; 2],
}

/// Params that are filled anew for every step: W_hh, W_ho, b_o.
const PER_STEP: usize = 3;

impl Layer for Rnn {
    fn reshape(&mut self, bottoms: &[Shape]) -> Result<Vec<Shape>, LayerError> {
        let sizes = self.options.over(bottoms)?;
        let tops = self.options.top_shapes(sizes)?;
        self.state.resize(&self.options, sizes);
        let d = sizes.outputs;
        self.decls = vec![self.options.weights(d, sizes.inputs)?, self.options.bias(d)?];
        if let Some(fixed) = sizes.fixed {
            self.decls.push(self.options.weights(d, fixed)?);
        }
        let square = self.options.weights(d, d)?;
        self.decls.extend([square.clone(), square, self.options.bias(d)?]);
        let [a, b] = &mut self.scratch;
        for slab in [&mut self.hidden, &mut self.continued, &mut self.output, a, b] {
            slab.grow(tops[0].count());
        }
        self.sizes = Some(sizes);
        Ok(tops)
    }

    fn carried(&mut self) -> &mut [Vec<f32>] {
        self.state.carried(&self.options)
    }

    fn params(&self) -> Vec<ParamDecl> {
        self.decls.clone()
    }

    fn discarded(&self) -> Vec<ParamDecl> {
        let steps = self.sizes.map_or(1, |sizes| sizes.steps);
        let per_step = &self.decls[self.decls.len().saturating_sub(PER_STEP)..];
        per_step.iter().cycle().take(PER_STEP * (steps - 1)).cloned().collect()
    }

    fn forward(&mut self, io: &mut Forward<'_>) -> Result<(), LayerError> {
        let (cpu, sizes) = (io.cpu, self.sizes());
        let (n, d, len) = (sizes.streams, sizes.outputs, sizes.state());
        let inputs = (io.bottoms[0].data, self.options.fixed(&io.bottoms));
        let cont = io.bottoms[1].data;
        let [recurrent, out, out_bias] = per_step(&io.params);
        let hidden = &mut self.hidden[..sizes.steps * len];
        sizes.apply_inputs(cpu, d, inputs, &io.params, hidden);
        let mut h = self.state.first(&self.options, &io.bottoms, 0).to_vec();
        for (step, hidden) in hidden.chunks_exact_mut(len).enumerate() {
            let continued = &mut self.continued[step * len..][..len];
            sizes.continued(cpu, sizes.at(cont, step), Unary::Apart { x: &h, y: continued });
            let (a, b) = (Mat::new(continued, d), Mat::transposed(recurrent, d));
            gemm(cpu, n, d, d, a, b, Write::Add, RowsMut::dense(hidden, d));
            math::tanh(cpu, Unary::InPlace(hidden));
            h.copy_from_slice(hidden);
        }
        let y = io.tops[0].data();
        let product = Product { n: sizes.rows(), d, k: d };
        inner_product::forward(cpu, product, hidden, out, Some(out_bias), y);
        math::tanh(cpu, Unary::InPlace(y));
        self.output[..y.len()].copy_from_slice(y);
        self.state.last(&self.options, &mut io.tops, 0, &h);
        Ok(())
    }

    fn backward(&mut self, io: &mut Backward<'_>) -> Result<(), LayerError> {
        let (cpu, sizes, dy) = (io.cpu, self.sizes(), io.tops[0]);
        let (d, len) = (sizes.outputs, sizes.state());
        let count = sizes.steps * len;
        let cont = io.bottoms[1].data;
        let [recurrent, out, _] = per_step(&io.params);
        let product = Product { n: sizes.rows(), d, k: d };
        let [dout, dhidden] = &mut self.scratch;
        let (dout, dhidden) = (&mut dout[..count], &mut dhidden[..count]);
        match dy.live {
            true => dout.copy_from_slice(dy.diff),
            false => dout.fill(0.0),
        }
        math::tanh_backward(cpu, &self.output[..count], Unary::InPlace(dout));
        inner_product::backward_data(cpu, product, dout, out, dhidden);
        let mut dh = vec![0.0; len];
        for (step, dhidden) in dhidden.chunks_exact_mut(len).enumerate().rev() {
            elementwise::add(cpu, &dh, dhidden);
            let h = &self.hidden[step * len..][..len];
            math::tanh_backward(cpu, h, Unary::InPlace(dhidden));
            let step_product = Product { n: sizes.streams, ..product };
            inner_product::backward_data(cpu, step_product, dhidden, recurrent, &mut dh);
            sizes.continued(cpu, sizes.at(cont, step), Unary::InPlace(&mut dh));
        }
        let first = io.gradients.len() - PER_STEP;
        let (hidden, continued) = (&self.hidden[..count], &self.continued[..count]);
        for (index, x, dy) in [(0, continued, &*dhidden), (1, hidden, &*dout)] {
            if let Some(g) = &mut io.gradients[first + index] {
                inner_product::backward_weights(cpu, product, x, dy, g.write, g.values);
            }
        }
        if let Some(g) = &mut io.gradients[first + 2] {
            inner_product::backward_bias(cpu, product, dout, g.write, g.values);
        }
        sizes.backward_inputs(d, dhidden, io);
        Ok(())
    }

    fn backward_to(&self, index: usize) -> bool {
        index != 1
    }

    fn multiply_adds(&self) -> u64 {
        self.sizes.map_or(0, |sizes| sizes.multiply_adds(1, 2))
    }

    fn workspace_bytes(&self) -> usize {
        let [a, b] = &self.scratch;
        [&self.hidden, &self.continued, &self.output, a, b]
            .map(|slab| size_of_val(&slab[..]))
            .iter()
            .sum()
    }
}

impl Rnn {
    fn sizes(&self) -> Sizes {
        self.sizes.expect("reshape comes first")
    }
}

/// W_hh, W_ho and b_o.
fn per_step<'a>(params: &[&'a [f32]]) -> [&'a [f32]; PER_STEP] {
    *params.last_chunk().expect("W_hh, W_ho and b_o")
}
