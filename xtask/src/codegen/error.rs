//! Errors of the generator; each message names the file and the place in it.

use super::overlay::open::Open;
use itertools::Itertools;
use std::fmt::Display;
use std::path::Path;

/// Failure of `cargo xtask codegen`.
///
/// No error has a source: its text says all.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// Something is wrong with a file, a place in it, or a type.
    #[error("{place}: {what}")]
    At { place: String, what: String },
    /// Several things are wrong.
    #[error("{}", .0.iter().join("\n"))]
    Several(Vec<Self>),
    /// The schemas leave something open, or an entry is for nothing.
    #[error("{0}")]
    Open(Box<Open>),
}

/// Result of every step.
pub(crate) type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// All values, or all errors.
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

    /// What is wrong at `place`.
    pub(super) fn at(place: impl Display, what: impl Display) -> Self {
        let place = place.to_string();
        let what = what.to_string();
        Self::At { place, what }
    }

    /// For `map_err` on what is done with a file.
    pub(super) fn file<E: Display>(file: &Path) -> impl FnOnce(E) -> Self {
        move |error| Self::at(file.display(), error)
    }

    /// For `map_err`: `file` is not Rust; a bug of the generator.
    pub(super) fn syntax(file: &str) -> impl FnOnce(syn::Error) -> Self {
        move |error| Self::at(file, format!("the generated code does not parse: {error}"))
    }

    /// typify printed the type `name` otherwise than asked; a bug of the generator.
    pub(super) fn printed(name: &str, what: &str) -> Self {
        Self::at(format!("typify prints `{name}`"), what)
    }

    /// A conflict between revisions at `place`, which no rule settles.
    pub(super) fn conflict(place: impl Display, what: impl Display) -> Self {
        let settle = "settle it with an entry in schema/overlay.toml";
        Self::at(place, format!("{what}; {settle}"))
    }
}

/// typify printed another struct than was prepared for it; a bug of the generator.
impl From<mcp_bindgen::code::printer::PrintError> for Error {
    fn from(error: mcp_bindgen::code::printer::PrintError) -> Self {
        Self::at(format!("typify prints `{}`", error.name), error.reason)
    }
}
