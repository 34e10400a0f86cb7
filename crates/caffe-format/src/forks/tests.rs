//! The table and the schema exclude each other.

use super::{FORKS, of_field, of_layer_type};
use crate::message::{FieldType, Message, MessageKind};
use crate::{NetParameter, SolverParameter, text};

/// The message of that name, in `kind` or inside it.
fn find(kind: &'static MessageKind, name: &str) -> Option<&'static MessageKind> {
    let inner = kind.fields.iter().filter_map(|field| match field.kind {
        FieldType::Message(inner) => Some(inner),
        _ => None,
    });
    if kind.name == name { Some(kind) } else { inner.into_iter().find_map(|k| find(k, name)) }
}

#[test]
fn no_field_is_one_of_ours() {
    let (net, solver) = (NetParameter::EMPTY.kind(), SolverParameter::EMPTY.kind());
    let mut supported = Vec::new();
    for &(message, fields) in FORKS.iter().flat_map(|fork| fork.fields) {
        let kind = find(net, message).or_else(|| find(solver, message));
        let kind = kind.unwrap_or_else(|| panic!("{message} is not a message of Caffe"));
        let ours = fields.iter().filter(|field| kind.by_name(field).is_some());
        supported.extend(ours.map(|field| format!("{message}.{field}")));
    }
    assert_eq!(supported, [""; 0]);
}

#[test]
fn a_field_counts_in_its_message() {
    let name = |fork: Option<&super::Fork>| fork.map(|fork| fork.name);
    assert_eq!(name(of_layer_type("FcRistretto")), Some("Ristretto (pmgysel/caffe)"));
    assert_eq!(name(of_layer_type("InnerProduct")), None);
    let engine = of_field("BatchNormParameter", "engine");
    assert_eq!(name(engine), Some("NVCaffe (NVIDIA/caffe)"));
    let engine = of_field("ConcatParameter", "engine");
    assert_eq!(name(engine), Some("Intel Caffe (intel/caffe)"));
    assert_eq!(name(of_field("SoftmaxParameter", "engine")), None);
}

/// TSN's solvers name several GPUs and how much memory cuDNN may take: no result depends on it.
#[test]
fn fields_about_gpus_are_read() {
    let text = "base_lr: 0.1 device_id: [0, 1, 3] group_id: [0, 0, 1] richness: 200";
    let solver: SolverParameter = text::read("solver", text).unwrap();
    assert_eq!((solver.device_id, solver.richness), (Some(3), Some(200)));
    let text = "base_lr: [0.1, 0.2]";
    let error = text::read::<SolverParameter>("solver", text).unwrap_err().to_string();
    assert!(error.contains("`base_lr` takes one value, not a list"), "{error}");
}
