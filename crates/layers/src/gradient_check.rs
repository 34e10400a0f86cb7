//! Compares `backward` with central differences, for any row of the layer table.
//!
//! The objective is a fixed random weighting of all tops (a loss weight for losses), so one
//! backward gives every derivative at once. Outputs are f32, the objective f64; with a step of 1e-2
//! that leaves errors near 1e-4 for smooth functions. The case's [`BottomFill`] avoids kinks. The
//! random stream is reset before every forward, so that dropout drops the same values. A layer that
//! may run in place also runs in place and must give the same numbers.

use base::Shape;
use base::random::Mt19937;
use caffe_format::{LayerParameter, Phase};
use kernels::Write;
use tensor::Layout;

use crate::testing::{LayerMemory, layouts};
use crate::{BottomFill, GradientCase, InPlace, Layer, LayerKind, LayerSpec, ParamKind};

const STEP: f32 = 1e-2;
/// Relative to the larger of the two derivatives, or to 1.
const TOLERANCE: f64 = 2e-3;
const SEED: u32 = 1701;

/// Checks one case of one kind, in every layout it takes.
#[track_caller]
pub(crate) fn check(kind: &LayerKind, case: &GradientCase) {
    let rule = GradientRig::new(kind, case, Layout::RowMajor, false).layer.layouts();
    for &layout in layouts(rule) {
        let mut rig = GradientRig::new(kind, case, layout, false);
        rig.compare_with_differences();
        if kind.in_place == InPlace::First {
            rig.compare_with(&mut GradientRig::new(kind, case, layout, true));
        }
    }
}

/// Whether a forward in phase TRAIN draws from the random stream. Panics if the layer does so
/// without [saying it](crate::LayerTraits::draws).
#[track_caller]
pub(crate) fn check_draws(kind: &LayerKind, case: &GradientCase) -> bool {
    let rule = GradientRig::new(kind, case, Layout::RowMajor, false).layer.layouts();
    let mut rig = GradientRig::new(kind, case, layouts(rule)[0], false);
    let mut rng = Mt19937::new(SEED);
    rig.memory.forward(&mut *rig.layer, &mut rng, None).unwrap();
    let draws = rng != Mt19937::new(SEED);
    assert!(!draws || rig.layer.traits().draws, "{} draws and does not say so", rig.label);
    draws
}

/// A layer, the memory it runs on and the objective.
struct GradientRig {
    label: String,
    layer: Box<dyn Layer>,
    memory: LayerMemory,
    /// Whether each bottom has a gradient.
    wanted: Vec<bool>,
    /// Weight of every top value in the objective.
    weights: Vec<Vec<f32>>,
}

/// Results of one forward and backward: top 0, and the gradients of bottoms and then of params.
struct GradientOutcome {
    top: Vec<f32>,
    bottom_diffs: Vec<Option<Vec<f32>>>,
    param_diffs: Vec<Option<Vec<f32>>>,
}

impl GradientRig {
    fn new(kind: &LayerKind, case: &GradientCase, layout: Layout, in_place: bool) -> Self {
        let label = format!("{} {{ {} }} ({layout:?})", kind.name, case.options);
        let text = format!("name: \"l\" type: \"{}\" {}", kind.name, case.options);
        let written: LayerParameter =
            caffe_format::text::read("case", &text).unwrap_or_else(|e| panic!("{label}: {e}"));
        let spec = LayerSpec {
            layer: &written,
            phase: Phase::Train,
            in_place,
            bottoms: case.bottoms.len(),
            tops: case.tops,
            source_shapes: &[],
        };
        let mut layer = (kind.build)(&spec).unwrap_or_else(|e| panic!("{label}: {e}"));
        let mut rng = Mt19937::new(SEED);
        let bottoms = (case.bottoms.iter())
            .map(|&(dims, fill)| {
                let shape = Shape::new(dims).unwrap();
                let values = fill.draw(shape.count(), &mut rng);
                (shape, values)
            })
            .collect();
        let wanted = case.bottoms.iter().map(|(_, fill)| fill.has_gradient()).collect();
        let mut memory = LayerMemory::new(&mut *layer, layout, in_place, bottoms)
            .unwrap_or_else(|e| panic!("{label}: {e}"));
        for (decl, (kind, values)) in layer.params().iter().zip(&mut memory.params) {
            match kind {
                ParamKind::Learned => rng.fill_gaussian(0.0, 0.5, values),
                ParamKind::Constant | ParamKind::Running => {
                    crate::fill(&decl.filler, &decl.shape, &mut rng, values).unwrap();
                }
            }
        }
        let weights = (memory.tops.iter())
            .map(|(shape, _)| match kind.loss {
                true => vec![0.7; shape.count()],
                false => BottomFill::Uniform(0.5, 1.5).draw(shape.count(), &mut rng),
            })
            .collect();
        Self { label, layer, memory, wanted, weights }
    }

    fn forward(&mut self) {
        let mut rng = Mt19937::new(SEED);
        let result = self.memory.forward(&mut *self.layer, &mut rng, None);
        result.unwrap_or_else(|e| panic!("{}: {e}", self.label));
    }

    /// Forward, then backward with the objective's weights as the tops' diffs.
    #[track_caller]
    fn run(&mut self) -> GradientOutcome {
        self.forward();
        let [set, added] = [Write::Set, Write::Add].map(|write| {
            let diffs = self.memory.backward(&mut *self.layer, &self.weights, &self.wanted, write);
            diffs.unwrap_or_else(|e| panic!("{}: {e}", self.label))
        });
        let pairs = set.params.iter().zip(&added.params).flat_map(|(a, b)| a.iter().zip(b));
        for (at, (set, added)) in pairs.flat_map(|(a, b)| a.iter().zip(b)).enumerate() {
            self.compare(&format!("param value {at}, added"), f64::from(*added), f64::from(*set));
        }
        let top = self.memory.tops.first();
        GradientOutcome {
            top: top.map_or(Vec::new(), |(shape, slab)| slab[..shape.count()].to_vec()),
            bottom_diffs: set.bottoms,
            param_diffs: set.params,
        }
    }

    fn objective(&mut self) -> f64 {
        self.forward();
        (self.memory.tops.iter().zip(&self.weights))
            .flat_map(|((shape, y), w)| y[..shape.count()].iter().zip(w))
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
                let want = self.difference(|rig| &mut rig.memory.bottoms[b].1[i]);
                self.compare(&format!("bottom {b} value {i}"), f64::from(got), want);
            }
        }
        for (p, diff) in outcome.param_diffs.iter().enumerate() {
            for (i, &got) in diff.iter().flatten().enumerate() {
                let want = self.difference(|rig| &mut rig.memory.params[p].1[i]);
                self.compare(&format!("param {p} value {i}"), f64::from(got), want);
            }
        }
    }

    #[track_caller]
    fn compare_with(&mut self, in_place: &mut Self) {
        let (apart, in_place) = (self.run(), in_place.run());
        for (i, (a, b)) in apart.top.iter().zip(&in_place.top).enumerate() {
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
            "{}, {what}: got {got}, expected {want}",
            self.label,
        );
    }
}

impl BottomFill {
    fn has_gradient(self) -> bool {
        !matches!(self, Self::Labels(_) | Self::Binary | Self::Sequences(_) | Self::Values(_))
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
            Self::Values(given) => values.copy_from_slice(given),
            Self::Spread => {
                let mut order: Vec<usize> = (0..count).collect();
                rng.shuffle(&mut order);
                for (value, rank) in values.iter_mut().zip(order) {
                    *value = (rank as f32 - count as f32 / 2.0) * 0.05;
                }
            }
        }
        values
    }
}
