//! The segments of a file: tables, headers, and the scans between them.

use super::{
    COMPONENTS_MAX, JpegProblem, PerComponent,
    frame::JpegFrame,
    huffman::HuffmanTable,
    idct::QuantTable,
    orientation,
    scan::{self, JpegScan, ScanComponent, ZIGZAG},
};
use crate::image::ImageError;

/// Most scans of a progressive file; encoders write about ten, and each costs a pass over the
/// image.
const SCANS_MAX: usize = 100;

/// A file that was read to its end.
pub(super) struct JpegFile<'a> {
    pub(super) frame: JpegFrame<'a>,
    /// Exif's, from 1 to 8.
    pub(super) orientation: u8,
}

/// What earlier segments define for later ones.
#[derive(Default)]
struct JpegTables {
    quant: [Option<QuantTable>; 4],
    dc: [Option<HuffmanTable>; 4],
    ac: [Option<HuffmanTable>; 4],
    restart: usize,
    adobe_transform: Option<u8>,
    jfif: bool,
    orientation: Option<u8>,
}

/// Reads all segments; the frame keeps its coefficients in `coefficients`.
pub(super) fn read<'a>(
    bytes: &[u8],
    coefficients: &'a mut [Vec<i16>; COMPONENTS_MAX],
) -> Result<JpegFile<'a>, ImageError> {
    let mut tables = JpegTables::default();
    let mut frame: Option<JpegFrame<'a>> = None;
    let mut memory = Some(coefficients); // until a frame takes it
    let mut at = 2; // after the start marker, which the caller has seen
    let mut scans = 0;
    while let Some((marker, start)) = next_marker(bytes, at) {
        if marker == 0xd9 {
            return finish(frame, tables);
        }
        if matches!(marker, 0xd0..=0xd8 | 0x01) {
            at = start;
            continue;
        }
        let segment = segment(bytes, start)?;
        at = start + 2 + segment.len();
        match marker {
            0xc4 => tables.huffman(segment)?,
            0xdb => tables.quantisation(segment)?,
            0xdd => tables.restart = usize::from(u16_at(segment)?),
            0xc0..=0xc2 => {
                let memory = memory.take().ok_or(JpegProblem::Damaged("two frames"))?;
                frame = Some(JpegFrame::new(segment, marker == 0xc2, memory)?);
            }
            0xc3 | 0xc5..=0xc7 | 0xcb | 0xcd..=0xcf => {
                return Err(JpegProblem::Unsupported("lossless or arithmetic coding").into());
            }
            0xc9 | 0xca | 0xcc => {
                return Err(JpegProblem::Unsupported("arithmetic coding").into());
            }
            0xda => {
                scans += 1;
                let frame = frame.as_mut().filter(|_| scans <= SCANS_MAX);
                let frame =
                    frame.ok_or(JpegProblem::Damaged("a scan before the frame, or too many"))?;
                let scan = tables.scan(segment, frame)?;
                at = scan::read(&scan, frame, bytes, at)?;
            }
            0xe0 => tables.jfif |= segment.starts_with(b"JFIF\0"),
            0xe1 => tables.orientation = tables.orientation.or(orientation::read(segment)),
            0xee if segment.starts_with(b"Adobe") => {
                tables.adobe_transform = segment.get(11).copied()
            }
            _ => {}
        }
    }
    // No end marker. A baseline image is complete when its scans are; a progressive one may not be.
    match frame {
        Some(frame) if !frame.progressive && scans > 0 => finish(Some(frame), tables),
        _ => Err(JpegProblem::Truncated.into()),
    }
}

fn finish(frame: Option<JpegFrame<'_>>, tables: JpegTables) -> Result<JpegFile<'_>, ImageError> {
    let mut frame = frame.ok_or(JpegProblem::Damaged("no frame"))?;
    frame.adobe_transform = tables.adobe_transform;
    frame.jfif = tables.jfif;
    Ok(JpegFile { frame, orientation: tables.orientation.unwrap_or(1) })
}

/// The next marker at or after `at`, and the place after it.
fn next_marker(bytes: &[u8], mut at: usize) -> Option<(u8, usize)> {
    loop {
        match bytes.get(at..)? {
            [0xff, code, ..] if *code != 0 && *code != 0xff => return Some((*code, at + 2)),
            [_, _, ..] => at += 1,
            _ => return None,
        }
    }
}

/// What follows a marker: a length that counts itself, and content.
fn segment(bytes: &[u8], start: usize) -> Result<&[u8], JpegProblem> {
    let rest = bytes.get(start..).unwrap_or_default();
    let len = usize::from(u16_at(rest)?);
    rest.get(2..len.max(2)).filter(|_| len >= 2).ok_or(JpegProblem::Truncated)
}

fn u16_at(bytes: &[u8]) -> Result<u16, JpegProblem> {
    bytes.first_chunk().map(|&pair| u16::from_be_bytes(pair)).ok_or(JpegProblem::Truncated)
}

impl JpegTables {
    fn huffman(&mut self, mut segment: &[u8]) -> Result<(), JpegProblem> {
        while let Some((&header, rest)) = segment.split_first() {
            let (counts, rest) = rest.split_first_chunk::<16>().ok_or(JpegProblem::Truncated)?;
            let total = counts.iter().map(|&count| usize::from(count)).sum();
            let (symbols, rest) = rest.split_at_checked(total).ok_or(JpegProblem::Truncated)?;
            let tables = if header >> 4 == 0 { &mut self.dc } else { &mut self.ac };
            let place = tables.get_mut(usize::from(header & 15));
            *place.ok_or(JpegProblem::Damaged("a fifth Huffman table"))? =
                Some(HuffmanTable::new(counts, symbols)?);
            segment = rest;
        }
        Ok(())
    }

    fn quantisation(&mut self, mut segment: &[u8]) -> Result<(), JpegProblem> {
        while let Some((&header, rest)) = segment.split_first() {
            let width = if header >> 4 == 0 { 1 } else { 2 };
            let (values, rest) = rest.split_at_checked(64 * width).ok_or(JpegProblem::Truncated)?;
            let mut quant = [0; 64];
            for (value, place) in values.chunks_exact(width).zip(ZIGZAG) {
                quant[place] = value.iter().fold(0, |all, &byte| all << 8 | u16::from(byte));
            }
            let place = self.quant.get_mut(usize::from(header & 15));
            *place.ok_or(JpegProblem::Damaged("a fifth quantisation table"))? = Some(quant);
            segment = rest;
        }
        Ok(())
    }

    /// Reads a scan header and gives each component its quantisation table.
    fn scan(&self, segment: &[u8], frame: &mut JpegFrame<'_>) -> Result<JpegScan<'_>, JpegProblem> {
        let (&count, rest) = segment.split_first().ok_or(JpegProblem::Truncated)?;
        let (specs, rest) =
            rest.split_at_checked(2 * usize::from(count)).ok_or(JpegProblem::Truncated)?;
        let &[first, last, bits, ..] = rest else { return Err(JpegProblem::Truncated) };
        let mut components: PerComponent<ScanComponent<'_>> = PerComponent::new();
        for spec in specs.chunks_exact(2) {
            let component = frame.components.iter().position(|c| c.id == spec[0]);
            let component =
                component.filter(|index| components.iter().all(|coded| coded.component != *index));
            let component =
                component.ok_or(JpegProblem::Damaged("a scan of an unknown component"))?;
            components.push(ScanComponent {
                component,
                dc: self.dc[usize::from(spec[1] >> 4 & 3)].as_ref(),
                ac: self.ac[usize::from(spec[1] & 3)].as_ref(),
            });
            let component = &mut frame.components[component];
            if component.quant.is_none() {
                component.quant = self.quant[component.quant_index];
            }
        }
        let scan = JpegScan {
            components,
            first: usize::from(first),
            last: usize::from(last),
            bit_before: u32::from(bits >> 4),
            bit: if frame.progressive { u32::from(bits & 15) } else { 0 },
            restart: self.restart,
        };
        let band = scan.first <= scan.last && scan.last < 64;
        let alone =
            scan.first == 0 && scan.last == 0 || scan.components.len() == 1 && scan.first > 0;
        if scan.components.is_empty() || frame.progressive && !(band && alone && scan.bit <= 13) {
            return Err(JpegProblem::Damaged("a scan header that no encoder writes"));
        }
        Ok(scan)
    }
}
