//! Binary in, message or error out; every message there and back, in both formats.

mod every_message;
mod hostile;

use expect_test::{Expect, expect};

use super::{read, write};
use crate::{BlobProto, Datum, NetParameter, text};

/// Bytes from hexadecimal, with blanks and `'text'` between.
pub(super) fn bytes(hex: &str) -> Vec<u8> {
    let mut out = Vec::new();
    for word in hex.split_whitespace() {
        match word.strip_prefix('\'') {
            Some(text) => out.extend_from_slice(text.trim_end_matches('\'').as_bytes()),
            None => out.extend(
                (0..word.len())
                    .step_by(2)
                    .map(|i| u8::from_str_radix(&word[i..i + 2], 16).unwrap()),
            ),
        }
    }
    out
}

/// Reads a net and prints it, or the error.
#[track_caller]
fn check(hex: &str, want: Expect) {
    let got = match read::<NetParameter>(&bytes(hex)) {
        Ok(net) => text::write(&net),
        Err(error) => error.to_string(),
    };
    want.assert_eq(&got);
}

#[test]
fn errors_name_field_and_byte() {
    // name, cut short
    check(
        "0a 05 'Le'",
        expect!["in `NetParameter.name` at byte 2: 5 bytes are announced, 2 are left"],
    );
    // layer[1].blobs[0].data: five bytes of floats
    check(
        "a206 00 a206 09 3a 07 2a 05 0000000000",
        expect![
            "in `NetParameter.layer[1].blobs[0].data` at byte 10: 5 bytes are no whole number of 4-byte values"
        ],
    );
    // layer[0].name is not UTF-8
    check(
        "a206 04 0a 02 c328",
        expect!["in `NetParameter.layer[0].name` at byte 5: the string is not UTF-8"],
    );
    // tag without number, wire types 6 and 7
    check("00", expect!["in `NetParameter` at byte 0: 0 is no field number"]);
    check("0e", expect!["in `NetParameter` at byte 0: 6 is no wire type"]);
    // numbers: cut, too long, more than 64 bits
    check(
        "28 ff",
        expect!["in `NetParameter.force_backward` at byte 1: the input ends within a number"],
    );
    check(
        "28 ffffffffffffffffffff01",
        expect!["in `NetParameter.force_backward` at byte 1: a number has more than 64 bits"],
    );
    check(
        "28 ffffffffffffffffff02",
        expect!["in `NetParameter.force_backward` at byte 1: a number has more than 64 bits"],
    );
    // a length beyond any memory
    check(
        "0a ffffffffffffffffff01",
        expect![
            "in `NetParameter.name` at byte 11: 18446744073709551615 bytes are announced, 0 are left"
        ],
    );
    // groups: never ended, ended without begin, ended by another
    check(
        "a306 0801",
        expect!["in `NetParameter` at byte 2: the begin and end of group 100 do not match"],
    );
    check(
        "a406",
        expect!["in `NetParameter` at byte 2: the begin and end of group 100 do not match"],
    );
    check(
        "a306 ac06",
        expect!["in `NetParameter` at byte 4: the begin and end of group 101 do not match"],
    );
    // layer[0].clip_param.max is missing
    check(
        "a206 08 a209 05 0d 00000000",
        expect![
            "in `NetParameter.layer[0].clip_param` at byte 11: required field `max` is missing"
        ],
    );
}

#[test]
fn both_packed_and_unpacked_are_read() {
    let packed = bytes("2a 08 0000803f 00000040 2d 00004040");
    let blob: BlobProto = read(&packed).unwrap();
    assert_eq!(blob.data, [1.0, 2.0, 3.0]);
    let run = bytes("35 0000803f 35 00000040 08 05 35 00004040 32 04 00008040");
    let datum: Datum = read(&run).unwrap();
    assert_eq!(
        (datum.float_data.as_slice(), datum.channels),
        ([1.0, 2.0, 3.0, 4.0].as_slice(), Some(5))
    );
    // Written, `data` is packed and `float_data` is not, as the schema says.
    assert_eq!(write(&blob), bytes("2a 0c 0000803f 00000040 00004040"));
    assert_eq!(write(&datum).len(), 2 + 4 * 5);
}

#[test]
fn single_messages_merge_and_single_values_are_replaced() {
    // state { phase: TEST } state { level: 3 } name: "a" name: "b"
    check(
        "32 02 0801 32 02 1003 0a 01 'a' 0a 01 'b'",
        expect![[r#"
        name: "b"
        state {
          phase: TEST
          level: 3
        }
    "#]],
    );
}

#[test]
fn what_the_schema_does_not_know_is_kept() {
    // fields 2000 (varint), 2001 (block), 2002 (group), phase 7 of state, and `name` as a number
    let foreign = "807d 05 8a7d 02 'hi' 937d 08 01 947d 32 02 0807 08 07";
    let net: NetParameter = read(&bytes(&format!("0a 01 'n' {foreign} 28 01"))).unwrap();
    assert_eq!((net.name(), net.force_backward()), ("n", true));
    let state = net.state.as_ref().unwrap();
    assert_eq!((state.phase, state.unknown.len(), net.unknown.len()), (None, 1, 4));
    let again = write(&net);
    assert_eq!(
        again,
        bytes("0a 01 'n' 28 01 32 02 0807 807d 05 8a7d 02 'hi' 937d 08 01 947d 08 07")
    );
    assert_eq!(read::<NetParameter>(&again).unwrap(), net);
}

#[test]
fn negative_numbers_take_ten_bytes_and_come_back() {
    let blob = BlobProto { num: Some(-1), ..BlobProto::EMPTY };
    assert_eq!(write(&blob), bytes("08 ffffffffffffffffff01"));
    assert_eq!(read::<BlobProto>(&write(&blob)).unwrap(), blob);
}
