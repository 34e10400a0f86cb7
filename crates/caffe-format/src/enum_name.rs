//! Names of enum values as flags write them: those of the schema, in any case.

use std::str::FromStr;

use crate::message::{Enum, EnumKind};
use crate::{DataParameterDb, Phase};

/// A name that an enum of the schema does not have.
#[derive(Debug, Clone, Copy, thiserror::Error)]
#[error("{} is one of {}", .kind.name, names(.kind))]
pub struct EnumNameError {
    kind: &'static EnumKind,
}

fn names(kind: &EnumKind) -> String {
    kind.values.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ")
}

fn read<E: Enum>(text: &str) -> Result<E, EnumNameError> {
    let found = E::KIND.values.iter().find(|(name, _)| name.eq_ignore_ascii_case(text));
    found.and_then(|(_, number)| E::from_number(*number)).ok_or(EnumNameError { kind: E::KIND })
}

impl FromStr for Phase {
    type Err = EnumNameError;

    fn from_str(text: &str) -> Result<Self, EnumNameError> {
        read(text)
    }
}

impl FromStr for DataParameterDb {
    type Err = EnumNameError;

    fn from_str(text: &str) -> Result<Self, EnumNameError> {
        read(text)
    }
}

#[cfg(test)]
mod tests {
    use crate::{DataParameterDb, Phase};

    #[test]
    fn names_are_read_in_any_case() {
        assert_eq!("Test".parse::<Phase>().unwrap(), Phase::Test);
        assert_eq!("lmdb".parse::<DataParameterDb>().unwrap(), DataParameterDb::Lmdb);
        let error = "tests".parse::<Phase>().unwrap_err().to_string();
        assert_eq!(error, "Phase is one of TRAIN, TEST");
    }
}
