//! The right rank is named: beats and times as data.

use super::super::beat::Beat;
use super::{Judge, Own, Verdict};
use base::Rank;
use expect_test::{Expect, expect};
use std::time::Duration;
use transport::{Entry, Waiting};

fn secs(seconds: f64) -> Duration {
    Duration::from_secs_f64(seconds)
}

fn at(sequence: u64, label: &str) -> Vec<Entry> {
    let fingerprint = label.bytes().map(u64::from).sum();
    vec![Entry { sequence, fingerprint, label: label.to_owned() }]
}

fn beat(waiting: Waiting, begun: Vec<Entry>) -> Beat {
    Beat { leaving: false, waiting, moves: 0, begun }
}

/// Rank 0 of `beats.len() + 1` judges every half second; rank r beats as given until its last second.
fn judged(own: (Waiting, Vec<Entry>), beats: &[(f64, Beat)], until: f64) -> Option<(f64, Verdict)> {
    let rank = Rank::new(0, beats.len() + 1).unwrap();
    let mut judge = Judge::new(rank, secs(10.0), secs(0.0));
    let mut now = 0.0;
    while now < until {
        for (from, (last, beat)) in (1..).zip(beats) {
            if now <= *last {
                judge.hear(secs(now), from, beat.clone());
            }
        }
        let own = Own { waiting: own.0, moves: 1, begun: own.1.clone() };
        if let Some(verdict) = judge.judge(secs(now), own) {
            return Some((now, verdict));
        }
        now += 0.5;
    }
    None
}

#[track_caller]
fn check(own: (Waiting, Vec<Entry>), beats: &[(f64, Beat)], want: Expect) {
    let shown = judged(own, beats, 30.0)
        .map_or("all is well".to_owned(), |(now, verdict)| format!("{now:.1} s: {verdict}"));
    want.assert_eq(&shown);
}

#[test]
fn all_is_well() {
    let busy = || beat(Waiting::Nobody, at(3, "sum"));
    check(
        (Waiting::Nobody, at(4, "next")),
        &[(30.0, busy()), (30.0, busy())],
        expect!["all is well"],
    );
}

#[test]
fn a_silent_rank_is_named_within_the_limit() {
    let waits = || beat(Waiting::For(2), at(3, "sum"));
    check(
        (Waiting::For(2), at(3, "sum")),
        &[(30.0, waits()), (4.0, beat(Waiting::Nobody, at(2, "sum")))],
        expect!["13.0 s: rank 2 is lost: silent for 9.0 s, last seen at collective 2, sum"],
    );
    check(
        (Waiting::Nobody, at(3, "sum")),
        &[(30.0, waits()), (4.0, beat(Waiting::Nobody, at(2, "sum")))],
        expect!["13.0 s: rank 2 is lost: silent for 9.0 s, last seen at collective 2, sum"],
    );
}

#[test]
fn the_one_furthest_behind_that_waits_for_nobody_is_late() {
    let waits = |whom| beat(Waiting::For(whom), at(3, "sum"));
    let computes = || beat(Waiting::Nobody, at(2, "sum"));
    check(
        (Waiting::For(1), at(3, "sum")),
        &[(30.0, waits(2)), (30.0, waits(3)), (30.0, computes())],
        expect![
            "9.0 s: rank 3 does not arrive: it is at collective 2, sum and waits for nobody, while rank 0 has waited 9.0 s at collective 3, sum"
        ],
    );
    let never = || beat(Waiting::Nobody, Vec::new());
    check(
        (Waiting::Everyone, at(1, "sum")),
        &[(30.0, computes()), (30.0, never())],
        expect![
            "9.0 s: rank 2 does not arrive: it is before its first collective and waits for nobody, while rank 0 has waited 9.0 s at collective 1, sum"
        ],
    );
}

/// An iteration may take longer than the limit; a hang inside one may not.
#[test]
fn who_moves_is_not_late() {
    let rank = Rank::new(0, 2).unwrap();
    let judged = |moves_until: u64| {
        let mut judge = Judge::new(rank, secs(10.0), secs(0.0));
        (0..60).find_map(|second| {
            let works = beat(Waiting::Nobody, at(2, "sum"));
            let moves = second.min(moves_until);
            judge.hear(secs(second as f64), 1, Beat { moves, ..works });
            let own = Own { waiting: Waiting::For(1), moves: 1, begun: at(3, "sum") };
            judge.judge(secs(second as f64), own).map(|verdict| (second, verdict))
        })
    };
    assert_eq!(judged(60), None);
    assert!(matches!(judged(20), Some((29, Verdict::Late { rank: 1, .. }))));
}

#[test]
fn who_strays_is_named_at_once() {
    let same = || beat(Waiting::Nobody, at(3, "sum of 8"));
    let other = || beat(Waiting::Nobody, at(3, "sum of 9"));
    check(
        (Waiting::For(1), at(3, "sum of 8")),
        &[(30.0, same()), (30.0, other())],
        expect![
            "0.0 s: rank 2 strays: it is at collective 3, sum of 9, but rank 0 is at collective 3, sum of 8"
        ],
    );
    check(
        (Waiting::For(1), at(3, "sum of 9")),
        &[(30.0, same()), (30.0, same())],
        expect![
            "0.0 s: rank 0 strays: it is at collective 3, sum of 9, but rank 1 is at collective 3, sum of 8"
        ],
    );
}

#[test]
fn who_hears_nobody_has_lost_its_own_link() {
    let busy = || beat(Waiting::Nobody, at(3, "sum"));
    check(
        (Waiting::Nobody, at(3, "sum")),
        &[(2.5, busy()), (2.0, busy()), (3.0, busy())],
        expect!["11.0 s: rank 0 is lost: it has heard nobody for 9.0 s, so its own link is down"],
    );
}

/// Others that are slow at the same time do not make the silence of one our own fault.
#[test]
fn who_hears_little_of_others_is_not_alone() {
    let busy = || beat(Waiting::Nobody, at(3, "sum"));
    check(
        (Waiting::Nobody, at(3, "sum")),
        &[(0.0, busy()), (4.0, busy()), (4.0, busy())],
        expect!["9.0 s: rank 1 is lost: silent for 9.0 s, last seen at collective 3, sum"],
    );
}

#[test]
fn who_left_is_not_silent() {
    let left = Beat { leaving: true, waiting: Waiting::Nobody, moves: 0, begun: at(9, "sum") };
    let busy = beat(Waiting::Nobody, at(3, "sum"));
    check((Waiting::Nobody, at(4, "sum")), &[(1.0, left), (30.0, busy)], expect!["all is well"]);
}

/// A rank that was stopped and goes on must not blame those who kept beating.
#[test]
fn our_own_absence_is_not_their_silence() {
    let rank = Rank::new(0, 3).unwrap();
    let mut judge = Judge::new(rank, secs(10.0), secs(0.0));
    let own = || Own { waiting: Waiting::For(1), moves: 1, begun: at(1, "sum") };
    assert_eq!(judge.judge(secs(0.5), own()), None);
    assert_eq!(judge.judge(secs(60.0), own()), None);
    assert_eq!(judge.judge(secs(64.0), own()), None);
    assert!(judge.judge(secs(67.0), own()).is_none());
}

#[test]
fn goodbyes_are_awaited_of_whoever_still_beats() {
    let mut judge = Judge::new(Rank::new(1, 3).unwrap(), secs(10.0), secs(0.0));
    let usual = beat(Waiting::Nobody, Vec::new());
    let goodbye = Beat { leaving: true, ..usual.clone() };
    judge.hear(secs(1.0), 0, goodbye.clone());
    judge.hear(secs(1.0), 2, usual);
    assert!(judge.awaits_goodbye(secs(2.0)));
    assert!(!judge.awaits_goodbye(secs(11.0)), "rank 2 is silent: nothing comes any more");
    judge.hear(secs(2.0), 2, goodbye);
    assert!(!judge.awaits_goodbye(secs(2.0)));
}
