//! Errors of the generator; each message names the file and the place in it.

use super::overlay::open::Open;
use std::path::{Path, PathBuf};

/// Failure of `cargo xtask codegen`.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// A file could not be read, parsed or written.
    #[error("{}: {source}", file.display())]
    File {
        file: PathBuf,
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// A schema says something that no rule covers.
    #[error("schema/{revision}.json: at {path}: {what}")]
    Schema {
        revision: String,
        path: String,
        what: String,
    },
    /// An extension has an error of its own.
    #[error("extension `{name}`: below schema/extensions/{name}, {source}")]
    Extension { name: String, source: Box<Self> },
    /// Several things are wrong.
    #[error("{}", errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
    Several { errors: Vec<Error> },
    /// A revision that was never imported.
    #[error("`{revision}` is no stored revision; stored are: {stored}")]
    Revision { revision: String, stored: String },
    /// Two revisions disagree and no rule settles it.
    #[error("{place}: {what}; settle it with an entry in schema/overlay.toml")]
    Conflict { place: String, what: String },
    /// The schemas leave something open, or an entry is for nothing.
    #[error("{0}")]
    Open(Box<Open>),
    /// The code that was put together is not Rust; a bug of the generator.
    #[error("{file}: the generated code does not parse: {source}")]
    Syntax { file: String, source: syn::Error },
    /// typify refused a struct that was prepared for it; a bug of the generator.
    #[error("typify: {0}")]
    Typify(#[from] typify::Error),
    /// typify printed something else than was asked for; a bug of the generator.
    #[error("typify prints `{name}` {what}")]
    Printed { name: String, what: String },
    /// `--check` found differences.
    #[error("out of date: {}; run `cargo xtask codegen` and commit the result", files.join(", "))]
    Stale { files: Vec<String> },
}

/// Result of every step.
pub(crate) type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// All values, or all errors.
    pub(super) fn all<T>(results: impl IntoIterator<Item = Result<T>>) -> Result<Vec<T>> {
        let (mut values, mut errors) = (Vec::new(), Vec::new());
        for result in results {
            match result {
                Ok(value) => values.push(value),
                Err(error) => errors.push(error),
            }
        }
        Self::none(errors).map(|()| values)
    }

    /// Fails with all of `errors`, if there are any.
    pub(super) fn none(mut errors: Vec<Self>) -> Result<()> {
        match errors.pop() {
            None => Ok(()),
            Some(only) if errors.is_empty() => Err(only),
            Some(last) => {
                errors.push(last);
                Err(Self::Several { errors })
            }
        }
    }

    /// For `map_err` on what is done with a file.
    pub(super) fn file<E: Into<Box<dyn std::error::Error + Send + Sync>>>(
        file: &Path,
    ) -> impl FnOnce(E) -> Self {
        move |source| Self::File {
            file: file.to_path_buf(),
            source: source.into(),
        }
    }

    /// typify printed the type `name` otherwise than asked.
    pub(super) fn printed(name: &str, what: &str) -> Self {
        Self::Printed {
            name: name.to_owned(),
            what: what.to_owned(),
        }
    }

    /// A conflict between revisions at `place`.
    pub(super) fn conflict(place: impl Into<String>, what: impl Into<String>) -> Self {
        Self::Conflict {
            place: place.into(),
            what: what.into(),
        }
    }
}
