//! Protobuf's wire format and TFRecord's frame, as far as event files need them.

/// A message that is being encoded.
#[derive(Debug, Default)]
pub(super) struct ProtoMessage(Vec<u8>);

/// Wire types.
const VARINT: u64 = 0;
const FIXED64: u64 = 1;
const BYTES: u64 = 2;
const FIXED32: u64 = 5;

impl ProtoMessage {
    pub(super) fn bytes(self) -> Vec<u8> {
        self.0
    }

    fn varint(&mut self, mut value: u64) {
        loop {
            let [low, ..] = value.to_le_bytes();
            value >>= 7;
            if value == 0 {
                self.0.push(low);
                return;
            }
            self.0.push(low | 0x80);
        }
    }

    fn key(&mut self, field: u64, wire_type: u64) {
        self.varint(field << 3 | wire_type);
    }

    pub(super) fn number(&mut self, field: u64, value: u64) {
        self.key(field, VARINT);
        self.varint(value);
    }

    pub(super) fn double(&mut self, field: u64, value: f64) {
        self.key(field, FIXED64);
        self.0.extend(value.to_le_bytes());
    }

    pub(super) fn float(&mut self, field: u64, value: f64) {
        self.key(field, FIXED32);
        #[expect(clippy::cast_possible_truncation, reason = "the field is a float")]
        self.0.extend((value as f32).to_le_bytes());
    }

    pub(super) fn text(&mut self, field: u64, text: &str) {
        self.raw(field, text.as_bytes());
    }

    pub(super) fn message(&mut self, field: u64, body: impl FnOnce(&mut Self)) {
        let mut inner = Self::default();
        body(&mut inner);
        self.raw(field, &inner.0);
    }

    pub(super) fn doubles(&mut self, field: u64, values: impl Iterator<Item = f64>) {
        let bytes: Vec<u8> = values.flat_map(f64::to_le_bytes).collect();
        self.raw(field, &bytes);
    }

    fn raw(&mut self, field: u64, bytes: &[u8]) {
        self.key(field, BYTES);
        self.varint(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
    }
}

/// A TFRecord: length, its checksum, the bytes, their checksum.
pub(super) fn framed(bytes: &[u8]) -> Vec<u8> {
    let length = (bytes.len() as u64).to_le_bytes();
    let mut out = Vec::with_capacity(bytes.len() + 16);
    out.extend(length);
    out.extend(masked(&length));
    out.extend_from_slice(bytes);
    out.extend(masked(bytes));
    out
}

/// CRC-32C, rotated and shifted as TensorFlow does, so that a checksum of checksums differs.
fn masked(bytes: &[u8]) -> [u8; 4] {
    let crc = crc32c::crc32c(bytes);
    crc.rotate_right(15).wrapping_add(0xa282_ead8).to_le_bytes()
}
