//! How long a bench on emulated clusters takes.

use super::clusters::{ClusterBar, EmulatedCluster, Technique};

/// Seconds until the ranks of a row are ready, per host.
const START_SECONDS: f64 = 0.7;

/// What is common to all rows.
#[derive(Debug, Clone, Copy)]
pub(super) struct EmulatedLength {
    pub(super) iterations: usize,
    /// That every message takes longer, of the emulated network.
    pub(super) latency_us: f64,
}

/// Real seconds that a row takes, overlap left out: an upper bound.
pub(super) fn row_seconds(
    cluster: &EmulatedCluster,
    row: &Technique,
    length: EmulatedLength,
) -> f64 {
    let EmulatedLength { iterations, latency_us } = length;
    let rounds = (cluster.layers * 2 * (cluster.hosts - 1)) as f64;
    let run = |volume: f64| {
        let step = cluster.compute_s() + volume * cluster.ring_s() + rounds * latency_us / 1e6;
        START_SECONDS * cluster.hosts as f64
            + iterations as f64 * f64::from(cluster.dilation) * step
    };
    match cluster.bar {
        // Decided, which may be dense, and always.
        ClusterBar::Decision if row.is_compressed() => run(row.volume.max(1.0)) + run(row.volume),
        _ => run(row.volume),
    }
}

/// Minutes of these rows, and of each.
pub(super) fn prediction(
    cluster: &EmulatedCluster,
    rows: &[&Technique],
    length: EmulatedLength,
) -> String {
    let minutes = |row: &&Technique| row_seconds(cluster, row, length) / 60.0;
    let total: f64 = rows.iter().map(minutes).sum();
    let mut text = format!("{}: {total:.0} minutes predicted\n", cluster.name);
    for row in rows {
        text += &format!("  {:4.1}  {}\n", minutes(row), row.name);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::clusters::CLUSTERS;
    use super::{EmulatedLength, prediction, row_seconds};

    #[test]
    fn clusters_fit_one_machine_and_their_profiles_exist() {
        for cluster in CLUSTERS {
            let gbits = cluster.hosts as f64 * cluster.gbits / f64::from(cluster.dilation);
            assert!(gbits <= 4.0, "{}: {gbits} Gbit/s", cluster.name);
            let profile = format!("bench/profiles/{}.json", cluster.profile);
            let text = std::fs::read_to_string(crate::shell::root().join(&profile)).unwrap();
            assert!(text.contains(&format!("\"batch\": {}", cluster.batch)), "{profile}");
            let speed = format!("\"images_per_second\": {}", cluster.device_images_per_s);
            assert!(text.contains(&speed), "{profile}: {speed}");
        }
    }

    /// 8 hosts take 5.6 s to start; 8 times slower, an iteration of 128 images takes 615 ms and a
    /// ring of 244 MB at 1 Gbit/s 27.3 s.
    #[test]
    fn predictions_by_hand() {
        let alexnet = &CLUSTERS[0];
        let length = |iterations, latency_us| EmulatedLength { iterations, latency_us };
        let seconds = row_seconds(alexnet, &alexnet.dense[0], length(2, 0.0));
        assert!((seconds - (5.6 + 2.0 * (0.615 + 27.317))).abs() < 0.01, "{seconds}");
        // 8 layers of 14 rounds, 1 ms each, 8 times slower.
        let slower = row_seconds(alexnet, &alexnet.dense[0], length(2, 1000.0)) - seconds;
        assert!((slower - 2.0 * 8.0 * 14.0 * 8e-3).abs() < 1e-6, "{slower}");
        let text = prediction(alexnet, &[&alexnet.dense[0]; 2], length(2, 0.0));
        assert_eq!(text, "alexnet-1g: 2 minutes predicted\n   1.0  f32\n   1.0  f32\n");
        // Decided and always.
        let resnet = &CLUSTERS[1];
        let row = resnet.rows.iter().find(|row| row.is_compressed()).unwrap();
        let dense = row_seconds(resnet, &resnet.dense[0], length(2, 0.0));
        let both = row_seconds(resnet, row, length(2, 0.0));
        assert!(both > dense && both < 2.0 * dense, "{both}, {dense}");
    }
}
