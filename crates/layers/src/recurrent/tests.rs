//! The state from batch to batch, discarded draws, and errors. Values and gradients are compared
//! with Caffe's and with differences elsewhere.

use base::random::Mt19937;

use crate::Layer;
use crate::testing::{self, TestBlob, build, error};

const STREAMS: usize = 2;
const INPUTS: usize = 3;
const OUTPUTS: usize = 4;

type OwnedBlob = (Vec<usize>, Vec<f32>);

fn written(kind: &str, more: &str) -> String {
    let filler = "weight_filler { type: \"uniform\" min: -0.4 max: 0.4 }";
    format!("type: \"{kind}\" recurrent_param {{ num_output: {OUTPUTS} {filler} {more} }}")
}

/// The tops' values after one batch, with params drawn from a fixed seed.
fn run(layer: &mut dyn Layer, bottoms: &[OwnedBlob]) -> Vec<Vec<f32>> {
    let bottoms: Vec<TestBlob<'_>> =
        bottoms.iter().map(|(dims, data)| (&dims[..], &data[..])).collect();
    let memory = testing::run(layer, &bottoms, &mut Mt19937::new(1701)).unwrap();
    testing::values(&memory).into_iter().map(|(_, values)| values).collect()
}

/// Steps of a random sequence with their `cont`, which is 0 at the first step if `begins`.
fn batch(steps: std::ops::Range<usize>, begins: bool) -> [OwnedBlob; 2] {
    let mut x = vec![0.0; 100 * STREAMS * INPUTS];
    Mt19937::new(7).fill_gaussian(0.0, 1.0, &mut x);
    let (count, width) = (steps.len(), STREAMS * INPUTS);
    let x = x[steps.start * width..steps.end * width].to_vec();
    let mut cont = vec![1.0; count * STREAMS];
    if begins {
        cont[..STREAMS].fill(0.0);
    }
    [(vec![count, STREAMS, INPUTS], x), (vec![count, STREAMS], cont)]
}

#[test]
fn a_sequence_in_two_batches_equals_the_whole() {
    for kind in ["LSTM", "RNN"] {
        let new = || build(&written(kind, ""), 2, 1).unwrap();
        let whole = run(&mut *new(), &batch(0..5, true)).remove(0);
        let mut layer = new();
        let mut joined = run(&mut *layer, &batch(0..2, true)).remove(0);
        joined.extend(run(&mut *layer, &batch(2..5, false)).remove(0));
        assert_eq!(whole, joined, "{kind}");
        // `cont` 0 resets the state.
        assert_eq!(whole, run(&mut *layer, &batch(0..5, true)).remove(0), "{kind}");
    }
}

#[test]
fn an_exposed_state_continues_a_sequence() {
    for (kind, states) in [("LSTM", 2), ("RNN", 1)] {
        let new = || build(&written(kind, "expose_hidden: true"), 2 + states, 1 + states).unwrap();
        let state = |values: Vec<f32>| (vec![1, STREAMS, OUTPUTS], values);
        let zeros = || vec![state(vec![0.0; STREAMS * OUTPUTS]); states];
        let with = |batch: [OwnedBlob; 2], states| [batch.to_vec(), states].concat();
        let whole = run(&mut *new(), &with(batch(0..5, false), zeros()));
        let first = run(&mut *new(), &with(batch(0..2, false), zeros()));
        let carried = first[1..].iter().cloned().map(state).collect();
        let second = run(&mut *new(), &with(batch(2..5, false), carried));
        assert_eq!(whole[0], [first[0].clone(), second[0].clone()].concat(), "{kind}");
        assert_eq!(whole[1..], second[1..], "{kind}");
    }
}

/// Caffe fills the weights of every unrolled step and keeps those of the first.
#[test]
fn weights_of_later_steps_are_drawn_and_discarded() {
    for (kind, per_step) in [("LSTM", 1), ("RNN", 3)] {
        let mut layer = build(&written(kind, ""), 2, 1).unwrap();
        run(&mut *layer, &batch(0..5, true));
        let (params, discarded) = (layer.params(), layer.discarded());
        assert_eq!(discarded.len(), 4 * per_step, "{kind}");
        for (index, decl) in discarded.iter().enumerate() {
            let of = &params[params.len() - per_step + index % per_step];
            assert_eq!(decl.shape, of.shape, "{kind}");
        }
    }
}

#[test]
fn invalid_options_and_bottoms_are_reported() {
    let x: &[usize] = &[5, 2, 3];
    let cases: [(&[&[usize]], &str); 5] = [
        (
            &[&[5, 2], &[5, 2]],
            "bottom 0 has shape 5 2 (10), expected (steps, streams, ..), not empty",
        ),
        (&[x, &[5, 3]], "bottom 1 has shape 5 3 (15), expected 5 steps by 2 streams"),
        (
            &[x, &[5, 2], &[3, 7]],
            "bottom 2 has shape 3 7 (21), expected (streams, ..) with 2 streams",
        ),
        (
            &[x],
            "`recurrent_param.expose_hidden` is false with 1 bottoms and 1 tops, expected 2 bottoms, \
             or one more for a static input, and 1 tops",
        ),
        (
            &[x, &[5, 2], &[2, 7], &[1, 2, 4]],
            "`recurrent_param.expose_hidden` is false with 4 bottoms and 1 tops, expected 2 bottoms, \
             or one more for a static input, and 1 tops",
        ),
    ];
    for kind in ["LSTM", "RNN"] {
        for (bottoms, want) in cases {
            assert_eq!(error(&written(kind, ""), bottoms, 1), want);
        }
        let text = format!("type: \"{kind}\"");
        let want = "`recurrent_param.num_output` is missing: the number of outputs";
        assert_eq!(error(&text, &[x, &[5, 2]], 1), want);
        let text = format!("type: \"{kind}\" recurrent_param {{ num_output: 2147483647 }}");
        error(&text, &[x, &[5, 2]], 1);
    }
}
