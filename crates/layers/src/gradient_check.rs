//! Compares `backward` with central differences, for any row of the layer table.
//!
//! The objective is a fixed random weighting of all tops (a loss weight for losses), so one backward
//! gives every derivative at once. Outputs are f32, the objective f64; with a step of 1e-2 that
//! leaves errors near 1e-4 for smooth functions. Kinks are avoided by the case's [`Fill`]. The random
//! stream is reset before every forward, so that dropout drops the same values. A layer that may run
//! in place also runs in place and must give the same numbers.

use base::random::Mt19937;
use base::{Phase, Shape};
use caffe_format::LayerParameter;
use kernels::{Cpu, Simd, Write};
use tensor::{Layout, Slab};

use crate::testing::{bottom_memory, top_gradient};
use crate::{
    Backward, Bottom, BottomDiff, Case, Fill, Forward, Gradient, InPlace, InlineVec, Layer,
    LayerKind, LayoutRule, ParamKind, Spec, Top, TopDiff,
};

const STEP: f32 = 1e-2;
/// Relative to the larger of the two derivatives, or to 1.
const TOLERANCE: f64 = 2e-3;
const SEED: u32 = 1701;

/// Checks one case of one kind, in every layout it takes.
#[track_caller]
pub(crate) fn check(kind: &LayerKind, case: &Case) {
    let rig = GradientRig::new(kind, case, false);
    let layouts: &[Layout] = match rig.layer.layouts() {
        LayoutRule::RowMajor => &[Layout::RowMajor],
        LayoutRule::ChannelsLast => &[Layout::ChannelsLast],
        LayoutRule::Same => &[Layout::RowMajor, Layout::ChannelsLast],
    };
    for &layout in layouts {
        let mut rig = GradientRig::new(kind, case, false);
        rig.layout = layout;
        rig.compare_with_differences();
        if kind.in_place == InPlace::First {
            let mut in_place = GradientRig::new(kind, case, true);
            in_place.layout = layout;
            rig.compare_with(&mut in_place);
        }
    }
}

/// A layer with the memory it runs on.
struct GradientRig {
    label: String,
    cpu: Cpu,
    layer: Box<dyn Layer>,
    layout: Layout,
    in_place: bool,
    bottoms: Vec<(Shape, Vec<f32>, bool)>,
    top_shapes: Vec<Shape>,
    params: Vec<(Vec<f32>, ParamKind)>,
    /// Weight of every top value in the objective.
    weights: Vec<Vec<f32>>,
}

/// Results of one forward and backward.
struct GradientOutcome {
    tops: Vec<Slab>,
    bottom_diffs: Vec<Option<Vec<f32>>>,
    param_diffs: Vec<Option<Vec<f32>>>,
}

impl GradientRig {
    fn new(kind: &LayerKind, case: &Case, in_place: bool) -> Self {
        let label = format!("{} {{ {} }}", kind.name, case.options);
        let text = format!("name: \"l\" type: \"{}\" {}", kind.name, case.options);
        let written: LayerParameter =
            caffe_format::text::read("case", &text).unwrap_or_else(|e| panic!("{label}: {e}"));
        let spec = Spec {
            layer: &written,
            phase: Phase::Train,
            in_place,
            bottoms: case.bottoms.len(),
            tops: case.tops,
            source_shapes: &[],
        };
        let mut layer = (kind.build)(&spec).unwrap_or_else(|e| panic!("{label}: {e}"));
        let mut rng = Mt19937::new(SEED);
        let bottoms: Vec<_> = case
            .bottoms
            .iter()
            .map(|&(dims, fill)| {
                let shape = Shape::new(dims).unwrap();
                let values = fill.draw(shape.count(), &mut rng);
                (shape, values, fill.has_gradient())
            })
            .collect();
        let shapes: Vec<_> = bottoms.iter().map(|(shape, ..)| shape.clone()).collect();
        let top_shapes = layer.reshape(&shapes).unwrap_or_else(|e| panic!("{label}: {e}"));
        let params = layer
            .params()
            .iter()
            .map(|decl| {
                let mut values = vec![0.0; decl.shape.count()];
                match decl.kind {
                    ParamKind::Learned => rng.fill_gaussian(0.0, 0.5, &mut values),
                    ParamKind::Running => {
                        crate::fill(&decl.filler, &decl.shape, &mut rng, &mut values).unwrap();
                    }
                }
                (values, decl.kind)
            })
            .collect();
        let weights = top_shapes
            .iter()
            .map(|shape| match kind.loss {
                true => vec![0.7; shape.count()],
                false => Fill::Uniform(0.5, 1.5).draw(shape.count(), &mut rng),
            })
            .collect();
        let cpu = Cpu::new(1, Simd::detect());
        let layout = Layout::RowMajor;
        Self { label, cpu, layer, layout, in_place, bottoms, top_shapes, params, weights }
    }

    fn forward(&mut self) -> Vec<Slab> {
        let mut tops: Vec<Slab> =
            self.top_shapes.iter().map(|shape| Slab::zeros(shape.count())).collect();
        if self.in_place {
            tops[0].copy_from_slice(&self.bottoms[0].1);
        }
        let (layout, in_place) = (self.layout, self.in_place);
        let mut shapes = self.top_shapes.clone();
        let mut running: Vec<Vec<f32>> = self.params.iter().map(|(v, _)| v.clone()).collect();
        let mut io = Forward {
            cpu: &self.cpu,
            bottoms: (self.bottoms.iter().enumerate())
                .map(|(i, (shape, data, _))| Bottom {
                    shape,
                    layout,
                    memory: bottom_memory(in_place && i == 0, data),
                })
                .collect(),
            tops: (tops.iter_mut().zip(&mut shapes))
                .map(|(slab, shape)| Top { shape, layout, slab, placement: None })
                .collect(),
            params: learned(&self.params),
            running: (running.iter_mut().zip(&self.params))
                .filter(|(_, (_, kind))| *kind == ParamKind::Running)
                .map(|(values, _)| &mut values[..])
                .collect(),
            rng: &mut Mt19937::new(SEED),
            source: None,
        };
        self.layer.forward(&mut io).unwrap_or_else(|e| panic!("{}: {e}", self.label));
        drop(io);
        tops
    }

    /// Forward, then backward with the objective's weights as the tops' diffs.
    fn run(&mut self) -> GradientOutcome {
        let tops = self.forward();
        let (layout, in_place) = (self.layout, self.in_place);
        let mut diffs: Vec<Option<Vec<f32>>> = (self.bottoms.iter().enumerate())
            .map(|(i, (_, data, wanted))| {
                let poison = if in_place && i == 0 {
                    self.weights[0].clone()
                } else {
                    vec![7e7; data.len()]
                };
                wanted.then_some(poison)
            })
            .collect();
        let mut gradients: Vec<Option<Vec<f32>>> = (self.params.iter())
            .map(|(v, kind)| (*kind == ParamKind::Learned).then(|| vec![1.0; v.len()]))
            .collect();
        let mut io = Backward {
            cpu: &self.cpu,
            tops: (self.top_shapes.iter().zip(&tops).zip(&self.weights).enumerate())
                .map(|(i, ((shape, data), diff))| TopDiff {
                    shape,
                    layout,
                    data,
                    gradient: top_gradient(in_place && i == 0, diff),
                    live: true,
                    placement: None,
                })
                .collect(),
            bottoms: (self.bottoms.iter().zip(&mut diffs).enumerate())
                .map(|(i, ((shape, data, _), diff))| BottomDiff {
                    shape,
                    layout,
                    data: if in_place && i == 0 { &tops[0] } else { data },
                    diff: diff.as_deref_mut(),
                    relu: None,
                })
                .collect(),
            params: learned(&self.params),
            gradients: (gradients.iter_mut().zip(&self.params))
                .filter(|(_, (_, kind))| *kind == ParamKind::Learned)
                .map(|(g, _)| g.as_deref_mut().map(|values| Gradient { values, write: Write::Add }))
                .collect(),
            unmasked: None,
        };
        self.layer.backward(&mut io).unwrap_or_else(|e| panic!("{}: {e}", self.label));
        // Gradients began at 1 to check that `Write::Add` adds.
        drop(io);
        for value in gradients.iter_mut().flatten().flatten() {
            *value -= 1.0;
        }
        GradientOutcome { tops, bottom_diffs: diffs, param_diffs: gradients }
    }

    fn objective(&mut self) -> f64 {
        let tops = self.forward();
        (tops.iter().zip(&self.weights))
            .flat_map(|(y, w)| y.iter().zip(w))
            .map(|(&y, &w)| f64::from(y) * f64::from(w))
            .sum()
    }

    /// Derivative of the objective with respect to the value that `at` picks.
    fn difference(&mut self, at: impl Fn(&mut Self) -> &mut f32) -> f64 {
        let value = *at(self);
        *at(self) = value + STEP;
        let above = self.objective();
        *at(self) = value - STEP;
        let below = self.objective();
        *at(self) = value;
        (above - below) / (2.0 * f64::from(STEP))
    }

    #[track_caller]
    fn compare_with_differences(&mut self) {
        let outcome = self.run();
        for (b, diff) in outcome.bottom_diffs.iter().enumerate() {
            for (i, &got) in diff.iter().flatten().enumerate() {
                let want = self.difference(|rig| &mut rig.bottoms[b].1[i]);
                self.compare(&format!("bottom {b} value {i}"), f64::from(got), want);
            }
        }
        for (p, diff) in outcome.param_diffs.iter().enumerate() {
            for (i, &got) in diff.iter().flatten().enumerate() {
                let want = self.difference(|rig| &mut rig.params[p].0[i]);
                self.compare(&format!("param {p} value {i}"), f64::from(got), want);
            }
        }
    }

    #[track_caller]
    fn compare_with(&mut self, in_place: &mut Self) {
        let (apart, in_place) = (self.run(), in_place.run());
        let pairs = apart.tops[0].iter().zip(in_place.tops[0].iter());
        for (i, (a, b)) in pairs.enumerate() {
            self.compare(&format!("in-place top value {i}"), f64::from(*b), f64::from(*a));
        }
        let diffs = |outcome: &GradientOutcome| {
            let params = outcome.param_diffs.iter().flatten();
            outcome.bottom_diffs.iter().flatten().chain(params).cloned().collect::<Vec<_>>()
        };
        for (i, (a, b)) in diffs(&apart).iter().zip(diffs(&in_place)).enumerate() {
            for (at, (a, b)) in a.iter().zip(b).enumerate() {
                let what = format!("in place, value {at} of diff {i} (bottoms, then params)");
                self.compare(&what, f64::from(b), f64::from(*a));
            }
        }
    }

    #[track_caller]
    fn compare(&self, what: &str, got: f64, want: f64) {
        let scale = got.abs().max(want.abs()).max(1.0);
        assert!(
            (got - want).abs() <= TOLERANCE * scale,
            "{} ({:?}), {what}: backward says {got}, differences say {want}",
            self.label,
            self.layout,
        );
    }
}

/// Values of the learned params.
fn learned(params: &[(Vec<f32>, ParamKind)]) -> InlineVec<&[f32]> {
    let learned = params.iter().filter(|(_, kind)| *kind == ParamKind::Learned);
    learned.map(|(values, _)| &values[..]).collect()
}

impl Fill {
    fn has_gradient(self) -> bool {
        !matches!(self, Self::Labels(_) | Self::Binary | Self::Sequences(_))
    }

    fn draw(self, count: usize, rng: &mut Mt19937) -> Vec<f32> {
        let mut values = vec![0.0; count];
        match self {
            Self::Gaussian => rng.fill_gaussian(0.0, 1.0, &mut values),
            Self::Away(kink) => {
                rng.fill_gaussian(0.0, 1.0, &mut values);
                for value in &mut values {
                    *value += kink + 0.1_f32.copysign(*value);
                }
            }
            Self::Uniform(min, max) => rng.fill_uniform(min, max, &mut values),
            Self::Labels(classes) => {
                values.iter_mut().for_each(|v| *v = (rng.next_u32() as usize % classes) as f32);
            }
            Self::Binary => values.iter_mut().for_each(|v| *v = (rng.next_u32() & 1) as f32),
            Self::Sequences(streams) => {
                values[streams..].iter_mut().for_each(|v| *v = (rng.next_u32() & 1) as f32);
            }
            Self::Spread => {
                let mut order: Vec<usize> = (0..count).collect();
                rng.shuffle(&mut order);
                for (value, place) in values.iter_mut().zip(order) {
                    *value = (place as f32 - count as f32 / 2.0) * 0.05;
                }
            }
        }
        values
    }
}
