//! Against what Caffe drew (recorded in `testdata/golden`) and against boost 1.74 itself: a program
//! of a few lines printed FNV-1a hashes of long runs, so that every rejection and the tails occur.

use std::path::Path;

use super::{Mt19937, STATE_BYTES, StateError};

const SEED: u32 = 1701;

/// FNV-1a over the little-endian bytes of the words.
fn hash(words: impl IntoIterator<Item = u32>) -> u64 {
    let bytes = words.into_iter().flat_map(u32::to_le_bytes);
    bytes.fold(0xcbf2_9ce4_8422_2325, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3))
}

/// Draws `count` values from a fresh stream and compares their hash with the one boost gave.
#[track_caller]
fn check(want: u64, count: usize, mut draw: impl FnMut(&mut Mt19937) -> u32) {
    let mut rng = Mt19937::new(SEED);
    assert_eq!(hash((0..count).map(|_| draw(&mut rng))), want);
}

#[test]
fn long_runs_are_those_of_boost() {
    check(0xb470_3f9d_0481_7b92, 100_000, Mt19937::next_u32);
    check(0x8363_8c65_1eb1_ae88, 2_000_000, |rng| rng.gaussian(0.5, 2.0).to_bits()); // 1,160 tails
    check(0xd212_7dd7_6f10_edb1, 1_000_000, |rng| rng.uniform(-0.3, 0.9).to_bits());
    check(0xcc0a_8d7d_f318_fa56, 1_000_000, |rng| rng.uniform(-3e38, 3e38).to_bits());
    check(0x94eb_5aa7_3e18_6ba5, 1_000, |rng| rng.uniform(0.0, 0.0).to_bits());
    check(0x16a0_765b_da84_3044, 1_000_000, |rng| u32::from(rng.bernoulli_f32(0.3)));
    let keep = 1.0 - f64::from(0.4_f32);
    check(0x6b0a_581d_eade_11b5, 1_000_000, |rng| u32::from(rng.bernoulli(keep)));
    check(0x4908_9c85_4342_f02d, 100_000, |rng| rng.uniform_int(3, 3_000_000_003));
}

#[test]
fn shuffle_is_caffes() {
    let mut items: Vec<u32> = (0..100_000).collect();
    Mt19937::new(SEED).shuffle(&mut items);
    assert_eq!(hash(items), 0xeefb_4e2f_fea5_a7a9);
}

/// The fillers `f1`, `f2` and `f3` of `fillers.prototxt`: 360 weights each from one stream.
#[test]
fn the_first_fillers_are_caffes() {
    for seed in [1701, 42] {
        let weights = |filler: usize| golden_weights(seed, filler);
        let mut rng = Mt19937::new(seed);
        let mut values = [0.0; 360];
        rng.fill_uniform(-0.3, 0.9, &mut values);
        assert_eq!(values.map(f32::to_bits), weights(1), "uniform");
        rng.fill_gaussian(0.1, 0.5, &mut values);
        assert_eq!(values.map(f32::to_bits), weights(2), "gaussian");
        rng.fill_gaussian(0.0, 1.0, &mut values);
        let sparse = values.map(|v| v * f32::from(u8::from(rng.bernoulli_f32(3.0 / 30.0))));
        assert_eq!(sparse.map(f32::to_bits), weights(3), "sparse");
    }
}

/// Bits of weight `index`: the file is a length, a header of that length and blocks of 360 floats.
fn golden_weights(seed: u32, index: usize) -> [u32; 360] {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../testdata/golden/data/feeds")
        .join(format!("fillers.seed{seed}.safetensors"));
    let bytes = std::fs::read(path).unwrap();
    let header = u64::from_le_bytes(*bytes.first_chunk().unwrap());
    let start = 8 + usize::try_from(header).unwrap() + index * 1440;
    let (words, _) = bytes[start..][..1440].as_chunks::<4>();
    std::array::from_fn(|i| u32::from_le_bytes(words[i]))
}

/// What Caffe's Dropout kept of 200 values with ratio 0.4 (golden case `dropout_train_seed`).
#[test]
fn dropout_masks_are_caffes() {
    let want = "11101110010011110001101111110110011001010100101111\
                00111000100111111010001111010001011101100110001111\
                10101110110101010100010110111001101001100111001110\
                10100101011101001011111000111111011101110100100110";
    let (mut rng, keep) = (Mt19937::new(SEED), 1.0 - f64::from(0.4_f32));
    let got: String = (0..200).map(|_| if rng.bernoulli(keep) { '1' } else { '0' }).collect();
    assert_eq!(got, want);
}

#[test]
fn a_saved_stream_goes_on() {
    for drawn in [0, 1, 623, 624, 625, 2000] {
        let mut rng = Mt19937::new(SEED);
        (0..drawn).for_each(|_| _ = rng.next_u32());
        let mut again = Mt19937::from_state(&rng.state()).unwrap();
        assert!((0..1000).all(|_| rng.next_u32() == again.next_u32()));
    }
}

#[test]
fn a_bad_state_is_refused() {
    let mut state = Mt19937::new(SEED).state();
    assert_eq!(Mt19937::from_state(&state[1..]), Err(StateError::Length { got: 2499 }));
    state[STATE_BYTES - 4..].copy_from_slice(&625_u32.to_le_bytes());
    assert_eq!(Mt19937::from_state(&state), Err(StateError::Position { got: 625 }));
    assert_eq!(Mt19937::from_state(&[0; STATE_BYTES]), Err(StateError::Zero));
}

#[test]
fn certain_answers_cost_what_they_cost_boost() {
    let mut rng = Mt19937::new(SEED);
    assert!(!rng.bernoulli(0.0) && !rng.bernoulli_f32(0.0));
    assert_eq!(rng.uniform_int(7, 7), 7);
    assert_eq!(rng, Mt19937::new(SEED), "no word was drawn");
    assert!(rng.bernoulli(1.0));
    assert_ne!(rng, Mt19937::new(SEED), "one word was drawn");
}
