//! The far end of `doctor --hosts`: a process on each host that answers questions on its standard
//! streams, one JSON object per line, until its input ends.

use std::fs;
use std::io::{self, BufRead, Write};
use std::path::Path;
use std::thread;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use super::facts::HostFacts;
use super::tcp::{self, ProbeToken};

/// The first line of a probe.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct ProbeGreeting {
    pub(super) facts: HostFacts,
    pub(super) port: u16,
    pub(super) token: ProbeToken,
}

/// What a probe is asked: to measure the ways to other hosts, all at the same time.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct ProbeQuestion {
    pub(super) others: Vec<OtherHost>,
    /// Bytes that are sent to each.
    pub(super) bytes: usize,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct OtherHost {
    pub(super) name: String,
    pub(super) port: u16,
    pub(super) token: ProbeToken,
}

/// What it answers.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct ProbeAnswer {
    /// In the order of the question.
    pub(super) measured: Vec<Result<MeasuredWay, String>>,
    pub(super) packets: PacketCounts,
}

/// A way to another host.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct MeasuredWay {
    /// What its name led to.
    pub(super) address: String,
    /// The interface that the route leads through, and its speed in Mbit/s where it has one.
    pub(super) interface: Option<(String, Option<u64>)>,
    pub(super) round_trip_us: f64,
    pub(super) mbits: f64,
}

/// TCP segments of this host since it started.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct PacketCounts {
    sent: u64,
    resent: u64,
}

impl PacketCounts {
    /// Now; zeros where `/proc/net/snmp` says nothing.
    pub(super) fn read() -> Self {
        Self::parse(&fs::read_to_string("/proc/net/snmp").unwrap_or_default()).unwrap_or_default()
    }

    /// Two lines begin with `Tcp:`: names, then values.
    fn parse(text: &str) -> Option<Self> {
        let mut lines = text.lines().filter_map(|line| line.strip_prefix("Tcp: "));
        let (names, values) = (lines.next()?, lines.next()?);
        let value = |name: &str| {
            let at = names.split(' ').position(|found| found == name)?;
            values.split(' ').nth(at)?.parse().ok()
        };
        Some(Self { sent: value("OutSegs")?, resent: value("RetransSegs")? })
    }

    /// The part of the segments since `then` that were sent again.
    pub(super) fn resent_since(&self, then: &Self) -> f64 {
        let [sent, resent] =
            [self.sent - then.sent.min(self.sent), self.resent - then.resent.min(self.resent)];
        resent as f64 / (sent.max(1) as f64)
    }
}

/// Greets, then answers until the input ends.
pub(super) fn run(solver: Option<&Path>) -> Result<()> {
    let mut token = ProbeToken::default();
    let mut random = fs::File::open("/dev/urandom").context("cannot read /dev/urandom")?;
    io::Read::read_exact(&mut random, &mut token)?;
    let port = tcp::serve(token).context("cannot listen on a port")?;
    say(&ProbeGreeting { facts: HostFacts::collect(solver, None), port, token })?;
    for line in io::stdin().lock().lines() {
        let question: ProbeQuestion =
            serde_json::from_str(&line?).context("this is no question of a doctor")?;
        let ways = question.others.into_iter().map(|other| {
            let bytes = question.bytes;
            thread::spawn(move || way_to(&other, bytes))
        });
        let ways: Vec<_> = ways.collect();
        let ended = |way: thread::JoinHandle<_>| {
            way.join().unwrap_or_else(|_| Err("measuring it panicked".to_owned()))
        };
        let measured = ways.into_iter().map(ended).collect();
        say(&ProbeAnswer { measured, packets: PacketCounts::read() })?;
    }
    Ok(())
}

fn say(words: &impl Serialize) -> Result<()> {
    let mut out = io::stdout().lock();
    serde_json::to_writer(&mut out, words)?;
    out.write_all(b"\n")?;
    Ok(out.flush()?)
}

fn way_to(other: &OtherHost, bytes: usize) -> Result<MeasuredWay, String> {
    let address = tcp::resolve(&other.name, other.port)
        .map_err(|error| format!("does not resolve {}: {error}", other.name))?;
    let ip = address.ip();
    let figures = tcp::measure(address, other.token, bytes)
        .map_err(|error| format!("cannot reach {} at {ip}: {error}", other.name))?;
    let routes = fs::read_to_string("/proc/net/route").unwrap_or_default();
    let interface = interface_to(ip, &routes).map(|name| {
        let speed = fs::read_to_string(format!("/sys/class/net/{name}/speed")).ok();
        let speed = speed.and_then(|speed| speed.trim().parse().ok());
        (name, speed)
    });
    let (round_trip_us, mbits) = (figures.round_trip_us, figures.mbits);
    Ok(MeasuredWay { address: ip.to_string(), interface, round_trip_us, mbits })
}

/// The interface that the most specific route to an IPv4 address leads through. The table has
/// addresses as the machine stores them: `0100530A` is 10.83.0.1 on all that we run on.
fn interface_to(ip: std::net::IpAddr, routes: &str) -> Option<String> {
    let std::net::IpAddr::V4(ip) = ip else { return None };
    let ip = u32::from_le_bytes(ip.octets());
    let route = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let hex = |at: usize| u32::from_str_radix(words.get(at)?, 16).ok();
        let (destination, mask) = (hex(1)?, hex(7)?);
        (ip & mask == destination).then(|| (mask.count_ones(), words[0].to_owned()))
    };
    let routes = routes.lines().skip(1).filter_map(route);
    routes.max_by_key(|(bits, _)| *bits).map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::{PacketCounts, interface_to};

    #[test]
    fn the_most_specific_route_counts() {
        let routes = "Iface\tDestination\tGateway\tFlags\tRefCnt\tUse\tMetric\tMask\tMTU\n\
                      eth1\t00000000\t0101A8C0\t0003\t0\t0\t0\t00000000\t0\n\
                      eth0\t0000530A\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\n";
        let interface = |ip: &str| interface_to(ip.parse().unwrap(), routes);
        assert_eq!(interface("10.83.0.7").as_deref(), Some("eth0"));
        assert_eq!(interface("10.84.0.7").as_deref(), Some("eth1"));
        assert_eq!(interface("::1"), None);
        assert_eq!(interface_to("10.83.0.7".parse().unwrap(), ""), None);
    }

    #[test]
    fn segments_that_were_sent_again_are_counted() {
        let text = "Ip: a\nIp: 1\nTcp: InSegs OutSegs RetransSegs\nTcp: 9 1000 30\nUdp: x\n";
        let now = PacketCounts::parse(text).unwrap();
        let then = PacketCounts { sent: 0, resent: 10 };
        assert!((now.resent_since(&then) - 0.02).abs() < 1e-12);
        assert!(then.resent_since(&now).abs() < 1e-12, "a host that was restarted");
        assert_eq!(PacketCounts::parse("Tcp: OutSegs\n"), None);
    }
}
