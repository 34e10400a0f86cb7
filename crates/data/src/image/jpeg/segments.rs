//! The segments of a file: headers, tables, and the scans between them.
//!
//! A file is walked over twice: up to its first scan for what the image is, which is cheap, then to
//! its end for tables and scans.

use kernels::jpeg::QuantTable;

use super::{
    JpegBuffers, JpegProblem, PerComponent,
    color::ColorModel,
    frame::JpegFrame,
    huffman::HuffmanTable,
    orientation,
    planes::NO_SCAN,
    scan::{JpegScan, ScanComponent, ZIGZAG},
};
use crate::image::{Color, ImageError};

/// Most scans of a progressive file; encoders write about ten, and each costs a pass over the
/// image.
const SCANS_MAX: usize = 100;

/// The segment that begins a scan.
const SCAN: u8 = 0xda;
/// The end of the file.
const END: u8 = 0xd9;

/// What the segments before the first scan say about the image.
pub(super) struct JpegHeader {
    pub(super) frame: JpegFrame,
    /// Exif's, from 1 to 8.
    pub(super) orientation: u8,
}

impl JpegHeader {
    /// OpenCV applies the orientation only when it converts colours.
    pub(super) fn is_turned(&self, color: Color) -> bool {
        self.orientation > 1 && color != Color::AsStored
    }
}

/// Reads the segments before the first scan.
pub(super) fn header(bytes: &[u8]) -> Result<JpegHeader, ImageError> {
    let (mut frame, mut jfif, mut adobe_transform, mut turn) = (None, false, None, None);
    let mut at = 2; // after the start marker, which the caller has seen
    while let Some((marker, start)) = next_marker(bytes, at) {
        if marker == END {
            return Err(NO_SCAN.into());
        }
        if is_alone(marker) {
            at = start;
            continue;
        }
        let segment = segment(bytes, start)?;
        at = start + 2 + segment.len();
        match marker {
            0xc0..=0xc2 if frame.is_some() => return Err(TWO_FRAMES.into()),
            0xc0..=0xc2 => frame = Some(JpegFrame::new(segment, marker == 0xc2)?),
            0xc3 | 0xc5..=0xc7 | 0xcb | 0xcd..=0xcf => {
                return Err(JpegProblem::Unsupported("lossless or arithmetic coding").into());
            }
            0xc9 | 0xca | 0xcc => {
                return Err(JpegProblem::Unsupported("arithmetic coding").into());
            }
            0xe0 => jfif |= segment.starts_with(b"JFIF\0"),
            0xe1 => turn = turn.or(orientation::read(segment)),
            0xee if segment.starts_with(b"Adobe") => adobe_transform = segment.get(11).copied(),
            SCAN => {
                let mut frame =
                    frame.ok_or(JpegProblem::Damaged("a scan comes before the frame"))?;
                let ids: PerComponent<u8> = frame.components.iter().map(|c| c.id).collect();
                frame.model = ColorModel::new(&ids, jfif, adobe_transform);
                return Ok(JpegHeader { frame, orientation: turn.unwrap_or(1) });
            }
            _ => {}
        }
    }
    Err(JpegProblem::Truncated.into())
}

/// What earlier segments define for later scans.
#[derive(Default)]
struct JpegTables {
    quant: [Option<QuantTable>; 4],
    dc: [Option<HuffmanTable>; 4],
    ac: [Option<HuffmanTable>; 4],
    restart: usize,
}

/// Reads tables and scans, to the samples in `buffers`.
pub(super) fn read_scans(
    bytes: &[u8],
    frame: &mut JpegFrame,
    buffers: &mut JpegBuffers,
) -> Result<(), JpegProblem> {
    let JpegBuffers { simd, planes, interval, .. } = buffers;
    let mut tables = JpegTables::default();
    let (mut frames, mut scans) = (0, 0);
    let mut at = 2;
    let mut ended = false;
    while let Some((marker, start)) = next_marker(bytes, at) {
        if marker == END {
            ended = true;
            break;
        }
        if is_alone(marker) {
            at = start;
            continue;
        }
        let segment = segment(bytes, start)?;
        at = start + 2 + segment.len();
        match marker {
            0xc4 => tables.huffman(segment)?,
            0xdb => tables.quantisation(segment)?,
            0xdd => tables.restart = usize::from(u16_at(segment)?),
            0xc0..=0xc2 if frames > 0 => return Err(TWO_FRAMES),
            0xc0..=0xc2 => frames += 1,
            SCAN => {
                scans += 1;
                if scans > SCANS_MAX {
                    return Err(JpegProblem::Damaged("more scans than any encoder writes"));
                }
                let scan = tables.scan(segment, frame)?;
                at = scan.read((frame, planes), *simd, interval, bytes, at)?;
            }
            _ => {}
        }
    }
    // Without an end marker a sequential image is complete when its scans are; a progressive one
    // may not be.
    if frame.progressive && !ended {
        return Err(JpegProblem::Truncated);
    }
    if frame.components.iter().any(|component| component.quant.is_none()) {
        return Err(NO_SCAN);
    }
    if frame.progressive { planes.transform_all(*simd, frame) } else { Ok(()) }
}

const TWO_FRAMES: JpegProblem = JpegProblem::Damaged("two frames");

/// Whether no segment follows this marker.
fn is_alone(marker: u8) -> bool {
    matches!(marker, 0xd0..=0xd8 | 0x01)
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
    fn scan(&self, segment: &[u8], frame: &mut JpegFrame) -> Result<JpegScan<'_>, JpegProblem> {
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
            component.quant = component.quant.or(self.quant[component.quant_index]);
            if component.quant.is_none() {
                return Err(JpegProblem::Damaged("a quantisation table is missing"));
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
