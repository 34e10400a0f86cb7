//! LSTMUnit: one time step of LSTM's cells. Caffe type `LSTMUnit`, no options. Never runs in place.
//!
//! Bottoms are c (1, streams, d), pre-activations of the gates (1, streams, 4 d) in the order i, f,
//! o, g, and cont (1, streams); tops are c' and h. With `i, f, o = sigmoid(..)` and `g = tanh(..)`:
//! `c' = cont f c + i g`, `h = o tanh(c')`.

use base::Shape;
use kernels::{Cpu, Unary, elementwise, math};

use crate::workspace::Workspace;
use crate::{
    Arity, Backward, BottomFill, Forward, GradientBottoms, GradientCase, Layer, LayerError,
    LayerKind, LayerSpec, LayerTraits,
};

/// This layer's row in the [layer table](super::LAYERS).
pub(super) const KIND: LayerKind = LayerKind {
    name: "LSTMUnit",
    formula: "c' = cont * f * c + i * g; h = o * tanh(c')",
    bottoms: Arity::exactly(3),
    tops: Arity::exactly(2),
    build,
    cases: &[GradientCase {
        options: "",
        bottoms: &[
            (&[1, 3, 2], BottomFill::Gaussian),
            (&[1, 3, 8], BottomFill::Gaussian),
            (&[1, 3], BottomFill::Binary),
        ],
        tops: 2,
    }],
    ..LayerKind::UNARY
};

fn build(_: &LayerSpec<'_>) -> Result<Box<dyn Layer>, LayerError> {
    let (cells, slab) = (LstmCells { streams: 0, d: 0 }, Workspace::default);
    let (gates, tanh, dc, dh, dgates) = (slab(), slab(), slab(), slab(), slab());
    Ok(Box::new(LstmUnitLayer { cells, gates, tanh, dc, dh, dgates }))
}

struct LstmUnitLayer {
    cells: LstmCells,
    /// The gates of the last forward, (streams, 4 d).
    gates: Workspace,
    /// `tanh(c')`, (streams, d).
    tanh: Workspace,
    /// Gradients of c and h, (streams, d), and of the gates, (streams, 4 d).
    dc: Workspace,
    dh: Workspace,
    dgates: Workspace,
}

impl Layer for LstmUnitLayer {
    fn reshape(&mut self, bottoms: &[Shape]) -> Result<Vec<Shape>, LayerError> {
        let wrong = |index: usize, want: String| {
            Err(LayerError::Bottom { index, got: bottoms[index].clone(), want })
        };
        let &[1, streams, d] = bottoms[0].dims() else {
            return wrong(0, "1 by streams by cells".into());
        };
        if d.checked_mul(4).is_none_or(|gates| bottoms[1].dims() != [1, streams, gates]) {
            return wrong(1, format!("1 by {streams} by 4 times {d}"));
        }
        if bottoms[2].dims() != [1, streams] {
            return wrong(2, format!("1 by {streams}"));
        }
        self.cells = LstmCells { streams, d };
        let Self { gates, tanh, dc, dh, dgates, .. } = self;
        [gates, dgates].into_iter().for_each(|slab| slab.declare(bottoms[1].count()));
        [tanh, dc, dh].into_iter().for_each(|slab| slab.declare(bottoms[0].count()));
        Ok(vec![bottoms[0].clone(); 2])
    }

    fn traits(&self) -> LayerTraits {
        GradientBottoms::AllBut(2).traits()
    }

    fn forward(&mut self, io: &mut Forward<'_>) -> Result<(), LayerError> {
        let [c_before, inputs, cont] = [0, 1, 2].map(|i| io.bottoms[i].data());
        let (gates, tanh) = (&mut self.gates[..inputs.len()], &mut self.tanh[..c_before.len()]);
        gates.copy_from_slice(inputs);
        self.cells.activate(io.cpu, cont, gates);
        let [c, h] = &mut io.tops[..] else { unreachable!("two tops") };
        self.cells.step(io.cpu, gates, c_before, c.data(), tanh, h.data());
        Ok(())
    }

    fn backward(&mut self, io: &mut Backward<'_>) -> Result<(), LayerError> {
        let c_before = io.bottoms[0].data;
        let (dc, dh) = (&mut self.dc[..c_before.len()], &mut self.dh[..c_before.len()]);
        for (diff, top) in [&mut *dc, &mut *dh].into_iter().zip(&io.tops) {
            match top.is_zero() {
                true => diff.fill(0.0),
                false => diff.copy_from_slice(top.diff()),
            }
        }
        let forward = LstmStep { gates: &self.gates, tanh: &self.tanh, c_before };
        let dgates = &mut self.dgates[..4 * c_before.len()];
        self.cells.backward(&forward, dh, dc, dgates);
        for (bottom, values) in io.bottoms.iter_mut().zip([&*dc, &*dgates]) {
            if let Some(diff) = bottom.diff.as_deref_mut() {
                diff.copy_from_slice(values);
            }
        }
        io.no_gradient(2);
        Ok(())
    }

    fn allocate(&mut self) {
        let Self { gates, tanh, dc, dh, dgates, .. } = self;
        [gates, tanh, dc, dh, dgates].into_iter().for_each(Workspace::allocate);
    }

    fn workspace_bytes(&self) -> usize {
        let Self { gates, tanh, dc, dh, dgates, .. } = self;
        [gates, tanh, dc, dh, dgates].map(Workspace::bytes).iter().sum()
    }
}

/// `d` cells in each of `streams` streams.
#[derive(Debug, Clone, Copy)]
pub(super) struct LstmCells {
    pub(super) streams: usize,
    pub(super) d: usize,
}

/// Values of a forward step that backward needs.
pub(super) struct LstmStep<'a> {
    /// (streams, 4 d), from [`LstmCells::activate`].
    pub(super) gates: &'a [f32],
    /// `tanh(c')`, (streams, d).
    pub(super) tanh: &'a [f32],
    /// (streams, d).
    pub(super) c_before: &'a [f32],
}

impl LstmCells {
    /// Applies sigmoid and tanh to the pre-activations; where a sequence begins, f becomes 0.
    ///
    /// * `cont`: (streams)
    /// * `gates`: (streams, 4 d)
    pub(super) fn activate(self, cpu: &Cpu, cont: &[f32], gates: &mut [f32]) {
        for (gates, &cont) in gates.chunks_exact_mut(4 * self.d).zip(cont) {
            let (sigmoids, g) = gates.split_at_mut(3 * self.d);
            math::sigmoid(cpu, Unary::InPlace(sigmoids));
            math::tanh(cpu, Unary::InPlace(g));
            let f = &mut sigmoids[self.d..2 * self.d];
            if cont == 0.0 {
                f.fill(0.0);
            } else {
                elementwise::scale(cpu, cont, Unary::InPlace(f));
            }
        }
    }

    /// `c = f c_before + i g`, `h = o tanh(c)`.
    ///
    /// * `gates`: (streams, 4 d), from [`LstmCells::activate`]
    /// * `c_before`, `c`, `tanh`, `h`: (streams, d)
    pub(super) fn step(
        self,
        cpu: &Cpu,
        gates: &[f32],
        c_before: &[f32],
        c: &mut [f32],
        tanh: &mut [f32],
        h: &mut [f32],
    ) {
        for ((gates, before), c) in
            self.rows(gates).zip(c_before.chunks_exact(self.d)).zip(c.chunks_exact_mut(self.d))
        {
            for (k, c) in c.iter_mut().enumerate() {
                *c = gates.f[k] * before[k] + gates.i[k] * gates.g[k];
            }
        }
        math::tanh(cpu, Unary::OutOfPlace { x: c, y: tanh });
        for ((gates, tanh), h) in
            self.rows(gates).zip(tanh.chunks_exact(self.d)).zip(h.chunks_exact_mut(self.d))
        {
            for ((h, o), tanh) in h.iter_mut().zip(gates.o).zip(tanh) {
                *h = o * tanh;
            }
        }
    }

    /// Gradients of [`LstmCells::step`] and [`LstmCells::activate`].
    ///
    /// * `dh`: (streams, d)
    /// * `dc`: (streams, d); of `c` before the call, of `c_before` after it
    /// * `dgates`: (streams, 4 d), of the pre-activations
    pub(super) fn backward(
        self,
        forward: &LstmStep<'_>,
        dh: &[f32],
        dc: &mut [f32],
        dgates: &mut [f32],
    ) {
        let d = self.d;
        for (n, (gates, dgates)) in self
            .rows(forward.gates)
            .zip(dgates.chunks_exact_mut(4 * d))
            .take(self.streams)
            .enumerate()
        {
            let GateRow { i, f, o, g } = gates;
            for k in 0..d {
                let (at, tanh) = (n * d + k, forward.tanh[n * d + k]);
                let dcell = dc[at] + dh[at] * o[k] * (1.0 - tanh * tanh);
                dc[at] = dcell * f[k];
                dgates[k] = dcell * g[k] * i[k] * (1.0 - i[k]);
                dgates[d + k] = dcell * forward.c_before[at] * f[k] * (1.0 - f[k]);
                dgates[2 * d + k] = dh[at] * tanh * o[k] * (1.0 - o[k]);
                dgates[3 * d + k] = dcell * i[k] * (1.0 - g[k] * g[k]);
            }
        }
    }

    /// The gates, stream by stream.
    fn rows(self, gates: &[f32]) -> impl Iterator<Item = GateRow<'_>> {
        let d = self.d;
        gates.chunks_exact(4 * d).map(move |row| GateRow {
            i: &row[..d],
            f: &row[d..2 * d],
            o: &row[2 * d..3 * d],
            g: &row[3 * d..],
        })
    }
}

/// One stream's gates, each (d).
struct GateRow<'a> {
    i: &'a [f32],
    f: &'a [f32],
    o: &'a [f32],
    g: &'a [f32],
}
