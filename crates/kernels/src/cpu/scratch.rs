//! Memory that grows to the largest size requested and is reused.

use std::slice;

/// One cache line: the alignment of scratch.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct ScratchLine([f32; 16]);

/// A buffer whose contents are unspecified at every use.
#[derive(Default)]
pub(super) struct Scratch(Vec<ScratchLine>);

impl Scratch {
    /// The first `len` floats, after growing the buffer if it is shorter.
    pub(super) fn get(&mut self, len: usize) -> &mut [f32] {
        let lines = len.div_ceil(16);
        if self.0.len() < lines {
            self.0.resize(lines, ScratchLine([0.0; 16]));
        }
        // SAFETY: a `ScratchLine` is 16 floats without padding, and there are `len / 16` or more of
        // them.
        unsafe { slice::from_raw_parts_mut(self.0.as_mut_ptr().cast(), len) }
    }
}

/// The same memory, viewed as half as many f64.
pub(super) fn as_f64(scratch: &mut [f32]) -> &mut [f64] {
    assert!(scratch.as_ptr().cast::<f64>().is_aligned(), "scratch begins on a cache line");
    // SAFETY: aligned, two floats to one f64, and every bit pattern is an f64.
    unsafe { slice::from_raw_parts_mut(scratch.as_mut_ptr().cast(), scratch.len() / 2) }
}
