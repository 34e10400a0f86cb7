//! From the text of a cluster file to its description, or to all of its mistakes.

mod device;

use super::problem::ClusterFileError;
use super::reader::{NumberRange, ProblemList, TableReader};
use super::{
    ClusterDescription, DeviceDescription, FabricDescription, FailureDescription, LinkDescription,
    SoftwareCosts, StragglerDescription, StragglerDistribution,
};
use device::device;
use toml::de::DeTable;

pub(super) fn read(
    text: &str,
    ranks: Option<usize>,
) -> Result<ClusterDescription, ClusterFileError> {
    let mut list = ProblemList { text, problems: Vec::new() };
    let (table, errors) = DeTable::parse_recoverable(text);
    for error in errors {
        let span = error.span().unwrap_or(0..0);
        list.add(&span, error.message().trim().to_owned(), "see clusters/README.md");
    }
    let cluster = cluster(TableReader::new("", 0..0, table.get_ref()), ranks, &mut list);
    let mut problems = list.problems;
    problems.sort_by_key(|problem| (problem.line, problem.column));
    if problems.is_empty() { Ok(cluster) } else { Err(ClusterFileError { problems }) }
}

fn cluster(
    mut root: TableReader<'_>,
    ranks: Option<usize>,
    list: &mut ProblemList<'_>,
) -> ClusterDescription {
    let nodes = root.count("nodes", None, list);
    let devices_per_node = root.count("devices_per_node", Some(1), list);
    let devices = nodes.saturating_mul(devices_per_node);
    if let Some(ranks) = ranks.filter(|&ranks| ranks > devices) {
        let what = format!("{ranks} ranks need {ranks} devices, and there are {devices}");
        let hint = format!("simulate at most {devices} ranks, or add nodes");
        list.add(&root.span_of("nodes"), what, hint);
    }
    let nic = match root.table("nic", list) {
        Some(table) => link(table, list),
        None => {
            let hint = "add `[nic]` with `latency_us` and `bandwidth_gbs`";
            list.add(&root.span(), "there is no link between nodes".into(), hint);
            LinkDescription::NONE
        }
    };
    let intra_node = match root.table("intra_node", list) {
        Some(table) => link(table, list),
        None => {
            if devices_per_node > 1 {
                let what = format!("{devices_per_node} devices per node without links");
                list.add(&root.span_of("devices_per_node"), what, "add `[intra_node]`");
            }
            LinkDescription::NONE
        }
    };
    let cluster = ClusterDescription {
        name: root.text("name", None, list),
        nodes,
        devices_per_node,
        device: root
            .table("device", list)
            .map_or(DeviceDescription::NONE, |table| device(table, list)),
        nic,
        intra_node,
        fabric: root
            .table("fabric", list)
            .map_or(FabricDescription::Switch, |table| fabric(table, nodes, list)),
        software: root
            .table("software", list)
            .map_or(SoftwareCosts::NONE, |table| software(table, list)),
        stragglers: root.table("stragglers", list).map(|table| stragglers(table, list)),
        failures: root.table("failures", list).map(|table| failures(table, list)),
    };
    if !root.has("device") {
        let hint = "add `[device]` with `[[device.speed]]` or `gflops`";
        list.add(&root.span(), "there is no device".into(), hint);
    }
    root.end(list);
    cluster
}

impl LinkDescription {
    /// Where there is no link, or a wrong one.
    pub const NONE: Self = Self {
        latency_us: 0.0,
        bandwidth_gbs: 1.0,
        message_overhead_us: 0.0,
        bandwidth_by_size: Vec::new(),
        burst_bytes: 0.0,
        full_duplex: true,
    };
}

impl SoftwareCosts {
    /// Programs that cost nothing.
    pub const NONE: Self =
        Self { collective_overhead_us: 0.0, compute_slowdown: 0.0, communication_slowdown: 0.0 };
}

fn link(mut table: TableReader<'_>, list: &mut ProblemList<'_>) -> LinkDescription {
    let link = LinkDescription {
        latency_us: table.number("latency_us", NumberRange::NotNegative, None, list),
        bandwidth_gbs: table.number("bandwidth_gbs", NumberRange::Positive, None, list),
        message_overhead_us: table.number(
            "message_overhead_us",
            NumberRange::NotNegative,
            Some(0.0),
            list,
        ),
        bandwidth_by_size: table.pairs("bandwidth_by_size", list),
        burst_bytes: table.number("burst_bytes", NumberRange::NotNegative, Some(0.0), list),
        full_duplex: table.flag("full_duplex", true, list),
    };
    table.end(list);
    link
}

fn fabric(
    mut table: TableReader<'_>,
    nodes: usize,
    list: &mut ProblemList<'_>,
) -> FabricDescription {
    let topology = table.text("topology", Some("switch"), list);
    let fabric = match &*topology {
        "switch" => FabricDescription::Switch,
        "fat-tree" => {
            let nodes_per_switch = table.count("nodes_per_switch", None, list);
            let switches = table.count("switches", Some(nodes.div_ceil(nodes_per_switch)), list);
            let ports = switches.saturating_mul(nodes_per_switch);
            if ports < nodes {
                let what = format!(
                    "the topology is partitioned: {} of {nodes} nodes have no switch",
                    nodes - ports
                );
                let hint = format!("{} switches connect all", nodes.div_ceil(nodes_per_switch));
                list.add(&table.span_of("switches"), what, hint);
            }
            let oversubscription =
                table.number("oversubscription", NumberRange::AtLeastOne, Some(1.0), list);
            FabricDescription::FatTree { switches, nodes_per_switch, oversubscription }
        }
        _ => {
            let what = format!("unknown topology `{topology}`");
            list.add(&table.span_of("topology"), what, "known: switch, fat-tree");
            FabricDescription::Switch
        }
    };
    table.end(list);
    fabric
}

fn software(mut table: TableReader<'_>, list: &mut ProblemList<'_>) -> SoftwareCosts {
    let mut cost = |key| table.number(key, NumberRange::NotNegative, Some(0.0), list);
    let costs = SoftwareCosts {
        collective_overhead_us: cost("collective_overhead_us"),
        compute_slowdown: cost("compute_slowdown"),
        communication_slowdown: cost("communication_slowdown"),
    };
    table.end(list);
    costs
}

fn stragglers(mut table: TableReader<'_>, list: &mut ProblemList<'_>) -> StragglerDescription {
    let distribution = match &*table.text("distribution", Some("exponential"), list) {
        "exponential" => StragglerDistribution::Exponential,
        "uniform" => StragglerDistribution::Uniform,
        other => {
            let what = format!("unknown distribution `{other}`");
            list.add(&table.span_of("distribution"), what, "known: exponential, uniform");
            StragglerDistribution::Exponential
        }
    };
    let mean = table.number("mean", NumberRange::Positive, None, list);
    let seed = u32::try_from(table.count("seed", Some(1), list)).unwrap_or(u32::MAX);
    table.end(list);
    StragglerDescription { distribution, mean, seed }
}

fn failures(mut table: TableReader<'_>, list: &mut ProblemList<'_>) -> FailureDescription {
    let failures = FailureDescription {
        node_mtbf_hours: table.number("node_mtbf_hours", NumberRange::Positive, None, list),
        restart_s: table.number("restart_s", NumberRange::NotNegative, Some(60.0), list),
        snapshot_s: table.number("snapshot_s", NumberRange::NotNegative, Some(0.0), list),
        snapshot_interval_s: table.number(
            "snapshot_interval_s",
            NumberRange::Positive,
            Some(3600.0),
            list,
        ),
    };
    table.end(list);
    failures
}
