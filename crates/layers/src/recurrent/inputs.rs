//! The products of a recurrent layer that do not depend on the hidden state: all steps at once.

use kernels::channel::{self, ChannelDims};
use kernels::inner_product::{self, InnerProductShape as Product};
use kernels::{Cpu, Write, elementwise};

use super::RecurrentSizes;
use crate::Backward;

impl RecurrentSizes {
    /// `y = W_x x + b + W_static x_static`.
    ///
    /// * `x`: (steps, streams, inputs)
    /// * `static_input`: (streams, static inputs)
    /// * `scratch`: (streams, width) if there is a static input
    /// * `y`: (steps, streams, width)
    pub(super) fn apply_inputs(
        self,
        cpu: &Cpu,
        width: usize,
        (x, static_input): (&[f32], Option<&[f32]>),
        params: &[&[f32]],
        scratch: &mut [f32],
        y: &mut [f32],
    ) {
        let product = Product { n: self.rows(), d: self.inputs, k: width };
        inner_product::forward(cpu, product, x, params[0], Some(params[1]), y);
        if let (Some(static_input), Some(d)) = (static_input, self.static_inputs) {
            let once = &mut scratch[..self.streams * width];
            let product = Product { n: self.streams, d, k: width };
            inner_product::forward(cpu, product, static_input, params[2], None, once);
            y.chunks_exact_mut(once.len()).for_each(|y| elementwise::add(cpu, once, y));
        }
    }

    /// Gradients of [`RecurrentSizes::apply_inputs`]; the bottoms with `cont` and states get zeros.
    ///
    /// * `dy`: (steps, streams, width)
    /// * `scratch`: (streams, width) if there is a static input
    pub(super) fn backward_inputs(
        self,
        width: usize,
        dy: &[f32],
        scratch: &mut [f32],
        io: &mut Backward<'_>,
    ) {
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
        if let Some(d) = self.static_inputs {
            let sum = &mut scratch[..self.streams * width];
            let steps = ChannelDims { outer: self.steps, c: sum.len(), inner: 1 };
            channel::backward_bias(cpu, steps, dy, Write::Set, sum);
            let product = Product { n: self.streams, d, k: width };
            if let Some(g) = &mut io.gradients[2] {
                let x = io.bottoms[2].data;
                inner_product::backward_weights(cpu, product, x, sum, g.write, g.values);
            }
            if let Some(dx) = io.bottoms[2].diff.as_deref_mut() {
                inner_product::backward_data(cpu, product, sum, params[2], dx);
            }
            if let Some(cont) = io.bottoms[1].diff.as_deref_mut() {
                cont.fill(0.0);
            }
            first_without = 3;
        }
        io.no_gradient(first_without);
    }
}
