use base::random::Mt19937;

use crate::testing::{build, error, forward, run, shapes, values};

#[test]
fn every_forward_draws_new_values_top_after_top() {
    let text = r#"type: "DummyData" dummy_data_param {
        shape { dim: 2 dim: 3 }
        data_filler { type: "gaussian" } data_filler { value: 4 } data_filler { type: "uniform" }
    }"#;
    let mut want = Mt19937::new(1701);
    let mut rng = Mt19937::new(1701);
    let mut layer = build(text, 0, 3).unwrap();
    for _ in 0..2 {
        let tops = values(&run(&mut *layer, &[], &mut rng).unwrap());
        let (mut first, mut last) = ([0.0; 6], [0.0; 6]);
        want.fill_gaussian(0.0, 1.0, &mut first);
        want.fill_uniform(0.0, 1.0, &mut last);
        assert_eq!(tops[0].1, first);
        assert_eq!(tops[1].1, [4.0; 6]);
        assert_eq!(tops[2].1, last);
    }
}

#[test]
fn sizes_are_written_once_or_once_per_top() {
    let check = |options: &str, want: &str| {
        let text = format!("type: \"DummyData\" dummy_data_param {{ {options} }}");
        let shapes = shapes(&text, &[], 2).unwrap();
        assert_eq!(format!("{} and {}", shapes[0], shapes[1]), want);
    };
    check("shape { dim: 2 }", "2 (2) and 2 (2)");
    check("shape { dim: 2 } shape { dim: 3 }", "2 (2) and 3 (3)");
    check("num: 2 channels: 3 channels: 1 height: 4 width: 5", "2 3 4 5 (120) and 2 1 4 5 (40)");
}

#[test]
fn invalid_options_are_reported() {
    let check = |options: &str, want: &str| {
        let text = format!("type: \"DummyData\" dummy_data_param {{ {options} }}");
        assert_eq!(error(&text, &[], 3), want);
    };
    check(
        "",
        "`dummy_data_param.shape` is written 0 times, expected once, or once for each of the 3 tops",
    );
    check(
        "num: 1 num: 2 channels: 1 height: 1 width: 1",
        "`dummy_data_param.num` is written 2 times, expected once, or once for each of the 3 tops",
    );
    check(
        "shape { dim: 2 } height: 3",
        "`dummy_data_param.shape` and `dummy_data_param.height` exclude each other: keep `shape`",
    );
    check("shape { dim: -2 }", "axis 0 has size -2");
    check(
        "shape { dim: 2 } data_filler { type: \"gauss\" }",
        "unknown filler type `gauss` (known types: bilinear, constant, gaussian, msra, \
         positive_unitball, uniform, xavier)",
    );
}

#[test]
fn without_a_filler_tops_are_zero() {
    let tops = forward("type: \"DummyData\" dummy_data_param { shape { dim: 2 } }", &[], 1);
    assert_eq!(tops.unwrap()[0].1, [0.0; 2]);
}
