//! `cargo xtask reproduce`: what the three papers published against what the simulator says, as
//! `docs/reproduction.md` with its figures. It fails if a predicted row leaves its tolerance.
//! With `--emulated`: FireCaffe's speed-ups on real ranks.

mod emulated;
mod figure_8;
mod firecaffe;
mod gradientflow;
mod nets;
mod row;
mod what_if;

use std::fs;

use anyhow::{Context, Result, bail, ensure};
use cluster_sim::ClusterDescription;

use crate::bench::check_flags;
use crate::bench::figure::{FigureLine, draw};
use crate::shell;
use nets::PaperNets;
pub(crate) use nets::describe_file;
use row::{PublishedRow, disorder, table};

const USAGE: &str =
    "usage: cargo xtask reproduce [--emulated [--hosts 1,2] [--iterations N] [--firecaffe PATH]]";

/// Images of ImageNet-1k.
const IMAGENET: f64 = 1_281_167.0;

/// What `docs/reproduction.md` begins with.
const HEAD: &str = include_str!("head.md");

pub(crate) fn run(args: &[String]) -> Result<()> {
    if args.iter().any(|arg| arg == "--emulated") {
        check_flags(args, emulated::FLAGS, USAGE)?;
        return emulated::run(args);
    }
    if !args.is_empty() {
        bail!("{USAGE}");
    }
    let nets = PaperNets::read()?;
    let folder = shell::root().join("docs/reproduction");
    fs::create_dir_all(&folder)?;
    let figure = |file: &str, title: &str, axes: (&str, &str), lines: &[FigureLine]| {
        let path = folder.join(format!("{file}.svg"));
        fs::write(&path, draw(title, axes.0, axes.1, lines))
            .with_context(|| format!("cannot write {}", path.display()))?;
        Ok::<_, anyhow::Error>(format!("\n![{file}](reproduction/{file}.svg)\n"))
    };
    let mut rows: Vec<PublishedRow> = Vec::new();
    let mut text = HEAD.to_owned();
    let mut section = |title: &str, found: Vec<PublishedRow>, text: &mut String| {
        *text += &format!("\n## {title}\n\n{}", table(&found));
        rows.extend(found);
    };
    section("FireCaffe: tables 2 and 3", firecaffe::speed_ups(&nets)?, &mut text);
    let (found, lines) = firecaffe::figure_4(&nets)?;
    section("FireCaffe: figure 4, the exchange of NiN's gradients alone", found, &mut text);
    text += &figure("figure-4", "FireCaffe's figure 4", ("nodes", "updates/s"), &lines)?;
    let found = gradientflow::tables(&nets)?;
    let wrong = disorder(&found);
    section("GradientFlow: tables 1 and 2", found, &mut text);
    text += &format!("\nPairs of predicted rows in the wrong order: {}.\n", wrong.len());
    section("GradientFlow: speed-ups and end-to-end", gradientflow::headlines(&nets)?, &mut text);
    let (curves, lines) = figure_8::figure_8()?;
    text += "\n## GradientFlow: figure 8, NCCL\n\n";
    text += &format!("{}\n\n{}\n", wrap(figure_8::FIT), figure_8::table(&curves));
    text += &format!("{}\n", wrap(figure_8::LIMIT));
    text += &figure("figure-8", "GradientFlow's figure 8", ("MB", "GB/s"), &lines)?;
    section("IBM", vec![firecaffe::ibm(&nets)?], &mut text);
    text += "\n## What if\n";
    for asked in what_if::figures(&nets)? {
        text += &format!("\n{}\n\n{}\n", wrap(&asked.heading()), wrap(&asked.answer));
        text += &figure(asked.file, asked.title, asked.axes, &asked.lines)?;
    }
    fs::write(shell::root().join("docs/reproduction.md"), &text)?;
    let outside: Vec<_> = rows.iter().filter(|row| !row.holds()).collect();
    for row in &outside {
        println!("{}: {:.1} {}, published {:.1}", row.what, row.simulated, row.unit, row.published);
    }
    println!(
        "{} rows, {} outside their tolerance, {} pairs in the wrong order",
        rows.len(),
        outside.len(),
        wrong.len()
    );
    ensure!(outside.is_empty() && wrong.is_empty(), "docs/reproduction.md names them");
    Ok(())
}

fn read_cluster(name: &str) -> Result<ClusterDescription> {
    let path = shell::root().join(format!("clusters/{name}.toml"));
    let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
    ClusterDescription::parse(&text, None).with_context(|| path.display().to_string())
}

/// Words in lines of at most 100 columns.
fn wrap(text: &str) -> String {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let line = lines.last_mut().expect("there is one");
        if line.is_empty() {
            word.clone_into(line);
        } else if line.chars().count() + 1 + word.chars().count() <= 100 {
            *line += &format!(" {word}");
        } else {
            lines.push(word.to_owned());
        }
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::wrap;

    #[test]
    fn paragraphs_are_wrapped() {
        let words = "word ".repeat(50);
        let text = wrap(&words);
        assert!(text.lines().all(|line| line.len() <= 100) && text.lines().count() == 3);
        assert_eq!(text.split_whitespace().count(), 50);
        assert_eq!(wrap(""), "");
    }
}
