//! One time step of a recurrent layer, as [`RecurrentLayer`](super::RecurrentLayer) sees it.

use kernels::channel::{self, ChannelDims};
use kernels::{Cpu, Unary};

use super::RecurrentSizes;
use crate::Backward;

/// What LSTM and RNN do differently: one time step, and how the outputs follow from `h`.
///
/// `len` is streams times outputs; every `gates` and `dgates` is `GATES` times as long.
pub(crate) trait RecurrentCell: Default + Send + 'static {
    /// Blobs of the state: `h`, and a cell state if there is one.
    const STATES: usize;
    /// Pre-activations per output.
    const GATES: usize;
    /// Whether outputs are `tanh(W_o h + b_o)`, with params of their own, rather than `h`.
    const OUTPUT_PRODUCT: bool;

    /// Sizes the workspaces.
    fn reshape(&mut self, sizes: RecurrentSizes);

    /// Where the cell state before the first step belongs, if there is one.
    fn cell_state_before(&mut self, _: RecurrentSizes) -> Option<&mut [f32]> {
        None
    }

    /// The cell state after the last step.
    fn cell_state_after(&self, _: RecurrentSizes) -> Option<&[f32]> {
        None
    }

    /// Replaces the pre-activations of one step by activations, and `h` by the step's.
    fn step(&mut self, cpu: &Cpu, at: StepInputs<'_>, gates: &mut [f32], h: &mut [f32]);

    /// Replaces `h` of all steps in `y` by the outputs.
    ///
    /// * `gates`: activations of all steps
    /// * `params`: the cell's own, W_h first
    fn outputs(&mut self, _: &Cpu, _: RecurrentSizes, _: &[&[f32]], _: &[f32], _: &mut [f32]) {}

    /// Begins a backward pass: gradients of [`RecurrentCell::outputs`], with those of its params.
    fn backward_outputs(
        &mut self,
        sizes: RecurrentSizes,
        gates: &[f32],
        dgates: &mut [f32],
        io: &mut Backward<'_>,
    );

    /// Gradient of [`RecurrentCell::step`].
    ///
    /// * `dy`: gradient of the step's outputs; `None` when all zeros
    /// * `dh`: gradient that comes back from the step after
    /// * `dgates`: what `backward_outputs` wrote before, gradient of the pre-activations after
    fn backward_step(
        &mut self,
        cpu: &Cpu,
        at: StepInputs<'_>,
        gates: &[f32],
        dy: Option<&[f32]>,
        dh: &mut [f32],
        dgates: &mut [f32],
    );

    /// Allocates the workspaces.
    fn allocate(&mut self);

    /// Bytes of the workspaces.
    fn workspace_bytes(&self) -> usize;
}

/// Which step, and where its sequences begin.
#[derive(Clone, Copy)]
pub(crate) struct StepInputs<'a> {
    pub(crate) sizes: RecurrentSizes,
    pub(crate) step: usize,
    /// (streams)
    pub(crate) cont: &'a [f32],
}

impl<'a> StepInputs<'a> {
    pub(super) fn new(sizes: RecurrentSizes, step: usize, cont: &'a [f32]) -> Self {
        Self { sizes, step, cont: &cont[step * sizes.streams..][..sizes.streams] }
    }

    /// `y = cont * h`, stream by stream.
    pub(super) fn scale_by_cont(self, cpu: &Cpu, values: Unary<'_>) {
        let by_stream = ChannelDims { outer: 1, c: self.sizes.streams, inner: self.sizes.outputs };
        channel::scale(cpu, by_stream, self.cont, None, values);
    }
}
