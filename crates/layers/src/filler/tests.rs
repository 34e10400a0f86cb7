//! Bit-exact comparison with weights that Caffe drew (`testdata/golden/data/feeds`).

use std::path::Path;

use base::{Shape, random::Mt19937};
use caffe_format::{FillerParameter, FillerParameterVarianceNorm as Norm};

use super::{check_filler, fill};

fn filler(name: &str) -> FillerParameter {
    FillerParameter { type_: Some(name.to_owned()), ..FillerParameter::EMPTY }
}

fn normed(name: &str, norm: Norm) -> FillerParameter {
    FillerParameter { variance_norm: Some(norm), ..filler(name) }
}

/// The weight fillers of `fillers.prototxt`, in its order.
fn golden_fillers() -> Vec<FillerParameter> {
    vec![
        FillerParameter { value: Some(0.7), ..filler("constant") },
        FillerParameter { min: Some(-0.3), max: Some(0.9), ..filler("uniform") },
        FillerParameter { mean: Some(0.1), std: Some(0.5), ..filler("gaussian") },
        FillerParameter { std: Some(1.0), sparse: Some(3), ..filler("gaussian") },
        filler("positive_unitball"),
        filler("xavier"),
        normed("xavier", Norm::FanOut),
        normed("xavier", Norm::Average),
        filler("msra"),
        normed("msra", Norm::FanOut),
        normed("msra", Norm::Average),
    ]
}

#[test]
fn weights_are_those_that_caffe_drew() {
    let shape = Shape::new(&[30, 12]).unwrap();
    for seed in [1701, 42] {
        let mut rng = Mt19937::new(seed);
        let mut values = vec![0.0; 360];
        for (index, filler) in golden_fillers().iter().enumerate() {
            fill(filler, &shape, &mut rng, &mut values).unwrap();
            let got: Vec<u32> = values.iter().map(|v| v.to_bits()).collect();
            assert!(got == golden_weights(seed, index), "seed {seed}, filler f{index}");
        }
    }
}

/// Bits of weight `index`: the file is a length, a header of that length and blocks of 360 floats.
fn golden_weights(seed: u32, index: usize) -> Vec<u32> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../testdata/golden/data/feeds")
        .join(format!("fillers.seed{seed}.safetensors"));
    let bytes = std::fs::read(path).unwrap();
    let header = u64::from_le_bytes(*bytes.first_chunk().unwrap());
    let start = 8 + usize::try_from(header).unwrap() + index * 1440;
    let (words, _) = bytes[start..][..1440].as_chunks::<4>();
    words.iter().map(|&word| u32::from_le_bytes(word)).collect()
}

/// By hand for k = 4: `f = 2`, `c = 3/4`, so the weights along an axis are 1/4, 3/4, 3/4, 1/4.
#[test]
fn bilinear_is_the_interpolation_kernel() {
    let shape = Shape::new(&[2, 1, 4, 4]).unwrap();
    let mut values = [0.0; 32];
    fill(&filler("bilinear"), &shape, &mut Mt19937::new(0), &mut values).unwrap();
    let axis = [0.25, 0.75, 0.75, 0.25];
    for (i, value) in values.iter().enumerate() {
        assert_eq!(*value, axis[i % 4] * axis[i / 4 % 4]);
    }
}

/// The error, and that nothing was drawn.
#[track_caller]
fn check(filler: &FillerParameter, dims: &[usize], want: &str) {
    let shape = Shape::new(dims).unwrap();
    let mut rng = Mt19937::new(1);
    let mut values = vec![0.0; shape.count()];
    let error = fill(filler, &shape, &mut rng, &mut values).unwrap_err();
    assert_eq!(error.to_string(), want);
    let checked = check_filler(filler, &shape).unwrap_err();
    assert_eq!(checked.to_string(), want, "without filling, too");
    assert_eq!(rng, Mt19937::new(1));
}

#[test]
fn invalid_fillers_are_refused() {
    check(
        &filler("gausian"),
        &[2],
        "unknown filler type `gausian` (known types: bilinear, constant, gaussian, msra, positive_unitball, uniform, xavier)",
    );
    check(&filler("constant"), &[2, 0], "filler `constant` on an empty blob of shape 2 0 (0)");
    check(&filler("xavier"), &[], "filler `xavier` needs a blob with axes, not a scalar");
    let sparse = |name: &str, sparse| FillerParameter { sparse: Some(sparse), ..filler(name) };
    check(
        &sparse("msra", 3),
        &[4, 4],
        "filler `msra` cannot be sparse; `sparse` goes with `gaussian`",
    );
    check(
        &sparse("gaussian", 5),
        &[4, 4],
        "filler `gaussian` with `sparse: 5` on a blob with 4 outputs",
    );
    check(
        &sparse("gaussian", -2),
        &[4, 4],
        "filler `gaussian` with `sparse: -2` on a blob with 4 outputs",
    );
    let uniform = FillerParameter { min: Some(2.0), ..filler("uniform") };
    check(&uniform, &[1], "filler `uniform` from 2 to 1");
    let nan = FillerParameter { max: Some(f32::NAN), ..filler("uniform") };
    check(&nan, &[1], "filler `uniform` from 0 to NaN");
    let flat = FillerParameter { std: Some(0.0), ..filler("gaussian") };
    check(&flat, &[1], "filler `gaussian` with `std: 0`, which must be above 0");
    check(
        &filler("bilinear"),
        &[1, 1, 2, 3],
        "filler `bilinear` needs a (n, c, k, k) blob, not 1 1 2 3 (6)",
    );
}
