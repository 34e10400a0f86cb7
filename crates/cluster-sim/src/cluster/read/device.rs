//! What a cluster file says of its devices.

use crate::cluster::reader::{NumberRange, ProblemList, TableReader};
use crate::cluster::{CodecRate, DeviceDescription, DeviceSpeed, ProfiledNetwork};
use exchange::compression::COMPRESSIONS;

/// Precisions of computing that a speed can be for.
const PRECISIONS: &[&str] = &["f32", "mixed"];

impl DeviceDescription {
    /// Where there is no device, or one of which nothing is known.
    pub const NONE: Self = Self {
        name: String::new(),
        speeds: Vec::new(),
        profiles: Vec::new(),
        gflops: None,
        reduce_gbs: None,
        reduce_half_gbs: None,
        copy_gbs: None,
        convert_gbs: None,
        codecs: Vec::new(),
        update_gbs: None,
    };
}

/// Reads `[device]` and what belongs to it.
pub(super) fn device(mut table: TableReader<'_>, list: &mut ProblemList<'_>) -> DeviceDescription {
    let mut rate = |key| table.optional_number(key, NumberRange::Positive, list);
    let [gflops, reduce_gbs, reduce_half_gbs, copy_gbs, convert_gbs, update_gbs] =
        ["gflops", "reduce_gbs", "reduce_half_gbs", "copy_gbs", "convert_gbs", "update_gbs"]
            .map(&mut rate);
    let name = table.text("name", None, list);
    let rows = table.tables("speed", list).into_iter();
    let speeds: Vec<_> = rows.map(|row| speed(row, list)).collect();
    let rows = table.tables("profile", list).into_iter();
    let profiles: Vec<_> = rows.map(|row| profile(row, list)).collect();
    let rows = table.tables("codec", list).into_iter();
    let codecs = rows.map(|row| codec(row, list)).collect();
    if speeds.is_empty() && profiles.is_empty() && gflops.is_none() {
        let what = "nothing says how fast a device computes".into();
        list.add(&table.span(), what, "add `[[device.speed]]`, `[[device.profile]]` or `gflops`");
    }
    table.end(list);
    DeviceDescription {
        name,
        speeds,
        profiles,
        gflops,
        reduce_gbs,
        reduce_half_gbs,
        copy_gbs,
        convert_gbs,
        codecs,
        update_gbs,
    }
}

fn precision(table: &mut TableReader<'_>, list: &mut ProblemList<'_>) -> String {
    let precision = table.text("precision", Some("f32"), list);
    if !PRECISIONS.contains(&&*precision) {
        let what = format!("unknown precision `{precision}`");
        list.add(&table.span_of("precision"), what, format!("known: {}", PRECISIONS.join(", ")));
    }
    precision
}

fn profile(mut table: TableReader<'_>, list: &mut ProblemList<'_>) -> ProfiledNetwork {
    let profile = ProfiledNetwork {
        network: table.text("network", None, list),
        precision: precision(&mut table, list),
        file: table.text("file", None, list),
        times: None,
    };
    table.end(list);
    profile
}

fn codec(mut table: TableReader<'_>, list: &mut ProblemList<'_>) -> CodecRate {
    let compression = table.text("compression", None, list);
    if table.has("compression") && COMPRESSIONS.iter().all(|row| row.name != compression) {
        let known: Vec<_> = COMPRESSIONS.iter().map(|row| row.name).collect();
        let what = format!("unknown compression `{compression}`");
        list.add(&table.span_of("compression"), what, format!("known: {}", known.join(", ")));
    }
    let codec = CodecRate {
        compression,
        encode_gbs: table.number("encode_gbs", NumberRange::Positive, None, list),
        decode_gbs: table.number("decode_gbs", NumberRange::Positive, None, list),
    };
    table.end(list);
    codec
}

fn speed(mut table: TableReader<'_>, list: &mut ProblemList<'_>) -> DeviceSpeed {
    let precision = precision(&mut table, list);
    let batch = table.has("batch").then(|| table.count("batch", None, list));
    let speed = DeviceSpeed {
        network: table.text("network", None, list),
        precision,
        batch,
        images_per_s: table.number("images_per_s", NumberRange::Positive, None, list),
    };
    table.end(list);
    speed
}
