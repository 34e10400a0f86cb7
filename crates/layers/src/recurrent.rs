//! The layer behind LSTM and RNN: everything but what happens inside one time step.
//!
//! A batch holds `steps` time steps of `streams` independent sequences. `cont` is 0 where a
//! sequence begins, which resets the stream's state, and 1 elsewhere. Bottoms are x (steps,
//! streams, ..), cont (steps, streams), optionally a static input (streams, ..) that every step
//! sees, and with `expose_hidden` the state before the first step. Tops are the outputs (steps,
//! streams, outputs) and with `expose_hidden` the state after the last step.
//!
//! Step t computes its pre-activations `W_x x_t + b + W_static x_static + W_h (cont_t h_(t-1))`; a
//! [`RecurrentCell`] makes `h_t` of them. Params are W_x, b, W_static if there is a static input,
//! W_h, and whatever else the cell has.
//!
//! Without `expose_hidden` a batch begins with the state that the batch before it ended with, as in
//! Caffe. Also as in Caffe, no gradient passes through the state at the borders of a batch. The
//! state is in the layer, which lends it out as [`carried`](Layer::carried), so that replicas that
//! take turns on one worker each continue from their own.

mod cell;
mod inputs;
mod options;
mod state;

use base::Shape;
use kernels::inner_product::{self, InnerProductShape as Product};
use kernels::{MatrixView, StridedRowsMut, Unary, Write, gemm};

pub(crate) use cell::{RecurrentCell, StepInputs};
use options::RecurrentOptions;
pub(crate) use options::RecurrentSizes;
use state::RecurrentState;

use crate::workspace::Workspace;
use crate::{
    Backward, BottomFill, Forward, GradientBottoms, GradientCase, Layer, LayerError, LayerSpec,
    LayerTraits, ParamDecl,
};

/// Cases of the gradient checker: sequences that begin within a batch, with and without a static
/// input.
pub(crate) const CASES: &[GradientCase] = &[
    GradientCase {
        options: "recurrent_param { num_output: 2 }",
        bottoms: &[(&[4, 2, 3], BottomFill::Gaussian), (&[4, 2], BottomFill::Sequences(2))],
        tops: 1,
    },
    GradientCase {
        options: "recurrent_param { num_output: 3 }",
        bottoms: &[
            (&[3, 2, 1, 2], BottomFill::Gaussian),
            (&[3, 2], BottomFill::Sequences(2)),
            (&[2, 4], BottomFill::Gaussian),
        ],
        tops: 1,
    },
];

/// A layer that unrolls `C` over the steps of a batch.
pub(crate) struct RecurrentLayer<C> {
    options: RecurrentOptions,
    sizes: Option<RecurrentSizes>,
    decls: Vec<ParamDecl>,
    state: RecurrentState,
    cell: C,
    /// Activations, (steps, streams, GATES · outputs).
    gates: Workspace,
    /// Gradient of the pre-activations, as `gates`.
    dgates: Workspace,
    /// `cont h` that each step began with, (steps, streams, outputs).
    continued: Workspace,
    /// `h` of the present step in forward, its gradient in backward, (streams, outputs).
    hidden: Workspace,
    /// The static input's product in forward, its gradient in backward, (streams, GATES · outputs).
    static_product: Workspace,
}

impl<C: RecurrentCell> RecurrentLayer<C> {
    /// The `build` of a table row.
    pub(crate) fn build(spec: &LayerSpec<'_>) -> Result<Box<dyn Layer>, LayerError> {
        Ok(Box::new(Self {
            options: RecurrentOptions::lower(spec, C::STATES)?,
            sizes: None,
            decls: Vec::new(),
            state: RecurrentState::default(),
            cell: C::default(),
            gates: Workspace::default(),
            dgates: Workspace::default(),
            continued: Workspace::default(),
            hidden: Workspace::default(),
            static_product: Workspace::default(),
        }))
    }

    fn sizes(&self) -> RecurrentSizes {
        self.sizes.expect("reshape comes first")
    }

    /// Params that Caffe declares in every step: W_h, and W_o and b_o for outputs with a product.
    fn step_params(&self) -> &[ParamDecl] {
        self.sizes.map_or(&[], |sizes| &self.decls[sizes.input_params()..])
    }
}

impl<C: RecurrentCell> Layer for RecurrentLayer<C> {
    fn reshape(&mut self, bottoms: &[Shape]) -> Result<Vec<Shape>, LayerError> {
        let sizes = self.options.sizes(bottoms)?;
        let gates = Shape::new(&[C::GATES, sizes.steps, sizes.streams, sizes.outputs])?.count();
        let tops = self.options.top_shapes(sizes)?;
        let (d, width) = (sizes.outputs, C::GATES * sizes.outputs);
        self.decls = self.options.input_params(width, sizes)?;
        self.decls.push(self.options.weights(width, d)?);
        if C::OUTPUT_PRODUCT {
            self.decls.extend([self.options.weights(d, d)?, self.options.bias(d)?]);
        }
        self.cell.reshape(sizes);
        self.gates.declare(gates);
        self.dgates.declare(gates);
        self.continued.declare(gates / C::GATES);
        self.hidden.declare(sizes.state());
        if sizes.static_inputs.is_some() {
            self.static_product.declare(sizes.streams * width);
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
        let (params, steps) = (self.step_params(), self.sizes.map_or(1, |sizes| sizes.steps));
        params.iter().cycle().take(params.len() * (steps - 1)).cloned().collect()
    }

    fn traits(&self) -> LayerTraits {
        GradientBottoms::AllBut(1).traits()
    }

    fn forward(&mut self, io: &mut Forward<'_>) -> Result<(), LayerError> {
        let (cpu, sizes) = (io.cpu, self.sizes());
        let (n, d, len, width) =
            (sizes.streams, sizes.outputs, sizes.state(), C::GATES * sizes.outputs);
        let inputs = (io.bottoms[0].data(), self.options.static_input(&io.bottoms));
        let scratch = &mut self.static_product[..];
        let (cont, params) = (io.bottoms[1].data(), &io.params[sizes.input_params()..]);
        let gates = &mut self.gates[..sizes.rows() * width];
        sizes.apply_inputs(cpu, width, inputs, &io.params, scratch, gates);
        let h = &mut self.hidden[..len];
        h.copy_from_slice(self.state.before(&self.options, &io.bottoms, 0));
        if let Some(c) = self.cell.cell_state_before(sizes) {
            c.copy_from_slice(self.state.before(&self.options, &io.bottoms, 1));
        }
        let y = io.tops[0].data();
        for (step, gates) in gates.chunks_exact_mut(n * width).enumerate() {
            let at = StepInputs::new(sizes, step, cont);
            let continued = &mut self.continued[step * len..][..len];
            at.scale_by_cont(cpu, Unary::OutOfPlace { x: h, y: continued });
            let (a, b) = (MatrixView::new(continued, d), MatrixView::transposed(params[0], d));
            gemm(cpu, n, width, d, a, b, Write::Add, StridedRowsMut::dense(gates, width));
            self.cell.step(cpu, at, gates, h);
            y[step * len..][..len].copy_from_slice(h);
        }
        self.cell.outputs(cpu, sizes, params, gates, y);
        self.state.store(&self.options, &mut io.tops, 0, h);
        if let Some(c) = self.cell.cell_state_after(sizes) {
            self.state.store(&self.options, &mut io.tops, 1, c);
        }
        Ok(())
    }

    fn backward(&mut self, io: &mut Backward<'_>) -> Result<(), LayerError> {
        let (cpu, sizes) = (io.cpu, self.sizes());
        let (n, d, len, width) =
            (sizes.streams, sizes.outputs, sizes.state(), C::GATES * sizes.outputs);
        let (cont, own) = (io.bottoms[1].data, sizes.input_params());
        let gates = &self.gates[..sizes.rows() * width];
        let dgates = &mut self.dgates[..sizes.rows() * width];
        self.cell.backward_outputs(sizes, gates, dgates, io);
        let dh = &mut self.hidden[..len];
        dh.fill(0.0);
        for (step, dgates) in dgates.chunks_exact_mut(n * width).enumerate().rev() {
            let at = StepInputs::new(sizes, step, cont);
            let gates = &gates[step * n * width..][..n * width];
            let dy = &io.tops[0];
            let dy = (!dy.is_zero()).then(|| &dy.diff()[step * len..][..len]);
            self.cell.backward_step(cpu, at, gates, dy, dh, dgates);
            let product = Product { n, d, k: width };
            inner_product::backward_data(cpu, product, dgates, io.params[own], dh);
            at.scale_by_cont(cpu, Unary::InPlace(dh));
        }
        if let Some(g) = &mut io.gradients[own] {
            let (product, h) = (Product { n: sizes.rows(), d, k: width }, &self.continued);
            let h = &h[..sizes.steps * len];
            inner_product::backward_weights(cpu, product, h, dgates, g.write, g.values);
        }
        sizes.backward_inputs(width, dgates, &mut self.static_product, io);
        Ok(())
    }

    fn multiply_adds(&self) -> u64 {
        let Some(sizes) = self.sizes else { return 0 };
        let weights = self.decls.iter().enumerate().filter(|(_, decl)| decl.shape.axes() == 2);
        weights.fold(0, |sum: u64, (index, decl)| {
            let once = index == 2 && sizes.static_inputs.is_some();
            let times = if once { sizes.streams } else { sizes.rows() };
            sum.saturating_add((times as u64).saturating_mul(decl.shape.count() as u64))
        })
    }

    fn allocate(&mut self) {
        self.state.resize(&self.options, self.sizes());
        self.cell.allocate();
        self.gates.allocate();
        self.dgates.allocate();
        self.continued.allocate();
        self.hidden.allocate();
        self.static_product.allocate();
    }

    fn workspace_bytes(&self) -> usize {
        let Self { gates, dgates, continued, hidden, static_product, .. } = self;
        let own = [gates, dgates, continued, hidden, static_product].map(Workspace::bytes);
        own.iter().sum::<usize>() + self.cell.workspace_bytes()
    }
}

#[cfg(test)]
mod tests;
