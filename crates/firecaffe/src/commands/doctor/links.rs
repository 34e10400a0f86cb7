//! What was measured between hosts, and which of it is too slow.

use base::median;
use serde::Serialize;

use super::findings::Finding;

/// A link below this part of the others' bandwidth is slow.
const SLOW: f64 = 0.5;
/// A round trip is long if it takes so many times the others', and longer than [`LONG_US`].
const LONG_TIMES: f64 = 5.0;
const LONG_US: f64 = 1000.0;
/// Packets that are sent again, as a part of all, are loss above this.
const LOSS_MAX: f64 = 0.005;

/// One pair of hosts.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct LinkFigures {
    pub(super) from: String,
    pub(super) to: String,
    pub(super) round_trip_us: f64,
    /// 10^6 bits per second.
    pub(super) mbits: f64,
}

/// Names slow links; a host whose links are mostly slow is named instead of each of them.
pub(super) fn of_links(links: &[LinkFigures]) -> Vec<Finding> {
    if links.len() < 3 {
        return Vec::new(); // nothing to compare with
    }
    let usual = median(links.iter().map(|link| link.mbits).collect());
    let usual_us = median(links.iter().map(|link| link.round_trip_us).collect());
    let is_slow = |link: &LinkFigures| link.mbits < SLOW * usual;
    let mut findings = Vec::new();
    let slow_hosts = hosts(links, &is_slow);
    for host in &slow_hosts {
        let own: Vec<f64> =
            links.iter().filter(|link| touches(link, host)).map(|link| link.mbits).collect();
        let problem =
            format!("its links carry {:.0} Mbit/s, those of the others {usual:.0}", median(own));
        findings.push(Finding::new(*host, problem, "check its cable, port and `ethtool`"));
    }
    let named = |link: &LinkFigures| slow_hosts.iter().any(|host| touches(link, host));
    for link in links.iter().filter(|link| is_slow(link) && !named(link)) {
        let problem = format!("{:.0} Mbit/s, other links carry {usual:.0}", link.mbits);
        findings.push(Finding::new(pair(link), problem, "check the way between them"));
    }
    let is_long = |link: &LinkFigures| link.round_trip_us > (LONG_TIMES * usual_us).max(LONG_US);
    for link in links.iter().filter(|link| is_long(link) && !is_slow(link) && !named(link)) {
        let problem = format!(
            "a round trip takes {:.1} ms, others {:.1}",
            link.round_trip_us / 1e3,
            usual_us / 1e3
        );
        findings.push(Finding::new(pair(link), problem, "check the way between them"));
    }
    findings
}

/// Names a host that sends packets again.
pub(super) fn of_loss(host: &str, resent: f64) -> Option<Finding> {
    (resent > LOSS_MAX).then(|| {
        let problem =
            format!("{:.1} % of the packets it sent were lost on the way", 100.0 * resent);
        Finding::new(host, problem, "check cables, ports, MTU and firewall rules")
    })
}

fn pair(link: &LinkFigures) -> String {
    format!("{} to {}", link.from, link.to)
}

fn touches(link: &LinkFigures, host: &str) -> bool {
    link.from == host || link.to == host
}

/// Hosts whose links are mostly slow, while those between others are not.
fn hosts<'a>(links: &'a [LinkFigures], is_slow: &dyn Fn(&LinkFigures) -> bool) -> Vec<&'a str> {
    let mut names: Vec<&str> = links.iter().flat_map(|link| [&*link.from, &*link.to]).collect();
    names.sort_unstable();
    names.dedup();
    let mostly = |host: &&str| {
        let own: Vec<bool> = links.iter().filter(|link| touches(link, host)).map(is_slow).collect();
        own.len() > 1 && 2 * own.iter().filter(|slow| **slow).count() > own.len()
    };
    names.into_iter().filter(mostly).collect()
}

#[cfg(test)]
mod tests {
    use super::{LinkFigures, of_links, of_loss};

    /// All pairs of four hosts; `change` slows some down.
    fn links(change: impl Fn(&str, &str) -> (f64, f64)) -> Vec<LinkFigures> {
        let names = ["a", "b", "c", "d"];
        let mut links = Vec::new();
        for (index, from) in names.iter().enumerate() {
            for to in &names[index + 1..] {
                let (mbits, round_trip_us) = change(from, to);
                let (from, to) = ((*from).into(), (*to).into());
                links.push(LinkFigures { from, to, round_trip_us, mbits });
            }
        }
        links
    }

    fn found(links: &[LinkFigures]) -> Vec<String> {
        of_links(links).iter().map(super::Finding::in_words).collect()
    }

    #[test]
    fn equal_links_are_not_named() {
        assert!(found(&links(|_, _| (940.0, 100.0))).is_empty());
        assert!(
            found(&links(|from, _| (if from == "a" { 600.0 } else { 940.0 }, 90.0))).is_empty()
        );
        assert!(found(&links(|_, _| (90.0, 100.0))[..1]).is_empty());
    }

    #[test]
    fn slow_links_and_hosts_are_named() {
        let slow = |host: &'static str| {
            move |from: &str, to: &str| match from == host || to == host {
                true => (94.0, 120.0),
                false => (940.0, 100.0),
            }
        };
        let all = found(&links(slow("b")));
        let want = "b: its links carry 94 Mbit/s, those of the others 940; check its cable, port \
                    and `ethtool`";
        assert_eq!(all, [want]);
        let one = |from: &str, to: &str| {
            if (from, to) == ("a", "c") { (94.0, 1e3) } else { (940.0, 1e2) }
        };
        let want = "a to c: 94 Mbit/s, other links carry 940; check the way between them";
        assert_eq!(found(&links(one)), [want]);
        let far =
            |from: &str, to: &str| (940.0, if (from, to) == ("a", "c") { 40_000.0 } else { 1e2 });
        let want = "a to c: a round trip takes 40.0 ms, others 0.1; check the way between them";
        assert_eq!(found(&links(far)), [want]);
    }

    #[test]
    fn loss_is_named() {
        assert_eq!(of_loss("a", 0.001), None);
        assert!(of_loss("a", 0.02).unwrap().problem.starts_with("2.0 % of the packets"));
    }
}
