//! One recorded case: the layer with its memory, and the comparison.

use std::path::Path;

use base::random::Mt19937;
use base::{Phase, Shape};
use caffe_format::{LayerParameter, NetParameter};
use kernels::{Cpu, Simd, Write};
use tensor::{Layout, Slab};

use super::safetensors::{RecordedTensor, Recording};
use crate::testing::{bottom_memory, top_gradient};
use crate::{
    Backward, Bottom, BottomDiff, Forward, Gradient, InlineVec, Layer, LayerKind, LayoutRule,
    ParamDecl, ParamKind, Spec, Top, TopDiff, TopMemory,
};

/// Relative to the larger of the two values, or to 1.
const TOLERANCE: f32 = 1e-4;
/// Initial value of gradients, to see that they are overwritten.
const POISON: f32 = 3e7;

/// A case as recorded.
pub(super) struct GoldenCase {
    pub(super) name: String,
    layer: LayerParameter,
    /// Whether Caffe ran backward at all: it does so for losses, or when forced.
    backward: bool,
    recorded: Recording,
}

/// `Err` describes the first difference.
type Comparison = Result<(), String>;

impl GoldenCase {
    pub(super) fn open(folder: &Path) -> Self {
        let name = folder.file_name().unwrap().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(folder.join("net.prototxt")).unwrap();
        let net: NetParameter =
            caffe_format::text::read(&name, &text).unwrap_or_else(|e| panic!("{name}: {e}"));
        let layer = net.layer.last().unwrap().clone();
        let backward = net.force_backward() || layer.loss_weight.iter().any(|&w| w != 0.0);
        Self {
            name,
            layer,
            backward,
            recorded: Recording::read(&folder.join("golden.safetensors")),
        }
    }

    pub(super) fn layer_type(&self) -> &str {
        self.layer.type_()
    }

    pub(super) fn run(&self, kind: &LayerKind) -> Comparison {
        let layouts: &[Layout] = match self.build(kind)?.0.layouts() {
            LayoutRule::RowMajor => &[Layout::RowMajor],
            LayoutRule::ChannelsLast => &[Layout::ChannelsLast],
            LayoutRule::Same => &[Layout::RowMajor, Layout::ChannelsLast],
        };
        for &layout in layouts {
            let (layer, shapes) = self.build(kind)?;
            GoldenRun::new(self, layer, shapes, layout)?
                .compare()
                .map_err(|e| format!("{e} ({layout:?})"))?;
        }
        Ok(())
    }

    fn build(&self, kind: &LayerKind) -> Result<(Box<dyn Layer>, Vec<Shape>), String> {
        let spec = Spec {
            layer: &self.layer,
            phase: if self.metadata("phase") == "TEST" { Phase::Test } else { Phase::Train },
            in_place: self.in_place(),
            bottoms: self.layer.bottom.len(),
            tops: self.layer.top.len(),
            source_shapes: &[],
        };
        let mut layer = (kind.build)(&spec).map_err(|e| e.to_string())?;
        let bottoms: Vec<_> = (self.layer.bottom.iter())
            .map(|name| Shape::new(&self.tensor("in", name).unwrap().0).unwrap())
            .collect();
        let tops = layer.reshape(&bottoms).map_err(|e| e.to_string())?;
        Ok((layer, tops))
    }

    fn in_place(&self) -> bool {
        self.layer.bottom.first() == self.layer.top.first()
    }

    fn metadata(&self, key: &str) -> &str {
        self.recorded.metadata.get(key).map_or("", String::as_str)
    }

    fn tensor(&self, group: &str, name: &str) -> Option<&RecordedTensor> {
        self.recorded.tensors.get(&format!("{group}/{name}"))
    }

    fn param(&self, group: &str, index: usize) -> Option<&RecordedTensor> {
        self.tensor(group, &format!("{}/{index}", self.layer.name()))
    }
}

/// A case in one layout.
struct GoldenRun<'a> {
    case: &'a GoldenCase,
    layer: Box<dyn Layer>,
    layout: Layout,
    cpu: Cpu,
    bottoms: Vec<(Shape, Vec<f32>)>,
    tops: Vec<(Shape, Slab)>,
    decls: Vec<ParamDecl>,
    params: Vec<Vec<f32>>,
}

impl<'a> GoldenRun<'a> {
    fn new(
        case: &'a GoldenCase,
        layer: Box<dyn Layer>,
        tops: Vec<Shape>,
        layout: Layout,
    ) -> Result<Self, String> {
        let bottoms = (case.layer.bottom.iter())
            .map(|name| {
                let (dims, values) = case.tensor("in", name).unwrap();
                let shape = Shape::new(dims).unwrap();
                let values = reorder(&shape, layout, values, ReorderDirection::FromCaffe);
                (shape, values)
            })
            .collect();
        let tops = tops.into_iter().map(|s| (s.clone(), Slab::zeros(s.count()))).collect();
        let decls = layer.params();
        let params = drawn(case, &decls)?;
        let cpu = Cpu::new(2, Simd::detect());
        Ok(Self { case, layer, layout, cpu, bottoms, tops, decls, params })
    }

    fn compare(mut self) -> Comparison {
        if self.layer.traits().tops == TopMemory::BottomDataAndDiff {
            return self.compare_alias();
        }
        self.forward()?;
        for (name, (shape, values)) in self.case.layer.top.iter().zip(&self.tops) {
            let got =
                reorder(shape, self.layout, &values[..shape.count()], ReorderDirection::ToCaffe);
            close(&format!("top `{name}`"), &got, shape.dims(), self.case.tensor("out", name))?;
        }
        for (index, (values, decl)) in self.params.iter().zip(&self.decls).enumerate() {
            if let Some(want) = self.case.param("param_after", index) {
                close(&format!("param {index} after"), values, decl.shape.dims(), Some(want))?;
            }
        }
        let given = self.case.layer.top.iter().any(|top| self.case.tensor("dout", top).is_some());
        if given && self.case.backward { self.backward() } else { Ok(()) }
    }

    /// For a layer whose top is its bottom's memory.
    fn compare_alias(&self) -> Comparison {
        let (top, bottom) = (&self.case.layer.top[0], &self.case.layer.bottom[0]);
        let shape = self.tops[0].0.dims();
        close("top", &self.bottoms[0].1, shape, self.case.tensor("out", top))?;
        let diff = &self.case.tensor("dout", top).unwrap().1;
        close("bottom's diff", diff, self.bottoms[0].0.dims(), self.case.tensor("din", bottom))
    }

    fn forward(&mut self) -> Comparison {
        let in_place = self.case.in_place();
        if in_place {
            self.tops[0].1.copy_from_slice(&self.bottoms[0].1);
        }
        let seed = self.case.metadata("seed_before_forward").parse().unwrap_or(1701);
        let mut running = self.params.clone();
        let mut io = Forward {
            cpu: &self.cpu,
            bottoms: (self.bottoms.iter().enumerate())
                .map(|(i, (shape, data))| Bottom {
                    shape,
                    layout: of_shape(shape, self.layout),
                    memory: bottom_memory(in_place && i == 0, data),
                })
                .collect(),
            tops: (self.tops.iter_mut())
                .map(|(shape, slab)| Top {
                    layout: of_shape(shape, self.layout),
                    shape,
                    slab,
                    placement: None,
                })
                .collect(),
            params: learned(&self.params, &self.decls),
            running: (running.iter_mut().zip(&self.decls))
                .filter(|(_, decl)| decl.kind == ParamKind::Running)
                .map(|(values, _)| &mut values[..])
                .collect(),
            rng: &mut Mt19937::new(seed),
            source: None,
        };
        self.layer.forward(&mut io).map_err(|e| e.to_string())?;
        drop(io);
        self.params = running;
        Ok(())
    }

    fn backward(&mut self) -> Comparison {
        let (layout, case) = (self.layout, self.case);
        let in_place = case.in_place();
        let dys: Vec<_> = (case.layer.top.iter().zip(&self.tops))
            .map(|(name, (shape, _))| {
                let dy = case.tensor("dout", name).map_or(&[][..], |(_, values)| values);
                reorder(shape, layout, dy, ReorderDirection::FromCaffe)
            })
            .collect();
        let mut dxs: Vec<_> = (case.layer.bottom.iter().enumerate())
            .map(|(i, name)| {
                let wanted = case.tensor("din", name).is_some();
                let poison = vec![POISON; self.bottoms[i].1.len()];
                wanted.then(|| if in_place && i == 0 { dys[0].clone() } else { poison })
            })
            .collect();
        let mut dparams: Vec<_> = (self.decls.iter())
            .map(|d| (d.kind == ParamKind::Learned).then(|| vec![POISON; d.shape.count()]))
            .collect();
        let mut io = Backward {
            cpu: &self.cpu,
            tops: (self.tops.iter().zip(&dys).enumerate())
                .map(|(i, ((shape, data), diff))| TopDiff {
                    shape,
                    layout: of_shape(shape, layout),
                    data: &data[..shape.count()],
                    gradient: top_gradient(in_place && i == 0, diff),
                    live: !diff.is_empty(),
                    placement: None,
                })
                .collect(),
            bottoms: (self.bottoms.iter().zip(&mut dxs).enumerate())
                .map(|(i, ((shape, data), diff))| BottomDiff {
                    shape,
                    layout: of_shape(shape, layout),
                    data: if in_place && i == 0 { &self.tops[0].1 } else { data },
                    diff: diff.as_deref_mut(),
                    relu: None,
                })
                .collect(),
            params: learned(&self.params, &self.decls),
            gradients: (dparams.iter_mut().zip(&self.decls))
                .filter(|(_, decl)| decl.kind == ParamKind::Learned)
                .map(|(g, _)| g.as_deref_mut().map(|values| Gradient { values, write: Write::Set }))
                .collect(),
            unmasked: None,
        };
        self.layer.backward(&mut io).map_err(|e| e.to_string())?;
        drop(io);
        for ((name, (shape, _)), dx) in case.layer.bottom.iter().zip(&self.bottoms).zip(&dxs) {
            let Some(dx) = dx else { continue };
            let got = reorder(shape, layout, dx, ReorderDirection::ToCaffe);
            close(&format!("diff of `{name}`"), &got, shape.dims(), case.tensor("din", name))?;
        }
        for (index, (got, decl)) in dparams.iter().zip(&self.decls).enumerate() {
            let Some(got) = got else { continue };
            let what = format!("gradient of param {index}");
            close(&what, got, decl.shape.dims(), case.param("dparam", index))?;
        }
        Ok(())
    }
}

/// Values of the learned params.
fn learned<'a>(params: &'a [Vec<f32>], decls: &[ParamDecl]) -> InlineVec<&'a [f32]> {
    let all = params.iter().zip(decls);
    all.filter(|(_, decl)| decl.kind == ParamKind::Learned).map(|(values, _)| &values[..]).collect()
}

/// Caffe's params. Learned ones must be equal to what the fillers draw here; running ones were set
/// by hand.
fn drawn(case: &GoldenCase, decls: &[ParamDecl]) -> Result<Vec<Vec<f32>>, String> {
    let mut rng = Mt19937::new(case.metadata("init_seed").parse().unwrap());
    let mut params = Vec::new();
    for (index, decl) in decls.iter().enumerate() {
        let mut values = vec![0.0; decl.shape.count()];
        crate::fill(&decl.filler, &decl.shape, &mut rng, &mut values).map_err(|e| e.to_string())?;
        let (dims, want) =
            case.param("param", index).ok_or_else(|| format!("Caffe has no param {index}"))?;
        let bits = |values: &[f32]| values.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
        if dims != decl.shape.dims() && !(decl.shape.axes() == 0 && want.len() == 1) {
            return Err(format!("param {index} is {}, Caffe's is {dims:?}", decl.shape));
        }
        if decl.kind == ParamKind::Learned && bits(want) != bits(&values) {
            return Err(format!("param {index} is not what Caffe drew"));
        }
        params.push(want.clone());
    }
    match case.param("param", decls.len()) {
        Some(_) => Err(format!("Caffe has more than {} params", decls.len())),
        None => Ok(params),
    }
}

fn close(what: &str, got: &[f32], dims: &[usize], want: Option<&RecordedTensor>) -> Comparison {
    let (want_dims, want) = want.ok_or_else(|| format!("{what} was not recorded"))?;
    let single = dims.is_empty() && want_dims == &[1]; // how a blob without axes was recorded
    if dims != want_dims && !single {
        return Err(format!("{what} has shape {dims:?}, Caffe's has {want_dims:?}"));
    }
    for (i, (&got, &want)) in got.iter().zip(want).enumerate() {
        let error = (got - want).abs();
        let close = error <= TOLERANCE * got.abs().max(want.abs()).max(1.0); // not so for NaN
        if got != want && !close {
            return Err(format!("{what}, value {i}: {got}, Caffe has {want}"));
        }
    }
    Ok(())
}

/// Blobs that do not have four axes are always row-major.
fn of_shape(shape: &Shape, layout: Layout) -> Layout {
    if shape.nchw().is_some() { layout } else { Layout::RowMajor }
}

#[derive(Clone, Copy)]
enum ReorderDirection {
    FromCaffe,
    ToCaffe,
}

/// Values reordered from Caffe's order to `layout` or back.
fn reorder(shape: &Shape, layout: Layout, values: &[f32], way: ReorderDirection) -> Vec<f32> {
    let Some([n, c, h, w]) = shape.nchw().filter(|_| layout == Layout::ChannelsLast) else {
        return values.to_vec();
    };
    let mut reordered = vec![0.0; values.len()];
    if values.is_empty() {
        return reordered;
    }
    for (image, c_at, pixel) in (0..n)
        .flat_map(|image| (0..c).flat_map(move |c| (0..h * w).map(move |pixel| (image, c, pixel))))
    {
        let caffe = (image * c + c_at) * h * w + pixel;
        let last = (image * h * w + pixel) * c + c_at;
        match way {
            ReorderDirection::FromCaffe => reordered[last] = values[caffe],
            ReorderDirection::ToCaffe => reordered[caffe] = values[last],
        }
    }
    reordered
}
