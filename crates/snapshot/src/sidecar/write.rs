//! A sidecar's bytes.

use crate::hash::hash;

use super::{
    BatchMeaning, FEED, MAGIC, RANDOM, REPLICA, RESIDUALS, RUN, ResidualSeal, RunState, SEAL,
    STATISTICS, SavedReplica, Sidecar, SidecarSeal, SidecarSection, VERSION,
};

/// The whole file.
pub(crate) fn write(sidecar: &Sidecar) -> Vec<u8> {
    let mut out = MAGIC.to_vec();
    out.extend(VERSION.to_le_bytes());
    section(&mut out, SEAL, |out| seal(out, &sidecar.seal));
    section(&mut out, RUN, |out| run(out, &sidecar.run));
    if !sidecar.run.residuals.hashes.is_empty() {
        section(&mut out, RESIDUALS, |out| residuals(out, &sidecar.run.residuals));
    }
    for one in &sidecar.run.replicas {
        section(&mut out, REPLICA, |out| replica(out, one));
    }
    extra(&mut out, &sidecar.run.extra);
    let hash = hash(&out);
    out.extend(hash.to_le_bytes());
    out
}

fn seal(out: &mut Vec<u8>, seal: &SidecarSeal) {
    for value in [seal.iteration, seal.model, seal.state] {
        out.extend(value.to_le_bytes());
    }
}

fn run(out: &mut Vec<u8>, run: &RunState) {
    out.extend(run.seed.to_le_bytes());
    out.extend(run.run_id.to_le_bytes());
    out.push(match run.batch {
        BatchMeaning::PerReplica => 0,
        BatchMeaning::Global => 1,
    });
}

fn residuals(out: &mut Vec<u8>, residuals: &ResidualSeal) {
    text(out, &residuals.compression);
    out.extend(residuals.hashes.iter().flat_map(|hash| hash.to_le_bytes()));
}

fn replica(out: &mut Vec<u8>, replica: &SavedReplica) {
    for (layer, state) in &replica.sources {
        section(out, FEED, |out| {
            text(out, layer);
            out.extend(state);
        });
    }
    section(out, RANDOM, |out| out.extend(&replica.random));
    for blob in &replica.statistics {
        section(out, STATISTICS, |out| {
            text(out, &blob.layer);
            out.extend(blob.blob.to_le_bytes());
            out.extend(blob.values.iter().flat_map(|value| value.to_le_bytes()));
        });
    }
    extra(out, &replica.extra);
}

fn extra(out: &mut Vec<u8>, sections: &[SidecarSection]) {
    for one in sections {
        section(out, one.tag, |out| out.extend(&one.bytes));
    }
}

fn section(out: &mut Vec<u8>, tag: [u8; 4], body: impl FnOnce(&mut Vec<u8>)) {
    out.extend(tag);
    let at = out.len();
    out.extend([0; 8]);
    body(out);
    let len = (out.len() - at - 8) as u64;
    out[at..at + 8].copy_from_slice(&len.to_le_bytes());
}

fn text(out: &mut Vec<u8>, text: &str) {
    out.extend((text.len() as u64).to_le_bytes());
    out.extend(text.as_bytes());
}
