//! LSTM, long short-term memory (Hochreiter and Schmidhuber 1997), unrolled over the steps of a
//! batch. Caffe type `LSTM`, `recurrent_param`: `num_output`, `weight_filler`, `bias_filler`,
//! `expose_hidden`. `debug_info` is accepted. Bottoms, tops and the state between batches:
//! [`crate::recurrent`].
//!
//! Gate inputs of a step are `W_xc x + b_c + W_hc (cont h)`, plus `W_static x_static` if there is
//! one; gates and cells as [`lstm_unit`](super::lstm_unit) has them. Params: W_xc, b_c, W_static
//! if any, W_hc.

use base::Shape;
use kernels::inner_product::{self, InnerProduct as Product};
use kernels::{Mat, RowsMut, Unary, Write, elementwise, gemm};
use tensor::Slab;

use super::lstm_unit::{Kept, Unit};
use crate::recurrent::{CASES, Options, Sizes, State};
use crate::{Arity, Backward, Forward, Layer, LayerError, LayerKind, ParamDecl, Spec};

/// This layer's row in the [layer table](super::LAYERS).
pub(super) const KIND: LayerKind = LayerKind {
    name: "LSTM",
    options: "recurrent_param",
    formula: "c_t = f * c_(t-1) + i * g; h_t = o * tanh(c_t)",
    bottoms: Arity { min: 2, max: 5 },
    tops: Arity { min: 1, max: 3 },
    build,
    cases: CASES,
    ..LayerKind::UNARY
};

fn build(spec: &Spec<'_>) -> Result<Box<dyn Layer>, LayerError> {
    Ok(Box::new(Lstm {
        options: Options::lower(spec, 2)?,
        sizes: None,
        decls: Vec::new(),
        state: State::default(),
        gates: Slab::default(),
        continued: Slab::default(),
        cells: Slab::default(),
        tanh: Slab::default(),
        dgates: Slab::default(),
    }))
}

struct Lstm {
    options: Options,
    sizes: Option<Sizes>,
    decls: Vec<ParamDecl>,
    state: State,
    /// (steps, streams, 4 outputs).
    gates: Slab,
    /// `cont h` that each step began with, (steps, streams, outputs).
    continued: Slab,
    /// c before the first step and after each.
    cells: Slab,
    /// `tanh(c)` after each step.
    tanh: Slab,
    /// Gradient of the gate inputs.
    dgates: Slab,
}

impl Layer for Lstm {
    fn reshape(&mut self, bottoms: &[Shape]) -> Result<Vec<Shape>, LayerError> {
        let sizes = self.options.over(bottoms)?;
        let gates = Shape::new(&[4, sizes.steps, sizes.streams, sizes.outputs])?.count();
        let tops = self.options.top_shapes(sizes)?;
        self.state.resize(&self.options, sizes);
        let width = 4 * sizes.outputs;
        self.decls = vec![self.options.weights(width, sizes.inputs)?, self.options.bias(width)?];
        if let Some(fixed) = sizes.fixed {
            self.decls.push(self.options.weights(width, fixed)?);
        }
        self.decls.push(self.options.weights(width, sizes.outputs)?);
        self.gates.grow(gates);
        self.dgates.grow(gates);
        self.continued.grow(gates / 4);
        self.tanh.grow(gates / 4);
        self.cells.grow(gates / 4 + sizes.state());
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
        let recurrent = self.decls.last().into_iter();
        recurrent.cycle().take(steps - 1).cloned().collect()
    }

    fn forward(&mut self, io: &mut Forward<'_>) -> Result<(), LayerError> {
        let (cpu, sizes) = (io.cpu, self.sizes());
        let (unit, n, d, len) = (sizes.unit(), sizes.streams, sizes.outputs, sizes.state());
        let inputs = (io.bottoms[0].data, self.options.fixed(&io.bottoms));
        let (cont, recurrent) = (io.bottoms[1].data, *io.params.last().expect("W_hc"));
        let gates = &mut self.gates[..4 * sizes.rows() * d];
        sizes.apply_inputs(cpu, 4 * d, inputs, &io.params, gates);
        let mut h = self.state.first(&self.options, &io.bottoms, 0).to_vec();
        let first = self.state.first(&self.options, &io.bottoms, 1);
        self.cells[..len].copy_from_slice(first);
        let y = io.tops[0].data();
        for (step, gates) in gates.chunks_exact_mut(4 * len).enumerate() {
            let cont = sizes.at(cont, step);
            let continued = &mut self.continued[step * len..][..len];
            sizes.continued(cpu, cont, Unary::Apart { x: &h, y: continued });
            let (a, b) = (Mat::new(continued, d), Mat::transposed(recurrent, d));
            gemm(cpu, n, 4 * d, d, a, b, Write::Add, RowsMut::dense(gates, 4 * d));
            unit.open(cpu, cont, gates);
            let (before, after) = self.cells.split_at_mut((step + 1) * len);
            let (before, after) = (&before[step * len..], &mut after[..len]);
            let tanh = &mut self.tanh[step * len..][..len];
            unit.step(cpu, gates, before, after, tanh, &mut h);
            y[step * len..][..len].copy_from_slice(&h);
        }
        self.state.last(&self.options, &mut io.tops, 0, &h);
        let last = &self.cells[sizes.steps * len..][..len];
        self.state.last(&self.options, &mut io.tops, 1, last);
        Ok(())
    }

    fn backward(&mut self, io: &mut Backward<'_>) -> Result<(), LayerError> {
        let (cpu, sizes, dy) = (io.cpu, self.sizes(), io.tops[0]);
        let (unit, d, len) = (sizes.unit(), sizes.outputs, sizes.state());
        let (cont, recurrent) = (io.bottoms[1].data, *io.params.last().expect("W_hc"));
        let dgates = &mut self.dgates[..4 * sizes.steps * len];
        let (mut dh, mut dc) = (vec![0.0; len], vec![0.0; len]);
        let step_product = Product { n: sizes.streams, d, k: 4 * d };
        for (step, dgates) in dgates.chunks_exact_mut(4 * len).enumerate().rev() {
            if dy.live {
                elementwise::add(cpu, &dy.diff[step * len..][..len], &mut dh);
            }
            let kept = Kept {
                gates: &self.gates[4 * step * len..][..4 * len],
                tanh: &self.tanh[step * len..][..len],
                c_before: &self.cells[step * len..][..len],
            };
            unit.backward(&kept, &dh, &mut dc, dgates);
            inner_product::backward_data(cpu, step_product, dgates, recurrent, &mut dh);
            sizes.continued(cpu, sizes.at(cont, step), Unary::InPlace(&mut dh));
        }
        if let Some(Some(g)) = io.gradients.last_mut() {
            let product = Product { n: sizes.rows(), ..step_product };
            let h = &self.continued[..sizes.steps * len];
            inner_product::backward_weights(cpu, product, h, dgates, g.write, g.values);
        }
        sizes.backward_inputs(4 * d, dgates, io);
        Ok(())
    }

    fn backward_to(&self, index: usize) -> bool {
        index != 1
    }

    fn multiply_adds(&self) -> u64 {
        self.sizes.map_or(0, |sizes| sizes.multiply_adds(4, 1))
    }

    fn workspace_bytes(&self) -> usize {
        [&self.gates, &self.continued, &self.cells, &self.tanh, &self.dgates]
            .map(|slab| size_of_val(&slab[..]))
            .iter()
            .sum()
    }
}

impl Lstm {
    fn sizes(&self) -> Sizes {
        self.sizes.expect("reshape comes first")
    }
}

impl Sizes {
    fn unit(&self) -> Unit {
        Unit { streams: self.streams, d: self.outputs }
    }
}
