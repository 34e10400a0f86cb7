//! Text as content of HTML and SVG.

/// `text` with the characters that markup consists of replaced, for content and for attributes in
/// double quotes. Control characters, which XML does not allow, become `\u{fffd}`.
#[must_use]
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c if c.is_control() && c != '\n' && c != '\t' => out.push('\u{fffd}'),
            // They are not characters of XML either.
            '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

/// `text` cut to `most` characters, the last of them an ellipsis.
#[must_use]
pub fn shortened(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    text.chars().take(most.saturating_sub(1)).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::{escape, shortened};

    #[test]
    fn nothing_of_a_name_is_markup() {
        let name = "</script><script>alert(\"1\" + '2')&\u{0}";
        let want = "&lt;/script&gt;&lt;script&gt;alert(&quot;1&quot; + &#39;2&#39;)&amp;\u{fffd}";
        assert_eq!(escape(name), want);
    }

    #[test]
    fn long_names_end_in_an_ellipsis() {
        assert_eq!((shortened("abcd", 4), shortened("abcde", 4)), ("abcd".into(), "abc…".into()));
    }
}
