//! The right rank is named: heartbeats and times as data.

use super::super::heartbeat::Heartbeat;
use super::{FailureDetector, OwnState, RankFailure};
use base::Rank;
use expect_test::{Expect, expect};
use std::time::Duration;
use transport::{BegunCollective, Waiting};

fn secs(seconds: f64) -> Duration {
    Duration::from_secs_f64(seconds)
}

fn at(sequence: u64, label: &str) -> Vec<BegunCollective> {
    let fingerprint = label.bytes().map(u64::from).sum();
    vec![BegunCollective { sequence, fingerprint, label: label.into() }]
}

fn heartbeat(waiting: Waiting, begun: Vec<BegunCollective>) -> Heartbeat {
    Heartbeat { leaving: false, waiting, moves: 0, begun }
}

/// Rank 0 of `heartbeats.len() + 1` checks every half second; rank r sends heartbeats as given
/// until its last second.
fn detected(
    own: (Waiting, Vec<BegunCollective>),
    heartbeats: &[(f64, Heartbeat)],
    until: f64,
) -> Option<(f64, RankFailure)> {
    let rank = Rank::new(0, heartbeats.len() + 1).unwrap();
    let mut detector = FailureDetector::new(rank, secs(10.0), secs(0.0));
    let mut now = 0.0;
    while now < until {
        for (from, (last, heartbeat)) in (1..).zip(heartbeats) {
            if now <= *last {
                detector.hear(secs(now), from, heartbeat.clone());
            }
        }
        let own = OwnState { waiting: own.0, moves: 1, begun: own.1.clone() };
        if let Some(failure) = detector.detect(secs(now), own) {
            return Some((now, failure));
        }
        now += 0.5;
    }
    None
}

#[track_caller]
fn check(own: (Waiting, Vec<BegunCollective>), heartbeats: &[(f64, Heartbeat)], want: Expect) {
    let shown = detected(own, heartbeats, 30.0)
        .map_or("all is well".to_owned(), |(now, failure)| format!("{now:.1} s: {failure}"));
    want.assert_eq(&shown);
}

#[test]
fn all_is_well() {
    let busy = || heartbeat(Waiting::Nobody, at(3, "sum"));
    check(
        (Waiting::Nobody, at(4, "next")),
        &[(30.0, busy()), (30.0, busy())],
        expect!["all is well"],
    );
}

#[test]
fn a_silent_rank_is_named_within_the_limit() {
    let waits = || heartbeat(Waiting::For(2), at(3, "sum"));
    check(
        (Waiting::For(2), at(3, "sum")),
        &[(30.0, waits()), (4.0, heartbeat(Waiting::Nobody, at(2, "sum")))],
        expect!["13.0 s: rank 2 is lost: silent for 9.0 s, last seen at collective 2, sum"],
    );
    check(
        (Waiting::Nobody, at(3, "sum")),
        &[(30.0, waits()), (4.0, heartbeat(Waiting::Nobody, at(2, "sum")))],
        expect!["13.0 s: rank 2 is lost: silent for 9.0 s, last seen at collective 2, sum"],
    );
}

#[test]
fn the_one_furthest_behind_that_waits_for_nobody_is_late() {
    let waits = |whom| heartbeat(Waiting::For(whom), at(3, "sum"));
    let computes = || heartbeat(Waiting::Nobody, at(2, "sum"));
    check(
        (Waiting::For(1), at(3, "sum")),
        &[(30.0, waits(2)), (30.0, waits(3)), (30.0, computes())],
        expect![
            "9.0 s: rank 3 is late: it is at collective 2, sum and waits for no rank, while rank 0 has waited 9.0 s at collective 3, sum"
        ],
    );
    let never = || heartbeat(Waiting::Nobody, Vec::new());
    check(
        (Waiting::Everyone, at(1, "sum")),
        &[(30.0, computes()), (30.0, never())],
        expect![
            "9.0 s: rank 2 is late: it is before its first collective and waits for no rank, while rank 0 has waited 9.0 s at collective 1, sum"
        ],
    );
}

/// A rank that stays outside is late, but how long a collective of the library takes is unknown.
#[test]
fn inside_the_library_only_silence_counts() {
    let inside = || heartbeat(Waiting::Everyone, at(3, "sum"));
    let own = || (Waiting::Everyone, at(3, "sum"));
    check(own(), &[(30.0, inside()), (30.0, inside())], expect!["all is well"]);
    check(
        own(),
        &[(30.0, inside()), (4.0, inside())],
        expect!["13.0 s: rank 2 is lost: silent for 9.0 s, last seen at collective 3, sum"],
    );
}

/// An iteration may take longer than the limit; a hang inside one may not.
#[test]
fn who_moves_is_not_late() {
    let rank = Rank::new(0, 2).unwrap();
    let detected = |moves_until: u64| {
        let mut detector = FailureDetector::new(rank, secs(10.0), secs(0.0));
        (0..60).find_map(|second| {
            let works = heartbeat(Waiting::Nobody, at(2, "sum"));
            let moves = second.min(moves_until);
            detector.hear(secs(second as f64), 1, Heartbeat { moves, ..works });
            let own = OwnState { waiting: Waiting::For(1), moves: 1, begun: at(3, "sum") };
            detector.detect(secs(second as f64), own).map(|failure| (second, failure))
        })
    };
    assert_eq!(detected(60), None);
    assert!(matches!(detected(20), Some((29, RankFailure::Late { rank: 1, .. }))));
}

#[test]
fn who_diverged_is_named_at_once() {
    let same = || heartbeat(Waiting::Nobody, at(3, "sum of 8"));
    let other = || heartbeat(Waiting::Nobody, at(3, "sum of 9"));
    check(
        (Waiting::For(1), at(3, "sum of 8")),
        &[(30.0, same()), (30.0, other())],
        expect![
            "0.0 s: rank 2 diverged: it is at collective 3, sum of 9, but rank 0 is at collective 3, sum of 8"
        ],
    );
    check(
        (Waiting::For(1), at(3, "sum of 9")),
        &[(30.0, same()), (30.0, same())],
        expect![
            "0.0 s: rank 0 diverged: it is at collective 3, sum of 9, but rank 1 is at collective 3, sum of 8"
        ],
    );
}

#[test]
fn who_hears_nobody_has_lost_its_own_link() {
    let busy = || heartbeat(Waiting::Nobody, at(3, "sum"));
    check(
        (Waiting::Nobody, at(3, "sum")),
        &[(2.5, busy()), (2.0, busy()), (3.0, busy())],
        expect!["11.0 s: rank 0 is lost: it has heard nobody for 9.0 s, so its own link is down"],
    );
}

/// Others that are slow at the same time do not make the silence of one our own fault.
#[test]
fn who_hears_little_of_others_is_not_alone() {
    let busy = || heartbeat(Waiting::Nobody, at(3, "sum"));
    check(
        (Waiting::Nobody, at(3, "sum")),
        &[(0.0, busy()), (4.0, busy()), (4.0, busy())],
        expect!["9.0 s: rank 1 is lost: silent for 9.0 s, last seen at collective 3, sum"],
    );
}

#[test]
fn who_left_is_not_silent() {
    let left = Heartbeat { leaving: true, waiting: Waiting::Nobody, moves: 0, begun: at(9, "sum") };
    let busy = heartbeat(Waiting::Nobody, at(3, "sum"));
    check((Waiting::Nobody, at(4, "sum")), &[(1.0, left), (30.0, busy)], expect!["all is well"]);
}

/// A rank that was stopped and goes on must not blame those who kept beating.
#[test]
fn our_own_absence_is_not_their_silence() {
    let rank = Rank::new(0, 3).unwrap();
    let mut detector = FailureDetector::new(rank, secs(10.0), secs(0.0));
    let own = || OwnState { waiting: Waiting::For(1), moves: 1, begun: at(1, "sum") };
    assert_eq!(detector.detect(secs(0.5), own()), None);
    assert_eq!(detector.detect(secs(60.0), own()), None);
    assert_eq!(detector.detect(secs(64.0), own()), None);
    assert!(detector.detect(secs(67.0), own()).is_none());
}

#[test]
fn goodbyes_are_awaited_of_whoever_still_beats() {
    let mut detector = FailureDetector::new(Rank::new(1, 3).unwrap(), secs(10.0), secs(0.0));
    let usual = heartbeat(Waiting::Nobody, Vec::new());
    let goodbye = Heartbeat { leaving: true, ..usual.clone() };
    detector.hear(secs(1.0), 0, goodbye.clone());
    detector.hear(secs(1.0), 2, usual);
    assert!(detector.awaits_goodbye(secs(2.0)));
    assert!(!detector.awaits_goodbye(secs(11.0)), "rank 2 is silent: nothing comes any more");
    detector.hear(secs(2.0), 2, goodbye);
    assert!(!detector.awaits_goodbye(secs(2.0)));
}
