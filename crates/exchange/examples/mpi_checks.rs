//! What the tests run under `mpirun`: the conformance suite, then every algorithm's bits in every
//! wire format, then the collectives whose lengths differ.

use base::line_to_stderr;
use collective::{Algorithm, AlgorithmChoice};
use exchange::canonical::tree_sum;
use exchange::wire::{WIRE_FORMATS, WireFormat};
use exchange::{ByteSegmentation, Exchange, ExchangeConfig, ExchangeError};
use std::sync::Arc;
use transport::mpi::{LibrarySearch, MpiLibrary};
use transport::{RankProgress, conformance};

type Done = Result<(), Box<dyn std::error::Error>>;

const NAMES: &[&str] = &[
    "direct",
    "halving-doubling",
    "hierarchical:2:direct+halving-doubling",
    "mpi",
    "multi-color",
    "multi-color:17",
    "parameter-server",
    "parameter-server:2",
    "reduction-tree",
    "ring",
];

/// Values whose sum depends on the order of additions.
fn touchy(rank: usize, index: usize) -> f32 {
    1.0 / (3 + rank * 7 + index % 101) as f32
}

fn gradient(rank: usize, len: usize) -> Vec<f32> {
    (0..len).map(|index| touchy(rank, index)).collect()
}

#[expect(clippy::disallowed_methods, reason = "a binary reads the environment")]
fn environment(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

fn main() -> Done {
    let job = MpiLibrary::load(&LibrarySearch::of_launcher(&environment))?.start()?;
    let (me, world) = (job.rank().index(), job.rank().world());
    let mut link = job.link(Arc::new(RankProgress::default()))?;
    conformance::run_all(&mut link)?;
    let mut exchange = Exchange::new(Box::new(link), ExchangeConfig::MPI);
    for format in WIRE_FORMATS {
        for name in NAMES {
            all_reduce(&mut exchange, name, format)?;
        }
    }
    blocks(&mut exchange)?;
    line_to_stderr(&format!("rank {me} of {world} passes"));
    Ok(())
}

fn all_reduce(exchange: &mut Exchange, name: &str, format: &'static WireFormat) -> Done {
    let (me, world) = (exchange.rank().index(), exchange.rank().world());
    let algorithm: Algorithm = name.parse()?;
    let exact = algorithm.is_exact(world);
    let segmentation = ByteSegmentation { segment_bytes: 3_999, lanes: 4 };
    let choice = AlgorithmChoice::Named(algorithm);
    let config = ExchangeConfig { choice, segmentation, wire: format, ..ExchangeConfig::MPI };
    exchange.configure(config);
    for len in [0, 1, world - 1, world + 1, 20_011] {
        let mut values = gradient(me, len);
        let done = exchange.all_reduce(&mut values);
        if name == "mpi" && format.conversion.is_some() {
            assert!(matches!(done, Err(ExchangeError::LibraryFormat { .. })), "{format}");
            continue;
        }
        done?;
        let inputs: Vec<Vec<f32>> = (0..world).map(|rank| gradient(rank, len)).collect();
        let mut want = vec![0.0; len];
        tree_sum(format, &inputs, 0, &mut want);
        let tolerance = 10.0 / format.integers_max as f32;
        for (index, (&got, &want)) in values.iter().zip(&want).enumerate() {
            let right = if exact { got == want } else { (got - want).abs() <= tolerance * want };
            assert!(right, "{name}, {format}: value {index} of {len} is {got}, not {want}");
        }
        let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_ne_bytes()).collect();
        let all = exchange.all_gather_v(&bytes)?;
        assert!(all.iter().all(|other| *other == bytes), "{name}, {format}: ranks differ");
    }
    Ok(())
}

/// Bytes as a function of two ranks; some blocks are empty, some travel in segments.
fn block(from: usize, to: usize) -> Vec<u8> {
    let len = [0, 1, 7, 300_001][(from * 3 + to) % 4];
    (0..len).map(|at| u8::try_from((from * 89 + to * 31 + at * 7) % 256).unwrap_or(0)).collect()
}

fn blocks(exchange: &mut Exchange) -> Done {
    let (me, world) = (exchange.rank().index(), exchange.rank().world());
    let gathered = exchange.all_gather_v(&block(me, 1))?;
    assert!(gathered == (0..world).map(|rank| block(rank, 1)).collect::<Vec<_>>());
    let swapped = exchange.all_to_all_v((0..world).map(|to| block(me, to)).collect())?;
    assert!(swapped == (0..world).map(|from| block(from, me)).collect::<Vec<_>>());
    for root in 0..world {
        let mut bytes = vec![u8::try_from(me).unwrap_or(255); 70_001];
        exchange.broadcast(root, &mut bytes)?;
        assert!(bytes.iter().all(|byte| usize::from(*byte) == root), "broadcast from {root}");
    }
    Ok(())
}
