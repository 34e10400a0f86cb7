use super::super::facts::{DiskFact, FileFact, HostFacts};
use super::of_facts;

/// A machine of two cores on which all is well.
fn host(name: &str) -> HostFacts {
    let file = |name: &str, print: &str| FileFact { name: name.into(), state: Ok(print.into()) };
    HostFacts {
        host: name.into(),
        rank: None,
        version: "1.0".into(),
        files: vec![file("net.prototxt", "aa"), file("data of layer `data`", "bb")],
        cores: vec![0, 1],
        given_cores: 2,
        numa_nodes: 1,
        memory_free: Some(8_000_000_000),
        disk: Some(DiskFact {
            folder: "snap".into(),
            free: 9_000_000,
            needed: 2_000_000,
            error: None,
        }),
    }
}

/// One rank on these cores.
fn rank(name: &str, rank: usize, cores: &[usize]) -> HostFacts {
    HostFacts { rank: Some(rank), cores: cores.to_vec(), ..host(name) }
}

fn found(all: &[HostFacts]) -> Vec<String> {
    of_facts(all).iter().map(super::Finding::in_words).collect()
}

#[test]
fn equal_machines_have_no_finding() {
    assert!(found(&[host("a"), host("b"), host("c")]).is_empty());
    assert!(found(&[rank("a", 0, &[0, 1]), rank("b", 1, &[0, 1])]).is_empty());
    assert!(found(&[rank("a", 0, &[0]), rank("a", 1, &[1])]).is_empty());
}

#[test]
fn who_differs_from_most_is_named() {
    let other = HostFacts { version: "0.9".into(), ..host("b") };
    let want = "b: firecaffe 0.9, but a has 1.0; copy one program to all hosts";
    assert_eq!(found(&[host("a"), other, host("c")]), [want]);
    let mut other = host("a");
    other.files[0].state = Ok("zz".into());
    let want = "a: net.prototxt differs from that of b; copy the same file to all hosts";
    assert_eq!(found(&[other, host("b"), host("c")]), [want]);
}

#[test]
fn what_a_machine_lacks_is_found_once() {
    let mut bad = rank("b", 1, &[0, 1]);
    bad.files[1].state = Err("cannot read train_lmdb".into());
    bad.disk = Some(DiskFact { free: 1_000_000, ..bad.disk.unwrap() });
    let again = HostFacts { rank: Some(2), ..bad.clone() };
    let all = found(&[rank("a", 0, &[0, 1]), bad, again]);
    assert_eq!(all.len(), 2, "{all:?}");
    assert!(all[0].starts_with("b: cannot read train_lmdb; copy it there"), "{all:?}");
    assert!(all[1].starts_with("b: 1.0 MB free in snap, and a snapshot takes 2.0 MB"), "{all:?}");
}

#[test]
fn ranks_that_share_a_core_are_named() {
    let all = found(&[rank("a", 0, &[0]), rank("a", 1, &[0])]);
    assert_eq!(all.len(), 1);
    assert!(all[0].starts_with("a: ranks 0, 1 are bound to core 0, of 2 cores; use"), "{all:?}");
    let all = found(&[rank("a", 0, &[1])]);
    assert!(all[0].starts_with("a: its ranks are bound to 1 of 2 cores"), "{all:?}");
    let all = found(&[0, 1, 2].map(|index| rank("a", index, &[0, 1])));
    assert!(all[0].starts_with("a: 3 ranks on 2 cores"), "{all:?}");
}
