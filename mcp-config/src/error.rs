//! Faults of files, and errors of entries.

use std::fmt;
use std::path::PathBuf;

use mcp_runtime::ConnectError;

/// A file, or an entry of a file, that can't be read. Other files and entries are not affected.
///
/// The message never shows a value of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FileFault {
    /// The path of the file.
    pub file: PathBuf,
    /// The line and the column (in characters), both from 1. `None` if the fault has no place.
    pub position: Option<(usize, usize)>,
    /// The name of the faulty entry, or `None` if no entry of the file can be used.
    pub entry: Option<String>,
    /// The description of the fault.
    pub text: String,
}

impl fmt::Display for FileFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let file = self.file.display();
        let text = &self.text;
        let place = |(line, column)| format!(":{line}:{column}");
        let place = self.position.map_or_else(String::new, place);
        let entry = |it| format!(": server `{it}`");
        let entry = self.entry.as_ref().map_or_else(String::new, entry);
        write!(f, "{file}{place}{entry}: {text}")
    }
}

/// An error of finding, expanding or connecting to an entry.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// The environment names no home folder.
    #[error("there is no home folder: set HOME, or on Windows USERPROFILE")]
    NoHome,
    /// The file or the entry is malformed. The message names the place to correct.
    #[error("{0}")]
    File(FileFault),
    /// No entry has the name. The message names the most similar name, and files that can't be
    /// read, because any of them may contain the entry.
    #[error("no server is named `{name}`{hints}")]
    Unknown {
        /// The requested name.
        name: String,
        /// Suggestions, formatted for the message.
        hints: String,
    },
    /// Several sources have an entry with the name. Use the name with its source.
    #[error("several servers are named `{name}`: choose from {}", candidates.join(", "))]
    Ambiguous {
        /// The requested name.
        name: String,
        /// The names with their sources, such as `cursor:weather`, in order of precedence.
        candidates: Vec<String>,
    },
    /// A variable has neither a value nor a default. Set it, or remove it from the file.
    #[error("server `{entry}` in {} needs the variable `{variable}`, which is not set", file.display())]
    Unset {
        /// The name of the entry.
        entry: String,
        /// The variable as written in the file, such as `TOKEN` or `input:token`.
        variable: String,
        /// The path of the file.
        file: PathBuf,
    },
    /// A client does not support what a new entry needs.
    #[error("{0}")]
    Unsupported(String),
    /// The file already has a different entry with the name of a new entry.
    #[error("{} already has a different server `{entry}`", file.display())]
    Different {
        /// The name of the entry.
        entry: String,
        /// The path of the file.
        file: PathBuf,
    },
    /// The server can't be reached, or does not speak MCP.
    #[error(transparent)]
    Connect(#[from] ConnectError),
}
