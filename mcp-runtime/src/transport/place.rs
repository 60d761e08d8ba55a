//! Where something went wrong.

use std::fmt::Display;
use std::io;

/// The error, with the address or path that it concerns.
pub(super) fn at(place: &dyn Display, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{place}: {error}"))
}
