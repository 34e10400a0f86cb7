use expect_test::expect;

use super::{ChartAxis, ChartRow, Curve, CurveChart, CurveLook, RowChart, RowMark};

fn axes() -> [ChartAxis; 2] {
    [ChartAxis::log2("hosts"), ChartAxis::linear("updates, 1/s")]
}

#[test]
fn a_curve_has_its_points_and_its_name() {
    let line = ("tree".to_owned(), vec![(2.0, 4.0), (4.0, 2.0)]);
    let svg = CurveChart::of_lines("title", axes(), [line]).inline();
    let wanted = ["<path class=\"line c0\" d=\"M62.0 62.0L598.8 284.0\">", ">tree</text>"];
    wanted.into_iter().for_each(|wanted| assert!(svg.contains(wanted), "{wanted}\n{svg}"));
    assert!(svg.contains(">hosts</text>") && svg.contains(">updates, 1/s</text>"), "{svg}");
}

/// The labels of ticks of an axis over values.
#[track_caller]
fn check(axis: ChartAxis, values: [f64; 2], want: expect_test::Expect) {
    let placed = super::axis::PlacedAxis::over(&axis, values.into_iter(), [0.0, 100.0], true);
    let ticks: Vec<_> = placed.ticks().into_iter().map(|(_, label)| label).collect();
    want.assert_eq(&ticks.join(" "));
}

#[test]
fn ticks_are_round() {
    check(ChartAxis::linear(""), [0.0, 9.4], expect!["0 2 4 6 8 10"]);
    check(ChartAxis::linear(""), [0.31, 0.35], expect!["0.31 0.32 0.33 0.34 0.35"]);
    check(ChartAxis::from_zero(""), [31.0, 1e6], expect!["0 200000 400000 600000 800000 1000000"]);
    check(ChartAxis::linear(""), [5.0, 5.0], expect!["4.7 4.8 4.9 5.0 5.1 5.2 5.3"]);
    check(ChartAxis::linear(""), [-3.0, 3.0], expect!["-4 -2 0 2 4"]);
    check(ChartAxis::log2(""), [1.5, 60.0], expect!["1 2 4 8 16 32 64"]);
    check(ChartAxis::log10(""), [0.003, 20.0], expect!["0.001 0.01 0.1 1 10 100"]);
    check(ChartAxis::log10(""), [1e-7, 1e-6], expect!["1e-7 1e-6"]);
    check(ChartAxis::linear(""), [f64::NAN, 0.0], expect!["-1.0 -0.5 0.0 0.5 1.0"]);
}

#[test]
fn names_are_text_and_do_not_overlap() {
    let curve = |name: &str, end: f64| Curve::new(name, vec![(0.0, 0.0), (1.0, end)], 0);
    let curves = vec![curve("<b>", 1.0), curve("b", 1.0), curve("c", 1.0)];
    let [x, y] = [ChartAxis::linear("x"), ChartAxis::linear("y")];
    let svg = CurveChart { title: "</svg><script>".into(), x, y, curves }.svg();
    assert!(!svg.contains("<b>") && !svg.contains("<script>"), "{svg}");
    let names = svg.split("<g class=\"names\">").nth(1).unwrap();
    let heights: Vec<f64> = names.split(" y=\"").skip(1).map(number).collect();
    assert_eq!(heights, [66.0, 81.0, 96.0]);
}

fn number(text: &str) -> f64 {
    text.split('"').next().unwrap().parse().unwrap()
}

#[test]
fn a_logarithmic_axis_leaves_out_what_it_cannot_show() {
    let points = vec![(1.0, 0.0), (2.0, 1.0), (4.0, 10.0)];
    let curve = Curve::new("", points, 3).looking(CurveLook::Dots);
    let [x, y] = [ChartAxis::log2("x"), ChartAxis::log10("y")];
    let svg = CurveChart { title: String::new(), x, y, curves: vec![curve] }.svg();
    assert_eq!(svg.matches("<circle").count(), 2);
}

#[test]
fn rows_have_names_marks_and_a_legend() {
    let bar = RowMark::Bar { from: 0.0, to: 1.0, color: 0, label: "1 <s>".into() };
    let marks = vec![bar, RowMark::Tick { at: 2.0, color: 1 }];
    let whisker = RowMark::Whisker { mean: 1.0, deviation: 0.5, color: 0 };
    let rows = vec![
        ChartRow { name: "conv1".into(), marks },
        ChartRow { name: "conv2".into(), marks: vec![whisker] },
    ];
    let legend = vec!["time".into(), "limit".into()];
    let chart = RowChart { title: "t".into(), x: ChartAxis::from_zero("time, s"), legend, rows };
    let svg = chart.svg();
    let bars = svg.matches("<rect class=\"bar c0\"").count();
    assert_eq!((bars, svg.matches("<circle").count()), (2, 1), "{svg}");
    assert!(svg.contains("<title>1 &lt;s&gt;</title>") && svg.contains(">conv2</text>"), "{svg}");
}
