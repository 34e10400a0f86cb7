//! Numbers that may not be finite, for serde's `with`: JSON has `null` for them.

use serde::{Deserialize, Deserializer, Serializer};

pub(super) fn serialize<S: Serializer>(value: &f64, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_f64(*value) // serde_json writes `null` if it is not finite
}

pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<f64, D::Error> {
    Ok(Option::<f64>::deserialize(from)?.unwrap_or(f64::NAN))
}

/// Reads values with names.
pub(super) fn named<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<(String, f64)>, D::Error> {
    let values = Vec::<(String, Option<f64>)>::deserialize(from)?;
    Ok(values.into_iter().map(|(name, value)| (name, value.unwrap_or(f64::NAN))).collect())
}

/// The same as [`serialize`] and [`deserialize`], for three of them.
pub(super) mod three {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub(in super::super) fn serialize<S: Serializer>(
        values: &[f64; 3],
        to: S,
    ) -> Result<S::Ok, S::Error> {
        values.serialize(to)
    }

    pub(in super::super) fn deserialize<'de, D: Deserializer<'de>>(
        from: D,
    ) -> Result<[f64; 3], D::Error> {
        let values = <[Option<f64>; 3]>::deserialize(from)?;
        Ok(values.map(|value| value.unwrap_or(f64::NAN)))
    }
}
