//! A description as the text of a cluster file, which reads back as the same.

use super::{
    ClusterDescription, DeviceDescription, FabricDescription, LinkDescription, SoftwareCosts,
    StragglerDistribution,
};
use std::fmt::{self, Display, Write};

impl Display for ClusterDescription {
    /// TOML, without comments; what has its default is left out.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::new();
        entry(&mut text, "name", quoted(&self.name));
        entry(&mut text, "nodes", self.nodes);
        entry(&mut text, "devices_per_node", self.devices_per_node);
        device(&mut text, &self.device);
        link(&mut text, "nic", &self.nic);
        if self.intra_node != LinkDescription::NONE {
            link(&mut text, "intra_node", &self.intra_node);
        }
        if let FabricDescription::FatTree { switches, nodes_per_switch, oversubscription } =
            self.fabric
        {
            text += "\n[fabric]\n";
            entry(&mut text, "topology", quoted("fat-tree"));
            entry(&mut text, "nodes_per_switch", nodes_per_switch);
            entry(&mut text, "switches", switches);
            entry(&mut text, "oversubscription", number(oversubscription));
        }
        self.faults(&mut text);
        f.write_str(&text)
    }
}

impl ClusterDescription {
    /// Software, stragglers and failures.
    fn faults(&self, text: &mut String) {
        if self.software != SoftwareCosts::NONE {
            *text += "\n[software]\n";
            let SoftwareCosts { collective_overhead_us, compute_slowdown, communication_slowdown } =
                self.software;
            entry(text, "collective_overhead_us", number(collective_overhead_us));
            entry(text, "compute_slowdown", number(compute_slowdown));
            entry(text, "communication_slowdown", number(communication_slowdown));
        }
        if let Some(stragglers) = &self.stragglers {
            *text += "\n[stragglers]\n";
            let distribution = match stragglers.distribution {
                StragglerDistribution::Exponential => "exponential",
                StragglerDistribution::Uniform => "uniform",
            };
            entry(text, "distribution", quoted(distribution));
            entry(text, "mean", number(stragglers.mean));
            entry(text, "seed", stragglers.seed);
        }
        if let Some(failures) = &self.failures {
            *text += "\n[failures]\n";
            entry(text, "node_mtbf_hours", number(failures.node_mtbf_hours));
            entry(text, "restart_s", number(failures.restart_s));
            entry(text, "snapshot_s", number(failures.snapshot_s));
            entry(text, "snapshot_interval_s", number(failures.snapshot_interval_s));
        }
    }
}

fn device(text: &mut String, device: &DeviceDescription) {
    *text += "\n[device]\n";
    entry(text, "name", quoted(&device.name));
    let rates = [
        ("gflops", device.gflops),
        ("reduce_gbs", device.reduce_gbs),
        ("reduce_half_gbs", device.reduce_half_gbs),
        ("copy_gbs", device.copy_gbs),
        ("convert_gbs", device.convert_gbs),
        ("update_gbs", device.update_gbs),
    ];
    for (key, rate) in rates {
        if let Some(rate) = rate {
            entry(text, key, number(rate));
        }
    }
    for speed in &device.speeds {
        *text += "\n[[device.speed]]\n";
        entry(text, "network", quoted(&speed.network));
        entry(text, "precision", quoted(&speed.precision));
        if let Some(batch) = speed.batch {
            entry(text, "batch", batch);
        }
        entry(text, "images_per_s", number(speed.images_per_s));
    }
    for profile in &device.profiles {
        *text += "\n[[device.profile]]\n";
        entry(text, "network", quoted(&profile.network));
        entry(text, "precision", quoted(&profile.precision));
        entry(text, "file", quoted(&profile.file));
    }
    for codec in &device.codecs {
        *text += "\n[[device.codec]]\n";
        entry(text, "compression", quoted(&codec.compression));
        entry(text, "encode_gbs", number(codec.encode_gbs));
        entry(text, "decode_gbs", number(codec.decode_gbs));
    }
}

fn link(text: &mut String, name: &str, link: &LinkDescription) {
    let _ = writeln!(text, "\n[{name}]");
    entry(text, "latency_us", number(link.latency_us));
    entry(text, "bandwidth_gbs", number(link.bandwidth_gbs));
    entry(text, "message_overhead_us", number(link.message_overhead_us));
    if !link.bandwidth_by_size.is_empty() {
        let pair = |&(bytes, gbs): &(f64, f64)| format!("[{}, {}]", number(bytes), number(gbs));
        let pairs: Vec<_> = link.bandwidth_by_size.iter().map(pair).collect();
        entry(text, "bandwidth_by_size", format!("[{}]", pairs.join(", ")));
    }
    if link.burst_bytes > 0.0 {
        entry(text, "burst_bytes", number(link.burst_bytes));
    }
    entry(text, "full_duplex", link.full_duplex);
}

fn entry(text: &mut String, key: &str, value: impl Display) {
    let _ = writeln!(text, "{key} = {value}");
}

/// A number that reads back as the same, with a point so that TOML takes it for a float.
fn number(value: f64) -> String {
    format!("{value:?}")
}

/// A text in TOML's quotes.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            c if c.is_control() => _ = write!(quoted, "\\u{:04X}", u32::from(c)),
            c => quoted.push(c),
        }
    }
    quoted + "\""
}
