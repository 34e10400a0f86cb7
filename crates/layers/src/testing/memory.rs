//! The memory that a layer runs on: what a net would allocate and lend it.
//!
//! Everything that must be overwritten holds [`POISON`] first, so that a value a layer forgets
//! shows.

use base::Shape;
use base::random::Mt19937;
use kernels::{Cpu, Simd, Write};
use tensor::{Layout, Slab};

use crate::{
    Backward, Bottom, BottomDiff, BottomMemory, DataSource, Forward, InlineVec, Layer, LayerError,
    LayoutRule, ParamGradient, ParamKind, Top, TopDiff, TopGradient,
};

const POISON: f32 = 3e7;

/// Blobs and params of one layer.
pub(crate) struct LayerMemory {
    cpu: Cpu,
    pub(crate) layout: Layout,
    top_layout: Layout,
    in_place: bool,
    /// Values in the order of `layout`, as those of the tops.
    pub(crate) bottoms: Vec<(Shape, Vec<f32>)>,
    /// As of the last forward.
    pub(crate) tops: Vec<(Shape, Slab)>,
    /// In the order in which the layer declares them; initially zero.
    pub(crate) params: Vec<(ParamKind, Vec<f32>)>,
}

/// Gradients that one backward wrote; `None` where none was asked for.
pub(crate) struct LayerDiffs {
    pub(crate) bottoms: Vec<Option<Vec<f32>>>,
    pub(crate) params: Vec<Option<Vec<f32>>>,
}

impl LayerMemory {
    /// Shapes the layer for these bottoms and allocates the rest. One thread.
    pub(crate) fn new(
        layer: &mut dyn Layer,
        layout: Layout,
        in_place: bool,
        bottoms: Vec<(Shape, Vec<f32>)>,
    ) -> Result<Self, LayerError> {
        let shapes: Vec<_> = bottoms.iter().map(|(shape, _)| shape.clone()).collect();
        let tops = layer.reshape(&shapes)?.into_iter().map(|s| (s.clone(), Slab::zeros(s.count())));
        let tops = tops.collect();
        layer.allocate();
        let params = layer.params().iter().map(|d| (d.kind, vec![0.0; d.shape.count()])).collect();
        let cpu = Cpu::new(1, Simd::detect());
        let top_layout = match layer.layouts() {
            LayoutRule::AnyToRowMajor => Layout::RowMajor,
            _ => layout,
        };
        Ok(Self { cpu, layout, top_layout, in_place, bottoms, tops, params })
    }

    /// Runs with this many threads from now on.
    pub(crate) fn with_threads(self, threads: usize) -> Self {
        Self { cpu: Cpu::new(threads, Simd::detect()), ..self }
    }

    /// One forward; `source` is for data and output layers.
    pub(crate) fn forward(
        &mut self,
        layer: &mut dyn Layer,
        rng: &mut Mt19937,
        source: Option<&mut (dyn DataSource + 'static)>,
    ) -> Result<(), LayerError> {
        for (_, values) in &mut self.tops {
            values.fill(POISON);
        }
        for (top, value) in layer.constant_tops() {
            self.tops[top].1.fill(value);
        }
        if self.in_place {
            self.tops[0].1.copy_from_slice(&self.bottoms[0].1);
        }
        let (mut params, mut running) = (InlineVec::new(), InlineVec::new());
        for (kind, values) in &mut self.params {
            match kind {
                ParamKind::Learned | ParamKind::Constant => params.push(&values[..]),
                ParamKind::Running => running.push(&mut values[..]),
            }
        }
        layer.forward(&mut Forward {
            cpu: &self.cpu,
            bottoms: (self.bottoms.iter().enumerate())
                .map(|(index, (shape, data))| Bottom {
                    shape,
                    layout: layout_of(shape, self.layout),
                    memory: match self.in_place && index == 0 {
                        true => BottomMemory::InPlace,
                        false => BottomMemory::OutOfPlace(data),
                    },
                })
                .collect(),
            tops: (self.tops.iter_mut())
                .map(|(shape, slab)| Top {
                    layout: layout_of(shape, self.top_layout),
                    shape,
                    slab,
                    placement: None,
                    block: None,
                })
                .collect(),
            params,
            running,
            rng,
            source,
            rounding: None,
            first_image: 0,
            half: None,
        })
    }

    /// One backward, after a forward.
    ///
    /// * `dys`: the tops' gradients; an empty one was not written
    /// * `wanted`: whether each bottom's gradient is asked for
    /// * `write`: how the params' gradients are written. With `Add` they begin at 1, which is
    ///   subtracted afterwards, to see that they are added to
    pub(crate) fn backward(
        &self,
        layer: &mut dyn Layer,
        dys: &[Vec<f32>],
        wanted: &[bool],
        write: Write,
    ) -> Result<LayerDiffs, LayerError> {
        let in_place = |index: usize| self.in_place && index == 0;
        let mut bottom_diffs: Vec<_> = (self.bottoms.iter().zip(wanted).enumerate())
            .map(|(index, ((_, data), &wanted))| {
                wanted.then(|| match in_place(index) {
                    true => dys[0].clone(),
                    false => vec![POISON; data.len()],
                })
            })
            .collect();
        let begin = if write == Write::Set { POISON } else { 1.0 };
        let learned = |kind: ParamKind| kind == ParamKind::Learned;
        let mut param_diffs: Vec<_> = (self.params.iter())
            .map(|(kind, values)| learned(*kind).then(|| vec![begin; values.len()]))
            .collect();
        layer.backward(&mut Backward {
            cpu: &self.cpu,
            tops: (self.tops.iter().zip(dys).enumerate())
                .map(|(index, ((shape, data), diff))| TopDiff {
                    shape,
                    layout: layout_of(shape, self.top_layout),
                    data: &data[..shape.count()],
                    gradient: match diff.is_empty() {
                        _ if in_place(index) => TopGradient::InPlace,
                        true => TopGradient::Zero(None),
                        false => TopGradient::OutOfPlace(diff),
                    },
                    placement: None,
                })
                .collect(),
            bottoms: (self.bottoms.iter().zip(&mut bottom_diffs).enumerate())
                .map(|(index, ((shape, data), diff))| BottomDiff {
                    shape,
                    layout: layout_of(shape, self.layout),
                    data: if in_place(index) { &self.tops[0].1 } else { data },
                    diff: diff.as_deref_mut(),
                    relu: None,
                })
                .collect(),
            params: (self.params.iter())
                .filter(|(kind, _)| *kind != ParamKind::Running)
                .map(|(_, values)| &values[..])
                .collect(),
            gradients: (param_diffs.iter_mut().zip(&self.params))
                .filter(|(_, (kind, _))| *kind != ParamKind::Running)
                .map(|(diff, _)| diff.as_mut().map(|values| ParamGradient { values, write }))
                .collect(),
            rounding: None,
            first_image: 0,
            half: None,
        })?;
        if write == Write::Add {
            param_diffs.iter_mut().flatten().flatten().for_each(|value| *value -= begin);
        }
        Ok(LayerDiffs { bottoms: bottom_diffs, params: param_diffs })
    }
}

/// The layouts that a layer with this rule is tested in.
pub(crate) fn layouts(rule: LayoutRule) -> &'static [Layout] {
    match rule {
        LayoutRule::RowMajor => &[Layout::RowMajor],
        LayoutRule::ChannelsLast => &[Layout::ChannelsLast],
        LayoutRule::Same | LayoutRule::AnyToRowMajor => &[Layout::RowMajor, Layout::ChannelsLast],
    }
}

/// Blobs that do not have four axes are always row-major.
fn layout_of(shape: &Shape, layout: Layout) -> Layout {
    if shape.nchw().is_some() { layout } else { Layout::RowMajor }
}
