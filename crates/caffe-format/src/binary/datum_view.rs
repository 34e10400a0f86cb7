//! A `Datum` read where it lies: the pixels stay in the record, floats go to the caller's buffer.
//!
//! [`read`](super::read) copies a record's pixels into a new `Vec`. A net reads hundreds of records
//! per step, so its data path uses this view, which allocates nothing once the buffer has grown.
//! It accepts and refuses what [`read`](super::read) does, with the same errors; fields that the
//! schema does not know are passed over.

use super::BinaryError;
use super::read::{fixed, low_i32};
use super::wire::{Cursor, Fault, WireType};
use crate::message::FieldValues;

/// The fields of a `Datum`, with Caffe's defaults for those that are absent.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct DatumView<'a> {
    /// As stored: any number.
    pub channels: i32,
    /// As stored: any number.
    pub height: i32,
    /// As stored: any number.
    pub width: i32,
    /// Pixels, channel after channel, or an image file.
    pub data: &'a [u8],
    /// 0 when absent.
    pub label: i32,
    /// Pixels of a record without `data`.
    pub float_data: &'a [f32],
    /// Whether `data` is an image file.
    pub encoded: bool,
}

impl<'a> DatumView<'a> {
    /// Reads a `Datum` that fills `bytes`. `floats` is overwritten.
    ///
    /// # Errors
    ///
    /// As [`read`](super::read).
    pub fn read(bytes: &'a [u8], floats: &'a mut Vec<f32>) -> Result<Self, BinaryError> {
        floats.clear();
        let mut view = Self::default();
        view.fields(Cursor::new(bytes), floats).map_err(|fault| fault.into_error("Datum"))?;
        view.float_data = floats;
        Ok(view)
    }

    fn fields(&mut self, mut cursor: Cursor<'a>, floats: &mut Vec<f32>) -> Result<(), Fault> {
        while !cursor.is_empty() {
            let start = cursor.at();
            let (number, wire) = cursor.tag()?;
            let tag = cursor.since(start);
            let (name, done) = match (number, wire) {
                (1, WireType::Varint) => ("channels", int32(&mut cursor, &mut self.channels)),
                (2, WireType::Varint) => ("height", int32(&mut cursor, &mut self.height)),
                (3, WireType::Varint) => ("width", int32(&mut cursor, &mut self.width)),
                (4, WireType::Block) => ("data", cursor.block().map(|data| self.data = data)),
                (5, WireType::Varint) => ("label", int32(&mut cursor, &mut self.label)),
                (6, WireType::Fixed32 | WireType::Block) => {
                    let to = FieldValues::Many(floats);
                    ("float_data", fixed(&mut cursor, wire, tag, to, f32::from_le_bytes))
                }
                (7, WireType::Varint) => {
                    ("encoded", cursor.varint().map(|v| self.encoded = v != 0))
                }
                _ => {
                    cursor.skip(number, wire)?;
                    continue;
                }
            };
            done.map_err(|fault| fault.within(name.to_owned()))?;
        }
        Ok(())
    }
}

fn int32(cursor: &mut Cursor<'_>, to: &mut i32) -> Result<(), Fault> {
    *to = low_i32(cursor.varint()?);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::DatumView;
    use crate::Datum;
    use crate::binary::{read, write};

    /// The view of `bytes` is what [`read`] makes of them, errors included.
    #[track_caller]
    fn check(bytes: &[u8]) {
        let mut floats = vec![1.0];
        match (DatumView::read(bytes, &mut floats), read::<Datum>(bytes)) {
            (Ok(view), Ok(datum)) => {
                assert_eq!(
                    (view.channels, view.height, view.width, view.label, view.encoded, view.data),
                    (
                        datum.channels(),
                        datum.height(),
                        datum.width(),
                        datum.label(),
                        datum.encoded(),
                        datum.data()
                    )
                );
                let bits = |values: &[f32]| values.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
                assert_eq!(bits(view.float_data), bits(&datum.float_data));
            }
            (Err(got), Err(want)) => assert_eq!(got, want),
            (view, datum) => panic!("{bytes:?}: {view:?} for {datum:?}"),
        }
    }

    #[test]
    fn is_what_the_general_reader_makes_of_every_damaged_record() {
        let raw = Datum::raw([2, 1, 3], vec![0, 7, 255, 1, 2, 3], -9);
        let data = Some(vec![0xff, 0xd8, 0xff]);
        let file = Datum { data, label: Some(3), encoded: Some(true), ..Datum::EMPTY };
        let floats =
            Datum { height: Some(300), float_data: vec![1.5, -0.0, f32::NAN], ..Datum::EMPTY };
        // Packed floats beside unpacked ones, an unknown field, a group, a field of another type.
        let odd = [50, 4, 0, 0, 128, 63, 53, 0, 0, 0, 64, 120, 5, 99, 40, 1, 100, 9]
            .into_iter()
            .chain([1, 2, 3, 4, 5, 6, 7, 8, 34, 1, 6, 34, 2, 8, 9])
            .collect();
        for bytes in [write(&raw), write(&file), write(&floats), odd] {
            check(&bytes);
            (0..bytes.len()).for_each(|len| check(&bytes[..len]));
            for at in 0..bytes.len() {
                for value in 0..=255 {
                    let mut damaged = bytes.clone();
                    damaged[at] = value;
                    check(&damaged);
                }
            }
        }
    }
}
