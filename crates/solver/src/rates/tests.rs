use caffe_format::SolverParameter;
use expect_test::{Expect, expect};

use super::LearningRates;

/// The solvers whose rates Caffe printed.
fn policy(name: &str) -> SolverParameter {
    let p = SolverParameter {
        base_lr: Some(0.05),
        lr_policy: Some(name.into()),
        max_iter: Some(40),
        ..SolverParameter::default()
    };
    match name {
        "step" => SolverParameter { gamma: Some(0.5), stepsize: Some(10), ..p },
        "exp" => SolverParameter { gamma: Some(0.97), ..p },
        "inv" => SolverParameter { gamma: Some(0.01), power: Some(0.75), ..p },
        "multistep" => SolverParameter { gamma: Some(0.3), stepvalue: vec![8, 25], ..p },
        "poly" => SolverParameter { base_lr: Some(0.08), power: Some(0.5), ..p },
        "sigmoid" => SolverParameter { gamma: Some(0.2), stepsize: Some(20), ..p },
        _ => p,
    }
}

#[test]
fn rates_are_those_that_caffe_printed() {
    let mut checked = Vec::new();
    for line in include_str!("../../test_data/rates.tsv").lines() {
        let (name, want) = line.split_once('\t').unwrap();
        let rates = LearningRates::lower(&policy(name)).unwrap();
        let want: Vec<f32> = want.split(' ').map(|rate| rate.parse().unwrap()).collect();
        for (iter, want) in want.iter().enumerate() {
            let got = rates.at(iter as u64);
            assert!((got - want).abs() <= 5.1e-6 * want, "{name} at {iter}: {got} not {want}");
        }
        checked.push(name);
    }
    assert_eq!(checked, super::POLICIES);
}

#[track_caller]
fn check(p: &SolverParameter, warmup: Option<(i32, f32)>, want: Expect) {
    let (iterations, start) = warmup.unzip();
    let p = SolverParameter { warmup_iter: iterations, warmup_start_lr: start, ..p.clone() };
    let rates = LearningRates::lower(&p);
    want.assert_eq(&match rates {
        Ok(rates) => {
            (0..8).map(|iter| format!("{:.4}", rates.at(iter))).collect::<Vec<_>>().join(" ")
        }
        Err(error) => error.to_string(),
    });
}

#[test]
fn warm_up_meets_the_policy_without_a_jump() {
    let warmup = Some((4, 0.01));
    check(
        &policy("fixed"),
        warmup,
        expect!["0.0100 0.0200 0.0300 0.0400 0.0500 0.0500 0.0500 0.0500"],
    );
    let exp = SolverParameter { gamma: Some(0.5), ..policy("exp") };
    check(&exp, warmup, expect!["0.0100 0.0137 0.0113 0.0072 0.0031 0.0016 0.0008 0.0004"]);
    check(&exp, None, expect!["0.0500 0.0250 0.0125 0.0063 0.0031 0.0016 0.0008 0.0004"]);
}

#[test]
fn wrong_fields_are_named() {
    let p = |name| policy(name);
    check(
        &p("plateau"),
        None,
        expect![
            "`lr_policy`: unknown policy `plateau` (known: fixed, step, exp, inv, multistep, poly, sigmoid)"
        ],
    );
    check(
        &SolverParameter { gamma: Some(-1.0), ..p("exp") },
        None,
        expect!["`gamma` is -1, expected 0 or more by `exp`"],
    );
    check(
        &SolverParameter { stepsize: Some(0), ..p("step") },
        None,
        expect!["`stepsize` is 0, expected 1 or more by `step`"],
    );
    check(
        &SolverParameter { stepvalue: vec![3, -1], ..p("multistep") },
        None,
        expect!["`stepvalue` is -1, expected 0 or more by `multistep`"],
    );
    check(
        &SolverParameter { max_iter: None, ..p("poly") },
        None,
        expect!["`max_iter` is 0, expected 1 or more by `poly`"],
    );
    check(
        &SolverParameter { base_lr: Some(f32::NAN), ..p("fixed") },
        None,
        expect!["`base_lr` is NaN, expected a finite number"],
    );
}

/// As Caffe counts: at most one step per iteration, however the values stand.
#[test]
fn steps_begin_one_an_iteration() {
    let begin = |stepvalue: &[i32]| {
        let p = SolverParameter { stepvalue: stepvalue.to_vec(), ..policy("multistep") };
        let rates = LearningRates::lower(&p).unwrap();
        let begun: Vec<_> =
            (0..9).filter_map(|iter| Some((iter, rates.step_begins(iter)?))).collect();
        let mut step = 0; // Caffe's own counter, moved on as Caffe does
        for iter in 0..9_u64 {
            step += usize::from(
                stepvalue
                    .get(step)
                    .is_some_and(|&value| i64::try_from(iter).unwrap() >= value.into()),
            );
            assert_eq!(rates.current_step(iter), step as u64, "{stepvalue:?} at {iter}");
        }
        begun
    };
    assert_eq!(begin(&[2, 5]), [(2, 1), (5, 2)]);
    assert_eq!(begin(&[3, 3, 3]), [(3, 1), (4, 2), (5, 3)]);
    assert_eq!(begin(&[6, 2, 7]), [(6, 1), (7, 2), (8, 3)]);
    assert_eq!(begin(&[0]), [(0, 1)]);
    assert_eq!(LearningRates::lower(&policy("step")).unwrap().current_step(29), 2);
}
