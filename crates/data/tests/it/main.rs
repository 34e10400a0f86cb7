//! Streams against what Caffe's data layers handed out, and against damaged files.

mod convert;
mod feeds;
mod stream;
