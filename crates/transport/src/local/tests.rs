//! Threads pass the conformance suite, and name who fails.

use super::{Buckets, Link, mesh, share_pools};
use crate::{LinkError, Stamp, Transport, conformance, session};
use std::thread;

/// Runs `body` on every rank's own thread and collects results in rank order; `None` for a panic.
fn spawn<T: Send>(
    world: usize,
    cores: usize,
    body: impl Fn(&mut Link) -> T + Sync,
) -> Vec<Option<T>> {
    thread::scope(|scope| {
        let body = &body;
        let links = mesh(world, cores);
        let ranks = links.into_iter().map(|mut link| scope.spawn(move || body(&mut link)));
        let ranks: Vec<_> = ranks.collect();
        ranks.into_iter().map(|rank| rank.join().ok()).collect()
    })
}

fn stamp(sequence: u64, label: &str, fingerprint: u64) -> Stamp {
    Stamp { sequence, label: label.to_owned(), fingerprint }
}

#[test]
fn conforms() {
    for world in 1..=5 {
        for cores in [1, 8] {
            let done = spawn(world, cores, |link| conformance::run_all(link));
            assert!(done.iter().all(|result| *result == Some(Ok(()))), "{world}: {done:?}");
        }
    }
}

fn canonical(values: &[f32]) -> f32 {
    match values {
        [only] => *only,
        _ => {
            let (left, right) = values.split_at(1 << (values.len() - 1).ilog2());
            canonical(left) + canonical(right)
        }
    }
}

/// Values whose sum depends on the order of additions.
fn touchy(rank: usize, index: usize) -> f32 {
    1.0 / (3 + rank * 7 + index % 101) as f32
}

#[test]
fn direct_follows_the_canonical_tree() {
    for world in 1..=9 {
        for len in [0, 1, world - 1, world + 1, 4099] {
            let sums = spawn(world, 2, |link| {
                let me = link.rank().index();
                let mut values: Vec<f32> = (0..len).map(|index| touchy(me, index)).collect();
                link.begin(&stamp(1, "test", 1));
                link.all_reduce("direct", &mut values).unwrap().map(|()| values)
            });
            let want: Vec<f32> = (0..len)
                .map(|at| canonical(&(0..world).map(|rank| touchy(rank, at)).collect::<Vec<_>>()))
                .collect();
            for sum in sums {
                assert_eq!(sum.unwrap().unwrap(), want, "world {world}, {len} values");
            }
        }
    }
}

#[test]
fn a_panic_is_named_to_all_others() {
    for native in [true, false] {
        let ends = spawn(4, 2, |link| {
            link.begin(&stamp(1, "test", 1));
            assert!(link.rank().index() != 2, "planted");
            let mut values = vec![1.0; 100];
            if native {
                return link.all_reduce("direct", &mut values).unwrap();
            }
            session(link, &mut values, &mut [], |s| {
                while !s.recv_copy(2, 0, 0, 0..100)? {
                    s.wait(&[2])?;
                }
                Ok(())
            })
        });
        for (rank, end) in ends.into_iter().enumerate() {
            let want = (rank != 2).then_some(Err(LinkError::Panicked { rank: 2 }));
            assert_eq!(end, want, "rank {rank}");
        }
    }
}

#[test]
fn who_leaves_is_named() {
    let ends = spawn(3, 2, |link| {
        link.begin(&stamp(1, "test", 1));
        if link.rank().index() == 1 {
            return Ok(());
        }
        link.all_reduce("direct", &mut [1.0; 8]).unwrap()
    });
    assert_eq!(ends[1], Some(Ok(())));
    for rank in [0, 2] {
        let named = matches!(ends[rank], Some(Err(LinkError::Left { rank: 1, .. })));
        assert!(named, "{:?}", ends[rank]);
    }
}

/// One worker runs another collective: whatever the two are, nobody waits for ever.
#[test]
fn another_collective_is_named() {
    for strays_by_plan in [true, false] {
        let ends = spawn(3, 2, |link| {
            let me = link.rank().index();
            let (label, print) = if me == 1 { ("sum of 9", 9) } else { ("sum of 8", 8) };
            link.begin(&stamp(5, label, print));
            if me == 1 && strays_by_plan {
                return session(link, &mut [0.0; 9], &mut [], |s| {
                    while !s.recv_copy(0, 0, 0, 0..9)? {
                        s.wait(&[0])?;
                    }
                    Ok(())
                });
            }
            link.all_reduce("direct", &mut vec![1.0; if me == 1 { 9 } else { 8 }]).unwrap()
        });
        for end in ends {
            let Some(Err(error)) = end else { panic!("{end:?}") };
            let text = error.to_string();
            assert!(text.contains("sum of 9") && text.contains("sum of 8"), "{text}");
            assert!(text.contains("rank 1 is at") && text.contains("collective 5"), "{text}");
        }
    }
}

/// A message of another collective is not read, even if its length fits.
#[test]
fn messages_of_other_collectives_do_not_meet() {
    let ends = spawn(2, 2, |link| {
        let me = link.rank().index();
        link.begin(&stamp(5, ["ours", "theirs"][me], [8, 9][me]));
        let mut buffer = [7.0, 0.0];
        let end = session(link, &mut buffer, &mut [], |s| {
            s.send(1 - me, 0, 0, 0..1)?;
            while !s.recv_copy(1 - me, 0, 0, 1..2)? {
                s.wait(&[1 - me])?;
            }
            Ok(())
        });
        assert_eq!(buffer[1], 0.0, "nothing was read");
        end
    });
    for end in ends {
        assert!(matches!(end, Some(Err(LinkError::Mismatch { .. }))), "{end:?}");
    }
}

/// As training does it: fill, deliver, add what all have delivered, wait only at the end.
#[test]
fn pools_are_summed_while_they_fill() {
    const LEN: usize = 10_007;
    let buckets = Buckets::new(vec![0..0, 0..3, 3..5000, 5000..LEN], LEN).unwrap();
    for world in [1, 2, 3, 4, 7] {
        let shares = spawn(world, 2, |link| {
            let me = link.rank().index();
            let mut pool = vec![0.0; LEN];
            let mut sums = Vec::new();
            for iteration in 0..3 {
                link.begin(&stamp(iteration, "pools", iteration));
                share_pools(link, &mut pool, &buckets, |pools| {
                    let mut waiting = Vec::new();
                    for (index, bucket) in buckets.ranges().iter().enumerate() {
                        let start = pools.delivered();
                        for (at, value) in (start..bucket.end).zip(pools.fresh()) {
                            *value = touchy(me, at);
                        }
                        pools.deliver(bucket.end);
                        waiting.push(index);
                        let mut late = Vec::new();
                        for index in waiting {
                            if !pools.try_sum(index)? {
                                late.push(index);
                            }
                        }
                        waiting = late;
                    }
                    for index in waiting {
                        pools.sum(index)?;
                    }
                    let indices = 0..buckets.ranges().len();
                    let share = |index| (pools.share(index), pools.values(index).to_vec());
                    sums = indices.map(share).collect();
                    Ok(())
                })?;
            }
            Ok::<_, LinkError>(sums)
        });
        let mut seen = 0;
        for (range, sums) in shares.into_iter().flat_map(|share| share.unwrap().unwrap()) {
            seen += sums.len();
            for (at, sum) in range.zip(sums) {
                let all: Vec<f32> = (0..world).map(|rank| touchy(rank, at)).collect();
                assert_eq!(sum, canonical(&all), "world {world}, value {at}");
            }
        }
        assert_eq!(seen, LEN, "shares tile the pool");
    }
}

/// One value short of the bucket is not delivered.
#[test]
fn a_bucket_is_summed_only_when_all_have_it() {
    let buckets = Buckets::new(vec![0..6, 6..10], 10).unwrap();
    let meet = std::sync::Barrier::new(2);
    let ends = spawn(2, 2, |link| {
        let me = link.rank().index();
        link.begin(&stamp(1, "pools", 1));
        share_pools(link, &mut [1.0; 10], &buckets, |pools| {
            pools.deliver(if me == 0 { 10 } else { 9 });
            meet.wait();
            let early = (pools.try_sum(0)?, pools.try_sum(1)?);
            meet.wait();
            pools.deliver(10);
            pools.sum(1)?;
            Ok((early, pools.values(0).to_vec(), pools.values(1).to_vec()))
        })
    });
    for end in ends {
        assert_eq!(end.unwrap().unwrap(), ((true, false), vec![2.0; 3], vec![2.0; 2]));
    }
}

#[test]
fn a_worker_that_fails_over_pools_is_named() {
    let buckets = Buckets::new(vec![0..24, 24..30], 30).unwrap();
    let ends = spawn(3, 2, |link| {
        link.begin(&stamp(1, "pools", 1));
        share_pools(link, &mut [0.0; 30], &buckets, |pools| {
            assert!(pools.share(0).start != 8, "planted in worker 1");
            pools.deliver(30);
            pools.sum(0)
        })
    });
    for rank in [0, 2] {
        let Some(Err(error)) = &ends[rank] else { panic!("{:?}", ends[rank]) };
        assert!(error.to_string().contains("worker 1"), "{error}");
    }
    assert_eq!(ends[1], None);
}

#[test]
fn buckets_follow_each_other_and_agree() {
    assert!(Buckets::new(vec![0..4, 3..8], 8).is_none());
    assert!(Buckets::new(vec![0..4, 4..9], 8).is_none());
    let cuts = [4, 5].map(|cut| Buckets::new(vec![0..cut, cut..8], 8).unwrap());
    let ends = spawn(2, 2, |link| {
        link.begin(&stamp(1, "pools", 1));
        share_pools(link, &mut [0.0; 8], &cuts[link.rank().index()].clone(), |_| Ok(()))
    });
    for end in ends {
        assert!(matches!(end, Some(Err(LinkError::Mismatch { .. }))), "{end:?}");
    }
}

/// Between ranks: gather into pool 0, let another thread change it, read the final sum everywhere.
#[test]
fn buckets_travel_and_come_back() {
    const LEN: usize = 5003;
    let buckets = Buckets::new(vec![0..0, 0..1000, 1000..LEN], LEN).unwrap();
    for world in [1, 2, 3, 5] {
        let results = spawn(world, 2, |link| {
            let me = link.rank().index();
            let mut pool = vec![0.0; LEN];
            let mut sums = Vec::new();
            for iteration in 0..3 {
                link.begin(&stamp(iteration, "pools", iteration));
                for (at, value) in pool.iter_mut().enumerate() {
                    *value = touchy(me, at);
                }
                sums = share_pools(link, &mut pool, &buckets, |pools| {
                    pools.deliver(LEN);
                    let count = buckets.ranges().len();
                    let (mut gathered, mut published) = (0, 0);
                    while gathered < count || (me == 0 && published < count) {
                        gathered += usize::from(pools.try_gather()?.is_some());
                        let Some((index, bucket)) = pools.take() else {
                            thread::yield_now();
                            continue;
                        };
                        // Another thread doubles it, as an exchange with an equal rank would.
                        thread::scope(|scope| {
                            scope.spawn(|| bucket.iter_mut().for_each(|value| *value *= 2.0));
                        });
                        pools.publish(bucket);
                        assert_eq!(index, published);
                        published += 1;
                    }
                    let mut sums = Vec::new();
                    for index in 0..count {
                        sums.extend_from_slice(pools.result(index)?);
                    }
                    assert!(pools.try_gather()?.is_none() && pools.take().is_none());
                    Ok(sums)
                })?;
            }
            Ok::<_, LinkError>(sums)
        });
        let at = |at| 2.0 * canonical(&(0..world).map(|rank| touchy(rank, at)).collect::<Vec<_>>());
        let want: Vec<f32> = (0..LEN).map(at).collect();
        for sums in results {
            assert!(sums.unwrap().unwrap() == want, "world {world}");
        }
    }
}

/// A bucket that travels is out of reach for those who gathered it.
#[test]
fn a_gathered_bucket_is_not_summed_again() {
    let buckets = Buckets::new(vec![0..4, 4..8], 8).unwrap();
    for try_values in [true, false] {
        let ends = spawn(1, 1, |link| {
            link.begin(&stamp(1, "pools", 1));
            share_pools(link, &mut [1.0; 8], &buckets, |pools| {
                pools.deliver(8);
                assert_eq!(pools.try_gather()?, Some(0));
                let (_, bucket) = pools.take().unwrap();
                if try_values {
                    pools.values(0)[0] = 2.0;
                } else {
                    pools.try_sum(0)?;
                }
                bucket[0] = 3.0;
                Ok(())
            })
        });
        assert_eq!(ends, [None], "it panics");
    }
}
