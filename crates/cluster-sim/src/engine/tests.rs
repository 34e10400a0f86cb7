use super::{NetworkModel, run};
use crate::cluster::ClusterDescription;
use crate::program::{CollectiveProgram, ElementCost};
use collective::{Algorithm, Segmentation, all_with_plans};

const F32: ElementCost = ElementCost { bytes: 4, converts: false };

/// Nodes of one device, 10 us and 1 GB/s apart; `more` follows the description.
fn cluster(nodes: usize, more: &str) -> ClusterDescription {
    let text = format!(
        "name = \"test\"\nnodes = {nodes}\n{more}\n[device]\nname = \"d\"\ngflops = 1\n\
         [nic]\nlatency_us = 10\nbandwidth_gbs = 1\n"
    );
    ClusterDescription::parse(&text, None).unwrap()
}

/// Microseconds of an all-reduce of `values`, in one pass.
fn time_us(cluster: &ClusterDescription, name: &str, values: usize) -> f64 {
    let algorithm: Algorithm = name.parse().unwrap();
    let ranks = cluster.devices();
    let program =
        CollectiveProgram::all_reduce(&algorithm, ranks, values, Segmentation::WHOLE, F32).unwrap();
    let ends = run(&NetworkModel::new(cluster, ranks, 1), &program, &vec![0.0; ranks]);
    1e6 * ends.into_iter().fold(0.0, f64::max)
}

fn assert_close(got: f64, want: f64) {
    assert!((got / want - 1.0).abs() < 1e-9, "{got} us, {want} us");
}

/// On an idle switch the formulas of the literature hold exactly. A buffer of S = 32 kB takes 32 us
/// on a link, a message without bytes L = 10 us.
#[test]
fn formulas_hold_on_an_idle_switch() {
    let eight = cluster(8, "");
    assert_close(time_us(&eight, "ring", 8000), 14.0 * (10.0 + 4.0));
    assert_close(time_us(&eight, "reduction-tree", 8000), 6.0 * (10.0 + 32.0));
    assert_close(time_us(&eight, "halving-doubling", 8000), 2.0 * (3.0 * 10.0 + 16.0 + 8.0 + 4.0));
    // The server's port takes one buffer after another, then sends one after another.
    assert_close(time_us(&eight, "parameter-server", 8000), 2.0 * (10.0 + 7.0 * 32.0));
    // A lane waits for each message before it sends the next.
    assert_close(time_us(&eight, "direct", 8000), 14.0 * (10.0 + 4.0));
}

#[test]
fn additions_and_conversions_take_time_on_their_rank() {
    let mut two = cluster(2, "");
    two.device.reduce_gbs = Some(2.0);
    assert_close(time_us(&two, "reduction-tree", 8000), 2.0 * (10.0 + 32.0) + 16.0);
    two.device.convert_gbs = Some(1.0);
    let half = ElementCost { bytes: 2, converts: true };
    let algorithm = Algorithm::reduction_tree();
    let program =
        CollectiveProgram::all_reduce(&algorithm, 2, 8000, Segmentation::WHOLE, half).unwrap();
    let ends = run(&NetworkModel::new(&two, 2, 1), &program, &[0.0; 2]);
    // Encode 16 us, up 26 us, add 8 us, down 26 us, decode 16 us.
    assert_close(1e6 * ends[1], 16.0 + 26.0 + 8.0 + 26.0 + 16.0);
}

/// Four devices of a node exchange with those of another: their messages follow each other through
/// the nodes' NICs.
#[test]
fn devices_of_a_node_share_its_nic() {
    let local = "devices_per_node = 4\n[intra_node]\nlatency_us = 0\nbandwidth_gbs = 1000000\n";
    let two = cluster(2, local);
    // After two local rounds every device exchanges an eighth with its peer, twice: eight messages
    // of 4 us leave each NIC one after another.
    let shared = time_us(&two, "halving-doubling", 8000);
    assert!((shared - (10.0 + 8.0 * 4.0)).abs() < 0.1, "{shared} us");
}

#[test]
fn uplinks_are_shared_fairly() {
    let fabric = |oversubscription: f64| {
        let mut text = "[fabric]\ntopology = \"fat-tree\"\nnodes_per_switch = 4\n".to_owned();
        text += &format!("oversubscription = {oversubscription:.1}\n");
        cluster(8, &text)
    };
    // In the last round of halving and the first of doubling all eight cross, four per uplink, with
    // an eighth of the buffer each: 4 us at full speed.
    let full = time_us(&fabric(1.0), "halving-doubling", 8000);
    let narrow = time_us(&fabric(4.0), "halving-doubling", 8000);
    assert_close(full, time_us(&cluster(8, ""), "halving-doubling", 8000));
    assert_close(narrow - full, 2.0 * 3.0 * 4.0);
    // On a ring one message crosses per uplink and direction: it has enough.
    assert_close(time_us(&fabric(4.0), "ring", 8000), time_us(&cluster(8, ""), "ring", 8000));
}

#[test]
fn one_direction_at_a_time_takes_twice_as_long() {
    let mut two = cluster(2, "");
    let full = time_us(&two, "halving-doubling", 8_000_000);
    two.nic.full_duplex = false;
    let half = time_us(&two, "halving-doubling", 8_000_000);
    assert!((half / full - 2.0).abs() < 0.01, "{half} us, {full} us");
}

/// Overhead keeps the sender's port busy; a server that sends to seven pays it seven times.
#[test]
fn every_message_costs_its_overhead() {
    let mut eight = cluster(8, "");
    let free = time_us(&eight, "parameter-server", 8000);
    eight.nic.message_overhead_us = 3.0;
    assert_close(time_us(&eight, "parameter-server", 8000) - free, 3.0 + 7.0 * 3.0);
}

/// A link lets its burst through at once after a rest, and keeps its rate after that.
#[test]
fn a_burst_passes_at_once() {
    let mut two = cluster(2, "");
    two.nic.burst_bytes = 4000.0;
    // Up, then down: 2000 bytes are within the burst each way.
    assert_close(time_us(&two, "reduction-tree", 500), 2.0 * 10.0);
    // Of 32,000 bytes 28,000 are left for the rate.
    assert_close(time_us(&two, "reduction-tree", 8000), 2.0 * (10.0 + 28.0));
    // The server's port receives seven buffers; one burst serves all of them.
    let mut eight = cluster(8, "");
    eight.nic.burst_bytes = 4000.0;
    assert_close(time_us(&eight, "parameter-server", 8000), 2.0 * (10.0 + 7.0 * 32.0 - 4.0));
}

/// Copies out of messages, and additions of 16-bit elements, have rates of their own.
#[test]
fn every_kind_of_work_has_its_rate() {
    let mut two = cluster(2, "");
    two.device.reduce_gbs = Some(2.0);
    two.device.copy_gbs = Some(4.0);
    assert_close(time_us(&two, "reduction-tree", 8000), 2.0 * (10.0 + 32.0) + 16.0 + 8.0);
    two.device.reduce_half_gbs = Some(0.5);
    let half = ElementCost { bytes: 2, converts: true };
    let algorithm = Algorithm::reduction_tree();
    let program =
        CollectiveProgram::all_reduce(&algorithm, 2, 8000, Segmentation::WHOLE, half).unwrap();
    let ends = run(&NetworkModel::new(&two, 2, 1), &program, &[0.0; 2]);
    assert_close(1e6 * ends[1], 2.0 * (10.0 + 16.0) + 32.0 + 4.0);
}

#[test]
fn nobody_ends_before_the_last_has_begun() {
    for algorithm in all_with_plans_for_tests() {
        for world in [2, 3, 5, 8, 13] {
            let cluster = cluster(world, "");
            let segmentation = Segmentation { segment_elements: 100, lanes: 3 };
            let program =
                CollectiveProgram::all_reduce(&algorithm, world, 999, segmentation, F32).unwrap();
            let mut begins = vec![0.0; world];
            begins[world / 2] = 1.0;
            let ends = run(&NetworkModel::new(&cluster, world, 1), &program, &begins);
            assert!(ends.iter().all(|&end| end > 1.0), "{algorithm} on {world}: {ends:?}");
            let together = run(&NetworkModel::new(&cluster, world, 1), &program, &vec![0.0; world]);
            let last = together.iter().copied().fold(0.0, f64::max);
            // Messages that came early may leave the rest in another order, which can take longer.
            let late = ends.iter().copied().fold(0.0, f64::max) - 1.0;
            assert!(late <= 1.5 * last, "{algorithm} on {world}: {late} s, together {last} s");
        }
    }
}

fn all_with_plans_for_tests() -> Vec<Algorithm> {
    let mut all = all_with_plans();
    all.push("hierarchical:4".parse().unwrap());
    all
}

/// The verifier and the engine read the same plans: the same number of messages.
#[test]
fn programs_have_the_messages_of_their_plans() {
    let ring: Algorithm = "ring".parse().unwrap();
    let program = CollectiveProgram::all_reduce(&ring, 7, 700, Segmentation::WHOLE, F32).unwrap();
    assert_eq!(program.messages(), 7 * 2 * 6);
}
