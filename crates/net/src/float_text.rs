//! Floats for serde's `with`. JSON has no number for those that are not finite: they are the texts
//! `NaN`, `inf` and `-inf`, so that what was written can be read back.

use std::fmt::Display;
use std::str::FromStr;

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// For `#[serde(with = "net::float_text")]`.
pub fn serialize<F: FloatField, S: Serializer>(field: &F, to: S) -> Result<S::Ok, S::Error> {
    field.write(to)
}

/// For `#[serde(with = "net::float_text")]`.
pub fn deserialize<'de, F: FloatField, D: Deserializer<'de>>(from: D) -> Result<F, D::Error> {
    F::read(from)
}

/// A field of floats: one, perhaps one, or several.
pub trait FloatField: Sized {
    /// Writes numbers, and texts for what is not finite.
    fn write<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error>;
    /// Reads what [`write`](Self::write) wrote.
    fn read<'de, D: Deserializer<'de>>(from: D) -> Result<Self, D::Error>;
}

/// One float.
struct FloatText<T>(T);

/// A float as it was written.
#[derive(Deserialize)]
#[serde(untagged)]
enum WrittenFloat<T> {
    Number(T),
    Text(String),
}

impl<T: Serialize + Display + Copy + Into<f64>> Serialize for FloatText<T> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let value: f64 = self.0.into();
        if value.is_finite() { self.0.serialize(to) } else { to.collect_str(&self.0) }
    }
}

impl<'de, T: Deserialize<'de> + FromStr<Err: Display>> Deserialize<'de> for FloatText<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        match WrittenFloat::deserialize(from)? {
            WrittenFloat::Number(value) => Ok(Self(value)),
            WrittenFloat::Text(text) => text.parse().map(Self).map_err(D::Error::custom),
        }
    }
}

impl FloatField for f32 {
    fn write<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        FloatText(*self).serialize(to)
    }

    fn read<'de, D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        FloatText::deserialize(from).map(|float| float.0)
    }
}

impl FloatField for f64 {
    fn write<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        FloatText(*self).serialize(to)
    }

    fn read<'de, D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        FloatText::deserialize(from).map(|float| float.0)
    }
}

impl FloatField for Option<f32> {
    fn write<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        self.map(FloatText).serialize(to)
    }

    fn read<'de, D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Option::<FloatText<f32>>::deserialize(from).map(|float| float.map(|float| float.0))
    }
}

impl FloatField for Vec<f32> {
    fn write<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(self.iter().map(|&float| FloatText(float)))
    }

    fn read<'de, D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let floats = Vec::<FloatText<f32>>::deserialize(from)?;
        Ok(floats.into_iter().map(|float| float.0).collect())
    }
}
