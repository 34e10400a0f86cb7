//! What a program that runs a net layer by layer relies on: structure, values by number, shapes
//! that it changes, shared values and compiling again.

use std::sync::Arc;

use base::Shape;
use kernels::{Cpu, Simd};
use layers::AddedLayers;
use tensor::{Layout, SharedSlab, Slab};

use super::{initialise, net};
use crate::{BlobPart, MemoryPlan, Net, ReplicaState, RunError};

const NET: &str = r#"
    force_backward: true
    layer { name: "in" type: "Input" top: "x"
            input_param { shape { dim: 2 dim: 3 dim: 4 dim: 4 } } }
    layer { name: "conv" type: "Convolution" bottom: "x" top: "y"
            convolution_param { num_output: 2 kernel_size: 3
                                weight_filler { type: "gaussian" std: 1 } } }
    layer { name: "relu" type: "ReLU" bottom: "y" top: "y" }
    layer { name: "flat" type: "Flatten" bottom: "y" top: "flat" }
    layer { name: "a" type: "Power" bottom: "flat" top: "a" power_param { scale: 2 } }
    layer { name: "sum" type: "Eltwise" bottom: "flat" bottom: "a" top: "sum" }"#;

struct DrivenNet {
    net: Net,
    cpu: Cpu,
    params: Arc<SharedSlab>,
    replica: ReplicaState,
}

impl DrivenNet {
    fn new(text: &str) -> Self {
        let mut net = net(text);
        let (params, replica) = initialise(&mut net);
        let params = Arc::new(SharedSlab::new(params));
        Self { net, cpu: Cpu::new(1, Simd::detect()), params, replica }
    }

    fn forward(&mut self) -> Result<f32, RunError> {
        self.net.forward(&self.cpu, &self.params.read(), &mut self.replica)
    }

    fn set(&mut self, name: &str, part: BlobPart, order: Layout, values: &[f32]) {
        let blob = self.net.blob_number(name).unwrap();
        self.net.set_values_at(&self.cpu, (blob, part), order, values).unwrap();
    }

    fn get(&self, name: &str, part: BlobPart, order: Layout) -> Vec<f32> {
        let blob = self.net.blob_number(name).unwrap();
        let mut scratch = Vec::new();
        self.net.values_at(&self.cpu, (blob, part), order, &mut scratch).unwrap().to_vec()
    }
}

fn ramp(count: usize) -> Vec<f32> {
    (0..count).map(|at| at as f32 * 0.01 - 0.3).collect()
}

#[test]
fn structure_counts_layers_and_blobs_as_caffe_does() {
    let net = net(NET);
    let layers = net.structure();
    let names: Vec<&str> = layers.iter().map(|layer| layer.written.name()).collect();
    assert_eq!(names, ["in", "conv", "relu", "flat", "flat_flat_0_split", "a", "sum"]);
    let ranges = layers.iter().flat_map(|layer| layer.runs.clone());
    assert!(ranges.eq(0..net.len()), "every layer that runs belongs to one of Caffe's");
    let blobs: Vec<&str> = net.blob_names().collect();
    let named = |numbers: &[usize]| numbers.iter().map(|&n| blobs[n]).collect::<Vec<_>>();
    assert_eq!(named(&layers[2].bottoms), ["y"]);
    assert_eq!(named(&layers[4].tops), ["flat_flat_0_split_0", "flat_flat_0_split_1"]);
    assert_eq!(named(&net.output_numbers()), ["sum"]);
    assert_eq!(layers[1].params.len(), 2);
    let number = |name| net.blob_number(name).unwrap();
    let buffer = |name| net.buffer_at(number(name), BlobPart::Data);
    assert_eq!(buffer("flat"), buffer("flat_flat_0_split_1"), "a split shares its bottom's memory");
    assert_ne!(buffer("x"), buffer("y"));
}

#[test]
fn values_are_set_and_read_in_either_order() {
    let mut run = DrivenNet::new(NET);
    let values = ramp(96);
    run.set("x", BlobPart::Data, Layout::RowMajor, &values);
    let last = run.get("x", BlobPart::Data, Layout::ChannelsLast);
    assert_eq!(last[1], values[16], "channel 1 of the first pixel");
    run.set("x", BlobPart::Data, Layout::ChannelsLast, &last);
    assert_eq!(run.get("x", BlobPart::Data, Layout::RowMajor), values);
    run.set("sum", BlobPart::Diff, Layout::RowMajor, &[1.0; 16]);
    assert_eq!(run.get("sum", BlobPart::Diff, Layout::RowMajor), [1.0; 16]);
}

#[test]
fn layers_follow_shapes_and_take_back_what_they_make() {
    let mut run = DrivenNet::new(NET);
    let set = |run: &mut DrivenNet, name: &str, dims: &[usize]| {
        let blob = run.net.blob_number(name).unwrap();
        run.net.reshape_at(blob, &Shape::new(dims).unwrap());
    };
    set(&mut run, "x", &[5, 3, 4, 4]);
    run.net.reshape().unwrap();
    assert_eq!(run.net.blob_shape("sum").unwrap().dims(), [5, 8]);
    for name in ["y", "flat", "flat_flat_0_split_0", "a", "sum"] {
        set(&mut run, name, &[1, 2, 3]);
        run.forward().unwrap();
        assert_eq!(run.net.blob_shape("sum").unwrap().dims(), [5, 8], "after {name}");
    }
    set(&mut run, "x", &[1, 2, 4, 4]);
    assert!(matches!(run.forward(), Err(RunError::ParamShape { .. })));
    assert!(run.forward().is_err(), "it asks again");
    set(&mut run, "x", &[1, 3, 4, 4]);
    run.forward().unwrap();
}

#[test]
fn a_net_compiled_again_keeps_its_params() {
    let mut run = DrivenNet::new(
        r#"layer { name: "in" type: "Input" top: "x" input_param { shape { dim: 2 dim: 3 dim: 8 } } }
        layer { name: "p" type: "PReLU" bottom: "x" top: "y"
                prelu_param { filler { value: 0.5 } } }"#,
    );
    run.net.reshape_at(0, &Shape::new(&[2, 3, 2, 4]).unwrap());
    assert!(matches!(run.forward(), Err(RunError::Layout { .. })));
    run.net = run.net.recompile(MemoryPlan::KeepDiffs, AddedLayers::default()).unwrap();
    run.set("x", BlobPart::Data, Layout::RowMajor, &[-2.0; 48]);
    run.forward().unwrap();
    assert_eq!(run.get("y", BlobPart::Data, Layout::RowMajor), [-1.0; 48]);
    run.net.reshape_at(0, &Shape::new(&[2, 4, 2, 3]).unwrap());
    assert!(run.net.recompile(MemoryPlan::KeepDiffs, AddedLayers::default()).is_err());
}

#[test]
fn shared_values_are_read_where_they_are_and_may_come_home() {
    let (mut first, mut second) = (DrivenNet::new(NET), DrivenNet::new(NET));
    let len = first.params.len();
    first.params.write(0..len).fill(0.25);
    second.net.share_values(&first.net, [&second.params, &first.params]).unwrap();
    for run in [&mut first, &mut second] {
        run.set("x", BlobPart::Data, Layout::RowMajor, &ramp(96));
        run.forward().unwrap();
    }
    let sum = |run: &DrivenNet| run.get("sum", BlobPart::Data, Layout::RowMajor);
    assert_eq!(sum(&first), sum(&second));
    assert_eq!(
        second.net.hash(&second.params.read(), &[]),
        first.net.hash(&first.params.read(), &[])
    );
    second.net.set_param("conv", 1, &[9.0; 2], &mut Slab::zeros(len), &mut []);
    assert_eq!(first.params.read()[len - 1], 9.0, "what is set goes to the owner");
    first.net.share_values(&second.net, [&first.params, &second.params]).unwrap();
    assert!(first.net.params().iter().all(|param| param.shared_from.is_none()));
}
