//! Gradients of losses where predictions are close to their targets. A difference must be taken
//! before it is scaled: scaled operands keep their rounding errors when they cancel, and then few
//! digits of the gradient are right. Compared with f64, relative to each value.

use crate::testing::{TestBlob, backward, forward};

/// Neither a power of two, so that scaling rounds.
const ITEMS: usize = 3;
const WEIGHT: f32 = 0.7;
/// Five roundings.
const TOLERANCE: f64 = 3e-7;

/// Compares the first bottoms' diffs with these.
#[track_caller]
fn check(text: &str, bottoms: &[TestBlob<'_>], tops: usize, want: &[&[f64]]) {
    let top_diffs: Vec<&[f32]> =
        (0..tops).map(|top| if top == 0 { &[WEIGHT] } else { &[][..] }).collect();
    let got = backward(text, bottoms, &top_diffs).unwrap();
    for (bottom, (got, want)) in got.iter().zip(want).enumerate() {
        assert_eq!(got.len(), want.len());
        for (at, (&got, &want)) in got.iter().zip(*want).enumerate() {
            let error = (f64::from(got) - want).abs();
            assert!(
                error <= TOLERANCE * want.abs(),
                "{text}: value {at} of bottom {bottom}: {got}, not {want}"
            );
        }
    }
}

fn scale() -> f64 {
    f64::from(WEIGHT) / ITEMS as f64
}

/// Predictions, and targets that differ from them in the last bits.
fn close_pairs() -> (Vec<f32>, Vec<f32>) {
    let a: Vec<f32> = (0..4 * ITEMS).map(|i| (i as f32 - 5.3) / 7.0).collect();
    let b = a.iter().enumerate().map(|(i, a)| a * (1.0 + (i + 3) as f32 * f32::EPSILON)).collect();
    (a, b)
}

#[test]
fn distances() {
    let (a, b) = close_pairs();
    let exact = |sign: f64| -> Vec<f64> {
        a.iter().zip(&b).map(|(&a, &b)| sign * scale() * (f64::from(a) - f64::from(b))).collect()
    };
    let (da, db) = (exact(1.0), exact(-1.0));
    let pair: [TestBlob<'_>; 2] = [(&[ITEMS, 4], &a), (&[ITEMS, 4], &b)];
    check("type: \"EuclideanLoss\"", &pair, 1, &[&da, &db]);
    check("type: \"SmoothL1Loss\"", &pair, 1, &[&da, &db]);
    let similar: TestBlob<'_> = (&[ITEMS], &[1.0; ITEMS]);
    check("type: \"ContrastiveLoss\"", &[pair[0], pair[1], similar], 1, &[&da, &db]);
}

/// A probability is rounded to f32, as in Caffe; what follows is exact.
#[test]
#[expect(clippy::cast_possible_truncation, reason = "rounding to f32 is the point")]
fn cross_entropies() {
    let scores = [-14.0, -9.0, -2.5, -0.3, 0.4, 1.7, 3.1, 6.0, 8.5, 11.0, 13.0, 15.5_f32];
    let probability = |x: f32| (1.0 / (1.0 + (-f64::from(x)).exp())) as f32;
    let near = |x: f32| probability(x) * (1.0 + 8.0 * f32::EPSILON);
    let targets: [&dyn Fn(f32) -> f32; 3] = [&|_| 0.0, &|_| 1.0, &near];
    for target in targets {
        let targets = scores.map(target);
        let want: Vec<f64> = (scores.iter().zip(&targets))
            .map(|(&x, &t)| scale() * (f64::from(probability(x)) - f64::from(t)))
            .collect();
        let bottoms = [(&[ITEMS, 4][..], &scores[..]), (&[ITEMS, 4][..], &targets[..])];
        check("type: \"SigmoidCrossEntropyLoss\"", &bottoms, 1, &[&want]);
    }
}

#[test]
fn softmax_losses() {
    let scores = [9.0, 0.0, 12.5, 1.0, -2.0, 10.0_f32];
    let bottoms = [(&[ITEMS, 2][..], &scores[..]), (&[ITEMS][..], &[0.0, 0.0, 1.0][..])];
    let text = "type: \"SoftmaxWithLoss\"";
    let p = &forward(text, &bottoms, 2).unwrap()[1].1;
    let labels = [1.0, 0.0, 1.0, 0.0, 0.0, 1.0];
    let want: Vec<f64> = p.iter().zip(labels).map(|(&p, l)| scale() * (f64::from(p) - l)).collect();
    check(text, &bottoms, 2, &[&want]);
    let identity: TestBlob<'_> = (&[2, 2], &[1.0, 0.0, 0.0, 1.0]);
    check("type: \"InfogainLoss\"", &[bottoms[0], bottoms[1], identity], 2, &[&want]);
}

#[test]
fn margins() {
    let short = 1.0 - 5.0 * f32::EPSILON;
    let scores = [short, -2.0, -short, 2.0, 2.0, -short];
    let bottoms = [(&[ITEMS, 2][..], &scores[..]), (&[ITEMS][..], &[0.0, 1.0, 0.0][..])];
    let gap = 2.0 * scale() * 5.0 * f64::from(f32::EPSILON);
    let want = [-gap, 0.0, gap, 0.0, 0.0, gap];
    check("type: \"HingeLoss\" hinge_loss_param { norm: L2 }", &bottoms, 1, &[&want]);
}

/// A batch as that of BVLC's autoencoder. A sum in f32, as Caffe adds up its loss, is some parts in
/// a million off; the loss here is the exact one, rounded.
#[test]
fn a_loss_over_many_values_is_summed_in_f64() {
    const ITEMS: usize = 100;
    const VALUES: usize = 784;
    let scores: Vec<f32> =
        (0..ITEMS * VALUES).map(|i| ((i * 7919) % 2003) as f32 / 300.0 - 3.0).collect();
    let targets: Vec<f32> = (0..ITEMS * VALUES).map(|i| ((i * 104_729) % 5 / 4) as f32).collect();
    let terms = scores.iter().zip(&targets);
    let exact: f64 = (terms.clone())
        .map(|(&x, &t)| (f64::from(x), f64::from(t)))
        .map(|(x, t)| (-x.abs()).exp().ln_1p() - x * (t - f64::from(u8::from(x >= 0.0))))
        .sum();
    let in_f32 = terms.fold(0.0_f32, |sum, (x, t)| {
        sum + ((1.0 + (-x.abs()).exp()).ln() - x * (t - f32::from(u8::from(*x >= 0.0))))
    });
    let off = |sum: f64| (sum / exact - 1.0).abs();
    let bottoms = [(&[ITEMS, VALUES][..], &scores[..]), (&[ITEMS, VALUES][..], &targets[..])];
    let loss = forward("type: \"SigmoidCrossEntropyLoss\"", &bottoms, 1).unwrap()[0].1[0];
    assert!(off(f64::from(loss) * ITEMS as f64) < 1e-7, "{}", off(f64::from(loss) * ITEMS as f64));
    assert!((1e-6..1e-4).contains(&off(f64::from(in_f32))), "{}", off(f64::from(in_f32)));
}
