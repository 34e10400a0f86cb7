//! Bytes, of which nothing is known, to a sidecar.

use crate::hash::hash;

use super::{
    BatchMeaning, FEED, MAGIC, RANDOM, REPLICA, RESIDUALS, RUN, ResidualSeal, RunState, SEAL,
    STATISTICS, SavedReplica, SavedStatistics, Sidecar, SidecarError, SidecarSeal, SidecarSection,
    VERSION,
};

/// The whole file.
pub(crate) fn read(bytes: &[u8]) -> Result<Sidecar, SidecarError> {
    let body = bytes.strip_prefix(MAGIC).ok_or(SidecarError::NotASidecar)?;
    let mut input = SectionReader { bytes: body, section: "head".into() };
    let version = u32::from_le_bytes(input.array()?);
    if version != VERSION {
        return Err(SidecarError::Version { got: version });
    }
    let (sealed, stored) = bytes.split_last_chunk::<8>().ok_or(SidecarError::Checksum)?;
    if hash(sealed).to_le_bytes() != *stored {
        return Err(SidecarError::Checksum);
    }
    let len = input.bytes.len().checked_sub(stored.len()).ok_or(SidecarError::Checksum)?;
    input.bytes = &input.bytes[..len];
    sections(input)
}

fn sections(mut input: SectionReader<'_>) -> Result<Sidecar, SidecarError> {
    let (mut seal, mut head, mut replicas, mut extra) = (None, None, Vec::new(), Vec::new());
    let mut residuals = ResidualSeal::default();
    while let Some((tag, bytes)) = input.section()? {
        match tag {
            SEAL => seal = Some(read_seal(bytes)?),
            RUN => head = Some(read_run(bytes)?),
            RESIDUALS => residuals = read_residuals(bytes)?,
            REPLICA => replicas.push(read_replica(bytes)?),
            _ => extra.push(SidecarSection { tag, bytes: bytes.bytes.to_vec() }),
        }
    }
    let seal = seal.ok_or_else(|| SidecarError::Missing { section: name(SEAL) })?;
    let head = head.ok_or_else(|| SidecarError::Missing { section: name(RUN) })?;
    Ok(Sidecar { seal, run: RunState { residuals, replicas, extra, ..head } })
}

fn read_seal(mut input: SectionReader<'_>) -> Result<SidecarSeal, SidecarError> {
    Ok(SidecarSeal { iteration: input.u64()?, model: input.u64()?, state: input.u64()? })
}

fn read_run(mut input: SectionReader<'_>) -> Result<RunState, SidecarError> {
    let seed = i64::from_le_bytes(input.array()?);
    let run_id = input.u64()?;
    let batch = match input.array()? {
        [0] => BatchMeaning::PerReplica,
        [1] => BatchMeaning::Global,
        _ => return Err(input.bad("an unknown batch mode")),
    };
    Ok(RunState { seed, batch, run_id, ..RunState::default() })
}

fn read_residuals(mut input: SectionReader<'_>) -> Result<ResidualSeal, SidecarError> {
    let compression = input.text()?;
    let (hashes, rest) = input.bytes.as_chunks::<8>();
    if !rest.is_empty() {
        return Err(input.bad("a hash that is cut short"));
    }
    let hashes = hashes.iter().map(|&bytes| u64::from_le_bytes(bytes)).collect();
    Ok(ResidualSeal { compression, hashes })
}

fn read_replica(mut input: SectionReader<'_>) -> Result<SavedReplica, SidecarError> {
    let mut replica = SavedReplica::default();
    while let Some((tag, mut bytes)) = input.section()? {
        match tag {
            FEED => replica.sources.push((bytes.text()?, bytes.bytes.to_vec())),
            RANDOM => replica.random = bytes.bytes.to_vec(),
            STATISTICS => replica.statistics.push(read_statistics(bytes)?),
            _ => replica.extra.push(SidecarSection { tag, bytes: bytes.bytes.to_vec() }),
        }
    }
    Ok(replica)
}

fn read_statistics(mut input: SectionReader<'_>) -> Result<SavedStatistics, SidecarError> {
    let layer = input.text()?;
    let blob = u32::from_le_bytes(input.array()?);
    let (values, rest) = input.bytes.as_chunks::<4>();
    if !rest.is_empty() {
        return Err(input.bad("a value that is cut short"));
    }
    let values = values.iter().map(|&bytes| f32::from_le_bytes(bytes)).collect();
    Ok(SavedStatistics { layer, blob, values })
}

/// What is left of a section.
struct SectionReader<'a> {
    bytes: &'a [u8],
    section: String,
}

impl<'a> SectionReader<'a> {
    fn take(&mut self, len: u64) -> Result<&'a [u8], SidecarError> {
        let have = self.bytes.len();
        let wanted = usize::try_from(len).ok().filter(|&len| len <= have);
        let Some(wanted) = wanted else {
            let missing = len.saturating_sub(have as u64);
            return Err(SidecarError::Short { section: self.section.clone(), missing });
        };
        let (taken, rest) = self.bytes.split_at(wanted);
        self.bytes = rest;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], SidecarError> {
        let mut array = [0; N];
        array.copy_from_slice(self.take(N as u64)?);
        Ok(array)
    }

    fn u64(&mut self) -> Result<u64, SidecarError> {
        Ok(u64::from_le_bytes(self.array()?))
    }

    fn text(&mut self) -> Result<String, SidecarError> {
        let len = self.u64()?;
        let bytes = self.take(len)?;
        String::from_utf8(bytes.to_vec()).map_err(|_| self.bad("a name that is not UTF-8"))
    }

    /// The next section inside this one; `None` at the end.
    fn section(&mut self) -> Result<Option<([u8; 4], SectionReader<'a>)>, SidecarError> {
        if self.bytes.is_empty() {
            return Ok(None);
        }
        let tag = self.array()?;
        let len = self.u64()?;
        Ok(Some((tag, SectionReader { bytes: self.take(len)?, section: name(tag) })))
    }

    fn bad(&self, what: &'static str) -> SidecarError {
        SidecarError::Bad { section: self.section.clone(), what }
    }
}

fn name(tag: [u8; 4]) -> String {
    tag.escape_ascii().to_string()
}
