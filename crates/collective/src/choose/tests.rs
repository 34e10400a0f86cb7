//! Choices as written, and what is said about wrong ones.

use super::{AlgorithmChoice, choose};
use crate::algorithms::CANDIDATES;
use crate::{Algorithm, Network};
use expect_test::{Expect, expect};

#[track_caller]
fn check(written: &str, want: Expect) {
    let shown = match written.parse::<AlgorithmChoice>() {
        Ok(choice) => choice.to_string(),
        Err(err) => format!("error: {err}"),
    };
    want.assert_eq(&shown);
}

#[test]
fn choices_as_written() {
    check("auto", expect!["auto"]);
    check("multi-color:4", expect!["multi-color:4"]);
    check("ring:0-", expect!["ring:0-"]);
    check(
        "halving-doubling:0-256K; multi-color:2:256K-",
        expect!["halving-doubling:0-256000;multi-color:2:256000-"],
    );
    check("hierarchical:4:direct+multi-color:2", expect!["hierarchical:4:direct+multi-color:2"]);
}

#[test]
fn what_is_wrong_is_said() {
    check(
        "rings",
        expect![
            "error: unknown algorithm `rings` (known: direct, halving-doubling, hierarchical, mpi, multi-color, parameter-server, reduction-tree, ring)"
        ],
    );
    check(
        "multi-color:x",
        expect!["error: `multi-color:x`: `x` is not a number; write `multi-color[:COLORS]`"],
    );
    check(
        "multi-color:0",
        expect!["error: `multi-color:0`: 0 is too few; write `multi-color[:COLORS]`"],
    );
    check("ring:4", expect!["error: `ring:4`: `:4` means nothing; write `ring`"]);
    check(
        "hierarchical",
        expect![
            "error: `hierarchical`: `` is not a group size; write `hierarchical:GROUP[:INNER+OUTER]`"
        ],
    );
    check(
        "hierarchical:4:ring",
        expect![
            "error: `hierarchical:4:ring`: `ring` is not a pair; write `hierarchical:GROUP[:INNER+OUTER]`"
        ],
    );
    check(
        "hierarchical:4:ring+mpi",
        expect![
            "error: `hierarchical:4:ring+mpi`: `mpi` has no plan; write `hierarchical:GROUP[:INNER+OUTER]`"
        ],
    );
    check(
        "hierarchical:4:ring+rings",
        expect![
            "error: `hierarchical:4:ring+rings`: unknown algorithm `rings` (known: direct, halving-doubling, hierarchical, mpi, multi-color, parameter-server, reduction-tree, ring); write `hierarchical:GROUP[:INNER+OUTER]`"
        ],
    );
    check(
        "ring:0-1K;direct",
        expect!["error: rule `direct` has no sizes; write `name:from-to`, such as `ring:256K-`"],
    );
    check(
        "ring:0-1K;direct:2K-",
        expect![
            "error: rule `direct:2K-` starts at 2000 bytes, but the rules before it end at 1000 bytes"
        ],
    );
    check(
        "ring:0-;direct:2K-",
        expect![
            "error: rule `direct:2K-` starts at 2000 bytes, but the rules before it cover every size"
        ],
    );
    check(
        "ring:0-1K",
        expect!["error: no rule covers sizes from 1000 bytes on; end the last rule with `-`"],
    );
    check(
        "ring:0-1Q;direct:1K-",
        expect!["error: `1Q` is not a size; write bytes such as `4`, `1K`, `100M` or `2G`"],
    );
}

/// Candidates are rows, so their names are made here: they are read back as the same algorithms.
#[test]
fn candidates_have_their_names() {
    for &(row, count) in CANDIDATES {
        let candidate = Algorithm::of_row(row, count);
        assert_eq!(candidate.name().parse(), Ok(candidate.clone()), "{candidate}");
    }
}

#[test]
fn auto_is_exact_and_any_is_cheapest() {
    for world in 1..=64 {
        for bytes in [4, 10_000, 30_000_000] {
            let exact = choose(world, bytes, &Network::GIGABIT, true);
            let any = choose(world, bytes, &Network::GIGABIT, false);
            assert!(exact.is_exact(world));
            let cost = |a: &Algorithm| a.cost_us(world, bytes, &Network::GIGABIT);
            assert!(cost(&any) <= cost(&exact), "{any} {exact}");
        }
    }
    let short = choose(64, 400, &Network::GIGABIT, true);
    let long = choose(63, 100_000_000, &Network::GIGABIT, true);
    assert_eq!((short.name(), long.name()), ("halving-doubling", "direct"));
}

#[test]
fn rules_pick_by_size() {
    let rules: AlgorithmChoice = "direct:0-1K;ring:1K-".parse().unwrap();
    let pick = |bytes| rules.algorithm(4, bytes, &Network::LOCAL).name().to_owned();
    assert_eq!([pick(0), pick(999), pick(1000)], ["direct", "direct", "ring"]);
}
