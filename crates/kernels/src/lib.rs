//! Arithmetic on slices: convolution, matrix product, pooling, normalisation, elementwise
//! functions.
//!
//! A kernel is a free function. It takes the worker's [`Cpu`] (threads and SIMD level), sizes, and
//! slices whose shapes its documentation states. Images are channels-last, (n, h, w, c); weights
//! are in Caffe's order. Each kernel has a counterpart in [`mod@reference`] that computes the
//! textbook formula in f64, and a property test that compares the two on both SIMD levels. A slice
//! that does not fit the shape is a bug of the caller and panics. `docs/performance.md` describes
//! the algorithms. [`jpeg`] and [`pixels`] are apart: pixels of images, one thread, the same bits
//! on every SIMD level, and plain formulas as the reference.
//!
//! The same shapes, values and SIMD level give the same bits for any number of threads: work is
//! divided by shape, and partial sums are added in a fixed order. The only dependency is
//! `smallvec`, which keeps short lists on the stack so that a pass allocates nothing.
//!
//! # Why the `unsafe` here is sound
//!
//! Three things need it, and nothing else may use it:
//!
//! * **Instructions** beyond the baseline run only where a `simd` token proves that the CPU has
//!   them; tokens are created by detection only.
//! * **Threads** write disjoint ranges of one slice: a task touches only the range that its index
//!   selects (`cpu`'s `DisjointMut`), and [`Cpu::run`] returns after the last task.
//! * **Pointers** in register tiles (`tile`) stay inside operands whose extents the public
//!   functions check against the shape before any task starts.

#![expect(
    unsafe_code,
    reason = "SIMD, threads and register tiles; the header says why it is sound"
)]

#[macro_use]
mod vectorize;

mod column_sums;
mod cpu;
mod pack;
mod simd;
mod tile;
mod view;

pub mod axpy;
pub mod batch_norm;
pub mod channel;
pub mod conv;
pub mod dropout;
pub mod elementwise;
pub mod half;
pub mod im2col;
pub mod inner_product;
pub mod interpolation;
pub mod jpeg;
pub mod l2_norm;
pub mod layout;
pub mod lrn;
pub mod math;
pub mod peak;
pub mod permute;
pub mod pixels;
pub mod pooling;
pub mod reference;
pub mod relu;
pub mod roi_pooling;
pub mod softmax;
pub mod unpooling;

mod gemm;
#[cfg(test)]
mod testing;

pub use conv::{Activation, ConvShape};
pub use cpu::{ActiveThreads, Cpu};
pub use gemm::gemm;
pub use half::{HalfFormat, Values};
pub use simd::{Simd, UnknownSimd};
pub use view::{MatrixView, StridedRows, StridedRowsMut, Unary, Write};
