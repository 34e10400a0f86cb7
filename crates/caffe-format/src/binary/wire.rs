//! Protobuf's wire format below the level of messages: varints, tags, blocks, and skipping.
//!
//! A [`Cursor`] is a window on the input that knows its distance from the input's start, so that
//! an error can name the byte. Nothing here allocates.

use super::{BinaryError, BinaryProblem};
use crate::DEPTH_MAX;

/// How a record's payload is delimited; the low three bits of its tag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WireType {
    Varint = 0,
    Fixed64 = 1,
    Block = 2,
    GroupBegin = 3,
    GroupEnd = 4,
    Fixed32 = 5,
}

/// An error on its way out: each message it passes puts its field in front of the path.
pub(super) struct Fault {
    pub(super) offset: usize,
    pub(super) problem: BinaryProblem,
    /// Innermost first.
    path: Vec<String>,
}

impl Fault {
    pub(super) fn new(offset: usize, problem: BinaryProblem) -> Self {
        Self { offset, problem, path: Vec::new() }
    }

    pub(super) fn within(mut self, part: String) -> Self {
        self.path.push(part);
        self
    }

    pub(super) fn into_error(self, root: &str) -> BinaryError {
        let mut path = root.to_owned();
        for part in self.path.iter().rev() {
            path.push('.');
            path.push_str(part);
        }
        BinaryError { path, offset: self.offset, problem: self.problem }
    }
}

/// A window on the input, read from front to back.
pub(super) struct Cursor<'a> {
    /// The input from its start to the end of the window.
    bytes: &'a [u8],
    at: usize,
    depth: usize,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0, depth: 1 }
    }

    pub(super) fn at(&self) -> usize {
        self.at
    }

    pub(super) fn is_empty(&self) -> bool {
        self.at == self.bytes.len()
    }

    /// What was read since `start`.
    pub(super) fn since(&self, start: usize) -> &'a [u8] {
        &self.bytes[start..self.at]
    }

    pub(super) fn fault(&self, problem: BinaryProblem) -> Fault {
        Fault::new(self.at, problem)
    }

    fn rest(&self) -> &'a [u8] {
        &self.bytes[self.at..]
    }

    pub(super) fn varint(&mut self) -> Result<u64, Fault> {
        let mut value = 0_u64;
        for (i, &byte) in self.rest().iter().take(10).enumerate() {
            let bits = u64::from(byte & 0x7f);
            if i == 9 && bits > 1 {
                break;
            }
            value |= bits << (7 * i);
            if byte < 0x80 {
                self.at += i + 1;
                return Ok(value);
            }
        }
        let cut = self.rest().len() < 10;
        Err(self.fault(if cut { BinaryProblem::NumberCut } else { BinaryProblem::NumberLong }))
    }

    pub(super) fn tag(&mut self) -> Result<(u32, WireType), Fault> {
        let start = self.at;
        let tag = self.varint()?;
        let number = tag >> 3;
        let small = u32::try_from(number).ok().filter(|number| (1..1 << 29).contains(number));
        let small = small.ok_or(Fault::new(start, BinaryProblem::FieldNumber { number }))?;
        let wire = match tag & 7 {
            0 => WireType::Varint,
            1 => WireType::Fixed64,
            2 => WireType::Block,
            3 => WireType::GroupBegin,
            4 => WireType::GroupEnd,
            5 => WireType::Fixed32,
            other => {
                let wire = u8::try_from(other).expect("three bits fit a byte");
                return Err(Fault::new(start, BinaryProblem::WireType { wire }));
            }
        };
        Ok((small, wire))
    }

    /// Moves past `tag` if it comes next.
    pub(super) fn eat(&mut self, tag: &[u8]) -> bool {
        let next = self.rest().starts_with(tag);
        self.at += if next { tag.len() } else { 0 };
        next
    }

    fn take(&mut self, len: u64) -> Result<&'a [u8], Fault> {
        let left = self.rest().len();
        let short = || BinaryProblem::Short { want: len, left };
        let len = usize::try_from(len).ok().filter(|&len| len <= left);
        let len = len.ok_or_else(|| self.fault(short()))?;
        self.at += len;
        Ok(&self.bytes[self.at - len..self.at])
    }

    pub(super) fn array<const N: usize>(&mut self) -> Result<[u8; N], Fault> {
        let bytes = self.take(N as u64)?;
        Ok(*bytes.first_chunk().expect("N bytes were taken"))
    }

    /// A length and that many bytes.
    pub(super) fn block(&mut self) -> Result<&'a [u8], Fault> {
        let len = self.varint()?;
        self.take(len)
    }

    /// A length and a window of that many bytes, one level deeper.
    pub(super) fn inner(&mut self) -> Result<Self, Fault> {
        let len = self.block()?.len();
        if self.depth == DEPTH_MAX {
            return Err(self.fault(BinaryProblem::Depth));
        }
        Ok(Self { bytes: &self.bytes[..self.at], at: self.at - len, depth: self.depth + 1 })
    }

    /// Moves past the payload of a record whose tag was read.
    pub(super) fn skip(&mut self, number: u32, wire: WireType) -> Result<(), Fault> {
        match wire {
            WireType::Varint => self.varint().map(drop),
            WireType::Fixed64 => self.take(8).map(drop),
            WireType::Fixed32 => self.take(4).map(drop),
            WireType::Block => self.block().map(drop),
            WireType::GroupBegin => self.skip_group(number),
            WireType::GroupEnd => Err(self.fault(BinaryProblem::Group { number })),
        }
    }

    fn skip_group(&mut self, number: u32) -> Result<(), Fault> {
        let begin = self.at;
        let mut open = vec![number];
        while let Some(&innermost) = open.last() {
            if self.is_empty() {
                return Err(Fault::new(begin, BinaryProblem::Group { number }));
            }
            match self.tag()? {
                (number, WireType::GroupEnd) if number == innermost => drop(open.pop()),
                (_, WireType::GroupBegin) if self.depth + open.len() >= DEPTH_MAX => {
                    return Err(self.fault(BinaryProblem::Depth));
                }
                (number, WireType::GroupBegin) => open.push(number),
                (number, wire) => self.skip(number, wire)?,
            }
        }
        Ok(())
    }
}
