//! Errors of the generator. Each message names a file and a place in it.

use super::overlay::open::Open;
use itertools::Itertools;
use std::fmt::Display;
use std::path::Path;

/// An error of `cargo xtask codegen`.
///
/// The errors have no source: the messages are complete.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    #[error("{place}: {what}")]
    At { place: String, what: String },
    #[error("{}", .0.iter().join("\n"))]
    Several(Vec<Self>),
    /// The schemas leave questions open, or an entry is unused.
    #[error("{0}")]
    Open(Box<Open>),
}

pub(crate) type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// Returns all values, or all errors.
    pub(super) fn all<T>(results: impl IntoIterator<Item = Result<T>>) -> Result<Vec<T>> {
        let (values, errors): (Vec<_>, Vec<_>) = results.into_iter().partition_result();
        Self::none(errors).map(|()| values)
    }

    /// Fails with all of `errors`, if there are any.
    pub(super) fn none(errors: Vec<Self>) -> Result<()> {
        if errors.is_empty() {
            Ok(())
        } else {
            Err(Self::Several(errors))
        }
    }

    pub(super) fn at(place: impl Display, what: impl Display) -> Self {
        let place = place.to_string();
        let what = what.to_string();
        Self::At { place, what }
    }

    /// Creates a function for `map_err` that adds the path of a file.
    pub(super) fn file<E: Display>(file: &Path) -> impl FnOnce(E) -> Self {
        move |error| Self::at(file.display(), error)
    }

    /// Creates a function for `map_err`. Generated code that is not valid Rust is a bug of the generator.
    pub(super) fn syntax(file: &str) -> impl FnOnce(syn::Error) -> Self {
        move |error| Self::at(file, format!("the generated code does not parse: {error}"))
    }

    /// Creates the error for a type that typify did not print as expected, which is a bug of the
    /// generator.
    pub(super) fn printed(name: &str, what: &str) -> Self {
        Self::at(format!("typify prints `{name}`"), what)
    }

    /// Creates the error for a conflict between revisions at `place` that no rule settles.
    pub(super) fn conflict(place: impl Display, what: impl Display) -> Self {
        let settle = "settle it with an entry in schema/overlay.toml";
        Self::at(place, format!("{what}; {settle}"))
    }
}

/// If typify prints another struct than expected, this is a bug of the generator.
impl From<mcp_bindgen::code::printer::PrintError> for Error {
    fn from(error: mcp_bindgen::code::printer::PrintError) -> Self {
        Self::at(format!("typify prints `{}`", error.name), error.reason)
    }
}
