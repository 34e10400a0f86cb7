//! Strings of prototxt: C's escapes, there and back.

/// Appends what the string token `text` (with its quotes) stands for.
///
/// On a bad escape, its byte offset within `text` and the escape as written.
pub(super) fn unescape(text: &str, out: &mut Vec<u8>) -> Result<(), (usize, String)> {
    let inner = &text[1..text.len() - 1];
    let mut at = 0;
    while let Some(i) = inner[at..].find('\\') {
        out.extend_from_slice(&inner.as_bytes()[at..at + i]);
        at += i;
        let rest = &inner[at + 1..];
        let len = escape(rest, out).ok_or_else(|| {
            let shown: String = inner[at..].chars().take(2).collect();
            (at + 1, shown)
        })?;
        at += 1 + len;
    }
    out.extend_from_slice(&inner.as_bytes()[at..]);
    Ok(())
}

/// Appends what the escape stands for whose backslash precedes `rest`, and gives its length.
fn escape(rest: &str, out: &mut Vec<u8>) -> Option<usize> {
    let first = rest.chars().next()?;
    let simple = match first {
        'a' => 0x07,
        'b' => 0x08,
        'f' => 0x0c,
        'n' => b'\n',
        'r' => b'\r',
        't' => b'\t',
        'v' => 0x0b,
        '\\' | '\'' | '"' | '?' => u8::try_from(first).ok()?,
        '0'..='7' => return number(rest, 0, 3, 8, out),
        'x' | 'X' => return number(rest, 1, 2, 16, out),
        'u' => return character(rest, 4, out),
        'U' => return character(rest, 8, out),
        _ => return None,
    };
    out.push(simple);
    Some(1)
}

/// One byte as up to `max` digits after `skip` characters.
fn number(rest: &str, skip: usize, max: usize, radix: u32, out: &mut Vec<u8>) -> Option<usize> {
    let digits = &rest[skip..];
    let len = digits.chars().take(max).take_while(|c| c.is_digit(radix)).count();
    out.push(u8::from_str_radix(&digits[..len], radix).ok()?);
    Some(skip + len)
}

/// One character as exactly `len` hexadecimal digits after the `u`.
fn character(rest: &str, len: usize, out: &mut Vec<u8>) -> Option<usize> {
    let digits =
        rest.get(1..=len).filter(|digits| digits.chars().all(|c| c.is_ascii_hexdigit()))?;
    let c = char::from_u32(u32::from_str_radix(digits, 16).ok()?)?;
    out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
    Some(1 + len)
}

/// Appends `bytes` as protobuf prints them: quoted, and in octal whatever is not printable ASCII.
pub(super) fn quote(bytes: &[u8], out: &mut String) {
    out.push('"');
    for &byte in bytes {
        match byte {
            b'\n' => out.push_str("\\n"),
            b'\r' => out.push_str("\\r"),
            b'\t' => out.push_str("\\t"),
            b'"' => out.push_str("\\\""),
            b'\'' => out.push_str("\\'"),
            b'\\' => out.push_str("\\\\"),
            b' '..=b'~' => out.push(char::from(byte)),
            _ => {
                out.push('\\');
                let digit = |shift: u32| char::from(b'0' + (byte >> shift & 7));
                out.extend([digit(6), digit(3), digit(0)]);
            }
        }
    }
    out.push('"');
}
