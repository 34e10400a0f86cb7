//! Making and checking databases.

use super::support::{DATA, Folder};

#[test]
fn images_are_converted_and_checked() {
    let folder = Folder::empty();
    let (root, list) = (format!("{DATA}/images/"), format!("{DATA}/images/list.txt"));
    let size = ["-resize_height=32", "-resize_width=24", "-gray"];
    let convert = ["data", "convert-images", &root, &list, "gray_lmdb"];
    let ran = folder.run(&[&convert[..], &size].concat()).succeeds();
    assert_eq!(ran.out, "12 records in gray_lmdb, 0 skipped\n");
    let ran = folder.run(&["data", "check", "gray_lmdb"]).succeeds();
    assert!(ran.out.contains("12 of 1x32x24 (channels, height, width)\n"), "{}", ran.out);
    let error = folder.run(&convert).fails();
    assert!(error.contains("gray_lmdb") && error.contains("exists"), "{error}");
}

#[test]
fn a_file_of_the_list_that_is_not_there() {
    let folder = Folder::empty();
    folder.write("list.txt", "absent.jpg 3\n");
    let convert = ["data", "convert-images", "./", "list.txt", "out"];
    let error = folder.run(&convert).fails();
    assert!(error.contains("absent.jpg"), "{error}");
    assert!(!folder.files().contains(&"out".into()));
    std::fs::copy(format!("{DATA}/images/img00.jpg"), folder.path("there.jpg")).unwrap();
    folder.write("list.txt", "absent.jpg 3\nthere.jpg 1\n");
    let ran = folder.run(&[&convert[..], &["--on-bad-sample", "skip"]].concat()).succeeds();
    assert!(ran.err.contains("absent.jpg") && ran.out.contains("1 skipped"), "{}", ran.out);
}

#[test]
fn cifar_batches_are_converted() {
    let folder = Folder::empty();
    let item = [&[7][..], &[100; 3072]].concat();
    for batch in ["data_batch_1", "data_batch_2", "data_batch_3", "data_batch_4", "data_batch_5"] {
        folder.write(&format!("{batch}.bin"), item.repeat(10));
    }
    let error = folder.run(&["data", "convert-cifar", ".", "."]).fails();
    assert!(error.contains("test_batch.bin"), "{error}");
    folder.write("test_batch.bin", item.repeat(10));
    std::fs::create_dir(folder.path("out")).unwrap();
    let ran = folder.run(&["data", "convert-cifar", ".", "out"]).succeeds();
    assert_eq!(ran.out, "50 training and 10 test records in out\n");
}
