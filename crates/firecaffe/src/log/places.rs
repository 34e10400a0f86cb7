//! Where in Caffe 1.0 each line of its log is written: the file and line number that glog prints.
//!
//! Only readers of logs care, and they look at the text; the numbers are Caffe's for good looks.

/// File, a part of the text, and the line that logs it; the first match counts.
const PLACES: &[(&str, &str, u32)] = &[
    ("net.cpp", "Initializing net from parameters", 53),
    ("net.cpp", "Creating Layer ", 86),
    ("net.cpp", "Setting up ", 124),
    ("net.cpp", "Top shape: ", 131),
    ("net.cpp", "    with loss weight ", 134),
    ("net.cpp", "Memory required for data: ", 139),
    ("net.cpp", " does not need backward computation.", 202),
    ("net.cpp", " needs backward computation.", 200),
    ("net.cpp", "This network produces output ", 244),
    ("net.cpp", "Network initialization done.", 257),
    ("net.cpp", "The NetState phase", 296),
    ("net.cpp", "The NetState", 305),
    ("net.cpp", "(in-place)", 369),
    ("net.cpp", " -> ", 382),
    ("net.cpp", " <- ", 408),
    ("net.cpp", "Sharing parameters ", 502),
    ("net.cpp", "    [Forward] ", 591),
    ("net.cpp", "    [Backward] Layer", 607),
    ("net.cpp", "    [Backward] All", 632),
    ("net.cpp", "Ignoring source layer ", 740),
    ("solver.cpp", "Initializing solver from parameters", 45),
    ("solver.cpp", "Solver scaffolding done.", 57),
    ("solver.cpp", "Finetuning from ", 70),
    ("solver.cpp", "Creating training net", 102),
    ("solver.cpp", "Creating test net", 190),
    ("solver.cpp", "Restoring previous solver status", 295),
    ("solver.cpp", "Solving ", 289),
    ("solver.cpp", "Learning Rate Policy", 290),
    ("data_layer.cpp", "Restarting data prefetching", 73),
    ("caffe.cpp", "Use CPU.", 197),
    ("caffe.cpp", "Resuming from ", 234),
    ("caffe.cpp", "Starting Optimization", 239),
    ("caffe.cpp", "Optimization Done.", 250),
    ("caffe.cpp", "Running for ", 281),
    ("caffe.cpp", "Batch ", 304),
    ("caffe.cpp", "Loss: ", 309),
    ("caffe.cpp", "Performing Forward", 352),
    ("caffe.cpp", "Initial loss: ", 357),
    ("caffe.cpp", "Performing Backward", 358),
    ("caffe.cpp", "*** Benchmark begins ***", 366),
    ("caffe.cpp", "Testing for ", 367),
    ("caffe.cpp", "Iteration: ", 395),
    ("caffe.cpp", "Average time per layer: ", 398),
    ("caffe.cpp", "\tforward: ", 401),
    ("caffe.cpp", "\tbackward: ", 404),
    ("caffe.cpp", "Average Forward pass: ", 409),
    ("caffe.cpp", "Average Backward pass: ", 411),
    ("caffe.cpp", "Average Forward-Backward: ", 413),
    ("caffe.cpp", "Total Time: ", 415),
    ("caffe.cpp", "*** Benchmark ends ***", 416),
    ("caffe.cpp", " = ", 321),
];

/// The line of `file` that logs `text`, as good as it can be told.
pub(super) fn line_number(file: &str, text: &str) -> u32 {
    let found = PLACES.iter().find(|(f, part, _)| *f == file && text.contains(part));
    found.map_or(1, |(_, _, number)| *number)
}
