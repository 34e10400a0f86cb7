//! What every transport must do; `local` and `mpi` pass the same list.
//!
//! A check is a function that every rank calls with its own transport. It panics with a sentence
//! when the transport is wrong, so it can run in a test's threads or under `mpirun`.

use crate::{LinkError, Session, Stamp, Transport, session};

/// One check: its name, and what every rank calls.
pub struct ConformanceCheck {
    /// For the report.
    pub name: &'static str,
    /// Runs on every rank of a world of any size.
    pub run: fn(&mut dyn Transport) -> Result<(), LinkError>,
}

/// All checks, in the order in which they build on each other.
pub const CHECKS: &[ConformanceCheck] = &[
    ConformanceCheck { name: "a message arrives as it was sent", run: ring_of_messages },
    ConformanceCheck { name: "messages of one lane arrive in order", run: order },
    ConformanceCheck { name: "lanes do not wait for each other", run: lanes },
    ConformanceCheck { name: "memory that is being sent is not written", run: lent_memory },
    ConformanceCheck { name: "long messages cross each other", run: long_exchange },
    ConformanceCheck { name: "received bytes are added", run: reduce },
];

/// Runs every check; the rank's transport is stamped as `exchange` would.
pub fn run_all(link: &mut dyn Transport) -> Result<(), LinkError> {
    for (sequence, check) in (1..).zip(CHECKS) {
        link.begin(&Stamp { sequence, label: check.name.into(), fingerprint: sequence });
        (check.run)(link)?;
        link.end();
    }
    Ok(())
}

/// Neighbours on a ring: whom we send to, whom we hear.
fn neighbours(link: &dyn Transport) -> (usize, usize) {
    let (me, world) = (link.rank().index(), link.rank().world());
    ((me + 1) % world, (me + world - 1) % world)
}

/// Repeats a step until it is taken.
fn until(
    session: &mut Session<'_>,
    whom: usize,
    mut step: impl FnMut(&mut Session<'_>) -> Result<bool, LinkError>,
) -> Result<(), LinkError> {
    while !step(session)? {
        session.wait(&[whom])?;
    }
    Ok(())
}

fn value(rank: usize, index: usize) -> u8 {
    u8::try_from((rank * 131 + index * 7) % 251).unwrap_or(0)
}

fn filled(rank: usize, len: usize) -> Vec<u8> {
    (0..len).map(|index| value(rank, index)).collect()
}

/// Elements of one byte that wrap.
fn add(sums: &mut [u8], bytes: &[u8]) {
    sums.iter_mut().zip(bytes).for_each(|(sum, byte)| *sum = sum.wrapping_add(*byte));
}

/// Slot 0 = `buffer`, slot 1 = `other`.
fn two<'a>(buffer: &'a mut [u8], other: &'a mut [u8]) -> impl Iterator<Item = &'a mut [u8]> {
    [buffer, other].into_iter()
}

fn ring_of_messages(link: &mut dyn Transport) -> Result<(), LinkError> {
    let ((to, from), me) = (neighbours(link), link.rank().index());
    let mut buffer = [filled(me, 5), vec![0; 5]].concat();
    if to == me {
        return Ok(());
    }
    session(link, two(&mut buffer, &mut []), add, |s| {
        s.expect(from, 0, 5)?;
        until(s, to, |s| s.send(to, 0, 0, 0..5))?;
        until(s, from, |s| s.recv_copy(from, 0, 0, 5..10))
    })?;
    assert_eq!(buffer[5..], filled(from, 5), "rank {me} hears rank {from}");
    Ok(())
}

fn order(link: &mut dyn Transport) -> Result<(), LinkError> {
    let ((to, from), me) = (neighbours(link), link.rank().index());
    let mut buffer = [filled(me, 100), vec![0; 100]].concat();
    if to == me {
        return Ok(());
    }
    session(link, two(&mut buffer, &mut []), add, |s| {
        for index in 0..100 {
            s.expect(from, 3, 1)?;
            until(s, to, |s| s.send(to, 3, 0, index..index + 1))?;
            until(s, from, |s| s.recv_copy(from, 3, 0, 100 + index..101 + index))?;
        }
        Ok(())
    })?;
    assert_eq!(buffer[100..], filled(from, 100));
    Ok(())
}

fn lanes(link: &mut dyn Transport) -> Result<(), LinkError> {
    let ((to, from), me) = (neighbours(link), link.rank().index());
    let mut buffer = [filled(me, 8), vec![0; 8]].concat();
    if to == me {
        return Ok(());
    }
    session(link, two(&mut buffer, &mut []), add, |s| {
        for lane in 0..8 {
            until(s, to, |s| s.send(to, lane, 0, lane..lane + 1))?;
        }
        for lane in (0..8).rev() {
            s.expect(from, lane, 1)?;
            until(s, from, |s| s.recv_copy(from, lane, 0, 8 + lane..9 + lane))?;
        }
        Ok(())
    })?;
    assert_eq!(buffer[8..], filled(from, 8));
    Ok(())
}

fn lent_memory(link: &mut dyn Transport) -> Result<(), LinkError> {
    let ((to, from), me) = (neighbours(link), link.rank().index());
    const LEN: usize = 1 << 18; // too long for any transport's own buffers
    let mut buffer = filled(me, LEN);
    if to == me {
        return Ok(());
    }
    let mut scratch = vec![1; LEN];
    session(link, two(&mut buffer, &mut scratch), add, |s| {
        s.expect(from, 0, LEN)?;
        until(s, to, |s| s.send(to, 0, 0, 0..LEN))?;
        // May only happen after `to` has taken it; a change under way would be seen there.
        until(s, from, |s| s.recv_copy(from, 0, 1, 0..LEN))?;
        until(s, to, |s| s.add((1, 0..LEN), (0, 0..LEN)))
    })?;
    assert_eq!(scratch, filled(from, LEN), "rank {me} hears what {from} had");
    Ok(())
}

fn long_exchange(link: &mut dyn Transport) -> Result<(), LinkError> {
    let (me, world) = (link.rank().index(), link.rank().world());
    let other = me ^ 1;
    const LEN: usize = 1_200_001;
    if other >= world {
        return Ok(());
    }
    let mut buffer = [filled(me, LEN), vec![0; LEN]].concat();
    session(link, two(&mut buffer, &mut []), add, |s| {
        s.expect(other, 1, LEN)?;
        until(s, other, |s| s.send(other, 1, 0, 0..LEN))?;
        until(s, other, |s| s.recv_copy(other, 1, 0, LEN..2 * LEN))
    })?;
    assert_eq!(buffer[LEN..], filled(other, LEN));
    Ok(())
}

fn reduce(link: &mut dyn Transport) -> Result<(), LinkError> {
    let ((to, from), me) = (neighbours(link), link.rank().index());
    if to == me {
        return Ok(());
    }
    let mut buffer = filled(me, 1000);
    let mut scratch = filled(me, 1000);
    session(link, two(&mut buffer, &mut scratch), add, |s| {
        s.expect(from, 0, 1000)?;
        until(s, to, |s| s.send(to, 0, 1, 0..1000))?;
        until(s, from, |s| s.recv_reduce(from, 0, 0, 0..1000))
    })?;
    let mut want = filled(me, 1000);
    add(&mut want, &filled(from, 1000));
    assert_eq!(buffer, want);
    Ok(())
}
