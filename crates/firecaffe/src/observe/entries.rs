//! Events as entries of a record.

use std::collections::BTreeMap;
use std::fs;

use net::Output;
use report::record::{
    DisplayEntry, IterationBin, LayerTime, LayersEntry, MemoryEntry, RankShare, RunBegin, RunEntry,
    SlowLink, SpanEntry, SpansEntry, TestEntry, TimesEntry,
};
use train::{Display, Event, GradientEvent, Job, PhaseTimes, TimelineTrack};

use super::begin::{RunOrigin, layers};
use crate::commands::time::MachinePeaks;
use crate::log;
use crate::log::speed::Speed;
use crate::log::timeline::{activity_name, track_name};

/// Seconds between entries that are long: times of ranks and layers, spans, memory.
const LONG_ENTRY_SECONDS: f64 = 10.0;

/// Makes entries of events.
pub(super) struct EntryMaker {
    begin: RunBegin,
    peaks: Option<MachinePeaks>,
    /// Entries of events before the first iteration, which follow the beginning; `None` after it.
    before: Option<Vec<RunEntry>>,
    layers: Vec<LayerTime>,
    /// Iterations done.
    iteration: u64,
    /// The net whose test phase runs.
    testing: usize,
    /// Bytes that the iteration has sent.
    sent: Option<u64>,
    ranks: usize,
    /// Times of ranks since the last entry of them.
    times: Option<TimesEntry>,
    incomplete: Vec<RankShare>,
    /// The latest entries of layers and spans.
    latest: [Option<RunEntry>; 2],
    /// When long entries were last made.
    long_entries: Option<f64>,
}

impl EntryMaker {
    pub(super) fn new(origin: RunOrigin) -> Self {
        Self {
            begin: origin.begin,
            peaks: origin.peaks,
            before: Some(Vec::new()),
            layers: Vec::new(),
            iteration: 0,
            testing: 0,
            sent: None,
            ranks: 1,
            times: None,
            incomplete: Vec::new(),
            latest: [None, None],
            long_entries: None,
        }
    }

    /// The entries before the first iteration of `job`.
    pub(super) fn begin(&mut self, job: &Job) -> Vec<RunEntry> {
        self.iteration = job.iter();
        let images = job.items_per_iteration();
        let batch = job.net().batch_items().max(1) * self.workers().max(1);
        self.layers = layers(job, (images as f64 / batch as f64).max(1.0));
        self.begin.iteration = job.iter();
        self.begin.images = images as u64;
        self.begin.net = job.net().name().to_owned();
        let begin = RunEntry::Begin(Box::new(self.begin.clone()));
        std::iter::once(begin).chain(self.before.take().unwrap_or_default()).collect()
    }

    /// Workers of all ranks.
    fn workers(&self) -> usize {
        let of = |name: &str| {
            let setting = self.begin.settings.iter().find(|setting| setting.0 == name);
            setting.and_then(|setting| setting.1.parse().ok()).unwrap_or(1)
        };
        of("ranks") * of("workers per rank")
    }

    /// The entries of an event, `seconds` after the program began.
    pub(super) fn entries(&mut self, event: &Event, seconds: f64) -> Vec<RunEntry> {
        self.set_up(event);
        let mut entries = self.of(event, seconds);
        let warnings = log::warnings(event);
        entries.extend(warnings.map(|text| RunEntry::Warning { iteration: self.iteration, text }));
        if let Some(before) = &mut self.before {
            before.append(&mut entries);
        }
        entries
    }

    /// Remembers what the beginning says.
    fn set_up(&mut self, event: &Event) {
        match event {
            Event::SolverInitialised { prototxt } => self.begin.solver.clone_from(prototxt),
            Event::MemoryUse(memory) => {
                let named = memory.named().into_iter();
                self.begin.memory =
                    named.map(|(name, bytes)| (name.to_owned(), bytes as u64)).collect();
            }
            Event::Joined { hosts, .. } => {
                self.ranks = hosts.iter().map(|(_, ranks)| ranks).sum();
            }
            _ => {}
        }
    }

    fn of(&mut self, event: &Event, seconds: f64) -> Vec<RunEntry> {
        let iteration = self.iteration;
        match event {
            Event::ReplicasPlaced { replicas, exact, .. } => {
                vec![setting("replicas", replicas.to_string()), setting("exact", exact.to_string())]
            }
            Event::Emulating { machine, .. } => vec![setting("emulated", machine.clone())],
            Event::Gradients(GradientEvent::Compression { compression, compressed, .. }) => {
                let used = compressed.iter().filter(|used| **used).count();
                let text = format!("{compression}, {used} of {} buckets", compressed.len());
                vec![setting("compression", text)]
            }
            Event::Gradients(GradientEvent::Exchanged { traffic, .. }) => {
                self.sent = Some(traffic.sent_bytes);
                Vec::new()
            }
            Event::Stepped { done, loss } => {
                self.iteration = *done;
                let loss = f64::from(*loss);
                let bin = IterationBin::single(done - 1, seconds, loss, self.sent.take());
                vec![RunEntry::Steps(bin)]
            }
            Event::Displayed(display) => vec![RunEntry::Display(displayed(display))],
            Event::RankTimes { host, times, rank } => self.rank_times(*rank, host, times, seconds),
            Event::LayerTimes { iterations, seconds: times } => {
                self.latest[0] = Some(self.layer_times(*iterations, times));
                Vec::new()
            }
            Event::IterationSpans { iter, tracks } => {
                self.latest[1] = Some(self.spans(*iter, tracks));
                Vec::new()
            }
            Event::Spent { .. } => self.long_entries(seconds),
            Event::Testing { iter, net } => {
                (self.iteration, self.testing) = (*iter, *net);
                Vec::new()
            }
            Event::Tested { outputs, .. } => {
                let (net, outputs) = (self.testing, named(outputs));
                vec![RunEntry::Test(TestEntry { iteration, net, outputs })]
            }
            Event::SnapshotWritten { model, .. } => {
                vec![RunEntry::Snapshot { iteration, model: model.display().to_string() }]
            }
            Event::SlowLink { hosts, mbits, usual_mbits } => {
                let (hosts, mbits, usual_mbits) = (hosts.clone(), *mbits, *usual_mbits);
                vec![RunEntry::SlowLink(SlowLink { hosts, mbits, usual_mbits })]
            }
            Event::Hash { steps, hash } => {
                vec![RunEntry::Hash { iteration: *steps, hash: format!("{hash:016x}") }]
            }
            Event::Finished => vec![RunEntry::End { iteration, how: "finished".into() }],
            Event::StoppedEarly => vec![RunEntry::End { iteration, how: "stopped".into() }],
            _ => Vec::new(),
        }
    }

    /// What has been collected for long entries.
    fn long_entries(&mut self, seconds: f64) -> Vec<RunEntry> {
        self.long_entries = Some(seconds);
        let times = self.times.take().map(RunEntry::Times).into_iter();
        let latest = self.latest.iter_mut().filter_map(Option::take);
        times.chain(latest).chain(memory(self.iteration)).collect()
    }

    /// Collects the ranks of one display; with the last one, their entry and that of memory.
    fn rank_times(
        &mut self,
        rank: usize,
        host: &str,
        times: &PhaseTimes,
        seconds: f64,
    ) -> Vec<RunEntry> {
        let PhaseTimes { data, forward, backward, exposed_communication, update } = *times;
        let spent = [data, forward, backward, exposed_communication, update];
        let host = if host.is_empty() { &self.begin.host } else { host };
        if rank == 0 {
            self.incomplete.clear();
        }
        let share = RankShare { host: host.to_owned(), seconds: spent.map(|t| t.as_secs_f64()) };
        self.incomplete.push(share);
        if self.incomplete.len() < self.ranks {
            return Vec::new();
        }
        let ranks = std::mem::take(&mut self.incomplete);
        let before = self.times.as_ref().map_or(self.begin.iteration, |sum| sum.iteration);
        let iterations = self.iteration.saturating_sub(before);
        let latest = TimesEntry { iteration: self.iteration, iterations, ranks };
        match &mut self.times {
            Some(sum) => sum.add(&latest),
            none => *none = Some(latest),
        }
        match self.long_entries {
            Some(at) if seconds - at < LONG_ENTRY_SECONDS => Vec::new(),
            _ => self.long_entries(seconds),
        }
    }

    fn layer_times(&self, iterations: u64, seconds: &[[f64; 2]]) -> RunEntry {
        let layers = self.layers.iter().enumerate().map(|(index, layer)| {
            let seconds = seconds.get(index).copied().unwrap_or_default();
            LayerTime { seconds, ..layer.clone() }
        });
        RunEntry::Layers(LayersEntry {
            iteration: self.iteration,
            iterations,
            flops_per_s: self.peaks.map(|peaks| peaks.flops),
            bytes_per_s: self.peaks.map(|peaks| peaks.bandwidth),
            layers: layers.collect(),
        })
    }

    fn spans(&self, iteration: u64, tracks: &[TimelineTrack]) -> RunEntry {
        let name = |layer: usize| self.layers.get(layer).map_or("", |layer| &*layer.name);
        let mut named = BTreeMap::new();
        for track in tracks {
            let spans = track.spans.iter().map(|span| {
                let (name, kind) = activity_name(span.activity, &name);
                let [begin, end] = [span.begin, span.end].map(|time| time.as_secs_f64());
                SpanEntry { name, kind: kind.to_owned(), begin, end }
            });
            // Sums between workers overlap with what the worker does: they get a row of their own.
            for span in spans {
                let sums = ["local sum", "compressed sum"].contains(&span.kind.as_str());
                let row = track_name(track.owner);
                let row = if sums { format!("{row}, sums") } else { row };
                named.entry(row).or_insert_with(Vec::new).push(span);
            }
        }
        RunEntry::Spans(SpansEntry { iteration, tracks: named })
    }
}

fn setting(name: &str, value: String) -> RunEntry {
    RunEntry::Setting { name: name.to_owned(), value }
}

fn displayed(display: &Display) -> DisplayEntry {
    let Display { iter, loss, rate, elapsed, items, times, .. } = *display;
    DisplayEntry {
        iteration: iter,
        loss: f64::from(loss),
        rate: f64::from(rate),
        images_per_s: Speed { items, elapsed, times, emulated: false }.per_second(),
        outputs: named(&display.outputs),
    }
}

/// Names and first values.
fn named(outputs: &[Output]) -> Vec<(String, f64)> {
    let value = |output: &Output| Some((output.name.clone(), f64::from(*output.values.first()?)));
    outputs.iter().filter_map(value).collect()
}

/// Resident memory now and at most, where there is a `/proc`.
fn memory(iteration: u64) -> Option<RunEntry> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let bytes = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name))?;
        let kilobytes: u64 = line.trim().trim_end_matches(" kB").parse().ok()?;
        Some(kilobytes * 1024)
    };
    let (resident, peak) = (bytes("VmRSS:")?, bytes("VmHWM:")?);
    Some(RunEntry::Memory(MemoryEntry { iteration, resident, peak }))
}
