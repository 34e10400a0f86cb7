//! The steady state of a net and of its data: once the first passes have made room, a pass
//! allocates nothing, nor does the thread that prefetches for it.
//!
//! An allocator that counts is one for the whole program, so this test is a program of its own.
#![expect(clippy::disallowed_methods, reason = "a test may write files of its own")]

use std::alloc::System;
use std::path::Path;

use caffe_format::{DataParameterDb, Datum, Phase};
use data::convert::DatabaseWriter;
use data::image::DecodedImage;
use data::image::encode::{ImageFormat, encode};
use net::MemoryPlan;
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};
use train::{NetConfig, Single};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

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

/// Layers that rearrange, normalise and compare: a Concat whose bottoms are not written in place
/// because Slice made them, BatchNorm of a blob that is not an image, and the rest.
const OTHER_NET: &str = r#"
layer {
  name: "data" type: "DummyData" top: "data" top: "volume" top: "size" top: "label"
  dummy_data_param {
    shape { dim: 4 dim: 6 dim: 8 dim: 8 } shape { dim: 4 dim: 6 dim: 3 dim: 4 dim: 5 }
    shape { dim: 4 dim: 6 dim: 5 dim: 5 } shape { dim: 4 }
    data_filler { type: "gaussian" std: 1 } data_filler { type: "gaussian" std: 1 }
    data_filler { type: "constant" } data_filler { type: "constant" }
  }
}
layer {
  name: "conv" type: "Convolution" bottom: "data" top: "conv"
  convolution_param { num_output: 6 kernel_size: 3 pad: 1 weight_filler { type: "xavier" } }
}
layer { name: "mvn" type: "MVN" bottom: "conv" top: "mvn" }
layer { name: "slice" type: "Slice" bottom: "mvn" top: "a" top: "b" top: "c" }
layer { name: "tile" type: "Tile" bottom: "c" top: "tile" tile_param { tiles: 2 } }
layer { name: "concat" type: "Concat" bottom: "b" bottom: "a" bottom: "tile" top: "concat" }
layer { name: "rows" type: "Concat" bottom: "a" bottom: "b" top: "rows" concat_param { axis: 2 } }
layer { name: "small" type: "Slice" bottom: "rows" top: "upper" top: "lower" slice_param { axis: 2 } }
layer { name: "join" type: "Concat" bottom: "concat" bottom: "lower" bottom: "upper" top: "join" }
layer {
  name: "crop" type: "Crop" bottom: "join" bottom: "size" top: "crop"
  crop_param { offset: 1 offset: 2 }
}
layer {
  name: "conv3d" type: "Convolution" bottom: "volume" top: "conv3d"
  convolution_param { num_output: 3 kernel_size: 2 weight_filler { type: "xavier" } }
}
layer { name: "bn" type: "BatchNorm" bottom: "conv3d" top: "bn" }
layer { name: "flat" type: "Flatten" bottom: "bn" top: "flat" }
layer {
  name: "ip1" type: "InnerProduct" bottom: "crop" top: "ip1"
  inner_product_param { num_output: 10 weight_filler { type: "xavier" } }
}
layer {
  name: "ip2" type: "InnerProduct" bottom: "flat" top: "ip2"
  inner_product_param { num_output: 10 weight_filler { type: "xavier" } }
}
layer { name: "sum" type: "Eltwise" bottom: "ip1" bottom: "ip2" top: "sum" }
layer { name: "accuracy" type: "Accuracy" bottom: "sum" bottom: "label" top: "accuracy" top: "per_class" }
layer { name: "argmax" type: "ArgMax" bottom: "sum" top: "argmax" argmax_param { top_k: 3 } }
layer { name: "silence" type: "Silence" bottom: "argmax" bottom: "accuracy" bottom: "per_class" }
layer { name: "loss" type: "SoftmaxWithLoss" bottom: "sum" bottom: "label" top: "loss" }
"#;

/// Recurrent layers with a static input, and a single LSTM step.
const SEQUENCE_NET: &str = r#"
layer {
  name: "data" type: "DummyData" top: "x" top: "cont" top: "static" top: "cells" top: "one" top: "label"
  dummy_data_param {
    shape { dim: 5 dim: 2 dim: 6 } shape { dim: 5 dim: 2 } shape { dim: 2 dim: 3 }
    shape { dim: 1 dim: 10 dim: 4 } shape { dim: 1 dim: 10 } shape { dim: 5 dim: 2 }
    data_filler { type: "gaussian" std: 1 } data_filler { type: "constant" value: 1 }
    data_filler { type: "gaussian" std: 1 } data_filler { type: "gaussian" std: 1 }
    data_filler { type: "constant" value: 1 } data_filler { type: "constant" }
  }
}
layer {
  name: "lstm" type: "LSTM" bottom: "x" bottom: "cont" bottom: "static" top: "lstm"
  recurrent_param { num_output: 7 weight_filler { type: "uniform" min: -0.1 max: 0.1 } }
}
layer {
  name: "rnn" type: "RNN" bottom: "lstm" bottom: "cont" bottom: "static" top: "rnn"
  recurrent_param { num_output: 16 weight_filler { type: "uniform" min: -0.1 max: 0.1 } }
}
layer {
  name: "gates" type: "Reshape" bottom: "rnn" top: "gates"
  reshape_param { shape { dim: 1 dim: 10 dim: 16 } }
}
layer { name: "unit" type: "LSTMUnit" bottom: "cells" bottom: "gates" bottom: "one" top: "c" top: "h" }
layer {
  name: "steps" type: "Reshape" bottom: "h" top: "steps"
  reshape_param { shape { dim: 5 dim: 2 dim: 4 } }
}
layer { name: "silence" type: "Silence" bottom: "c" }
layer {
  name: "loss" type: "SoftmaxWithLoss" bottom: "steps" bottom: "label" top: "loss"
  softmax_param { axis: 2 }
}
"#;

/// Reads records that are cropped and mirrored at random, on the prefetching thread. `LAYER` stands
/// for what differs between the sources.
const SOURCE_NET: &str = r#"
layer {
  name: "data" LAYER top: "data" top: "label"
  transform_param { crop_size: 30 mirror: true mean_value: 9 scale: 0.01 }
}
layer {
  name: "ip" type: "InnerProduct" bottom: "data" top: "ip"
  inner_product_param { num_output: 10 weight_filler { type: "xavier" } }
}
layer { name: "loss" type: "SoftmaxWithLoss" bottom: "ip" bottom: "label" top: "loss" }
"#;

/// Data layers, and the files in the folder that they read.
const SOURCES: [&str; 6] = [
    r#"type: "Data" data_param { source: "raw_lmdb" batch_size: 4 backend: LMDB }"#,
    r#"type: "Data" data_param { source: "jpeg_lmdb" batch_size: 4 backend: LMDB }"#,
    r#"type: "Data" data_param { source: "leveldb" batch_size: 4 backend: LEVELDB }"#,
    r#"type: "ImageData" image_data_param {
      source: "list.txt" batch_size: 4 shuffle: true new_height: 40 new_width: 36 }"#,
    r#"type: "WindowData" window_data_param {
      source: "windows.txt" batch_size: 4 context_pad: 2 fg_fraction: 0.5 }"#,
    r#"type: "WindowData" window_data_param {
      source: "windows.txt" batch_size: 4 crop_mode: "square" cache_images: true }"#,
];

/// More records than the test reads: what a run reports at an epoch's end may allocate.
const RECORDS: u32 = 600;

/// A picture with some structure, of one of three sizes.
fn picture(number: u32) -> DecodedImage {
    let (height, width) = (40 + (number % 3) as usize, 44);
    let byte = |i: usize| u8::try_from((i * i + 31 * number as usize) % 251).expect("below 251");
    DecodedImage { channels: 3, height, width, pixels: (0..3 * height * width).map(byte).collect() }
}

fn write_database(path: &Path, backend: DataParameterDb, datum: impl Fn(u32, i32) -> Datum) {
    let mut writer = DatabaseWriter::create(path, backend).expect("a new database");
    for i in 0..RECORDS {
        let datum = datum(i, i32::try_from(i % 10).expect("below 10"));
        writer.put(&format!("{i:08}"), &datum).expect("a record is written");
    }
    writer.finish().expect("the database is complete");
}

/// Everything that [`SOURCES`] names.
fn write_sources(folder: &Path) {
    let raw = |i: u32, label: i32| {
        let pixels = vec![u8::try_from(i % 250).expect("below 250"); 3 * 32 * 32];
        Datum::raw([3, 32, 32], pixels, label)
    };
    let jpeg = |i: u32| encode(&picture(i), ImageFormat::Jpeg);
    write_database(&folder.join("raw_lmdb"), DataParameterDb::Lmdb, raw);
    write_database(&folder.join("leveldb"), DataParameterDb::Leveldb, raw);
    write_database(&folder.join("jpeg_lmdb"), DataParameterDb::Lmdb, |i, label| Datum {
        label: Some(label),
        data: Some(jpeg(i)),
        encoded: Some(true),
        ..Datum::EMPTY
    });
    let (mut list, mut windows) = (String::new(), String::new());
    for i in 0..5 {
        std::fs::write(folder.join(format!("{i}.jpg")), jpeg(i)).expect("a file is written");
        windows += &format!("# {i} {i}.jpg 3 40 44 2 1 0.9 3 4 35 37 0 0.1 0 10 20 39 ");
    }
    (0..RECORDS).for_each(|i| list += &format!("{}.jpg {}\n", i % 5, i % 10));
    std::fs::write(folder.join("list.txt"), list).expect("a file is written");
    std::fs::write(folder.join("windows.txt"), windows).expect("a file is written");
}

#[test]
fn a_pass_allocates_nothing() {
    let folder = tempfile::tempdir().unwrap();
    write_sources(folder.path());
    let nets = [NET, OTHER_NET, SEQUENCE_NET].map(str::to_owned).into_iter();
    let with_sources = SOURCES.map(|layer| SOURCE_NET.replace("LAYER", layer));
    for net in nets.chain(with_sources) {
        let model = folder.path().join("net.prototxt");
        std::fs::write(&model, &net).unwrap();
        let mut config = NetConfig::new(model);
        config.root = folder.path().to_owned();
        config.state.phase = Some(Phase::Train);
        config.memory_plan = MemoryPlan::ShareDiffs;
        let mut single = Single::open(&config, &mut |_| {}).unwrap();
        // On one thread: which thread makes room for which task first is chance.
        let mut pass = || {
            single.forward().unwrap();
            single.backward().unwrap();
        };
        // Every buffer that a data layer prefetches into must have been filled.
        (0..8).for_each(|_| pass());
        // The harness has a thread of its own, which may allocate at any time, but not for ever.
        let mut none = || {
            let region = Region::new(ALLOCATOR);
            (0..3).for_each(|_| pass());
            region.change().allocations == 0
        };
        assert!((0..10).any(|_| none()), "three passes always allocate in{net}");
    }
}
