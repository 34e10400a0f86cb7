//! The steady state of a net: once the first passes have made room, a pass allocates nothing.
//!
//! An allocator that counts is one for the whole program, so this test is a program of its own.
#![expect(unsafe_code, reason = "an allocator is unsafe to write")]
#![expect(clippy::disallowed_methods, reason = "a test may write files of its own")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

use caffe_format::Phase;
use net::MemoryPlan;
use train::{NetConfig, Single};

/// The system's allocator, with a count of its calls.
struct Counting;

static CALLS: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call goes to the system's allocator as it came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        CALLS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller's promises are passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(block, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Convolutions of every kind, and most other layers.
const NET: &str = r#"
layer {
  name: "data" type: "DummyData" top: "data" top: "label"
  dummy_data_param {
    shape { dim: 4 dim: 3 dim: 21 dim: 21 } shape { dim: 4 }
    data_filler { type: "gaussian" std: 1 } data_filler { type: "constant" }
  }
}
layer {
  name: "first" type: "Convolution" bottom: "data" top: "first"
  convolution_param { num_output: 24 kernel_size: 7 stride: 2 pad: 3 weight_filler { type: "xavier" } }
}
layer { name: "relu1" type: "ReLU" bottom: "first" top: "first" }
layer { name: "norm" type: "LRN" bottom: "first" top: "norm" }
layer {
  name: "pool" type: "Pooling" bottom: "norm" top: "pool"
  pooling_param { pool: MAX kernel_size: 3 stride: 1 pad: 1 }
}
layer {
  name: "one" type: "Convolution" bottom: "pool" top: "one"
  convolution_param { num_output: 16 kernel_size: 1 weight_filler { type: "xavier" } }
}
layer { name: "bn" type: "BatchNorm" bottom: "one" top: "one" }
layer { name: "scale" type: "Scale" bottom: "one" top: "one" scale_param { bias_term: true } }
layer { name: "relu2" type: "ReLU" bottom: "one" top: "one" }
layer {
  name: "three" type: "Convolution" bottom: "one" top: "three"
  convolution_param { num_output: 16 kernel_size: 3 pad: 1 weight_filler { type: "xavier" } }
}
layer { name: "sum" type: "Eltwise" bottom: "one" bottom: "three" top: "sum" }
layer {
  name: "five" type: "Convolution" bottom: "sum" top: "five"
  convolution_param { num_output: 8 kernel_size: 5 stride: 2 group: 2 weight_filler { type: "xavier" } }
}
layer {
  name: "deep" type: "Convolution" bottom: "sum" top: "deep"
  convolution_param { num_output: 16 kernel_size: 5 stride: 2 group: 16 weight_filler { type: "xavier" } }
}
layer { name: "both" type: "Concat" bottom: "five" bottom: "deep" top: "both" }
layer {
  name: "mean" type: "Pooling" bottom: "both" top: "mean"
  pooling_param { pool: AVE global_pooling: true }
}
layer { name: "drop" type: "Dropout" bottom: "mean" top: "mean" }
layer {
  name: "ip" type: "InnerProduct" bottom: "mean" top: "ip"
  inner_product_param { num_output: 10 weight_filler { type: "xavier" } }
}
layer { name: "loss" type: "SoftmaxWithLoss" bottom: "ip" bottom: "label" top: "loss" }
"#;

#[test]
fn a_pass_allocates_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let model = folder.path().join("net.prototxt");
    std::fs::write(&model, NET).unwrap();
    let mut config = NetConfig::new(model);
    config.state.phase = Some(Phase::Train);
    config.plan = MemoryPlan::ShareDiffs;
    let mut single = Single::open(&config, &mut |_| {}).unwrap();
    // On one thread: which thread makes room for which task first is chance.
    let mut pass = || {
        single.forward().unwrap();
        single.backward().unwrap();
    };
    (0..2).for_each(|_| pass());
    let before = CALLS.load(Ordering::Relaxed);
    (0..3).for_each(|_| pass());
    assert_eq!(CALLS.load(Ordering::Relaxed), before);
}
