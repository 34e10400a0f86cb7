//! From what was measured to the description of a cluster.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result};
use base::Clock;
use cluster_sim::{
    ClusterDescription, CodecRate, DeviceDescription, FabricDescription, LinkDescription,
    ProfiledNetwork, SoftwareCosts,
};
use exchange::bench::compression::codec_rates;
use exchange::bench::network::NetworkFigures;
use exchange::bench::work::work_rates;
use exchange::compression::COMPRESSIONS;
use kernels::{Cpu, MatrixView, Simd, StridedRowsMut, Write, gemm};
use train::DeviceProfile;

use super::NetworkArgs;
use crate::clock::RealClock;

/// Rows and columns of the matrices whose product shows `gflops`.
const SIDE: usize = 512;
/// Products; the fastest counts.
const PRODUCTS: usize = 5;

/// Links between the ranks that were measured.
pub(super) struct MeasuredLinks {
    pub(super) nodes: usize,
    /// Ranks on each node.
    pub(super) per_node: usize,
    /// Between nodes, per rank; `None` for a single node.
    pub(super) nic: Option<NetworkFigures>,
    /// Between ranks of a node; `None` for one rank per node.
    pub(super) intra_node: Option<NetworkFigures>,
}

/// What the file begins with.
pub(super) fn head(links: &MeasuredLinks) -> String {
    format!(
        "# Measured by `firecaffe bench network` on {} nodes with {} ranks each.\n",
        links.nodes, links.per_node
    )
}

/// The cluster on which these links were measured; this machine stands for all.
pub(super) fn cluster(
    args: &NetworkArgs,
    threads: usize,
    links: &MeasuredLinks,
) -> Result<ClusterDescription> {
    let MeasuredLinks { nodes, per_node, .. } = *links;
    let intra_node = links.intra_node.as_ref().map(|figures| link(figures, 1));
    // The ranks of a node shared its port.
    let nic = links.nic.as_ref().map(|figures| link(figures, per_node));
    let nic = nic.or_else(|| intra_node.clone()).unwrap_or(LinkDescription::NONE);
    let slowing = links.nic.as_ref().or(links.intra_node.as_ref());
    Ok(ClusterDescription {
        name: args.name.clone(),
        nodes,
        devices_per_node: per_node,
        device: device(args, threads)?,
        nic,
        intra_node: intra_node.unwrap_or(LinkDescription::NONE),
        fabric: FabricDescription::Switch,
        software: SoftwareCosts {
            collective_overhead_us: 0.0,
            compute_slowdown: slowing.map_or(0.0, |figures| figures.compute_slowdown),
            communication_slowdown: slowing.map_or(0.0, |figures| figures.communication_slowdown),
        },
        stragglers: None,
        failures: None,
    })
}

/// A link that `ranks` ranks use at once, from what each of them measured.
fn link(figures: &NetworkFigures, ranks: usize) -> LinkDescription {
    let all = |value: f64| value * ranks as f64;
    LinkDescription {
        latency_us: figures.latency_us,
        bandwidth_gbs: all(figures.bandwidth_gbs),
        message_overhead_us: figures.message_overhead_us / ranks as f64,
        bandwidth_by_size: (figures.bandwidth_by_size.iter())
            .map(|&(bytes, gbs)| (bytes as f64, all(gbs)))
            .collect(),
        burst_bytes: all(figures.burst_bytes),
        full_duplex: true,
    }
}

fn device(args: &NetworkArgs, threads: usize) -> Result<DeviceDescription> {
    let clock: Arc<dyn Clock> = Arc::new(RealClock::start());
    let rates = work_rates(&*clock);
    let mut codecs = Vec::new();
    for row in COMPRESSIONS {
        let [encode_gbs, decode_gbs] = codec_rates(&row.name.parse()?, &clock)?;
        codecs.push(CodecRate { compression: row.name.to_owned(), encode_gbs, decode_gbs });
    }
    let folder = args.save.parent().unwrap_or(Path::new(""));
    Ok(DeviceDescription {
        name: format!("{threads} threads"),
        speeds: Vec::new(),
        profiles: args.profile.iter().map(|file| profile(file, folder)).collect::<Result<_>>()?,
        gflops: Some(product_gflops(threads, &RealClock::start())),
        reduce_gbs: Some(rates.reduce_gbs),
        reduce_half_gbs: Some(rates.reduce_half_gbs),
        copy_gbs: Some(rates.copy_gbs),
        convert_gbs: Some(rates.convert_gbs),
        codecs,
        update_gbs: None,
    })
}

/// A profile that was checked, by its path from the cluster file.
fn profile(file: &Path, folder: &Path) -> Result<ProfiledNetwork> {
    let shown = file.display();
    let text = fs::read_to_string(file).with_context(|| format!("cannot read {shown}"))?;
    let profile = DeviceProfile::from_json(&text).with_context(|| shown.to_string())?;
    let full = fs::canonicalize(file).with_context(|| shown.to_string())?;
    let beside =
        fs::canonicalize(if folder.as_os_str().is_empty() { Path::new(".") } else { folder });
    let relative =
        beside.ok().and_then(|folder| full.strip_prefix(folder).ok().map(Path::to_owned));
    Ok(ProfiledNetwork {
        network: profile.net,
        precision: "f32".to_owned(),
        file: relative.unwrap_or(full).to_string_lossy().into_owned(),
        times: None,
    })
}

/// Operations of a matrix product per time, in 10^9 per second.
fn product_gflops(threads: usize, clock: &dyn Clock) -> f64 {
    let cpu = Cpu::new(threads, Simd::detect());
    let (a, b, mut c) = (vec![0.5; SIDE * SIDE], vec![0.25; SIDE * SIDE], vec![0.0; SIDE * SIDE]);
    let mut best = f64::INFINITY;
    for _ in 0..PRODUCTS {
        let begin = clock.now();
        let (a, b) = (MatrixView::new(&a, SIDE), MatrixView::new(&b, SIDE));
        gemm(&cpu, SIDE, SIDE, SIDE, a, b, Write::Set, StridedRowsMut::dense(&mut c, SIDE));
        best = best.min((clock.now() - begin).as_secs_f64());
    }
    2.0 * (SIDE * SIDE * SIDE) as f64 / best.max(1e-9) / 1e9
}
