//! Shaping a layer costs no memory, however large its blobs: a net larger than the machine can be
//! described, and refused.
//!
//! An allocator that counts is one for the whole program, so this test is a program of its own.
#![expect(clippy::unwrap_used, reason = "a helper that fails fails its test")]

use std::alloc::System;

use base::Shape;
use caffe_format::{LayerParameter, Phase, text};
use layers::{GradientCase, LAYERS, LayerKind, LayerSpec};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// How much larger than in the gradient checker's case one axis of every bottom is.
const FACTOR: usize = 1 << 16;

/// What describing a layer may allocate: shapes, names and the like.
const BYTES_MAX: usize = 1 << 16;

/// Bytes that building, shaping and describing a layer allocates when `axis` of all its bottoms is
/// enlarged, and the bytes of these bottoms; `None` if the layer does not take them.
fn allocated(
    kind: &LayerKind,
    case: &GradientCase,
    axis: usize,
    in_place: bool,
) -> Option<(usize, usize)> {
    let written = format!("name: 'l' type: '{}' {}", kind.name, case.options);
    let layer: LayerParameter = text::read("case", &written).unwrap();
    let bottoms: Vec<Shape> = (case.bottoms.iter())
        .map(|(dims, _)| {
            let mut dims = dims.to_vec();
            *dims.get_mut(axis)? *= FACTOR;
            Shape::new(&dims).ok()
        })
        .collect::<Option<_>>()?;
    let region = Region::new(ALLOCATOR);
    let (phase, source_shapes, tops) = (Phase::Train, &[][..], case.tops);
    let spec =
        LayerSpec { layer: &layer, phase, in_place, bottoms: bottoms.len(), tops, source_shapes };
    let mut layer = (kind.build)(&spec).ok()?;
    layer.reshape(&bottoms).ok()?;
    let described = (layer.params(), layer.layouts(), layer.traits(), layer.multiply_adds());
    let bytes = region.change().bytes_allocated;
    drop(described);
    Some((bytes, bottoms.iter().map(|shape| size_of::<f32>() * shape.count()).sum()))
}

#[test]
fn shaping_a_layer_allocates_sizes_only() {
    let mut tried = Vec::new();
    for kind in LAYERS {
        for case in kind.cases {
            for (axis, in_place) in [(0, false), (0, true), (1, false), (1, true), (2, false)] {
                let Some((bytes, blobs)) = allocated(kind, case, axis, in_place) else { continue };
                assert!(
                    bytes < BYTES_MAX,
                    "{} {}: {bytes} bytes are allocated for bottoms of {blobs} bytes; declare \
                     workspaces in `reshape` and allocate them in `Layer::allocate`",
                    kind.name,
                    case.options,
                );
                tried.push(kind.name);
            }
        }
    }
    tried.dedup();
    let with_cases = LAYERS.iter().filter(|kind| !kind.cases.is_empty()).count();
    assert!(tried.len() * 10 > with_cases * 9, "only {tried:?} of {with_cases} took larger blobs");
}
