//! Params and statistics of both forks, and errors.

use base::Shape;
use base::random::Mt19937;
use caffe_format::{LayerParameter, Phase};

use crate::testing::{build, error, forward, run, values};
use crate::{LayerSpec, ParamKind};

/// Two rows of two channels: means 2 and 3, variances 1 and 4.
const X: (&[usize], &[f32]) = (&[2, 2], &[1.0, 5.0, 3.0, 1.0]);

#[track_caller]
fn check(options: &str, want: [f32; 4]) {
    let text = format!("type: \"BN\" bn_param {{ {options} }}");
    let y = forward(&text, &[X], 1).unwrap().remove(0).1;
    for (y, want) in y.iter().zip(want) {
        assert!((y - want).abs() < 1e-5, "{options}: {y} and {want}");
    }
}

#[test]
fn values_of_both_forks() {
    check("scale_filler { value: 2 } shift_filler { value: 1 }", [-1.0, 3.0, 3.0, -1.0]);
    check(
        "bn_mode: INFERENCE scale_filler { value: 2 } shift_filler { value: 1 }",
        [3.0, 11.0, 7.0, 3.0],
    );
    // Variances 1 and 4, plus 5: deviations sqrt 6 and 3.
    let (a, b) = (2.0 / 6.0_f32.sqrt(), 4.0 / 3.0);
    check("slope_filler { value: 2 } eps: 5", [-a, b, a, -b]);
    // Frozen: mean 0 and variance 1 until a model file says otherwise; plus 3: deviation 2.
    check("slope_filler { value: 2 } eps: 3 frozen: true", [1.0, 5.0, 3.0, 1.0]);
    // A filler that is not written gives zeros, as in the forks.
    check("", [0.0; 4]);
}

#[test]
fn running_statistics_follow_the_batch_and_are_used_in_testing() {
    let text = "type: \"BN\" bn_param { momentum: 0.75 eps: 0 slope_filler { value: 1 } }";
    let mut layer = build(text, 1, 1).unwrap();
    let mut memory = run(&mut *layer, &[X], &mut Mt19937::new(1)).unwrap();
    let running = |memory: &crate::testing::LayerMemory| -> Vec<Vec<f32>> {
        let params = memory.params.iter();
        params.filter(|(kind, _)| *kind == ParamKind::Running).map(|(_, v)| v.clone()).collect()
    };
    assert_eq!(running(&memory), [[0.5, 0.75], [0.25, 1.0]]);
    memory.forward(&mut *layer, &mut Mt19937::new(1), None).unwrap();
    assert_eq!(running(&memory), [[0.875, 1.3125], [0.4375, 1.75]]);

    let written: LayerParameter = caffe_format::text::read("test", text).unwrap();
    let (phase, in_place, source_shapes) = (Phase::Test, false, &[]);
    let spec = LayerSpec { layer: &written, phase, in_place, bottoms: 1, tops: 1, source_shapes };
    let mut testing = (crate::find("BN").unwrap().build)(&spec).unwrap();
    testing.reshape(&[Shape::new(&[2, 2]).unwrap()]).unwrap();
    testing.allocate();
    memory.params[2].1.copy_from_slice(&[1.0, 1.0]);
    memory.params[3].1.copy_from_slice(&[4.0, 16.0]);
    memory.forward(&mut *testing, &mut Mt19937::new(1), None).unwrap();
    assert_eq!(values(&memory)[0].1, [0.0, 1.0, 1.0, 0.0]);
    assert_eq!(running(&memory), [[1.0, 1.0], [4.0, 16.0]]);
}

#[test]
fn params_are_those_of_the_forks_in_their_order() {
    let params = |options: &str| {
        let mut layer = build(&format!("type: \"BN\" bn_param {{ {options} }}"), 1, 1).unwrap();
        layer.reshape(&[Shape::new(&[2, 3, 4, 4]).unwrap()]).unwrap();
        let decls = layer.params();
        decls.iter().map(|d| format!("{} {:?}", d.shape, d.kind)).collect::<Vec<_>>().join("; ")
    };
    assert_eq!(params("bn_mode: LEARN"), "1 3 1 1 (3) Learned; 1 3 1 1 (3) Learned");
    assert_eq!(
        params("momentum: 0.9"),
        "1 3 (3) Learned; 1 3 (3) Learned; 1 3 (3) Running; 1 3 (3) Running"
    );
    assert_eq!(
        params("frozen: true"),
        "1 3 (3) Constant; 1 3 (3) Constant; 1 3 (3) Running; 1 3 (3) Running"
    );
}

#[test]
fn segnet_has_tops_for_mean_and_variance() {
    let text = "type: \"BN\" bn_param { scale_filler { value: 1 } }";
    let tops = forward(text, &[X], 3).unwrap();
    assert_eq!(tops[1].0.dims(), [1, 2, 1, 1]);
    assert_eq!((tops[1].1.as_slice(), tops[2].1.as_slice()), (&[2.0, 3.0][..], &[1.0, 4.0][..]));
}

#[test]
fn invalid_options_and_bottoms_are_reported() {
    let check = |options: &str, tops: usize, want: &str| {
        let text = format!("type: \"BN\" bn_param {{ {options} }}");
        assert_eq!(error(&text, &[&[2, 3]], tops), want);
    };
    check(
        "scale_filler { value: 1 } momentum: 0.9",
        1,
        "`bn_param.scale_filler` and `bn_param.momentum` exclude each other: they are fields of \
         different forks; keep those of one",
    );
    check("eps: -1", 1, "`bn_param.eps` is -1, expected 0 or more");
    check("momentum: 1.5", 1, "`bn_param.momentum` is 1.5, expected from 0 to 1");
    check(
        "frozen: true",
        2,
        "`bn_param.frozen` is written, expected one top: only Caffe-SegNet's BN has tops for the \
         statistics",
    );
    check(
        "bn_mode: INFERENCE",
        3,
        "`bn_param.bn_mode` is INFERENCE, expected LEARN, or one top: there are no statistics for \
         the others",
    );
    assert_eq!(
        error("type: \"BN\"", &[&[2, 3, 4]], 1),
        "bottom 0 has shape 2 3 4 (24), expected 2 or 4 axes, none of them empty"
    );
}
