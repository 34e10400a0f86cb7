use super::{BLOCK, ParamSlot, Slots};

/// Parameters of these lengths; gradients in reverse, as backward makes them, with a gap of three.
fn slots(lens: &[usize]) -> Slots {
    let mut values = 0;
    let mut gradient: usize = lens.iter().map(|len| len + 3).sum();
    let slots = lens.iter().map(|&len| {
        gradient -= len + 3;
        values += len;
        ParamSlot {
            values: values - len..values,
            gradient: gradient..gradient + len,
            lr_mult: 1.0,
            decay_mult: 1.0,
        }
    });
    Slots::new(slots.collect())
}

#[test]
fn pieces_tile_the_bucket_and_their_runs_every_parameter() {
    for lens in [&[1][..], &[0, 5], &[BLOCK], &[BLOCK + 1, 64, 3 * BLOCK, 0, 10_000, BLOCK - 1]] {
        let slots = slots(lens);
        let pool = 0..lens.iter().map(|len| len + 3).sum::<usize>();
        for parts in 1..=9 {
            let pieces: Vec<_> = (0..parts).map(|i| slots.cut(pool.clone(), parts, i)).collect();
            assert_eq!((pieces[0].start, pieces[parts - 1].end), (pool.start, pool.end));
            assert!(pieces.windows(2).all(|pair| pair[0].end == pair[1].start), "{pieces:?}");
            let fair = pool.len() / parts;
            assert!(pieces.iter().all(|p| p.len() <= fair + BLOCK + 3), "{pieces:?}");

            let mut seen: Vec<Vec<u8>> = lens.iter().map(|&len| vec![0; len]).collect();
            let mut blocks = vec![0; slots.blocks()];
            for run in pieces.iter().flat_map(|piece| slots.runs(piece.clone())) {
                seen[run.slot][run.values.clone()].iter_mut().for_each(|seen| *seen += 1);
                blocks[slots.blocks_in(&run)].iter_mut().for_each(|block| *block += 1);
                assert_eq!(slots.in_slab(&run).len(), run.values.len());
                assert_eq!(slots.in_pool(&run).len(), run.values.len());
            }
            assert!(seen.iter().flatten().all(|&seen| seen == 1), "{lens:?} in {parts}");
            assert!(blocks.iter().all(|&block| block == 1), "{lens:?} in {parts}");
        }
    }
}

#[test]
fn a_bucket_is_a_part_of_the_pool() {
    let slots = slots(&[100, 2 * BLOCK, 50]); // in the pool: 50 at 0, 8192 at 53, 100 at 8248
    let bucket = 53..8248;
    assert_eq!(slots.cut(bucket.clone(), 2, 0), 53..53 + BLOCK);
    assert_eq!(slots.cut(bucket.clone(), 2, 1), 53 + BLOCK..8248);
    assert_eq!(slots.runs(bucket.clone()).len(), 1);
    let thirds: Vec<_> = (0..3).map(|i| slots.cut(bucket.clone(), 3, i).len()).collect();
    assert_eq!(thirds, [BLOCK, 0, BLOCK + 3], "two blocks and a gap for three workers");
}

#[test]
#[should_panic(expected = "cuts a block in two")]
fn a_range_inside_a_block_is_refused() {
    let _ = slots(&[100]).runs(0..50);
}

#[test]
#[should_panic(expected = "gradients overlap")]
fn gradients_do_not_overlap() {
    let slot = |start| ParamSlot {
        values: start..start + 4,
        gradient: 0..4,
        lr_mult: 1.0,
        decay_mult: 1.0,
    };
    let _ = Slots::new(vec![slot(0), slot(4)]);
}
