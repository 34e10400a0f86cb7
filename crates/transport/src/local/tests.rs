//! Threads pass the conformance suite, and name who fails.

use super::{Link, mesh};
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
