//! One HTML file that explains a run, or compares several.
//!
//! Everything is inline: no request leaves the page, and its Content-Security-Policy allows none.
//! Scripts and styles are named by their hashes, so that markup that got into a name could not run
//! either. Curves are drawn here; the script redraws them for smoothing, logarithms and zooming,
//! and on a live page replaces sections by newer ones. Without it the page is still complete.

mod compare;
mod curves;
mod details;
mod layers;
mod summary;

use crate::chart;
use crate::run::RunHistory;
use crate::sha256::{base64, sha256};
use crate::text::escape;

const STYLE: &str = include_str!("html/page.css");
const SCRIPT: &str = include_str!("html/page.js");
const LIVE_SCRIPT: &str = include_str!("html/live.js");

/// A part of the page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageSection {
    /// Its element's id.
    pub id: &'static str,
    /// Its content; nothing if there is nothing to show.
    pub html: String,
}

/// What a page is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PageKind {
    /// A file.
    File,
    /// Served while the run goes on: sections are replaced, and there are two buttons.
    Live,
}

/// What comes before the name of a region. Text of runs is escaped and cannot hold it.
const REGION: &str = "role=\"region\" aria-label=\"";

/// The sections for `runs`: of the first in detail, of all for comparing.
#[must_use]
pub fn sections(runs: &[RunHistory]) -> Vec<PageSection> {
    let Some(run) = runs.first() else { return Vec::new() };
    let of = |id, html| PageSection { id, html };
    let single = runs.len() == 1;
    let only = |html: fn(&RunHistory) -> String| if single { html(run) } else { each(runs, html) };
    vec![
        of("summary", only(summary::summary)),
        of("differences", if single { String::new() } else { compare::differences(runs) }),
        of("findings", only(summary::found)),
        of("curves", curves::training(runs)),
        of("speed", curves::speed(runs)),
        of("times", only(details::times)),
        of("layers", only(layers::layers)),
        of("timeline", only(details::timeline)),
        of("traffic", curves::traffic(runs)),
        of("memory", only(details::memory)),
        of("warnings", only(details::warnings)),
        of("configuration", only(details::configuration)),
    ]
}

/// The same of every run, with its name in the heading and in what screen readers call a region:
/// two of a page may not have one name.
fn each(runs: &[RunHistory], html: fn(&RunHistory) -> String) -> String {
    let named = |run: &RunHistory| {
        let name = escape(&run.name);
        let html = html(run).replacen("</h2>", &format!(": {name}</h2>"), 1);
        html.replace(REGION, &format!("{REGION}{name}: "))
    };
    runs.iter().map(named).collect()
}

/// The page.
#[must_use]
pub fn page(runs: &[RunHistory], kind: PageKind) -> String {
    let names: Vec<_> = runs.iter().map(|run| run.name.as_str()).collect();
    let title = escape(&format!("FireCaffe: {}", names.join(", ")));
    let style = format!("{STYLE}{}", chart::STYLE);
    let script = script(kind);
    let policy = policy(&[&script], &style, kind);
    let body: String = sections(runs).iter().map(element).collect();
    let buttons = match kind {
        PageKind::File => "",
        PageKind::Live => {
            "<p class=\"live\"><button id=\"snapshot\" type=\"button\">Snapshot</button> \
             <button id=\"stop\" type=\"button\">Stop</button> \
             <output id=\"state\" role=\"status\">connecting</output></p>"
        }
    };
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n\
         <meta name=\"referrer\" content=\"no-referrer\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <link rel=\"icon\" href=\"data:,\">\n<title>{title}</title>\n<style>{style}</style>\n\
         </head>\n<body>\n<main>\n<h1>{title}</h1>\n{buttons}\n{body}</main>\n\
         <script>{script}</script>\n</body>\n</html>\n"
    )
}

fn element(section: &PageSection) -> String {
    let PageSection { id, html } = section;
    let hidden = if html.is_empty() { " hidden" } else { "" };
    format!("<section id=\"{id}\"{hidden}>{html}</section>\n")
}

fn script(kind: PageKind) -> String {
    match kind {
        PageKind::File => SCRIPT.to_owned(),
        PageKind::Live => format!("{SCRIPT}{LIVE_SCRIPT}"),
    }
}

/// The Content-Security-Policy of a live page, for its header.
#[must_use]
pub fn live_policy() -> String {
    let style = format!("{STYLE}{}", chart::STYLE);
    policy(&[&script(PageKind::Live)], &style, PageKind::Live) + "; frame-ancestors 'none'"
}

fn policy(scripts: &[&str], style: &str, kind: PageKind) -> String {
    let hash = |text: &str| format!("'sha256-{}'", base64(&sha256(text.as_bytes())));
    let scripts: Vec<_> = scripts.iter().map(|script| hash(script)).collect();
    let connect = if kind == PageKind::Live { "; connect-src 'self'" } else { "" };
    format!(
        "default-src 'none'; script-src {}; style-src {}; img-src data:{connect}; base-uri 'none'; \
         form-action 'none'",
        scripts.join(" "),
        hash(style)
    )
}

/// A table: a header, and rows of text.
fn table<const N: usize>(what: &str, head: [&str; N], rows: &[[String; N]]) -> String {
    let cells = |tag: &str, cells: &[String]| -> String {
        cells.iter().map(|cell| format!("<{tag}>{}</{tag}>", escape(cell))).collect()
    };
    let head: String =
        head.iter().map(|name| format!("<th scope=\"col\">{}</th>", escape(name))).collect();
    let rows: String = rows.iter().map(|row| format!("<tr>{}</tr>\n", cells("td", row))).collect();
    scrolling(
        what,
        &format!("<table><thead><tr>{head}</tr></thead><tbody>\n{rows}</tbody></table>"),
    )
}

/// Something that may be wider than a phone.
fn scrolling(what: &str, html: &str) -> String {
    format!("<div class=\"wide\" {REGION}{what}\" tabindex=\"0\">{html}</div>\n")
}

#[cfg(test)]
mod tests;
