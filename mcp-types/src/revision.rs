//! Properties of the protocol's revisions, and the two eras that the revisions belong to.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::Revision;

impl Revision {
    /// Returns the position in [`Revision::ALL`], for tables with one entry per revision.
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }
}

impl fmt::Display for Revision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Revision {
    type Err = UnknownRevision;

    fn from_str(s: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|revision| revision.as_str() == s)
            .ok_or_else(|| UnknownRevision(s.to_owned()))
    }
}

impl Serialize for Revision {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for Revision {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?
            .parse()
            .map_err(serde::de::Error::custom)
    }
}

/// The name of a revision that this crate does not know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownRevision(
    /// The given name.
    pub String,
);

impl fmt::Display for UnknownRevision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "`{}` is not a known protocol revision; known are",
            self.0
        )?;
        for (i, revision) in Revision::ALL.iter().enumerate() {
            write!(f, "{} {revision}", if i == 0 { "" } else { "," })?;
        }
        Ok(())
    }
}

impl std::error::Error for UnknownRevision {}

/// The two ways in which peers agree on version and capabilities.
///
/// The specification calls the eras legacy and modern (2026-07-28, "Versioning and Compatibility").
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Era {
    /// An `initialize` request opens a session, and negotiates version and capabilities once.
    Handshake,
    /// Each request carries version and capabilities in its `_meta`. Servers keep no state between
    /// requests.
    Stateless,
}

impl Era {
    /// Both eras.
    pub const ALL: [Self; 2] = [Self::Handshake, Self::Stateless];

    /// Returns the method that a client calls to learn what a server of this era offers.
    //
    // The generated constants can't be used: code generated from the first four revisions has no
    // constant for `server/discover`.
    #[must_use]
    pub const fn opening_method(self) -> &'static str {
        match self {
            Self::Handshake => "initialize",
            Self::Stateless => "server/discover",
        }
    }
}

impl FromStr for Era {
    type Err = UnknownEra;

    fn from_str(name: &str) -> Result<Self, UnknownEra> {
        let found = Self::ALL.into_iter().find(|era| era.to_string() == name);
        found.ok_or(UnknownEra)
    }
}

/// The error for a string that is not the name of an [`Era`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownEra;

impl fmt::Display for UnknownEra {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an era is `handshake` or `stateless`")
    }
}

impl std::error::Error for UnknownEra {}

impl fmt::Display for Era {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Handshake => "handshake",
            Self::Stateless => "stateless",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_round_trip_and_are_in_order() {
        for (i, revision) in Revision::ALL.into_iter().enumerate() {
            assert_eq!(revision.as_str().parse(), Ok(revision));
            assert_eq!(revision.index(), i);
        }
        assert!(Revision::ALL.is_sorted());
    }

    #[test]
    fn eras_have_names_and_methods() {
        for era in Era::ALL {
            assert_eq!(era.to_string().parse(), Ok(era));
        }
        assert_eq!(Era::Stateless.opening_method(), "server/discover");
        assert_eq!("legacy".parse::<Era>(), Err(UnknownEra));
    }

    #[test]
    fn an_unknown_name_is_refused_with_the_known_ones() {
        let error = "2020-01-01".parse::<Revision>().unwrap_err();
        assert!(error.to_string().contains("2024-11-05, 2025-03-26"));
    }
}
