//! LSTM, long short-term memory (Hochreiter and Schmidhuber 1997), unrolled over the steps of a
//! batch. Caffe type `LSTM`, `recurrent_param`: `num_output`, `weight_filler`, `bias_filler`,
//! `expose_hidden`. `debug_info` is accepted and ignored. Never runs in place.
//!
//! Pre-activations of a step are `W_xc x + b_c + W_static x_static + W_hc (cont h)`; gates and
//! cells follow from them as in [`lstm_unit`](super::lstm_unit), and the output is `h`. Params:
//! W_xc, b_c, W_static if there is a static input, W_hc. Bottoms, tops and the state between
//! batches: [`crate::recurrent`].

use kernels::{Cpu, elementwise};

use super::lstm_unit::{LstmCells, LstmStep};
use crate::recurrent::{CASES, RecurrentCell, RecurrentLayer, RecurrentSizes, StepInputs};
use crate::workspace::Workspace;
use crate::{Arity, Backward, LayerKind};

/// This layer's row in the [layer table](super::LAYERS).
pub(super) const KIND: LayerKind = LayerKind {
    name: "LSTM",
    options: "recurrent_param",
    formula: "c_t = f * c_(t-1) + i * g; h_t = o * tanh(c_t)",
    bottoms: Arity { min: 2, max: 5 },
    tops: Arity { min: 1, max: 3 },
    build: RecurrentLayer::<LstmCell>::build,
    cases: CASES,
    ..LayerKind::UNARY
};

#[derive(Default)]
struct LstmCell {
    /// c before the first step and after each, (1 + steps, streams, outputs).
    cells: Workspace,
    /// `tanh(c)` after each step, (steps, streams, outputs).
    tanh: Workspace,
    /// Gradient of c that comes back from the step after, (streams, outputs).
    dc: Workspace,
}

impl RecurrentCell for LstmCell {
    const STATES: usize = 2;
    const GATES: usize = 4;
    const OUTPUT_PRODUCT: bool = false;

    fn reshape(&mut self, sizes: RecurrentSizes) {
        self.cells.declare((1 + sizes.steps) * sizes.state());
        self.tanh.declare(sizes.steps * sizes.state());
        self.dc.declare(sizes.state());
    }

    fn cell_state_before(&mut self, sizes: RecurrentSizes) -> Option<&mut [f32]> {
        Some(&mut self.cells[..sizes.state()])
    }

    fn cell_state_after(&self, sizes: RecurrentSizes) -> Option<&[f32]> {
        Some(&self.cells[sizes.steps * sizes.state()..][..sizes.state()])
    }

    fn step(&mut self, cpu: &Cpu, at: StepInputs<'_>, gates: &mut [f32], h: &mut [f32]) {
        let (step, len, unit) = (at.step, at.sizes.state(), cells(at.sizes));
        unit.activate(cpu, at.cont, gates);
        let (before, after) = self.cells.split_at_mut((step + 1) * len);
        let (before, after) = (&before[step * len..], &mut after[..len]);
        unit.step(cpu, gates, before, after, &mut self.tanh[step * len..][..len], h);
    }

    fn backward_outputs(
        &mut self,
        _: RecurrentSizes,
        _: &[f32],
        _: &mut [f32],
        _: &mut Backward<'_>,
    ) {
        self.dc.fill(0.0);
    }

    fn backward_step(
        &mut self,
        cpu: &Cpu,
        at: StepInputs<'_>,
        gates: &[f32],
        dy: Option<&[f32]>,
        dh: &mut [f32],
        dgates: &mut [f32],
    ) {
        if let Some(dy) = dy {
            elementwise::add(cpu, dy, dh);
        }
        let start = at.step * at.sizes.state();
        let forward = LstmStep {
            gates,
            tanh: &self.tanh[start..][..at.sizes.state()],
            c_before: &self.cells[start..][..at.sizes.state()],
        };
        cells(at.sizes).backward(&forward, dh, &mut self.dc, dgates);
    }

    fn allocate(&mut self) {
        self.cells.allocate();
        self.tanh.allocate();
        self.dc.allocate();
    }

    fn workspace_bytes(&self) -> usize {
        [&self.cells, &self.tanh, &self.dc].map(Workspace::bytes).iter().sum()
    }
}

fn cells(sizes: RecurrentSizes) -> LstmCells {
    LstmCells { streams: sizes.streams, d: sizes.outputs }
}
