use crate::RunHistory;
use crate::html::{PageKind, live_policy, page, sections};
use crate::record::{
    DisplayEntry, IterationBin, LayerTime, LayersEntry, MemoryEntry, RankShare, RunBegin, RunEntry,
    SpanEntry, SpansEntry, TestEntry, TimesEntry,
};

const HOSTILE: &str = "</script><script>alert(1)</script><img src=x onerror=alert(2)>\"'";

/// A run that has everything, with `name` wherever a name can be.
fn full(name: &str, iterations: u64) -> RunHistory {
    let mut run = RunHistory { name: name.to_owned(), ..RunHistory::default() };
    let text = || name.to_owned();
    run.add(RunEntry::Begin(Box::new(RunBegin {
        version: text(),
        host: text(),
        directory: text(),
        command: text(),
        net: text(),
        images: 64,
        settings: vec![(text(), text()), ("wire".into(), "f16".into())],
        solver: format!("base_lr: 0.01\n{name}: {name}\n"),
        memory: vec![(text(), 1000)],
        ..RunBegin::default()
    })));
    for iteration in 0..iterations {
        let (seconds, loss) = (iteration as f64 * 0.01, 1.0 / (iteration + 1) as f64);
        run.add(RunEntry::Steps(IterationBin::single(iteration, seconds, loss, Some(4000))));
    }
    let outputs = || vec![(text(), 0.5), ("loss".to_owned(), 0.25)];
    run.add(RunEntry::Display(DisplayEntry {
        iteration: iterations,
        loss: 0.5,
        rate: 0.01,
        images_per_s: Some(100.0),
        outputs: outputs(),
    }));
    run.add(RunEntry::Test(TestEntry { iteration: iterations, net: 0, outputs: outputs() }));
    let ranks = vec![RankShare { host: text(), seconds: [5.0, 1.0, 2.0, 0.1, 0.1] }];
    run.add(RunEntry::Times(TimesEntry { iteration: iterations, iterations, ranks }));
    let (seconds, flops, bytes) = ([0.1, 0.2], [1e9; 2], [1e6; 2]);
    let layer = LayerTime { name: text(), kind: text(), seconds, flops, bytes };
    run.add(RunEntry::Layers(LayersEntry {
        iteration: iterations,
        iterations,
        flops_per_s: Some(1e11),
        bytes_per_s: Some(1e10),
        layers: vec![layer],
    }));
    let span = SpanEntry { name: text(), kind: text(), begin: 0.0, end: 0.001 };
    let tracks = [(text(), vec![span])].into_iter().collect();
    run.add(RunEntry::Spans(SpansEntry { iteration: 1, tracks }));
    run.add(RunEntry::Memory(MemoryEntry { iteration: 1, resident: 5000, peak: 6000 }));
    run.add(RunEntry::Snapshot { iteration: 5, model: text() });
    run.add(RunEntry::Warning { iteration: 5, text: text() });
    run.add(RunEntry::Hash { iteration: 5, hash: text() });
    run.add(RunEntry::End { iteration: 5, how: text() });
    run
}

#[test]
fn every_section_has_something_to_show() {
    let all = sections(&[full("a", 100)]);
    let empty: Vec<_> = all.iter().filter(|s| s.html.is_empty()).map(|s| s.id).collect();
    assert_eq!(empty, ["differences"]);
    let two = sections(&[full("a", 100), full("b", 100)]);
    assert!(two.iter().all(|section| !section.html.is_empty()));
}

#[test]
fn hostile_names_are_text_everywhere() {
    for runs in [vec![full(HOSTILE, 50)], vec![full(HOSTILE, 50), full("b", 50)]] {
        for kind in [PageKind::File, PageKind::Live] {
            let html = page(&runs, kind);
            assert_eq!(html.matches("<script").count(), 1, "only ours");
            assert!(!html.contains("<img") && !html.contains("onerror=alert(2)>\""));
            assert!(html.contains("&lt;/script&gt;"));
        }
    }
}

#[test]
fn the_policy_allows_our_script_and_nothing_else() {
    let html = page(&[full("a", 10)], PageKind::File);
    assert!(html.contains("content=\"default-src 'none'; script-src 'sha256-"), "{html}");
    assert!(!html.contains("style=\"") && !html.contains(" onclick="));
    assert!(!html.contains("connect-src") && live_policy().contains("connect-src 'self'"));
}

#[test]
fn a_page_without_anything_is_still_a_page() {
    let html = page(&[RunHistory::default()], PageKind::File);
    assert!(html.ends_with("</html>\n"));
}

#[test]
fn a_page_of_many_runs_stays_below_two_megabytes() {
    let runs: Vec<_> = (0..12).map(|index| full(&format!("run {index}"), 5000)).collect();
    let bytes = page(&runs, PageKind::File).len();
    assert!(bytes < 2_000_000, "{bytes} bytes");
}
