//! Where `caffe.cpp` of Caffe 1.0 writes the lines of its commands: the line number that glog
//! prints.
//!
//! Programs that read logs look at the text; the numbers are there so that logs can be compared.

/// A substring of the text and the line of `caffe.cpp` that logs it; the first match counts.
const PLACES: &[(&str, u32)] = &[
    ("Use CPU.", 197),
    ("Resuming from ", 234),
    ("Starting Optimization", 239),
    ("Optimization Done.", 250),
    ("Running for ", 281),
    ("Batch ", 304),
    ("Loss: ", 309),
    ("Performing Forward", 352),
    ("Initial loss: ", 357),
    ("Performing Backward", 358),
    ("*** Benchmark begins ***", 366),
    ("Testing for ", 367),
    ("Iteration: ", 395),
    ("Average time per layer: ", 398),
    ("\tforward: ", 401),
    ("\tbackward: ", 404),
    ("Average Forward pass: ", 409),
    ("Average Backward pass: ", 411),
    ("Average Forward-Backward: ", 413),
    ("Total Time: ", 415),
    ("*** Benchmark ends ***", 416),
    (" = ", 321),
];

/// The line of `caffe.cpp` that logs `text`; 1 for what it does not log.
pub(super) fn line_number(text: &str) -> u32 {
    let found = PLACES.iter().find(|(fragment, _)| text.contains(fragment));
    found.map_or(1, |(_, number)| *number)
}
