//! The table and the schema exclude each other.

use super::{FORKS, of_field, of_layer_type};
use crate::message::{FieldType, Message, MessageKind};
use crate::{NetParameter, SolverParameter};

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
