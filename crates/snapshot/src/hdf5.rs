//! HDF5 snapshots, in Caffe's layout.
//!
//! ```text
//! model   data/<layer>/<i>              blob i of the layer; a layer without blobs is an empty group
//! state   iter, current_step            one int each
//!         learned_net                   a string that ends in a zero byte
//!         history/<i>                   blob i
//! ```
//!
//! A `/` in a layer's name makes groups in groups (Caffe itself fails on such names). Caffe leaves
//! out blobs that a layer shares with an earlier one: they come back as empty messages, which
//! [`match_layers`](crate::weights::match_layers) knows. Written for readers from HDF5 1.8 on.

use std::collections::BTreeMap;

use base::{Shape, ShapeError};
use caffe_format::{BlobProto, LayerParameter, NetParameter, SolverState};
use hdf5_pure::{Dataset, Error, File, FileBuilder, Group, GroupBuilder, LibVer};

use crate::weights::is_absent;

/// Groups in groups, at most; one more than a layer's name has slashes.
const DEPTH_MAX: usize = 32;

/// What is wrong with an HDF5 file, and where in it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Hdf5Error {
    /// The library says.
    #[error("at `{place}`")]
    At {
        /// Path inside the file.
        place: String,
        /// The cause.
        source: Box<Error>,
    },
    /// A data set has a shape that no blob has.
    #[error("at `{place}`")]
    Shape {
        /// Path inside the file.
        place: String,
        /// The cause.
        source: ShapeError,
    },
    /// Not what Caffe writes there.
    #[error("at `{place}`: expected {want}")]
    Layout {
        /// Path inside the file.
        place: String,
        /// What should be there.
        want: &'static str,
    },
}

type Result<T> = std::result::Result<T, Hdf5Error>;

/// Whether the bytes are an HDF5 file's.
pub(crate) fn is_hdf5(bytes: &[u8]) -> bool {
    hdf5_pure::is_hdf5_bytes(bytes)
}

/// A model: layers in the order of their names, as Caffe itself visits them.
pub(crate) fn read_model(bytes: Vec<u8>) -> Result<NetParameter> {
    let file = open(bytes)?;
    let data = file.group("data").map_err(at("data"))?;
    let mut model = NetParameter::default();
    layers(&data, "", DEPTH_MAX, &mut model.layer)?;
    Ok(model)
}

/// A solver state.
pub(crate) fn read_state(bytes: Vec<u8>) -> Result<SolverState> {
    let file = open(bytes)?;
    let root = file.root();
    let names = root.datasets().map_err(at("/"))?;
    let learned_net = match names.iter().any(|name| name == "learned_net") {
        true => Some(string(&file.dataset("learned_net").map_err(at("learned_net"))?)?),
        false => None,
    };
    Ok(SolverState {
        iter: Some(int(&file, "iter")?),
        learned_net,
        history: blobs(&file.group("history").map_err(at("history"))?, "history")?,
        current_step: Some(int(&file, "current_step")?),
        ..SolverState::default()
    })
}

/// A model's bytes.
pub(crate) fn write_model(model: &NetParameter) -> Result<Vec<u8>> {
    let mut tree = Hdf5LayerTree::default();
    for layer in &model.layer {
        let group = layer
            .name()
            .split('/')
            .fold(&mut tree, |tree, part| tree.groups.entry(part.to_owned()).or_default());
        group.blobs.extend(&layer.blobs);
    }
    let mut file = builder();
    let mut data = file.create_group("data");
    tree.write(&mut data, "data")?;
    file.add_group(data.finish());
    file.finish().map_err(at("/"))
}

/// A solver state's bytes.
pub(crate) fn write_state(state: &SolverState) -> Result<Vec<u8>> {
    let mut file = builder();
    file.create_dataset("iter").with_i32_data(&[state.iter()]).with_shape(&[1]);
    file.create_dataset("current_step").with_i32_data(&[state.current_step()]).with_shape(&[1]);
    if let Some(model) = &state.learned_net {
        let width = u32::try_from(model.len() + 1)
            .map_err(|_| Hdf5Error::Layout { place: "learned_net".into(), want: "a path" })?;
        let text = file.create_dataset("learned_net").with_strings_sized(&[model], width);
        text.map_err(|source| at("learned_net")(source.into()))?.with_shape(&[]);
    }
    let mut history = file.create_group("history");
    let all: Vec<&BlobProto> = state.history.iter().collect();
    write_blobs(&mut history, &all, "history")?;
    file.add_group(history.finish());
    file.finish().map_err(at("/"))
}

fn open(bytes: Vec<u8>) -> Result<File> {
    File::from_bytes(bytes).map_err(at("/"))
}

fn builder() -> FileBuilder {
    let mut file = FileBuilder::new();
    file.with_libver_bounds(LibVer::Earliest, LibVer::V18);
    file
}

fn at(place: &str) -> impl FnOnce(Error) -> Hdf5Error {
    let place = place.to_owned();
    move |source| Hdf5Error::At { place, source: Box::new(source) }
}

/// Adds the layers in `group`, whose own name is `name`. What holds data sets, or nothing, is a
/// layer.
fn layers(group: &Group, name: &str, depth: usize, out: &mut Vec<LayerParameter>) -> Result<()> {
    let place = format!("data/{name}");
    let want = "groups in groups less deep";
    let depth = depth.checked_sub(1).ok_or(Hdf5Error::Layout { place: place.clone(), want })?;
    let inner = group.groups().map_err(at(&place))?;
    let blobs = blobs(group, &place)?;
    if !name.is_empty() && (inner.is_empty() || !blobs.is_empty()) {
        let name = Some(name.to_owned());
        out.push(LayerParameter { name, blobs, ..LayerParameter::default() });
    }
    for part in inner {
        let below = group.group(&part).map_err(at(&format!("{place}/{part}")))?;
        let name = if name.is_empty() { part } else { format!("{name}/{part}") };
        layers(&below, &name, depth, out)?;
    }
    Ok(())
}

/// The data sets `0`, `1`, … of a group; absent ones before the last as empty messages.
fn blobs(group: &Group, place: &str) -> Result<Vec<BlobProto>> {
    let mut found = BTreeMap::new();
    for name in group.datasets().map_err(at(place))? {
        let place = format!("{place}/{name}");
        let index = name.parse::<usize>().ok().filter(|index| index.to_string() == name);
        let want = "a data set named with a number";
        let index = index.ok_or(Hdf5Error::Layout { place: place.clone(), want })?;
        let dataset = group.dataset(&name).map_err(at(&place))?;
        found.insert(index, read_blob(&dataset, &place)?);
    }
    let len = found.last_key_value().map_or(0, |(&last, _)| last.saturating_add(1));
    if len > 2 * found.len() + BLOBS_MISSING_MAX {
        let want = "numbers without large gaps";
        return Err(Hdf5Error::Layout { place: place.to_owned(), want });
    }
    Ok((0..len).map(|index| found.remove(&index).unwrap_or_default()).collect())
}

/// Shared blobs that a layer may lack before one it has: bounds what a made-up number allocates.
const BLOBS_MISSING_MAX: usize = 64;

fn read_blob(dataset: &Dataset, place: &str) -> Result<BlobProto> {
    let dims = dataset.shape().map_err(at(place))?;
    let dims: Vec<i64> = dims.iter().map(|&dim| i64::try_from(dim).unwrap_or(i64::MAX)).collect();
    let shape = Shape::from_i64(&dims)
        .map_err(|source| Hdf5Error::Shape { place: place.to_owned(), source })?;
    let values = dataset.read_f32().map_err(at(place))?;
    if values.len() != shape.count() {
        let want = "as many values as the shape asks for";
        return Err(Hdf5Error::Layout { place: place.to_owned(), want });
    }
    Ok(BlobProto::from_values(shape.dims(), values))
}

fn int(file: &File, place: &str) -> Result<i32> {
    let values = file.dataset(place).and_then(|dataset| dataset.read_i32()).map_err(at(place))?;
    let want = "one int";
    values.first().copied().ok_or(Hdf5Error::Layout { place: place.to_owned(), want })
}

/// Up to the first zero byte, where C ends it.
fn string(dataset: &Dataset) -> Result<String> {
    let values = dataset.read_string().map_err(at("learned_net"))?;
    let place = "learned_net".to_owned();
    let value = values.first().ok_or(Hdf5Error::Layout { place, want: "one string" })?;
    Ok(value.split('\0').next().unwrap_or_default().to_owned())
}

/// Layers by the parts of their names.
#[derive(Default)]
struct Hdf5LayerTree<'a> {
    groups: BTreeMap<String, Hdf5LayerTree<'a>>,
    blobs: Vec<&'a BlobProto>,
}

impl Hdf5LayerTree<'_> {
    fn write(&self, group: &mut GroupBuilder, place: &str) -> Result<()> {
        write_blobs(group, &self.blobs, place)?;
        for (name, tree) in &self.groups {
            let mut below = group.create_group(name);
            tree.write(&mut below, &format!("{place}/{name}"))?;
            group.add_group(below.finish());
        }
        Ok(())
    }
}

fn write_blobs(group: &mut GroupBuilder, blobs: &[&BlobProto], place: &str) -> Result<()> {
    for (index, blob) in blobs.iter().enumerate().filter(|(_, blob)| !is_absent(blob)) {
        let wrong = |_| Hdf5Error::Layout {
            place: format!("{place}/{index}"),
            want: "a blob whose values fill its shape",
        };
        let values = blob.values().map_err(wrong)?;
        let dims: Vec<u64> = blob.dims().map_err(wrong)?.iter().map(|&dim| dim as u64).collect();
        group.create_dataset(&index.to_string()).with_f32_data(&values).with_shape(&dims);
    }
    Ok(())
}

#[cfg(test)]
mod tests;
