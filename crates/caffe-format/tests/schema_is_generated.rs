//! `src/schema.rs` is what the generator makes of `schema.tsv` and `extensions.tsv`.
//!
//! After a change to any of them, `UPDATE_EXPECT=1 cargo test -p caffe-format` writes the file
//! anew.

#[path = "../../../xtask/src/codegen/schema.rs"]
mod codegen;

use expect_test::expect_file;

#[test]
fn schema_rs_is_up_to_date() {
    let want = codegen::generate(include_str!("../schema.tsv"), include_str!("../extensions.tsv"));
    expect_file!["../src/schema.rs"].assert_eq(&want);
}
