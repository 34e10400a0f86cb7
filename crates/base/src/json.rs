//! Text as JSON writes it: for logs, traces and reports, which are written but never read here.

/// The text as a JSON string, quotes included. Control characters are escaped, all others stay.
#[must_use]
pub fn json_string(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            c if c.is_control() => quoted.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => quoted.push(c),
        }
    }
    quoted + "\""
}

#[cfg(test)]
mod tests {
    use super::json_string;

    #[test]
    fn what_json_forbids_is_escaped() {
        let cases = [
            ("", r#""""#),
            ("conv1/é漢🔥", r#""conv1/é漢🔥""#),
            (r#"a"b\c"#, r#""a\"b\\c""#),
            ("\0\n\u{1f} ", r#""\u0000\u000a\u001f ""#),
            ("\u{7f}\u{9f}", r#""\u007f\u009f""#),
        ];
        for (text, want) in cases {
            assert_eq!(json_string(text), want);
        }
    }
}
