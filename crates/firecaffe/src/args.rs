//! Caffe's spellings of options, made into ours before clap sees them.
//!
//! Caffe's flags begin with one dash or two and write underscores: `-solver x`, `-solver=x`,
//! `--sigint_effect=stop`. Here all become `--solver x` and `--sigint-effect=stop`. Single letters
//! (`-h`), negative numbers, and everything after a bare `--` stay as they are.

use std::ffi::OsString;

/// The same command line in this program's spelling.
pub(crate) fn normalise(args: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
    let mut literal = false;
    args.into_iter()
        .enumerate()
        .map(|(index, arg)| {
            literal |= arg == "--";
            if literal || index == 0 { arg } else { option(arg) }
        })
        .collect()
}

fn option(arg: OsString) -> OsString {
    let Some(text) = arg.to_str() else { return arg };
    let Some(name) = text.strip_prefix("--").or_else(|| text.strip_prefix('-')) else { return arg };
    if name.len() < 2 || !name.starts_with(|first: char| first.is_ascii_alphabetic()) {
        return arg;
    }
    match name.split_once('=') {
        Some((name, value)) => format!("--{}={value}", name.replace('_', "-")).into(),
        None => format!("--{}", name.replace('_', "-")).into(),
    }
}

#[cfg(test)]
mod tests {
    use super::normalise;

    #[test]
    fn caffes_spellings() {
        let cases = [
            ("firecaffe train -solver x", "firecaffe train --solver x"),
            ("firecaffe train -solver=a_b.prototxt", "firecaffe train --solver=a_b.prototxt"),
            ("firecaffe train --sigint_effect=stop", "firecaffe train --sigint-effect=stop"),
            ("firecaffe train -sighup_effect none", "firecaffe train --sighup-effect none"),
            ("firecaffe time -gpu 0,1 -level -1", "firecaffe time --gpu 0,1 --level -1"),
            ("firecaffe -h", "firecaffe -h"),
            ("firecaffe check -- -odd_name", "firecaffe check -- -odd_name"),
            ("-program_name test", "-program_name test"),
            ("firecaffe check a_b.prototxt -", "firecaffe check a_b.prototxt -"),
        ];
        for (caffe, want) in cases {
            let got = normalise(caffe.split(' ').map(Into::into));
            assert_eq!(got.join(" ".as_ref()), want);
        }
    }
}
