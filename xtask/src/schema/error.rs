//! Errors of schemas; each message names the file and, inside
//! it, the JSON path.

use std::path::{Path, PathBuf};

/// Failure of a `cargo xtask schema` subcommand.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// A file could not be read or written.
    #[error("{}: {source}", file.display())]
    Io {
        file: PathBuf,
        source: std::io::Error,
    },
    /// The input is not JSON.
    #[error("{file}: not JSON: {source}")]
    Json {
        file: String,
        source: serde_json::Error,
    },
    /// The input is JSON, but no schema that this tool understands.
    #[error("{file}: {what}")]
    Input { file: String, what: String },
    /// `sources.toml` was edited into something unreadable.
    #[error("{}: {source}", file.display())]
    Sources {
        file: PathBuf,
        source: toml::de::Error,
    },
    /// The record of sources cannot be written as TOML.
    #[error("sources.toml: {0}")]
    Record(#[from] toml::ser::Error),
    /// No date in the name of the source, and none given.
    #[error("{0}: no revision in the name; pass --revision YYYY-MM-DD")]
    NoRevision(String),
    /// A revision that is not a date.
    #[error("`{0}` is not a protocol revision: expected a date of the calendar, YYYY-MM-DD")]
    BadRevision(String),
    /// Something that is no name of an extension.
    #[error("`{0}` cannot name an extension: expected lowercase letters, digits and `_`")]
    BadExtension(String),
    /// Another schema is stored for the revision.
    #[error(
        "{}: another schema is stored for this revision; pass --replace to overwrite it, \
         and see what changed with `git diff`",
        .0.display()
    )]
    Stored(PathBuf),
    /// A revision that was never imported.
    #[error("{}: no such revision; stored are: {stored}", file.display())]
    UnknownRevision { file: PathBuf, stored: String },
    /// The generator failed.
    #[error(transparent)]
    Codegen(#[from] crate::codegen::Error),
    /// The generator has questions, which are listed already.
    #[error(
        "decisions are open; add the entries that are listed above, then run `cargo xtask schema adopt`"
    )]
    Open,
    /// The generated code does not compile, or values do not survive it.
    #[error(
        "{name}: `{command}` failed; the messages above name the place. If no entry of schema/overlay.toml explains it, the generator is at fault"
    )]
    Check { name: &'static str, command: String },
    /// A report could not be printed, or cargo not started.
    #[error(transparent)]
    Run(#[from] std::io::Error),
    /// The download failed.
    #[error("{address}: {source}")]
    Http {
        address: String,
        source: Box<ureq::Error>,
    },
}

impl Error {
    /// For `map_err` on file operations.
    pub(super) fn io(file: &Path) -> impl FnOnce(std::io::Error) -> Self {
        move |source| Self::Io {
            file: file.to_path_buf(),
            source,
        }
    }
}

/// One fault in a schema, and where it stands.
#[derive(Debug, PartialEq, thiserror::Error)]
#[error("at {path}: {what}")]
pub(crate) struct Fault {
    /// JSON path, such as `$.$defs.Tool.properties.name`.
    pub(crate) path: String,
    /// The fault, and the expectation.
    pub(crate) what: String,
}
