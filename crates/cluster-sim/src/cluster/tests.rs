use super::{ClusterDescription, FabricDescription};
use expect_test::expect;

const SMALL: &str = r#"
name = "two hosts"
nodes = 2
[device]
name = "host"
gflops = 100.0
[nic]
latency_us = 50.0
bandwidth_gbs = 0.117
"#;

#[test]
fn a_short_file_is_enough() {
    let cluster = ClusterDescription::parse(SMALL, Some(2)).unwrap();
    assert_eq!((cluster.devices(), cluster.fabric), (2, FabricDescription::Switch));
    assert!(cluster.nic.full_duplex);
}

#[test]
fn every_mistake_is_reported_at_once() {
    let text = r#"
name = "nonsense"
nodes = 40
devices_per_node = 2
[device]
name = "host"
[[device.speed]]
network = "NiN"
precision = "f8"
images_per_s = -3
[nic]
latency_us = -1.5
bandwidth_gbs = 0
bandwith_by_size = [[1024, 1.0]]
[fabric]
topology = "fat-tree"
nodes_per_switch = 16
switches = 2
oversubscription = 0.5
"#;
    let error = ClusterDescription::parse(text, Some(512)).unwrap_err();
    expect![[r#"
        3:9: 512 ranks need 512 devices, and there are 80; simulate at most 80 ranks, or add nodes
            nodes = 40
                    ^^
        4:20: 2 devices per node without links; add `[intra_node]`
            devices_per_node = 2
                               ^
        9:13: unknown precision `f8`; known: f32, mixed
            precision = "f8"
                        ^^^^
        10:16: `images_per_s` is -3; write a number above 0
            images_per_s = -3
                           ^^
        12:14: `latency_us` is -1.5; write 0 or more
            latency_us = -1.5
                         ^^^^
        13:17: `bandwidth_gbs` is 0; write a number above 0
            bandwidth_gbs = 0
                            ^
        14:1: unknown key `bandwith_by_size`; known: `latency_us`, `bandwidth_gbs`, `message_overhead_us`, `bandwidth_by_size`, `burst_bytes`, `full_duplex`
            bandwith_by_size = [[1024, 1.0]]
            ^^^^^^^^^^^^^^^^
        18:12: the topology is partitioned: 8 of 40 nodes have no switch; 3 switches connect all
            switches = 2
                       ^
        19:20: `oversubscription` is 0.5; write 1 or more
            oversubscription = 0.5
                               ^^^"#]]
    .assert_eq(&error.to_string());
}

#[test]
fn what_is_no_toml_does_not_panic() {
    for text in ["", "nodes = ", "[nic", "nodes = 1e400\nname = 3", "é = [\n", "nodes = 0x10\n\0"]
    {
        let error = ClusterDescription::parse(text, None).unwrap_err();
        assert!(!error.problems.is_empty(), "{text:?}");
        assert!(error.problems.iter().all(|problem| problem.line >= 1), "{text:?}");
    }
    let wrong = [
        ("nodes = 2", "nodes = 1.5", "`nodes` is not a whole number"),
        ("name = \"two hosts\"", "name = 7", "`name` is not a text"),
        ("[nic]", "[[nic]]", "`nic` is not a table"),
        ("latency_us = 50.0", "latency_us = nan", "`latency_us` is NaN"),
        ("latency_us = 50.0", "latency_us = \"low\"", "`latency_us` is not a number"),
        ("[nic]", "[nic]\nbandwidth_by_size = [[9, 1], [8, 1]]", "do not rise"),
        ("[nic]", "[nic]\nbandwidth_by_size = [[9]]", "not a pair"),
        ("[nic]", "[nic]\nfull_duplex = 1", "neither true nor false"),
        ("[nic]", "[fabric]\ntopology = \"ring\"\n[nic]", "unknown topology `ring`"),
        ("[nic]", "[stragglers]\ndistribution = \"often\"\nmean = 0\n[nic]", "`mean` is 0"),
        ("gflops = 100.0", "", "nothing says how fast a device computes"),
        ("[nic]", "[nic]\nburst_bytes = -1", "`burst_bytes` is -1"),
        ("[nic]", "[[device.profile]]\nnetwork = \"n\"\n[nic]", "`file` is missing in [profile]"),
        ("[nic]", "[[device.codec]]\ncompression = \"zip\"\n[nic]", "unknown compression `zip`"),
        ("[nic]", "[[device.codec]]\ncompression = \"one-bit\"\n[nic]", "`encode_gbs` is missing"),
    ];
    for (from, to, want) in wrong {
        let text = SMALL.replace(from, to);
        assert_ne!(text, SMALL);
        let error = ClusterDescription::parse(&text, None).unwrap_err().to_string();
        assert!(error.contains(want), "{error}");
    }
}

/// Between two sizes the bandwidth lies between theirs; beyond the table it is the long messages'.
#[test]
fn bandwidth_follows_the_size() {
    let text = SMALL.to_owned() + "bandwidth_by_size = [[1000, 0.01], [100000, 0.03]]\n";
    let link = ClusterDescription::parse(&text, None).unwrap().nic;
    let gbs = |bytes| link.bytes_per_s(bytes) / 1e9;
    assert_eq!([gbs(10), gbs(1000), gbs(200_000)], [0.01, 0.01, 0.117]);
    assert!((gbs(10_000) - 0.02).abs() < 1e-12);
}

/// What is written reads back as the same, whatever the description has.
#[test]
fn descriptions_are_written() {
    let text = SMALL.to_owned()
        + r#"bandwidth_by_size = [[1000, 0.01], [100000, 0.03]]
burst_bytes = 65536
full_duplex = false
[[device.profile]]
network = "a \"b\" \\ \t"
file = "p.json"
[[device.codec]]
compression = "top-k"
encode_gbs = 0.5
decode_gbs = 1e-3
[stragglers]
mean = 0.1
distribution = "uniform"
[failures]
node_mtbf_hours = 3
"#;
    let cluster = ClusterDescription::parse(&text, None).unwrap();
    assert_eq!(ClusterDescription::parse(&cluster.to_string(), None).unwrap(), cluster);
}

/// On a clock that is four times slower, links are four times faster and devices as they are.
#[test]
fn slow_clocks_see_fast_links() {
    let cluster = ClusterDescription::parse(SMALL, None).unwrap();
    let slow = cluster.dilated(4.0);
    assert_eq!((slow.nic.latency_us, slow.nic.bandwidth_gbs), (12.5, 4.0 * 0.117));
    assert_eq!(slow.device, cluster.device);
    let network = cluster.network();
    assert_eq!((network.latency_us, network.bandwidth_gbs), (50.0, 0.117));
}

/// The files in the repository.
#[test]
fn our_own_files_are_valid() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../clusters");
    let mut names = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|end| end == "toml") {
            let text = std::fs::read_to_string(&path).unwrap();
            let cluster = ClusterDescription::parse(&text, None);
            let cluster = cluster.unwrap_or_else(|error| panic!("{}\n{error}", path.display()));
            assert!(text.starts_with("# "), "{} says what it is", path.display());
            let again = ClusterDescription::parse(&cluster.to_string(), None);
            assert_eq!(again.unwrap(), cluster, "{}", path.display());
            names.push(path);
        }
    }
    assert!(names.len() >= 7, "{names:?}");
}
