//! Events of set-up as lines of Caffe's log: solver, nets, weights and snapshots.

use base::Shape;
use caffe_format::Phase;
use net::{LayerReport, Mismatch, NetReport, SourceReport, UnmetRule};
use train::{Event, NetOrigin, OptionNotice, ResumeData, ResumeGap};

use super::line::LogLine;
use super::prototxt;

/// What Caffe logs about an event before the first iteration; nothing for all others.
pub(super) fn of(event: &Event) -> Vec<LogLine> {
    let solver = |number, text: String| vec![LogLine::at("solver.cpp", number, text)];
    match event {
        Event::SolverInitialised { prototxt } => {
            solver(45, format!("Initializing solver from parameters: \n{}", prototxt.trim_end()))
        }
        Event::Prototxt(notice) => vec![LogLine::warning(prototxt::notice(notice))],
        Event::TrainNet { origin } => solver(102, train_net(origin)),
        Event::TestNet { index, origin } => {
            let origin = test_origin(origin);
            solver(190, format!("Creating test net (#{index}) specified by {origin}"))
        }
        Event::UnmetRule(rule) => vec![unmet_rule(rule)],
        Event::NetCompiled { prototxt, report } => net(prototxt, report),
        Event::SourceOption { layer, notice } => {
            vec![LogLine::warning(format!("layer `{layer}`: {}", option(*notice)))]
        }
        Event::SolverReady => solver(57, "Solver scaffolding done.".into()),
        Event::FineTuning { model } => solver(70, format!("Finetuning from {}", model.display())),
        Event::LayerIgnored { layer } => {
            vec![LogLine::at("net.cpp", 740, format!("Ignoring source layer {layer}"))]
        }
        Event::Restoring { state } => {
            solver(295, format!("Restoring previous solver status from {}", state.display()))
        }
        Event::ResumeGap(gap) => vec![LogLine::warning(resume_gap(gap))],
        Event::LayersBeginAnew { layers } => vec![LogLine::warning(begin_anew(layers))],
        _ => Vec::new(),
    }
}

fn train_net(origin: &NetOrigin) -> String {
    match origin {
        NetOrigin::NetParam | NetOrigin::TrainNetParam | NetOrigin::TestNetParam => {
            format!("Creating training net specified in {}.", field(origin))
        }
        NetOrigin::Net(file) | NetOrigin::TrainNet(file) | NetOrigin::TestNet(file) => {
            format!("Creating training net from {} file: {file}", field(origin))
        }
    }
}

fn test_origin(origin: &NetOrigin) -> String {
    let field = field(origin);
    match origin {
        NetOrigin::NetParam | NetOrigin::TrainNetParam | NetOrigin::TestNetParam => field.into(),
        NetOrigin::Net(file) | NetOrigin::TrainNet(file) | NetOrigin::TestNet(file) => {
            format!("{field} file: {file}")
        }
    }
}

/// The field of a solver's prototxt.
fn field(origin: &NetOrigin) -> &'static str {
    match origin {
        NetOrigin::Net(_) => "net",
        NetOrigin::NetParam => "net_param",
        NetOrigin::TrainNet(_) => "train_net",
        NetOrigin::TrainNetParam => "train_net_param",
        NetOrigin::TestNet(_) => "test_net",
        NetOrigin::TestNetParam => "test_net_param",
    }
}

fn option(notice: OptionNotice) -> &'static str {
    match notice {
        OptionNotice::RandSkip => "`rand_skip` of Data has no effect (nor has it in Caffe 1.0)",
        OptionNotice::Shuffle => {
            "`data_param.shuffle` has no effect: only training shuffles, tests read in key order"
        }
        OptionNotice::SameImages => "every replica reads the same images: set `shuffle: true`",
        OptionNotice::MemoryTransform => {
            "MemoryData takes values as they are; `transform_param` has no effect"
        }
    }
}

fn unmet_rule(UnmetRule { layer, mismatch }: &UnmetRule) -> LogLine {
    let number = |phase: &Phase| match phase {
        Phase::Train => 0,
        Phase::Test => 1,
    };
    let why = match mismatch {
        Mismatch::Phase { state, rule } => {
            let (state, rule) = (number(state), number(rule));
            format!("phase ({state}) differed from the phase ({rule})")
        }
        // Caffe says "above" for both.
        Mismatch::LevelBelow { level, min } => {
            format!("level ({level}) is above the min_level ({min})")
        }
        Mismatch::LevelAbove { level, max } => {
            format!("level ({level}) is above the max_level ({max})")
        }
        Mismatch::StageMissing { stage } => format!("did not contain stage '{stage}'"),
        Mismatch::StageForbidden { stage } => format!("contained a not_stage '{stage}'"),
    };
    let number = if matches!(mismatch, Mismatch::Phase { .. }) { 296 } else { 305 };
    let text = format!("The NetState {why} specified by a rule in layer {layer}");
    LogLine::at("net.cpp", number, text)
}

fn net(prototxt: &str, NetReport { layers, outputs }: &NetReport) -> Vec<LogLine> {
    let line = |number, text: String| LogLine::at("net.cpp", number, text);
    let parameters = prototxt.trim_end();
    let mut lines = vec![line(53, format!("Initializing net from parameters: \n{parameters}"))];
    let mut memory = 0;
    for report in layers {
        lines.extend(layer(report, &mut memory));
    }
    for LayerReport { name, needs_backward, .. } in layers.iter().rev() {
        lines.push(match needs_backward {
            true => line(200, format!("{name} needs backward computation.")),
            false => line(202, format!("{name} does not need backward computation.")),
        });
    }
    let output = |name: &String| line(244, format!("This network produces output {name}"));
    lines.extend(outputs.iter().map(output));
    lines.push(line(257, "Network initialization done.".into()));
    lines
}

/// Lines of one layer; `memory` counts the bytes of all tops so far.
fn layer(report: &LayerReport, memory: &mut usize) -> Vec<LogLine> {
    let LayerReport { name, bottoms, tops, shared, .. } = report;
    let line = |number, text: String| LogLine::at("net.cpp", number, text);
    let create = || LogLine::at("layer_factory.hpp", 77, format!("Creating layer {name}"));
    let mut lines = vec![create()];
    lines.extend(report.source.as_ref().and_then(opened));
    lines.push(line(86, format!("Creating Layer {name}")));
    lines.extend(bottoms.iter().map(|blob| line(408, format!("{name} <- {blob}"))));
    for top in tops {
        let blob = top.blob.as_deref().unwrap_or("(automatic)");
        lines.push(match top.in_place {
            true => line(369, format!("{name} -> {blob} (in-place)")),
            false => line(382, format!("{name} -> {blob}")),
        });
        *memory += top.bytes;
    }
    lines.extend(source_set_up(report));
    lines.extend(report.inner.then(create));
    lines.push(line(124, format!("Setting up {name}")));
    for top in tops {
        let shape = Shape::new(&top.shape).unwrap_or_default();
        lines.push(line(131, format!("Top shape: {shape}")));
        if top.loss_weight != 0.0 {
            lines.push(line(134, format!("    with loss weight {}", top.loss_weight)));
        }
    }
    lines.push(line(139, format!("Memory required for data: {memory}")));
    lines.extend(shared.iter().map(|param| {
        let (param, owner, index) = (&param.name, &param.owner, param.index);
        let text =
            format!("Sharing parameters '{param}' owned by layer '{owner}', param index {index}");
        line(502, text)
    }));
    lines
}

/// The line of a database that was opened, which Caffe does before anything else.
fn opened(source: &SourceReport) -> Option<LogLine> {
    match source {
        SourceReport::Lmdb(path) => {
            Some(LogLine::at("db_lmdb.cpp", 35, format!("Opened lmdb {path}")))
        }
        SourceReport::LevelDb(path) => {
            Some(LogLine::at("db_leveldb.cpp", 18, format!("Opened leveldb {path}")))
        }
        _ => None,
    }
}

/// Lines of a data layer's own set-up.
fn source_set_up(report: &LayerReport) -> Vec<LogLine> {
    let Some(source) = &report.source else { return Vec::new() };
    let mean = report.mean_file.as_ref().map(|path| {
        LogLine::at("data_transformer.cpp", 25, format!("Loading mean file from: {path}"))
    });
    let (read, size) = match source {
        SourceReport::Lmdb(_) | SourceReport::LevelDb(_) => (None, Some(("data_layer.cpp", 45))),
        SourceReport::Hdf5List(path) => {
            let text = format!("Loading list of HDF5 filenames from: {path}");
            (Some(LogLine::at("hdf5_data_layer.cpp", 81, text)), None)
        }
        SourceReport::ImageList(path) => {
            let line = LogLine::at("image_data_layer.cpp", 38, format!("Opening file {path}"));
            (Some(line), Some(("image_data_layer.cpp", 90)))
        }
        SourceReport::Windows(_) => (None, Some(("window_data_layer.cpp", 180))),
    };
    let size = size.zip(report.tops.first()).map(|((file, number), top)| {
        let axes: Vec<_> = top.shape.iter().map(ToString::to_string).collect();
        LogLine::at(file, number, format!("output data size: {}", axes.join(",")))
    });
    [mean, read, size].into_iter().flatten().collect()
}

/// `layer `loss` keeps …`.
fn begin_anew(layers: &[String]) -> String {
    let names: Vec<_> = layers.iter().map(|layer| format!("`{layer}`")).collect();
    let (s, keep, begin) = match layers.len() {
        1 => ("", "keeps", "begins"),
        _ => ("s", "keep", "begin"),
    };
    format!(
        "layer{s} {} {keep} state that is not in the snapshot and {begin} anew: weights may differ \
         from those of a run that was not interrupted",
        names.join(", ")
    )
}

fn resume_gap(ResumeGap { missing, data }: &ResumeGap) -> String {
    let how = match data {
        ResumeData::Start => "data and random numbers begin anew, as in Caffe",
        ResumeData::Continue => {
            "data goes on where the iterations so far have read to, random numbers of layers begin anew"
        }
    };
    format!("{} is not there: {how}", missing.display())
}
