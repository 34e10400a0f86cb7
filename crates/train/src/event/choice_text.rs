//! A choice of algorithms as the text that `--allreduce` takes, for serde's `with`.

use collective::AlgorithmChoice;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serializer};

pub(super) fn serialize<S: Serializer>(choice: &AlgorithmChoice, to: S) -> Result<S::Ok, S::Error> {
    to.collect_str(choice)
}

pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<AlgorithmChoice, D::Error> {
    String::deserialize(from)?.parse().map_err(D::Error::custom)
}
