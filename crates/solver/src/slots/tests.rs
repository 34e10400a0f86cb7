use std::slice::from_ref;

use super::{BLOCK, ParamSlot, ParamSlots};

/// Parameters of these lengths; gradients in reverse, as backward makes them, with a gap of three.
fn slots(lens: &[usize]) -> ParamSlots {
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
    ParamSlots::new(slots.collect())
}

#[test]
fn chunks_tile_the_bucket_and_their_ranges_tile_every_parameter() {
    for lens in [&[1][..], &[0, 5], &[BLOCK], &[BLOCK + 1, 64, 3 * BLOCK, 0, 10_000, BLOCK - 1]] {
        let slots = slots(lens);
        let pool = 0..lens.iter().map(|len| len + 3).sum::<usize>();
        for count in 1..=9 {
            let chunks: Vec<_> = (0..count).map(|i| slots.chunk(pool.clone(), count, i)).collect();
            assert_eq!((chunks[0].start, chunks[count - 1].end), (pool.start, pool.end));
            assert!(chunks.windows(2).all(|pair| pair[0].end == pair[1].start), "{chunks:?}");
            let fair = pool.len() / count;
            assert!(chunks.iter().all(|p| p.len() <= fair + BLOCK + 3), "{chunks:?}");

            let mut seen: Vec<Vec<u8>> = lens.iter().map(|&len| vec![0; len]).collect();
            let mut blocks = vec![0; slots.blocks()];
            for range in chunks.iter().flat_map(|chunk| slots.param_ranges(chunk.clone())) {
                seen[range.slot][range.values.clone()].iter_mut().for_each(|seen| *seen += 1);
                blocks[slots.blocks_in(&range)].iter_mut().for_each(|block| *block += 1);
                assert_eq!(slots.in_slab(&range).len(), range.values.len());
                assert_eq!(slots.in_pool(&range).len(), range.values.len());
            }
            assert!(seen.iter().flatten().all(|&seen| seen == 1), "{lens:?} in {count} chunks");
            assert!(blocks.iter().all(|&block| block == 1), "{lens:?} in {count} chunks");
        }
    }
}

#[test]
fn a_bucket_is_a_part_of_the_pool() {
    let slots = slots(&[100, 2 * BLOCK, 50]); // in the pool: 50 at 0, 8192 at 53, 100 at 8248
    let bucket = 53..8248;
    assert_eq!(slots.chunk(bucket.clone(), 2, 0), 53..53 + BLOCK);
    assert_eq!(slots.chunk(bucket.clone(), 2, 1), 53 + BLOCK..8248);
    assert_eq!(slots.param_ranges(bucket.clone()).len(), 1);
    let thirds: Vec<_> = (0..3).map(|i| slots.chunk(bucket.clone(), 3, i).len()).collect();
    assert_eq!(thirds, [BLOCK, 0, BLOCK + 3], "two blocks and a gap for three workers");
}

#[test]
#[should_panic(expected = "divides a block")]
fn a_range_inside_a_block_is_refused() {
    let _ = slots(&[100]).param_ranges(0..50);
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
    let _ = ParamSlots::new(vec![slot(0), slot(4)]);
}

#[test]
fn ranges_are_restricted_to_what_is_applied() {
    let slots = slots(&[100, 3 * BLOCK, 50]); // in the pool: 50 at 0, 12288 at 53, 100 at 12344
    let ranges = slots.param_ranges(0..12447);
    let of = |applied: &[std::ops::Range<usize>]| -> Vec<(usize, std::ops::Range<usize>)> {
        let parts = slots.within(&ranges, applied);
        parts.into_iter().map(|part| (part.slot, part.values)).collect()
    };
    assert_eq!(of(&[]), []);
    assert_eq!(of(from_ref(&(0..50))), [(2, 0..50)]);
    let middle = 53 + BLOCK..53 + 2 * BLOCK;
    assert_eq!(of(from_ref(&middle)), [(1, BLOCK..2 * BLOCK)]);
    let all = [(2, 0..50), (1, 0..3 * BLOCK), (0, 0..100)];
    assert_eq!(of(from_ref(&(0..12447))), all);
    assert_eq!(
        of(&[0..53 + BLOCK, 53 + 2 * BLOCK..12447]),
        [(2, 0..50), (1, 0..BLOCK), (1, 2 * BLOCK..3 * BLOCK), (0, 0..100)]
    );
    let own = slots.param_ranges(slots.chunk(0..12447, 2, 1)); // another worker's part stays out
    assert!(slots.within(&own, from_ref(&(0..53 + BLOCK))).is_empty());
}
