//! What is trained: flags, and how many points each may lose.

/// A way to train that may cost accuracy.
pub(super) struct TrainingVariant {
    pub(super) name: &'static str,
    pub(super) flags: &'static str,
    /// Points that its mean accuracy may lie below that of `dense`.
    pub(super) allowed: f64,
}

const fn variant(name: &'static str, flags: &'static str, allowed: f64) -> TrainingVariant {
    TrainingVariant { name, flags, allowed }
}

/// The row of [`VARIANTS`] whose share of selectable values is checked.
pub(super) const SPARSE_CHUNKS: &str = "sparse-chunks";
/// Values of its chunks: params smaller than that are always sent.
pub(super) const CHUNK: usize = 4096;

/// The first is what the others are compared with. `--compression-always`: on one machine sending
/// is cheap, so that the decision would always be dense.
pub(super) const VARIANTS: &[TrainingVariant] = &[
    variant("dense", "", 0.0),
    variant("f16", "--wire f16", 0.3),
    variant("bf16", "--wire bf16", 0.3),
    variant("mixed-bf16", "--precision mixed-bf16", 0.3),
    variant("mixed-f16", "--precision mixed-f16", 0.3),
    variant(SPARSE_CHUNKS, "--compression sparse-chunks:chunk=4096 --compression-always", 0.5),
    variant("power-sgd", "--compression power-sgd:rank=2 --compression-always", 0.5),
    variant("top-k", "--compression top-k:share=0.01 --compression-always", 0.5),
    variant("one-bit", "--compression one-bit --compression-always", 1.0),
    variant("threshold", "--compression threshold --compression-always", 1.0),
];

/// Global batches and the points that each may lose against the first.
pub(super) const BATCHES: &[(u32, f64)] = &[(64, 0.0), (256, 0.5), (1024, 0.5), (4096, 1.5)];

#[cfg(test)]
mod tests {
    use super::{CHUNK, SPARSE_CHUNKS, VARIANTS};

    #[test]
    fn sparse_chunks_have_the_length_that_is_checked() {
        let row = VARIANTS.iter().find(|row| row.name == SPARSE_CHUNKS).unwrap();
        assert!(row.flags.contains(&format!("chunk={CHUNK} ")), "{}", row.flags);
    }
}
