//! On other architectures there is no value of the type, so nothing here can be called.

use super::Avx2;
use crate::simd::{Kernel, LANES, SimdLanes};

impl Avx2 {
    /// Always `None`.
    pub(crate) fn detect() -> Option<Self> {
        None
    }

    /// Cannot be called: there is no value.
    pub(crate) fn enter<K: Kernel>(self, _: K) -> K::Out {
        match self.0 {}
    }
}

impl SimdLanes for Avx2 {
    type F = [f32; LANES];

    fn splat(self, _: f32) -> Self::F {
        match self.0 {}
    }
    fn fma(self, _: Self::F, _: Self::F, _: Self::F) -> Self::F {
        match self.0 {}
    }
    fn masked(self, _: Self::F, _: f32, _: Self::F) -> Self::F {
        match self.0 {}
    }
    fn larger(self, _: [Self::F; 2], _: Self::F, _: Self::F) -> [Self::F; 2] {
        match self.0 {}
    }
    fn where_same(self, _: Self::F, _: Self::F, _: Self::F) -> Self::F {
        match self.0 {}
    }
    fn add(self, _: Self::F, _: Self::F) -> Self::F {
        match self.0 {}
    }
    fn transpose(self, _: [Self::F; LANES]) -> [Self::F; LANES] {
        match self.0 {}
    }
    unsafe fn load(self, _: *const f32) -> Self::F {
        match self.0 {}
    }
    unsafe fn store(self, _: *mut f32, _: Self::F) {
        match self.0 {}
    }
    unsafe fn splat_at(self, _: *const f32) -> Self::F {
        match self.0 {}
    }
}
