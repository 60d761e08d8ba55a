//! Errors other than a failed check.

use std::io;
use std::path::{Path, PathBuf};

/// Why there is no clean result.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// Checks failed: what follows is the report.
    #[error("the suite found faults\n{0}")]
    Failed(String),
    /// A program that is needed could not be started, or did not do its work.
    #[error("`{program}` failed: {reason}")]
    Program {
        /// Which one.
        program: String,
        /// Its output.
        reason: String,
    },
    /// A file could not be read or written.
    #[error("{}: {source}", path.display())]
    File {
        /// Which one.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The suite left a result that can't be understood.
    #[error("{} is no result of the suite: {source}", path.display())]
    Result {
        /// Which one.
        path: PathBuf,
        /// Why.
        source: serde_json::Error,
    },
}

impl Error {
    pub(super) fn program(program: &str, reason: impl ToString) -> Self {
        Self::Program {
            program: program.to_owned(),
            reason: reason.to_string(),
        }
    }

    pub(super) fn file(path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_path_buf();
        move |source| Self::File { path, source }
    }
}
