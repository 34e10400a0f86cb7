//! One recorded case: the layer with its memory, and the comparison.

use std::path::Path;

use base::Shape;
use base::random::Mt19937;
use caffe_format::{LayerParameter, NetParameter, Phase};
use kernels::Write;
use tensor::Layout;

use super::safetensors::{RecordedTensor, Recording};
use crate::testing::{LayerMemory, layouts};
use crate::{Layer, LayerKind, LayerSpec, ParamDecl, ParamKind, TopMemory};

/// Relative to the larger of the two values, or to 1.
const TOLERANCE: f32 = 1e-4;

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
        let rule = GoldenRun::new(self, kind, Layout::RowMajor)?.layer.layouts();
        for &layout in layouts(rule) {
            let run = GoldenRun::new(self, kind, layout)?;
            run.compare().map_err(|e| format!("{e} ({layout:?})"))?;
        }
        Ok(())
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
    memory: LayerMemory,
    decls: Vec<ParamDecl>,
}

impl<'a> GoldenRun<'a> {
    fn new(case: &'a GoldenCase, kind: &LayerKind, layout: Layout) -> Result<Self, String> {
        let spec = LayerSpec {
            layer: &case.layer,
            phase: if case.metadata("phase") == "TEST" { Phase::Test } else { Phase::Train },
            in_place: case.in_place(),
            bottoms: case.layer.bottom.len(),
            tops: case.layer.top.len(),
            source_shapes: &[],
        };
        let mut layer = (kind.build)(&spec).map_err(|e| e.to_string())?;
        let bottoms = (case.layer.bottom.iter())
            .map(|name| {
                let (dims, values) = case.tensor("in", name).unwrap();
                let shape = Shape::new(dims).unwrap();
                let values = reorder(&shape, layout, values, ReorderDirection::FromCaffe);
                (shape, values)
            })
            .collect();
        let memory = LayerMemory::new(&mut *layer, layout, case.in_place(), bottoms);
        let mut memory = memory.map_err(|e| e.to_string())?.with_threads(2);
        let decls = layer.params();
        for ((_, values), recorded) in memory.params.iter_mut().zip(drawn(case, &decls)?) {
            *values = recorded;
        }
        Ok(Self { case, layer, memory, decls })
    }

    fn compare(mut self) -> Comparison {
        if self.layer.traits().tops == TopMemory::BottomDataAndDiff {
            return self.compare_alias();
        }
        let mut rng =
            Mt19937::new(self.case.metadata("seed_before_forward").parse().unwrap_or(1701));
        let result = self.memory.forward(&mut *self.layer, &mut rng, None);
        result.map_err(|e| e.to_string())?;
        for (name, (shape, values)) in self.case.layer.top.iter().zip(&self.memory.tops) {
            let values = &values[..shape.count()];
            let got = reorder(shape, self.memory.layout, values, ReorderDirection::ToCaffe);
            close(&format!("top `{name}`"), &got, shape.dims(), self.case.tensor("out", name))?;
        }
        for (index, ((_, values), decl)) in self.memory.params.iter().zip(&self.decls).enumerate() {
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
        let (shape, values) = &self.memory.bottoms[0];
        close("top", values, self.memory.tops[0].0.dims(), self.case.tensor("out", top))?;
        let diff = &self.case.tensor("dout", top).unwrap().1;
        close("bottom's diff", diff, shape.dims(), self.case.tensor("din", bottom))
    }

    fn backward(&mut self) -> Comparison {
        let (layout, case) = (self.memory.layout, self.case);
        let dys: Vec<_> = (case.layer.top.iter().zip(&self.memory.tops))
            .map(|(name, (shape, _))| {
                let dy = case.tensor("dout", name).map_or(&[][..], |(_, values)| values);
                reorder(shape, layout, dy, ReorderDirection::FromCaffe)
            })
            .collect();
        let wanted = case.layer.bottom.iter().map(|name| case.tensor("din", name).is_some());
        let wanted: Vec<_> = wanted.collect();
        let diffs = self.memory.backward(&mut *self.layer, &dys, &wanted, Write::Set);
        let diffs = diffs.map_err(|e| e.to_string())?;
        let bottoms = case.layer.bottom.iter().zip(&self.memory.bottoms);
        for ((name, (shape, _)), dx) in bottoms.zip(&diffs.bottoms) {
            let Some(dx) = dx else { continue };
            let got = reorder(shape, layout, dx, ReorderDirection::ToCaffe);
            close(&format!("diff of `{name}`"), &got, shape.dims(), case.tensor("din", name))?;
        }
        for (index, (got, decl)) in diffs.params.iter().zip(&self.decls).enumerate() {
            let Some(got) = got else { continue };
            let what = format!("gradient of param {index}");
            close(&what, got, decl.shape.dims(), case.param("dparam", index))?;
        }
        Ok(())
    }
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
    assert_eq!(got.len(), want.len(), "{what}: as many values as the shape says");
    for (i, (&got, &want)) in got.iter().zip(want).enumerate() {
        let error = (got - want).abs();
        let close = error <= TOLERANCE * got.abs().max(want.abs()).max(1.0); // not so for NaN
        if got != want && !close {
            return Err(format!("{what}, value {i}: {got}, Caffe has {want}"));
        }
    }
    Ok(())
}

#[derive(Clone, Copy)]
enum ReorderDirection {
    FromCaffe,
    ToCaffe,
}

/// Values reordered from Caffe's order to `layout` or back.
fn reorder(shape: &Shape, layout: Layout, values: &[f32], to: ReorderDirection) -> Vec<f32> {
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
        match to {
            ReorderDirection::FromCaffe => reordered[last] = values[caffe],
            ReorderDirection::ToCaffe => reordered[caffe] = values[last],
        }
    }
    reordered
}
