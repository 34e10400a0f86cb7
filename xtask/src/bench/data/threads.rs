//! From database to batch on one thread and on two.

use std::fs;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Instant;

use anyhow::{Context, Result};
use base::median;
use caffe_format::{DataParameterDb, Datum};
use data::convert::DatabaseWriter;
use serde_json::Value;

use super::super::jpeg::TimedDecoder;
use super::super::scaling::database;
use super::super::speed_up;
use super::DataRow;
use crate::jpeg_peer::{JpegPeer, files};
use crate::shell::{self, command, target_dir};

const JPEG_FILES: usize = 64;
/// Passes of the peer per turn.
const PASSES: usize = 8;
/// Seconds of each of our measurements.
const SECONDS: &str = "0.7";

/// Targets: images/s of raw records, of libjpeg-turbo's speed, of the control's speed-up, and
/// speed-up of raw records.
const RAW: f64 = 8000.0;
const JPEG: f64 = 0.8;
const JPEG_SPEED_UP: f64 = 0.95;
const RAW_SPEED_UP: f64 = 1.3;

/// Images per second, round by round.
#[derive(Default)]
struct ThreadRates {
    raw: [Vec<f64>; 2],
    jpeg: [Vec<f64>; 2],
    peer: Vec<f64>,
    control: [Vec<f64>; 2],
}

pub(super) fn run(program: &str, rounds: usize) -> Result<Vec<DataRow>> {
    let folder = target_dir().join("bench/data");
    fs::create_dir_all(&folder)?;
    let peer = JpegPeer::prepare()?;
    let jpegs = peer.empty_folder("data")?;
    let make = "--width 256 --height 256 --quality 90 --sampling 420 --seed 1701 --count";
    shell::output(
        peer.script("make").arg(&jpegs).args(make.split(' ')).arg(JPEG_FILES.to_string()),
    )?;
    let raw = database::draw(&folder)?;
    let encoded = encoded_database(&folder, &jpegs)?;
    let mean = folder.join("mean.binaryproto");
    let raw_text = raw.to_string_lossy().into_owned();
    shell::output(&mut command(program, &["data", "mean", &raw_text, &mean.to_string_lossy()]))?;
    let mut theirs = TimedDecoder::start(peer.script("time").arg(&jpegs))?;
    let mut rates = ThreadRates::default();
    for round in 0..=rounds {
        let kept = round > 0; // the first one warms caches
        let add = |to: &mut Vec<f64>, rate: f64| to.extend(kept.then_some(rate));
        add(&mut rates.peer, theirs.images_per_s(0, (JPEG_FILES, PASSES))?);
        for (database, to) in [(&raw, &mut rates.raw), (&encoded, &mut rates.jpeg)] {
            let ours = together(program, database, &mean, &folder)?;
            to.iter_mut().zip(ours).for_each(|(to, rate)| add(to, rate));
        }
        for (threads, to) in (1..).zip(&mut rates.control) {
            add(to, control(threads));
        }
    }
    Ok(rows(rates))
}

fn rows(rates: ThreadRates) -> Vec<DataRow> {
    let ThreadRates { raw, jpeg, peer, control } = rates;
    let up = |rates: &[Vec<f64>; 2]| speed_up(&rates[0], &rates[1]);
    let (raw_up, jpeg_up, control_up) = (up(&raw), up(&jpeg), up(&control));
    let jpeg_ratio = speed_up(&peer, &jpeg[0]);
    let [raw, jpeg] = [raw, jpeg].map(|rates| rates.map(median));
    let peer = median(peer);
    let row = |what: &str, measured: String, value: f64, least: f64| DataRow {
        what: what.into(),
        measured,
        value,
        least,
    };
    vec![
        row("raw, one thread, images/s", format!("{:.0} images/s", raw[0]), raw[0], RAW),
        row(
            "JPEG, one thread, over libjpeg-turbo decoding alone",
            format!("{:.0} and {peer:.0} images/s", jpeg[0]),
            jpeg_ratio,
            JPEG,
        ),
        row(
            "JPEG, two threads over one, over that of computing only",
            format!("{:.0} images/s, {jpeg_up:.2} and {control_up:.2} times", jpeg[1]),
            jpeg_up / control_up,
            JPEG_SPEED_UP,
        ),
        row("raw, two threads over one", format!("{:.0} images/s", raw[1]), raw_up, RAW_SPEED_UP),
    ]
}

/// Our images per second on one thread and on two.
fn together(program: &str, database: &Path, mean: &Path, folder: &Path) -> Result<[f64; 2]> {
    let transform = format!("crop_size: 227 mirror: true mean_file: '{}'", mean.display());
    let json = folder.join("speed.json");
    let mut bench = command(program, &["bench", "data", "--stages", "together", "--threads", "2"]);
    bench.arg(database).args(["--transform", &transform, "--seconds", SECONDS, "--json"]);
    shell::output(bench.arg(&json))?;
    let report: Value = serde_json::from_str(&fs::read_to_string(&json)?)?;
    let rate = |index: usize| report["results"][index]["images_per_second"].as_f64();
    let both = rate(0).zip(rate(1)).context("`bench data` reports two speeds")?;
    Ok([both.0, both.1])
}

/// The files as records of a database.
fn encoded_database(folder: &Path, jpegs: &Path) -> Result<PathBuf> {
    let path = folder.join("jpeg_lmdb");
    if path.exists() {
        fs::remove_dir_all(&path)?;
    }
    let mut writer = DatabaseWriter::create(&path, DataParameterDb::Lmdb)?;
    for (index, file) in files(jpegs)?.into_iter().enumerate() {
        let datum = Datum {
            encoded: Some(true),
            data: Some(fs::read(file)?),
            label: Some(i32::try_from(index % 10)?),
            ..Datum::EMPTY
        };
        writer.put(&format!("{index:08}"), &datum)?;
    }
    writer.finish()?;
    Ok(path)
}

/// Rounds per second of a loop that stays in registers, on so many threads.
fn control(threads: u32) -> f64 {
    const ROUNDS: u64 = 200_000_000;
    let begin = Instant::now();
    thread::scope(|scope| {
        for thread in 0..threads {
            scope.spawn(move || {
                let mut state = u64::from(thread) + 1;
                for _ in 0..ROUNDS {
                    state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                }
                black_box(state);
            });
        }
    });
    f64::from(threads) * ROUNDS as f64 / begin.elapsed().as_secs_f64()
}
