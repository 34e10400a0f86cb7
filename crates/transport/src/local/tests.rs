//! Threads pass the conformance suite, and name who fails.

use super::{LocalLink, mesh};
use crate::{LinkError, Stamp, Transport, conformance, session};
use std::thread;

/// Runs `body` on every rank's own thread and collects results in rank order; `None` for a panic.
fn spawn<T: Send>(
    world: usize,
    cores: usize,
    body: impl Fn(&mut LocalLink) -> T + Sync,
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
    Stamp { sequence, label: label.into(), fingerprint }
}

/// Where nothing is added.
fn copy(into: &mut [u8], bytes: &[u8]) {
    into.copy_from_slice(bytes);
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

/// A collective over lent memory: everyone leaves the largest of all bytes in its chunk.
fn largest(link: &mut LocalLink, bytes: &mut [u8], element_bytes: usize) -> Result<(), LinkError> {
    let memory = link.shared_memory().expect("threads share memory");
    memory.on_own_chunk(bytes, element_bytes, &mut |chunks| {
        let most = (0..chunks[0].len()).map(|at| chunks.iter().map(|c| c[at]).max().unwrap_or(0));
        let most: Vec<u8> = most.collect();
        chunks.iter_mut().for_each(|chunk| chunk.copy_from_slice(&most));
    })
}

#[test]
fn every_rank_works_on_its_chunk_of_all_buffers() {
    for world in 1..=9 {
        for (elements, element_bytes) in [(0, 4), (1, 4), (world - 1, 2), (world + 1, 4), (4099, 3)]
        {
            let len = elements * element_bytes;
            let byte = |rank: usize, at: usize| u8::try_from((rank * 89 + at * 7) % 251).unwrap();
            let all = spawn(world, 2, |link| {
                let me = link.rank().index();
                let mut bytes: Vec<u8> = (0..len).map(|at| byte(me, at)).collect();
                link.begin(&stamp(1, "test", 1));
                largest(link, &mut bytes, element_bytes).map(|()| bytes)
            });
            let most = |at| (0..world).map(|rank| byte(rank, at)).max().unwrap();
            let want: Vec<u8> = (0..len).map(most).collect();
            for bytes in all {
                assert_eq!(bytes.unwrap().unwrap(), want, "world {world}, {len} bytes");
            }
        }
    }
}

/// Chunks would overlap if ranks disagreed about elements: nobody touches anything then.
#[test]
fn other_elements_are_refused() {
    let ends = spawn(3, 2, |link| {
        link.begin(&stamp(1, "test", 1));
        let element_bytes = if link.rank().index() == 1 { 2 } else { 4 };
        largest(link, &mut [7; 16], element_bytes)
    });
    assert!(ends.iter().all(|end| matches!(end, Some(Err(LinkError::Length { .. })))), "{ends:?}");
}

#[test]
fn a_panic_is_named_to_all_others() {
    for lends in [true, false] {
        let ends = spawn(4, 2, |link| {
            link.begin(&stamp(1, "test", 1));
            assert!(link.rank().index() != 2, "planted");
            let mut bytes = vec![1; 100];
            if lends {
                return largest(link, &mut bytes, 1);
            }
            session(link, [&mut bytes[..]].into_iter(), copy, |s| {
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
        largest(link, &mut [1; 8], 4)
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
    for diverges_by_plan in [true, false] {
        let ends = spawn(3, 2, |link| {
            let me = link.rank().index();
            let (label, print) = if me == 1 { ("sum of 9", 9) } else { ("sum of 8", 8) };
            link.begin(&stamp(5, label, print));
            if me == 1 && diverges_by_plan {
                return session(link, [&mut [0; 9][..]].into_iter(), copy, |s| {
                    while !s.recv_copy(0, 0, 0, 0..9)? {
                        s.wait(&[0])?;
                    }
                    Ok(())
                });
            }
            largest(link, &mut vec![1; if me == 1 { 9 } else { 8 }], 1)
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
        let mut buffer = [7, 0];
        let end = session(link, [&mut buffer[..]].into_iter(), copy, |s| {
            s.send(1 - me, 0, 0, 0..1)?;
            while !s.recv_copy(1 - me, 0, 0, 1..2)? {
                s.wait(&[1 - me])?;
            }
            Ok(())
        });
        assert_eq!(buffer[1], 0, "nothing was read");
        end
    });
    for end in ends {
        assert!(matches!(end, Some(Err(LinkError::Mismatch { .. }))), "{end:?}");
    }
}
