//! RNN: a recurrent layer with one hidden layer, unrolled over the steps of a batch. Caffe type
//! `RNN`, `recurrent_param`: `num_output`, `weight_filler`, `bias_filler`, `expose_hidden`.
//! `debug_info` is accepted and ignored. Never runs in place.
//!
//! `h = tanh(W_xh x + b_h + W_static x_static + W_hh (cont h))`, `y = tanh(W_ho h + b_o)`. Params:
//! W_xh, b_h, W_static if there is a static input, W_hh, W_ho, b_o. Bottoms, tops and the state
//! between batches: [`crate::recurrent`].

use kernels::inner_product::{self, InnerProductShape as Product};
use kernels::{Cpu, Unary, elementwise, math};

use crate::recurrent::{CASES, RecurrentCell, RecurrentLayer, RecurrentSizes, StepInputs};
use crate::workspace::Workspace;
use crate::{Arity, Backward, LayerKind};

/// This layer's row in the [layer table](super::LAYERS).
pub(super) const KIND: LayerKind = LayerKind {
    name: "RNN",
    options: "recurrent_param",
    formula: "h_t = tanh(W x_t + V h_(t-1) + b); y_t = tanh(U h_t + c)",
    bottoms: Arity { min: 2, max: 4 },
    tops: Arity { min: 1, max: 2 },
    build: RecurrentLayer::<RnnCell>::build,
    cases: CASES,
    ..LayerKind::UNARY
};

/// The one activation of a step is `h` itself.
#[derive(Default)]
struct RnnCell {
    /// The outputs, before layers above change the top in place, (steps, streams, outputs).
    outputs: Workspace,
    /// Gradient of what goes into the outputs' tanh, as `outputs`.
    doutputs: Workspace,
}

impl RecurrentCell for RnnCell {
    const STATES: usize = 1;
    const GATES: usize = 1;
    const OUTPUT_PRODUCT: bool = true;

    fn reshape(&mut self, sizes: RecurrentSizes) {
        self.outputs.declare(sizes.steps * sizes.state());
        self.doutputs.declare(sizes.steps * sizes.state());
    }

    fn step(&mut self, cpu: &Cpu, _: StepInputs<'_>, hidden: &mut [f32], h: &mut [f32]) {
        math::tanh(cpu, Unary::InPlace(hidden));
        h.copy_from_slice(hidden);
    }

    fn outputs(
        &mut self,
        cpu: &Cpu,
        sizes: RecurrentSizes,
        params: &[&[f32]],
        hidden: &[f32],
        y: &mut [f32],
    ) {
        inner_product::forward(cpu, product(sizes), hidden, params[1], Some(params[2]), y);
        math::tanh(cpu, Unary::InPlace(y));
        self.outputs[..y.len()].copy_from_slice(y);
    }

    fn backward_outputs(
        &mut self,
        sizes: RecurrentSizes,
        hidden: &[f32],
        dhidden: &mut [f32],
        io: &mut Backward<'_>,
    ) {
        let (cpu, dy, product) = (io.cpu, &io.tops[0], product(sizes));
        let doutputs = &mut self.doutputs[..hidden.len()];
        match dy.is_zero() {
            true => doutputs.fill(0.0),
            false => doutputs.copy_from_slice(dy.diff()),
        }
        math::tanh_backward(cpu, &self.outputs[..hidden.len()], Unary::InPlace(doutputs));
        let [.., out, _] = io.params[..] else { unreachable!("W_ho and b_o are the last params") };
        inner_product::backward_data(cpu, product, doutputs, out, dhidden);
        let [.., dout, dbias] = &mut io.gradients[..] else { unreachable!("one per param") };
        if let Some(g) = dout {
            inner_product::backward_weights(cpu, product, hidden, doutputs, g.write, g.values);
        }
        if let Some(g) = dbias {
            inner_product::backward_bias(cpu, product, doutputs, g.write, g.values);
        }
    }

    fn backward_step(
        &mut self,
        cpu: &Cpu,
        _: StepInputs<'_>,
        hidden: &[f32],
        _: Option<&[f32]>,
        dh: &mut [f32],
        dhidden: &mut [f32],
    ) {
        elementwise::add(cpu, dh, dhidden);
        math::tanh_backward(cpu, hidden, Unary::InPlace(dhidden));
    }

    fn allocate(&mut self) {
        self.outputs.allocate();
        self.doutputs.allocate();
    }

    fn workspace_bytes(&self) -> usize {
        self.outputs.bytes() + self.doutputs.bytes()
    }
}

/// The product with W_ho, all steps at once.
fn product(sizes: RecurrentSizes) -> Product {
    Product { n: sizes.rows(), d: sizes.outputs, k: sizes.outputs }
}
