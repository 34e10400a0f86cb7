//! `WindowData` against a second implementation: a Python program of a page that follows Caffe's
//! arithmetic with numpy's f32 and OpenCV's `resize`, and printed the hashes below (FNV-1a).

use std::path::Path;

use base::random::Mt19937;
use caffe_format::Phase;
use data::{BatchStream, DataError, SourceOptions};
use expect_test::expect;

use crate::{
    golden::{layer, options},
    stream::chain,
};

fn list() -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("test_data/windows");
    folder.join("list.txt").to_string_lossy().into_owned()
}

fn open(transform: &str, param: &str) -> Result<BatchStream, DataError> {
    let layer = layer(&format!(
        r#"layer {{ type: "WindowData" top: "data" top: "label" transform_param {{ {transform} }}
             window_data_param {{ source: "{}" batch_size: 6 fg_threshold: 0.5 bg_threshold: 0.4
               fg_fraction: 0.4 {param} }} }}"#,
        list()
    ));
    data::open(&layer, Phase::Train, &options(), &mut Mt19937::new(1701))
}

fn next(stream: &mut BatchStream) -> (u64, Vec<f32>) {
    let batch = stream.next_batch().unwrap();
    let bytes = crate::values(batch, 0).into_iter().flat_map(f32::to_le_bytes);
    let mix = |h: u64, byte: u8| (h ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    (bytes.fold(0xcbf2_9ce4_8422_2325, mix), crate::values(batch, 1))
}

#[test]
fn windows_are_cut_and_warped_as_caffe_does() {
    let mean = "mean_value: 104 mean_value: 117 mean_value: 123";
    let cases = [
        ("crop_size: 16", "", [0x71f5_22f1_0540_2fce, 0x598f_8a28_5302_b8f6]),
        (
            &*format!("crop_size: 20 mirror: true {mean}"),
            "context_pad: 3 scale: 0.5",
            [0xe599_d3b3_4c96_cc28, 0xd37c_4afb_0cac_2b74],
        ),
        (
            "crop_size: 24 mirror: true mean_value: 10",
            r#"crop_mode: "square" cache_images: true"#,
            [0xbeaf_ff4b_bb6a_6651, 0xa2ea_6a96_e4b4_775c],
        ),
        (
            "crop_size: 15 mirror: true",
            r#"crop_mode: "square" context_pad: 4 scale: 2"#,
            [0xe646_290e_ef7f_35c2, 0x39b9_9372_f688_3446],
        ),
    ];
    for (transform, param, want) in cases {
        let mut stream = open(transform, param).unwrap();
        let first = next(&mut stream);
        let saved = stream.state().clone();
        let second = next(&mut stream);
        assert_eq!([first.0, second.0], want, "{transform} {param}");
        assert_eq!(first.1[..4], [0.0; 4], "background comes first");
        assert!(first.1[4..].iter().all(|&label| label > 0.0));
        stream.restore(&saved).unwrap();
        assert!(next(&mut stream) == second, "restored");
    }
}

/// The middle of a mean image of 28 by 28 would be used, but it is grey.
#[test]
fn what_cannot_be_used_is_said() {
    let check = |transform: &str, param: &str, want: expect_test::Expect| {
        let result = open(transform, param).and_then(|mut s| s.next_batch().map(|_| ()));
        let root = options().root.folder.to_string_lossy().into_owned();
        let error = chain(&result.unwrap_err());
        want.assert_eq(&error.replace(&root, "DATA").replace(&list(), "LIST"));
    };
    check(
        "",
        "",
        expect![
            "`window_data_param.batch_size` and `transform_param.crop_size` must be set and above 0"
        ],
    );
    check(
        "crop_size: 8",
        "context_pad: 4",
        expect!["`context_pad: 4` on both sides leaves nothing of `crop_size: 8`"],
    );
    check(
        "crop_size: 8 mean_value: 1 mean_value: 2",
        "",
        expect!["record `images/img00.jpg` of LIST: has 3 channels, but there are 2 mean values"],
    );
    check(
        r#"crop_size: 8 mean_file: "mean.binaryproto""#,
        "",
        expect![
            "record `images/img00.jpg` of LIST: is [3, 8, 8] (channels, height, width), the mean image is [1, 28, 28]"
        ],
    );
    check(
        "crop_size: 8",
        r#"root_folder: "x/""#,
        expect![
            "record `images/img00.jpg` of LIST: cannot be read: No such file or directory (os error 2)"
        ],
    );
}

#[test]
fn window_files_are_checked() {
    let folder = tempfile::tempdir().unwrap();
    let check = |text: &str, want: expect_test::Expect| {
        std::fs::write(folder.path().join("list"), text).unwrap();
        let layer = layer(
            r#"layer { type: "WindowData" top: "x" top: "y" transform_param { crop_size: 4 }
                 window_data_param { source: "list" batch_size: 1 } }"#,
        );
        let options = SourceOptions { root: folder.path().into(), ..options() };
        let result = data::open(&layer, Phase::Train, &options, &mut Mt19937::new(0));
        let error = chain(&result.err().unwrap());
        want.assert_eq(&error.replace(&*folder.path().to_string_lossy(), "DIR"));
    };
    check("", expect!["DIR/list, line 1: both foreground and background boxes are needed"]);
    check(
        "# 0\nimage 3 10 10 1\n1 0.9 0 0 5\n",
        expect!["DIR/list, line 3: the file ends too early"],
    );
    check(
        "# 1\nimage 3 10 10 0\n",
        expect!["DIR/list, line 1: expected `#` and the next number from 0"],
    );
    check(
        "# 0\nimage 3 10 10 1\n0 0.9 0 0 5 5\n",
        expect!["DIR/list, line 3: an object needs a class above 0"],
    );
    check("# 0\nimage 3 10 10 1\n1 x 0 0 5 5\n", expect!["DIR/list, line 3: expected a number"]);
    check(
        "# 0\nimage 3 10 10 1\n1 0.9 6 0 5 5\n",
        expect!["DIR/list, line 3: a box ends before it begins"],
    );
    check(
        "# 0\nimage 1 10 10 2\n1 0.9 0 0 5 5\n0 0 0 0 5 5",
        expect!["DIR/list is about images of 1 channels, not 3"],
    );
}
