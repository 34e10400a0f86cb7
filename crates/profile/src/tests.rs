//! What is wrong is named; times arrive at their layers.

use std::error::Error;
use std::time::Duration;

use expect_test::expect;

use crate::{DeviceProfile, LayerOperations};

const RATE: &str = r#"{ "format": "firecaffe profile 1", "net": "n", "batch": 8, "machine": "m",
    "source": "s", "images_per_second": 4 }"#;
const LAYERS: &str = r#"{ "format": "firecaffe profile 1", "net": "n", "batch": 8, "machine": "m",
    "source": "s", "update_ms": 1.5, "layers": [
      { "name": "conv", "type": "Convolution", "forward_ms": 2, "backward_ms": 4, "params": 30 },
      { "name": "ip", "type": "InnerProduct", "forward_ms": 0.5, "backward_ms": 1, "params": 70 }
    ] }"#;

fn net() -> Vec<LayerOperations<'static>> {
    let layer = |name, kind, params, operations: f64| LayerOperations {
        name,
        kind,
        params,
        forward: operations,
        backward: 2.0 * operations,
    };
    vec![layer("conv", "Convolution", 30, 900.0), layer("ip", "InnerProduct", 70, 100.0)]
}

/// The message and its cause.
fn said(error: &dyn Error) -> String {
    error.source().map_or_else(|| error.to_string(), |cause| format!("{error}: {cause}"))
}

#[test]
fn what_is_wrong_is_named() {
    let broken = [
        (RATE, "", ""),
        (RATE, "\"batch\": 8,", ""),
        (RATE, "\"batch\": 8", "\"batch\": 0"),
        (RATE, "\"batch\": 8", "\"batch\": -8"),
        (RATE, "profile 1", "profile 2"),
        (RATE, "\"images_per_second\": 4", "\"images_per_second\": -4"),
        (RATE, "\"images_per_second\": 4", "\"images_per_second\": 0"),
        (RATE, "\"images_per_second\": 4", "\"images_per_second\": 1e999"),
        (RATE, "\"images_per_second\": 4", "\"images_per_s\": 4"),
        (RATE, ", \"images_per_second\": 4", ""),
        (RATE, "\"source\": \"s\",", ""),
        (RATE, "\"source\": \"s\",", "\"source\": \"s\", \"layers\": [],"),
        (RATE, "\"source\": \"s\",", "\"source\": \"s\", \"update_ms\": 1,"),
        (LAYERS, "\"update_ms\": 1.5,", ""),
        (LAYERS, "\"backward_ms\": 4", "\"backward_ms\": -4"),
        (LAYERS, "\"params\": 30", "\"params\": \"30\""),
        (LAYERS, "]", ""),
    ];
    let said = broken.map(|(text, from, to)| {
        match DeviceProfile::from_json(&text.replacen(from, to, 1)) {
            Ok(_) => "read".to_owned(),
            Err(error) => said(&error),
        }
    });
    expect![[r#"
        read
        `batch` is missing
        `batch` is 0, expected the items of one iteration
        not a profile: invalid value: integer `-8`, expected usize at line 1 column 58
        `format` is "firecaffe profile 2", expected "firecaffe profile 1"
        `images_per_second` is -4, expected 0 or more
        `images_per_second` is 0, expected the speed of one device
        not a profile: number out of range at line 2 column 45
        not a profile: unknown field `images_per_s`, expected one of `format`, `net`, `batch`, `machine`, `source`, `images_per_second`, `update_ms`, `layers` at line 2 column 33
        there are no times: give `layers` with `update_ms` (as `firecaffe time --save-profile` writes them), or `images_per_second`
        `source` is missing
        both `layers` and `images_per_second` are given: leave one of them out
        `update_ms` goes with `layers`: `images_per_second` includes the update
        `update_ms` is missing
        `backward_ms` of layer `conv` is -4, expected 0 or more
        not a profile: invalid type: string "30", expected usize at line 3 column 96
        not a profile: expected `,` or `]` at line 5 column 6
    "#]]
    .assert_eq(&(said.join("\n") + "\n"));
}

#[test]
fn a_profile_of_another_net_is_refused() {
    let profile = DeviceProfile::from_json(LAYERS).unwrap();
    let mut small = net();
    let refused = |batch, net: &[LayerOperations<'_>]| {
        said(&profile.durations(batch, net).expect_err("another net"))
    };
    let mut all = vec![refused(16, &net())];
    small[0].params = 31;
    all.push(refused(8, &small));
    small[0].name = "conv1";
    all.push(refused(8, &small));
    all.push(refused(8, &net()[..1]));
    let mut more = net();
    more.push(LayerOperations { name: "ip2", ..net()[1].clone() });
    all.push(refused(8, &more));
    let rate = DeviceProfile::from_json(RATE).unwrap();
    all.push(said(&rate.durations(8, &[]).expect_err("nothing to divide by")));
    expect![[r#"
        the profile is for a batch of 8, the net's is 16: change the net's batch size, or measure it
        layer `conv` is a Convolution of 30 params in the profile, and a Convolution of 31 in the net: measure this net
        the net has no layer `conv`, which the profile has: measure this net
        the net has no layer `ip`, which the profile has: measure this net
        the profile has no layer `ip2`: measure this net with `firecaffe time --save-profile`
        no layer of the net has multiply-adds, by which `images_per_second` would be divided: measure this net with `firecaffe time --save-profile`
    "#]]
    .assert_eq(&(all.join("\n") + "\n"));
}

#[test]
fn measured_times_stay_and_a_rate_is_divided_by_operations() {
    let ms = Duration::from_millis;
    let measured = DeviceProfile::from_json(LAYERS).unwrap().durations(8, &net()).unwrap();
    assert_eq!(
        (measured.layers[0].backward, measured.update),
        (ms(4), Duration::from_micros(1500))
    );
    assert_eq!(measured.total(), ms(9));
    // 8 images at 4 per second are 2 s; the convolution has nine tenths of the operations.
    let rate = DeviceProfile::from_json(RATE).unwrap().durations(8, &net()).unwrap();
    assert_eq!((rate.layers[0].forward, rate.layers[0].backward), (ms(600), ms(1200)));
    assert_eq!((rate.total(), rate.update), (ms(2000), Duration::ZERO));
}

#[test]
fn what_is_written_is_read_back() {
    for text in [RATE, LAYERS] {
        let profile = DeviceProfile::from_json(text).unwrap();
        assert_eq!(DeviceProfile::from_json(&profile.to_json()).unwrap(), profile);
    }
}
