//! Names of the values of an enum, as flags and files write them.

use std::fmt;

/// A name that an enum does not have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownName {
    /// As given.
    pub given: String,
    /// What there is.
    pub known: &'static [&'static str],
}

impl std::error::Error for UnknownName {}

impl fmt::Display for UnknownName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is not one of {}", self.given, self.known.join(", "))
    }
}

/// Gives a fieldless enum a name per variant: the constant `NAMES`, `FromStr` and `Display`.
/// `NAMES` has the visibility that stands before the name of the enum.
#[macro_export]
macro_rules! names {
    ($vis:vis $enum:ident { $($variant:ident = $name:literal),+ $(,)? }) => {
        impl $enum {
            /// Names of all values, in the order of their declaration.
            $vis const NAMES: &'static [&'static str] = &[$($name),+];
        }

        impl std::str::FromStr for $enum {
            type Err = $crate::UnknownName;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                match text {
                    $($name => Ok(Self::$variant),)+
                    _ => Err($crate::UnknownName { given: text.to_owned(), known: Self::NAMES }),
                }
            }
        }

        impl std::fmt::Display for $enum {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(match self { $(Self::$variant => $name),+ })
            }
        }
    };
}

#[cfg(test)]
mod tests {
    #[derive(Debug, PartialEq)]
    enum Heading {
        UpDown,
        Left,
    }

    crate::names!(Heading { UpDown = "up-down", Left = "left" });

    #[test]
    fn names_are_read_and_written() {
        for name in Heading::NAMES {
            assert_eq!(name.parse::<Heading>().unwrap().to_string(), *name);
        }
        assert_eq!("left".parse(), Ok(Heading::Left));
        let error = "right".parse::<Heading>().unwrap_err().to_string();
        assert_eq!(error, "`right` is not one of up-down, left");
    }
}
