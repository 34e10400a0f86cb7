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

/// Through what one host sends to another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct LinkInterface {
    pub(super) name: String,
    /// What it says of itself, in 10^6 bits per second.
    pub(super) mbits: Option<u64>,
}

/// One pair of hosts.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct LinkFigures {
    pub(super) from: String,
    pub(super) to: String,
    pub(super) round_trip_us: f64,
    /// 10^6 bits per second.
    pub(super) mbits: f64,
    /// The part of the packets that were sent again meanwhile.
    pub(super) resent: f64,
    /// Of the first host; `None` where MPI chooses it.
    pub(super) interface: Option<LinkInterface>,
}

/// Names slow links; a host whose links are mostly slow is named instead of each of them.
pub(super) fn of_links(links: &[LinkFigures]) -> Vec<Finding> {
    if links.len() < 3 {
        return Vec::new(); // nothing to compare with
    }
    let usual = usual_mbits(links);
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

/// What most links carry: the upper quartile, since a slow host of three has two links of three.
fn usual_mbits(links: &[LinkFigures]) -> f64 {
    let mut mbits: Vec<f64> = links.iter().map(|link| link.mbits).collect();
    mbits.sort_by(f64::total_cmp);
    mbits[3 * mbits.len() / 4]
}

/// Names links on which packets are lost, or the host that all of them lead to.
pub(super) fn of_loss(links: &[LinkFigures]) -> Vec<Finding> {
    let remedy = "check cables, ports, MTU and firewall rules";
    let is_lossy = |link: &LinkFigures| link.resent > LOSS_MAX;
    let lossy_hosts = hosts(links, &is_lossy);
    let mut findings = Vec::new();
    for host in &lossy_hosts {
        let own = links.iter().filter(|link| touches(link, host)).map(|link| link.resent);
        let most = own.fold(0.0, f64::max);
        let problem = format!("up to {:.1} % of the packets to or from it are lost", 100.0 * most);
        findings.push(Finding::new(*host, problem, remedy));
    }
    let named = |link: &LinkFigures| lossy_hosts.iter().any(|host| touches(link, host));
    for link in links.iter().filter(|link| is_lossy(link) && !named(link)) {
        let problem = format!("{:.1} % of the packets are lost", 100.0 * link.resent);
        findings.push(Finding::new(pair(link), problem, remedy));
    }
    findings
}

fn pair(link: &LinkFigures) -> String {
    format!("{} to {}", link.from, link.to)
}

fn touches(link: &LinkFigures, host: &str) -> bool {
    link.from == host || link.to == host
}

/// Hosts whose links are bad with all others, one way at least.
fn hosts<'a>(links: &'a [LinkFigures], is_bad: &dyn Fn(&LinkFigures) -> bool) -> Vec<&'a str> {
    let mut names: Vec<&str> = links.iter().flat_map(|link| [&*link.from, &*link.to]).collect();
    names.sort_unstable();
    names.dedup();
    let others = |host: &str, counts: &dyn Fn(&LinkFigures) -> bool| {
        let own = links.iter().filter(|link| touches(link, host) && counts(link));
        let other = |link: &'a LinkFigures| if link.from == host { &link.to } else { &link.from };
        let mut others: Vec<&String> = own.map(other).collect();
        others.sort_unstable();
        others.dedup();
        others.len()
    };
    let with_all = |host: &&str| {
        let all = others(host, &|_| true);
        all > 1 && others(host, is_bad) == all
    };
    names.into_iter().filter(with_all).collect()
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
                let (resent, interface) = (0.0, None);
                links.push(LinkFigures { from, to, round_trip_us, mbits, resent, interface });
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
    fn loss_is_named_where_it_happens() {
        let lossy = |bad: &dyn Fn(&LinkFigures) -> bool| -> Vec<String> {
            let mut links = links(|_, _| (940.0, 100.0));
            for link in &mut links {
                link.resent = if bad(link) { 0.02 } else { 0.001 };
            }
            of_loss(&links).iter().map(super::Finding::in_words).collect()
        };
        assert!(lossy(&|_| false).is_empty());
        let remedy = "check cables, ports, MTU and firewall rules";
        let all = lossy(&|link| link.from == "b" || link.to == "b");
        assert_eq!(
            all,
            [format!("b: up to 2.0 % of the packets to or from it are lost; {remedy}")]
        );
        let one = lossy(&|link| link.from == "a" && link.to == "c");
        assert_eq!(one, [format!("a to c: 2.0 % of the packets are lost; {remedy}")]);
    }
}
