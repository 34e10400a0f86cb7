//! `NAME:KEY=VALUE,…`: what is understood, and what every mistake is told.

use super::super::{COMPRESSIONS, CompressionConfig, CompressionError};
use super::{config, setup, setup_of};
use crate::wire;
use base::Rank;
use expect_test::{Expect, expect};

#[track_caller]
fn check(written: &str, want: Expect) {
    let text = match written.parse::<CompressionConfig>() {
        Ok(config) => format!("ok: {config}"),
        Err(error) => error.to_string(),
    };
    want.assert_eq(&text);
}

#[test]
fn defaults_and_spellings() {
    check("one-bit", expect!["ok: one-bit"]);
    check("power-sgd", expect!["ok: power-sgd:rank=2"]);
    check("sparse-chunks", expect!["ok: sparse-chunks:share=0.15,chunk=32768,warmup=500"]);
    check("threshold", expect!["ok: threshold:tau=30"]);
    check("top-k", expect!["ok: top-k:share=0.01,warmup=0"]);
    check(
        "sparse-chunks:warmup=0,share=1.0",
        expect!["ok: sparse-chunks:share=1,chunk=32768,warmup=0"],
    );
    check("threshold:tau=2.50e1", expect!["ok: threshold:tau=25"]);
}

#[test]
fn what_is_displayed_is_read_back() {
    for kind in COMPRESSIONS {
        let config = config(kind.name);
        assert_eq!(config.to_string().parse(), Ok(config));
    }
}

#[test]
fn names_and_keys() {
    check(
        "",
        expect![
            "unknown compression `` (known: one-bit, power-sgd, sparse-chunks, threshold, top-k)"
        ],
    );
    check(
        "topk:share=0.1",
        expect![
            "unknown compression `topk` (known: one-bit, power-sgd, sparse-chunks, threshold, top-k)"
        ],
    );
    check(
        "top-k:shares=0.1",
        expect!["compression `top-k` has no key `shares` (keys: share, warmup)"],
    );
    check("one-bit:tau=1", expect!["compression `one-bit` has no key `tau` (it has none)"]);
    check("top-k:", expect!["compression `top-k`: `` is not KEY=VALUE"]);
    check("top-k:0.1", expect!["compression `top-k`: `0.1` is not KEY=VALUE"]);
    check("top-k:share=0.1,", expect!["compression `top-k`: `` is not KEY=VALUE"]);
    check("top-k:share=0.1,share=0.2", expect!["compression `top-k`: `share` is given twice"]);
}

#[test]
fn values_out_of_range() {
    for value in ["0", "-0.1", "1.01", "nan", "inf", "x", "", " 0.1"] {
        for name in ["top-k", "sparse-chunks"] {
            let error = format!("{name}:share={value}").parse::<CompressionConfig>().unwrap_err();
            let want = format!(
                "compression `{name}`: `share={value}`: `share` must be above 0 and at most 1"
            );
            assert_eq!(error.to_string(), want);
        }
    }
    for value in ["0", "-1", "NaN", "inf", "1e39"] {
        let error = format!("threshold:tau={value}").parse::<CompressionConfig>().unwrap_err();
        let want = format!(
            "compression `threshold`: `tau={value}`: `tau` must be a finite number above 0"
        );
        assert_eq!(error.to_string(), want);
    }
    check(
        "power-sgd:rank=0",
        expect!["compression `power-sgd`: `rank=0`: `rank` must be a whole number from 1 to 1024"],
    );
    check(
        "power-sgd:rank=1.5",
        expect![
            "compression `power-sgd`: `rank=1.5`: `rank` must be a whole number from 1 to 1024"
        ],
    );
    check(
        "power-sgd:rank=-1",
        expect!["compression `power-sgd`: `rank=-1`: `rank` must be a whole number from 1 to 1024"],
    );
    check(
        "sparse-chunks:chunk=32000",
        expect![
            "compression `sparse-chunks`: `chunk=32000`: `chunk` must be a multiple of 4096 from 4096 to 1073741824"
        ],
    );
    check(
        "sparse-chunks:chunk=0",
        expect![
            "compression `sparse-chunks`: `chunk=0`: `chunk` must be a multiple of 4096 from 4096 to 1073741824"
        ],
    );
    check(
        "sparse-chunks:warmup=99999999999",
        expect![
            "compression `sparse-chunks`: `warmup=99999999999`: `warmup` must be a whole number from 0 to 4294967295"
        ],
    );
}

/// Keys of the help are valid and complete.
#[test]
fn defaults_are_valid_and_keys_are_explained() {
    for key in COMPRESSIONS.iter().flat_map(|kind| kind.keys) {
        assert!(key.range.parse(key.default).is_some(), "{}", key.name);
        assert!(!key.meaning.is_empty(), "{}", key.name);
    }
}

#[test]
fn a_momentum_that_cannot_be_corrected_is_refused() {
    for (text, momentum) in [("top-k", 1.0), ("top-k", -0.1), ("sparse-chunks", f32::NAN)] {
        let error = config(text).build(&setup(Rank::ALONE, wire::F32, momentum)).err().unwrap();
        assert!(matches!(error, CompressionError::Momentum { .. }), "{text}: {error}");
        let want = format!(
            "compression `{text}` corrects momentum, which must be at least 0 and below 1, not \
             {momentum}"
        );
        assert_eq!(error.to_string(), want);
    }
    assert!(config("one-bit").build(&setup(Rank::ALONE, wire::F32, 1.5)).is_ok());
}

#[test]
fn a_bucket_without_numbers_for_its_values_is_refused() {
    // Nothing is allocated for it: the check comes first.
    let setup = setup_of(Rank::ALONE, 0.9, &[(1 << 16, 1 << 15)]);
    for text in ["top-k", "threshold"] {
        let error = config(text).build(&setup).err().unwrap();
        let want = format!(
            "compression `{text}` numbers the values of a bucket in 31 bits, but bucket 0 has \
             2147483648; use smaller buckets"
        );
        assert_eq!(error.to_string(), want);
    }
}
