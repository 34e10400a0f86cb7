//! What `ImageData` says about lists and images that it cannot use.

use data::{OnBadSample, SourceOptions};
use expect_test::expect;

use crate::{
    golden::{layer, options},
    stream::{chain, open},
};

#[test]
fn bad_lists_and_images_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let check = |list: &str, skip: bool, want: expect_test::Expect| {
        std::fs::write(folder.path().join("list"), list).unwrap();
        let layer = layer(
            r#"layer { type: "ImageData" top: "x" top: "y"
                 image_data_param { source: "list" batch_size: 2 new_height: 4 new_width: 4 } }"#,
        );
        let on_bad_sample = if skip { OnBadSample::Skip } else { OnBadSample::Fail };
        let root = folder.path().to_owned();
        let options = SourceOptions { root: root.into(), on_bad_sample, ..options() };
        let result = open(&layer, &options).and_then(|mut stream| {
            let batch = stream.next_batch()?;
            let labels = format!("{:?}", crate::values(batch, 1));
            let skipped = stream.origin().skipped.iter();
            let skipped = skipped.map(|record| (&record.record[..], record.causes.join(": ")));
            Ok(format!("{labels} {:?}", skipped.collect::<Vec<_>>()))
        });
        let line = result.unwrap_or_else(|error| chain(&error));
        let golden = options_golden();
        let line = line.replace(&*folder.path().to_string_lossy(), "DIR").replace(&golden, "DATA");
        want.assert_eq(&line);
    };
    let (good, golden) = (options_golden() + "/images/img03.png", options_golden());
    std::fs::write(folder.path().join("text.jpg"), "text").unwrap();
    check("", false, expect!["DIR/list holds no records"]);
    check(
        "name-without-label\n",
        false,
        expect!["DIR/list, line 1: expected a file name, a space and a label"],
    );
    check(
        "a name 3\nimage x\n",
        false,
        expect!["DIR/list, line 2: expected a file name, a space and a label"],
    );
    check(
        "absent.jpg 1\n",
        false,
        expect![
            "record `absent.jpg` of DIR/list: cannot be read: No such file or directory (os error 2)"
        ],
    );
    check(
        "text.jpg 1\n",
        false,
        expect!["record `text.jpg` of DIR/list: the image: is neither JPEG nor PNG"],
    );
    check("text.jpg 1\nabsent.jpg 1\n", true, expect!["no record of DIR/list could be used"]);
    check(
        &format!("{good} 5\ntext.jpg 1\n{golden}/images/img00.jpg 6"),
        true,
        expect![[
            r#"[5.0, 6.0] [("text.jpg", "record `text.jpg` of DIR/list: the image: is neither JPEG nor PNG")]"#
        ]],
    );
}

fn options_golden() -> String {
    options().root.folder.to_string_lossy().into_owned()
}
