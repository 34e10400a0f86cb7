//! `cargo xtask bench scaling`: training from a database with 1 and 2 workers, against PyTorch over
//! gloo.
//!
//! One thread per worker, update included, the same network and batch on both sides; PyTorch's
//! input lies in memory, ours is read from an LMDB of raw 256 x 256 images that the bench draws
//! itself, cropped and mirrored. The programs take turns, ours before each memory order of
//! PyTorch's, and medians are compared. A round takes seven minutes.

pub(super) mod database;

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use base::median;

use super::ours::Firecaffe;
use super::torch::{LAYOUTS, Python};
use super::{asked, flag, save, speed_up, verdict};
use crate::shell::{root, target_dir};

/// Workers that are compared with one, as many as the table is about.
const WORKERS: usize = 2;
/// What 2 workers should be over 1, where asked for.
const SPEED_UP: f64 = 1.9;
/// Iterations of a turn of the peer.
const PEER_ITERATIONS: &str = "3";

/// A network, and what it should reach.
struct ScalingNet {
    name: &'static str,
    /// File in `bench/models`, without its ending.
    file: &'static str,
    /// Images of a replica's batch.
    batch: usize,
    /// Side of the crop.
    crop: usize,
    /// Ratio to PyTorch.
    target: f64,
    /// Whether `SPEED_UP` is asked for.
    scales: bool,
}

const NETS: &[ScalingNet] = &[
    net("AlexNet", "alexnet_b32", [32, 227], 1.5, false),
    net("GoogLeNet", "googlenet_b16", [16, 224], 1.5, true),
    net("NiN", "nin_b32", [16, 224], 1.15, true),
    net("ResNet-50", "resnet50_b8", [8, 224], 1.15, false),
];

const fn net(
    name: &'static str,
    file: &'static str,
    [batch, crop]: [usize; 2],
    target: f64,
    scales: bool,
) -> ScalingNet {
    ScalingNet { name, file, batch, crop, target, scales }
}

/// Images per second, round by round.
#[derive(Default)]
struct Rates {
    one: Vec<f64>,
    two: Vec<f64>,
    peers: [Vec<f64>; LAYOUTS.len()],
}

/// What may follow on the command line.
pub(super) const FLAGS: &[&str] =
    &["--nets", "--rounds", "--iterations", "--markdown", "--python", "--firecaffe"];

/// Measures and prints the table.
pub(crate) fn run(args: &[String]) -> Result<()> {
    let rounds: usize = flag(args, "--rounds", "2").parse().context("--rounds takes a number")?;
    let iterations = flag(args, "--iterations", "4");
    let iterations: usize = iterations.parse().context("--iterations takes a number")?;
    let firecaffe = Firecaffe::find(&flag(args, "--firecaffe", ""))?;
    let python = Python::find(&flag(args, "--python", "python3"));
    let folder = target_dir().join("bench/scaling");
    fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let database = database::draw(&folder)?;
    let mut rows = Vec::new();
    for net in asked(args, "--nets", NETS, |net| net.file)? {
        let file = folder.join(format!("{}.prototxt", net.file));
        fs::write(&file, with_database(net, &database)?)?;
        let mut rates = Rates::default();
        for _ in 0..rounds {
            for (peer_rates, layout) in rates.peers.iter_mut().zip(LAYOUTS) {
                let ours = firecaffe.scaling(&file.to_string_lossy(), WORKERS, iterations)?;
                rates.one.extend(ours.first());
                rates.two.extend(ours.last());
                if let Some(python) = &python {
                    peer_rates.push(peer(python, net, layout)?);
                }
            }
        }
        println!("{} measured", net.name);
        rows.push(row(net, rates));
    }
    let table = format!(
        "| training from LMDB, 1 thread per worker | batch | 1 worker, images/s | {WORKERS} workers | \
         speed-up | target | torch nhwc, {WORKERS} workers | nchw | ratio | target |\n\
         |---|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n{}",
        rows.concat()
    );
    print!("\n{table}");
    save(args, "--markdown", &table)
}

fn peer(python: &Python, net: &ScalingNet, layout: &str) -> Result<f64> {
    let file = format!("bench/models/{}.prototxt", net.file);
    let more = ["--batch", &net.batch.to_string(), "--iters", PEER_ITERATIONS];
    python.gloo(&file, layout, WORKERS, &more)
}

fn row(net: &ScalingNet, rates: Rates) -> String {
    let speed_up = speed_up(&rates.one, &rates.two);
    let (one, two) = (median(rates.one), median(rates.two));
    let measured = !rates.peers[0].is_empty();
    let peers = rates.peers.map(median);
    let best = peers.iter().copied().fold(0.0, f64::max);
    let (target, batch) = (net.target, net.batch);
    let scaling = if net.scales {
        format!("{SPEED_UP} {}", verdict(speed_up, SPEED_UP))
    } else {
        "–".into()
    };
    let against = if measured {
        let ratio = two / best;
        let [nhwc, nchw] = peers;
        format!("{nhwc:.2} | {nchw:.2} | {ratio:.2} | {target} {}", verdict(ratio, target))
    } else {
        "– | – | – | –".into()
    };
    let name = net.name;
    format!("| {name} | {batch} | {one:.2} | {two:.2} | {speed_up:.2} | {scaling} | {against} |\n")
}

/// The network with its first layer, which makes constant values, replaced by one that reads
/// `database`.
fn with_database(net: &ScalingNet, database: &Path) -> Result<String> {
    let path = root().join(format!("bench/models/{}.prototxt", net.file));
    let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", net.file))?;
    let mut layers = text.match_indices("\nlayer {").map(|(at, _)| at + 1);
    let (first, second) = (layers.next(), layers.next());
    let (first, second) = first.zip(second).context("a network has two layers at least")?;
    let ScalingNet { batch, crop, .. } = net;
    let source = database.display();
    Ok(format!(
        "{}layer {{ name: \"data\" type: \"Data\" top: \"data\" top: \"label\"\n  \
         transform_param {{ crop_size: {crop} mirror: true scale: 0.00390625 }}\n  \
         data_param {{ source: \"{source}\" batch_size: {batch} backend: LMDB }} }}\n{}",
        &text[..first],
        &text[second..]
    ))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{NETS, Rates, row, with_database};

    #[test]
    fn every_network_reads_the_database_instead_of_constants() {
        for net in NETS {
            let text = with_database(net, Path::new("some_lmdb")).unwrap();
            let written = train::files::net_from_text(net.file, &text).unwrap();
            assert_eq!(written.layer[0].type_(), "Data", "{}", net.name);
            assert!(!text.contains("DummyData"), "{}", net.name);
            assert!(written.layer.len() > 10, "{}: the rest is still there", net.name);
        }
    }

    #[test]
    fn rows_judge_both_targets() {
        let rates = Rates { one: vec![10.0], two: vec![18.0], peers: [vec![10.0], vec![12.0]] };
        let text = row(&NETS[1], rates);
        assert_eq!(
            text,
            "| GoogLeNet | 16 | 10.00 | 18.00 | 1.80 | 1.9 missed | 10.00 | 12.00 | 1.50 | 1.5 met |\n"
        );
    }
}
