//! One snapshot per error kind: the text is what users see, and is reviewed as text.

use expect_test::expect;

use super::{check, check_layer};
use crate::NetParameter;
use crate::text::{read, read_bytes};

#[test]
fn unknown_field() {
    check(
        "layer {\n  convolution_param {\n\t num_ouput: 20\n  }\n}",
        expect![[r#"
        net.prototxt:3:3: `ConvolutionParameter` has no field `num_ouput`
        	 num_ouput: 20
        	 ^
        hint: did you mean `num_output`?"#]],
    );
    check(
        "layerr { name: \"x\" }\nnome: \"y\"",
        expect![[r#"
            net.prototxt:1:1: `NetParameter` has no field `layerr`
            layerr { name: "x" }
            ^
            hint: did you mean `layer`?
            net.prototxt:2:1: `NetParameter` has no field `nome`
            nome: "y"
            ^
            hint: did you mean `name`?"#]],
    );
    check_layer(
        "kernel_size: 3 xyzzy { a: [1, { b: '}' }] } name: \"rest is read\" type: 3",
        expect![[r#"
            l:1:1: `LayerParameter` has no field `kernel_size`
            kernel_size: 3 xyzzy { a: [1, { b: '}' }] } name: "rest is read" type: 3
            ^
            hint: it is a field of `convolution_param`, `pooling_param`
            l:1:16: `LayerParameter` has no field `xyzzy`
            kernel_size: 3 xyzzy { a: [1, { b: '}' }] } name: "rest is read" type: 3
                           ^
            l:1:72: `type` takes a string in quotes, not `3`
            : 3 xyzzy { a: [1, { b: '}' }] } name: "rest is read" type: 3
                                                                        ^
            hint: put it in quotes: "3""#]],
    );
}

#[test]
fn unknown_enum_value() {
    check_layer(
        "pooling_param { pool: MAXX }",
        expect![[r#"
        l:1:23: `MAXX` is not a value of `PoolingParameter.PoolMethod`
        pooling_param { pool: MAXX }
                              ^
        hint: did you mean `MAX`?"#]],
    );
    check_layer(
        "pooling_param { pool: AVERAGE engine: 7 }",
        expect![[r#"
        l:1:23: `AVERAGE` is not a value of `PoolingParameter.PoolMethod`
        pooling_param { pool: AVERAGE engine: 7 }
                              ^
        hint: one of `MAX`, `AVE`, `STOCHASTIC`
        l:1:39: `7` is not a value of `PoolingParameter.Engine`
        pooling_param { pool: AVERAGE engine: 7 }
                                              ^
        hint: one of `DEFAULT`, `CAFFE`, `CUDNN`"#]],
    );
}

#[test]
fn wrong_type() {
    check_layer(
        r#"name: conv1
type: 7
top: "a"
convolution_param { num_output: "20" bias_term: 2 stride: 1.5 kernel_size: MAX }
dropout_param { dropout_ratio: "half" }
pooling_param { pool: "MAX" }
"#,
        expect![[r#"
            l:1:7: `name` takes a string in quotes, not `conv1`
            name: conv1
                  ^
            hint: put it in quotes: "conv1"
            l:2:7: `type` takes a string in quotes, not `7`
            type: 7
                  ^
            hint: put it in quotes: "7"
            l:4:33: `num_output` takes a whole number, not the string "20"
            convolution_param { num_output: "20" bias_term: 2 stride: 1.5 kernel_size: MAX }
                                            ^
            hint: remove the quotes
            l:4:49: `bias_term` takes `true` or `false`, not `2`
            convolution_param { num_output: "20" bias_term: 2 stride: 1.5 kernel_size: MAX }
                                                            ^
            l:4:59: `stride` takes a whole number, not `1.5`
            convolution_param { num_output: "20" bias_term: 2 stride: 1.5 kernel_size: MAX }
                                                                      ^
            l:4:76: `kernel_size` takes a whole number, not `MAX`
            am { num_output: "20" bias_term: 2 stride: 1.5 kernel_size: MAX }
                                                                        ^
            l:5:32: `dropout_ratio` takes a number, not the string "half"
            dropout_param { dropout_ratio: "half" }
                                           ^
            l:6:23: `pool` takes a value of `PoolingParameter.PoolMethod`, not the string "MAX"
            pooling_param { pool: "MAX" }
                                  ^
            hint: remove the quotes"#]],
    );
    check_layer(
        "name { } convolution_param: 3 pooling_param { pool: [MAX] }",
        expect![[r#"
        l:1:6: `name` takes a string in quotes, not a block
        name { } convolution_param: 3 pooling_param { pool: [MAX] }
             ^
        l:1:29: `convolution_param` takes a block
        name { } convolution_param: 3 pooling_param { pool: [MAX] }
                                    ^
        hint: write `convolution_param { .. }`
        l:1:53: `pool` takes one value, not a list
        name { } convolution_param: 3 pooling_param { pool: [MAX] }
                                                            ^"#]],
    );
}

#[test]
fn a_layer_type_in_a_v1_block() {
    check(
        "layers { type: \"InnerProduct\" }",
        expect![[r#"
        net.prototxt:1:16: `type` takes a value of `V1LayerParameter.LayerType`, not the string "InnerProduct"
        layers { type: "InnerProduct" }
                       ^
        hint: did you mean `INNER_PRODUCT`?"#]],
    );
}

#[test]
fn out_of_range() {
    check_layer(
        "convolution_param { num_output: -1 axis: 2147483648 pad: 4294967296 pad: 0xffffffff }\nreshape_param { shape { dim: 9223372036854775808 dim: -9223372036854775808 } }",
        expect![[r#"
            l:1:33: `num_output` takes a whole number from 0 to 4294967295, not `-1`
            convolution_param { num_output: -1 axis: 2147483648 pad: 4294967296 pad: 0xffffffff }
                                            ^
            l:1:42: `axis` takes a whole number from -2147483648 to 2147483647, not `2147483648`
            convolution_param { num_output: -1 axis: 2147483648 pad: 4294967296 pad: 0xffffffff }
                                                     ^
            l:1:58: `pad` takes a whole number from 0 to 4294967295, not `4294967296`
            convolution_param { num_output: -1 axis: 2147483648 pad: 4294967296 pad: 0xffffffff }
                                                                     ^
            l:2:30: `dim` takes a whole number from -9223372036854775808 to 9223372036854775807, not `9223372036854775808`
            reshape_param { shape { dim: 9223372036854775808 dim: -9223372036854775808 } }
                                         ^"#]],
    );
}

#[test]
fn missing_closing_brace() {
    check(
        "name: \"n\"\nlayer {\n  name: \"a\"\n",
        expect![[r#"
        net.prototxt:2:7: `layer`, opened here, is not closed before the end of the file, line 4
        layer {
              ^"#]],
    );
    check(
        "layer {\n  convolution_param {\n    num_output: 1\n  name: \"a\"\n}\n",
        expect![[r#"
            net.prototxt:1:7: `layer`, opened here, is not closed before the end of the file, line 6
            layer {
                  ^
            net.prototxt:4:3: `ConvolutionParameter` has no field `name`
              name: "a"
              ^
            hint: `LayerParameter` has one; is a `}` missing for `convolution_param`, opened at 2:21?"#]],
    );
    check(
        "layer {\n  name: \"a\"\n  pooling_param {\n    pool: MAX\nlayer {\n  nome: \"b\"\n}\n",
        expect![[r#"
            net.prototxt:5:1: `PoolingParameter` has no field `layer`
            layer {
            ^
            hint: `NetParameter` has one; is a `}` missing for `layer`, opened at 1:7?
            net.prototxt:6:3: `LayerParameter` has no field `nome`
              nome: "b"
              ^
            hint: did you mean `name`?"#]],
    );
    check(
        "layer < name: \"a\" }\nlayer { name: 1 }",
        expect![[r#"
        net.prototxt:1:19: `}` cannot close `layer`, opened at 1:7
        layer < name: "a" }
                          ^
        hint: write `>`
        net.prototxt:2:15: `name` takes a string in quotes, not `1`
        layer { name: 1 }
                      ^
        hint: put it in quotes: "1""#]],
    );
}

#[test]
fn a_file_cut_short_is_one_error() {
    check(
        "layer {\n  name: \"a\"\n  clip_param {\n    min: 1",
        expect![[r#"
        net.prototxt:3:14: `clip_param`, opened here, is not closed before the end of the file, line 4
          clip_param {
                     ^"#]],
    );
}

#[test]
fn stray_tokens() {
    check(
        "}\nname: \"a\" = 5\nlayer { { } name: \"b\" : 7 }\n]]\n\"loose\"\n é",
        expect![[r#"
        net.prototxt:1:1: `}` closes nothing: no block is open
        }
        ^
        net.prototxt:2:11: stray `=`
        name: "a" = 5
                  ^
        net.prototxt:3:9: `{` without a field's name before it
        layer { { } name: "b" : 7 }
                ^
        net.prototxt:3:23: stray `:`
        layer { { } name: "b" : 7 }
                              ^
        net.prototxt:4:1: stray `]`
        ]]
        ^
        net.prototxt:4:2: stray `]`
        ]]
         ^
        net.prototxt:5:1: stray `\"loose\"`
        "loose"
        ^
        net.prototxt:6:2: stray `é`
         é
         ^"#]],
    );
}

#[test]
fn field_given_twice() {
    check(
        "name: \"a\"\nname: \"b\"\nlayer { }\nlayer { pooling_param { } pooling_param { } }",
        expect![[r#"
            net.prototxt:2:1: `name` is given twice, but takes one value
            name: "b"
            ^
            hint: first given at 1:1
            net.prototxt:4:27: `pooling_param` is given twice, but takes one value
            layer { pooling_param { } pooling_param { } }
                                      ^
            hint: first given at 4:9"#]],
    );
}

#[test]
fn missing_required_field() {
    check_layer(
        "clip_param {\n min: 0 }",
        expect![[r#"
        l:1:12: `ClipParameter` lacks its required field `max`
        clip_param {
                   ^"#]],
    );
}

#[test]
fn missing_value_or_colon() {
    check_layer(
        "convolution_param {\n  num_output:\n  kernel_size 5\n  stride: }\nname \"a\" type: -",
        expect![[r#"
            l:3:3: `num_output` takes a whole number, not `kernel_size`
              kernel_size 5
              ^
            l:3:15: stray `5`
              kernel_size 5
                          ^
            l:4:11: `stride` has no value
              stride: }
                      ^
            l:5:6: `:` is missing after `name`
            name "a" type: -
                 ^
            l:5:16: `type` has no value
            name "a" type: -
                           ^"#]],
    );
    check_layer(
        "convolution_param { pad: [1 2] stride: [1, }",
        expect![[r#"
            l:1:29: `,` or `]` is missing in the list `pad`
            convolution_param { pad: [1 2] stride: [1, }
                                        ^
            l:1:44: `stride` has no value
            convolution_param { pad: [1 2] stride: [1, }
                                                       ^"#]],
    );
}

#[test]
fn bad_strings() {
    check_layer(
        "name: \"a\\qb\"\ntype: \"open\ntop: 'a\\xZZ'\nbottom: \"\\377\"\nbottom: '\\u00e9'\nbottom: '\\400'",
        expect![[r#"
            l:1:9: `\q` is no escape
            name: "a\qb"
                    ^
            l:2:7: the string is not closed on its line
            type: "open
                  ^
            l:3:8: `\x` is no escape
            top: 'a\xZZ'
                   ^
            l:4:9: the escapes in `bottom` do not make UTF-8 text
            bottom: "\377"
                    ^
            l:6:10: `\4` is no escape
            bottom: '\400'
                     ^"#]],
    );
}

#[test]
fn numbers_that_are_none() {
    check_layer(
        "loss_weight: 1x loss_weight: 0x10 loss_weight: 1.2.3 top: 1 convolution_param { pad: 08 }",
        expect![[r#"
            l:1:14: `loss_weight` takes a number, not `1x`
            loss_weight: 1x loss_weight: 0x10 loss_weight: 1.2.3 top: 1 convolution_param { pad: 08 }
                         ^
            l:1:30: `loss_weight` takes a number, not `0x10`
            loss_weight: 1x loss_weight: 0x10 loss_weight: 1.2.3 top: 1 convolution_param { pad: 08 }
                                         ^
            l:1:48: `loss_weight` takes a number, not `1.2.3`
            loss_weight: 1x loss_weight: 0x10 loss_weight: 1.2.3 top: 1 convolution_param { pad: 08 }
                                                           ^
            l:1:59: `top` takes a string in quotes, not `1`
            loss_weight: 1x loss_weight: 0x10 loss_weight: 1.2.3 top: 1 convolution_param { pad: 08 }
                                                                      ^
            hint: put it in quotes: "1"
            l:1:86: `pad` takes a whole number, not `08`
            ht: 0x10 loss_weight: 1.2.3 top: 1 convolution_param { pad: 08 }
                                                                        ^"#]],
    );
}

#[test]
fn not_utf8() {
    let report =
        read_bytes::<NetParameter>("f", b"name: 'a'\nname: 'caf\xe9'\nlayer {").unwrap_err();
    expect![[r#"
        f:2:11: byte 0xe9 is not UTF-8 text
        name: 'caf�'
                  ^
        hint: is this a binary file?"#]]
    .assert_eq(&report.to_string());
}

#[test]
fn byte_order_mark_and_windows_lines() {
    check(
        "\u{feff}name: \"a\"\r\nlayer {\r\n  nome: 1\r\n}\r\n",
        expect![[r#"
        net.prototxt:3:3: `LayerParameter` has no field `nome`
          nome: 1
          ^
        hint: did you mean `name`?"#]],
    );
}

#[test]
fn long_lines_are_cut_around_the_column() {
    let source = format!("{}nome: 1{}", " ".repeat(500), " layer { }".repeat(50));
    check(
        &source,
        expect![[r#"
        net.prototxt:1:501: `NetParameter` has no field `nome`
                                                                    nome: 1 layer { } layer { } layer { } layer { } layer { } la
                                                                    ^
        hint: did you mean `name`?"#]],
    );
}

#[test]
fn too_deep_and_too_many() {
    check(
        &"x {".repeat(100_000),
        expect![[r#"
        net.prototxt:1:1: `NetParameter` has no field `x`
        x {x {x {x {x {x {x {x {x {x {x {x {x {x {x {x {x {x {x {x {x {x {x {x {x {x {x {x {x {x {x {x {x {x {x {x {x {x {x {x {
        ^
        net.prototxt:1:3: the block, opened here, is not closed before the end of the file, line 1
        x {x {x {x {x {x {x {x {x {x {x {x {x {x {x {x {x {x {x {x {x {x {x {x {x {x {x {x {x {x {x {x {x {x {x {x {x {x {x {x {
          ^
        net.prototxt:1:300: blocks are nested deeper than 100
        {x {x {x {x {x {x {x {x {x {x {x {x {x {x {x {x {x {x {x {x {x {x {x {x {x {x {x {x {x {x {x {x {x {x {x {x {x {x {x {x 
                                                                    ^"#]],
    );
    let report = read::<NetParameter>("f", &"layer {}".repeat(100_000)).unwrap_err();
    assert!(report.to_string().contains("more blocks than any net has"), "{report}");
    let names: String = (0..100_000).map(|i| format!("x{i} ")).collect();
    let report = read::<NetParameter>("f", &names).unwrap_err();
    assert!(report.to_string().ends_with("(there may be more)"), "{report}");
}
