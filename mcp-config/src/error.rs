//! Faults of files, and why an entry can't be had.

use std::fmt;
use std::path::PathBuf;

use mcp_runtime::ConnectError;

/// A file, or an entry of it, that can't be read. Other files and entries are not affected.
///
/// Its text never shows a value of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FileFault {
    /// The file.
    pub file: PathBuf,
    /// The line and the column, in characters, both from 1; `None` where there is no such place.
    pub position: Option<(usize, usize)>,
    /// The entry at fault; `None` where no entry of the file can be used.
    pub entry: Option<String>,
    /// What is wrong.
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

/// Why there is no entry, no target, or no connection.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// The environment names no home folder.
    #[error("there is no home folder: set HOME, or on Windows USERPROFILE")]
    NoHome,
    /// The file or the entry is malformed: correct it at the place that the text names.
    #[error("{0}")]
    File(FileFault),
    /// No entry has the name. The text names the most similar one, and files that can't be read, any
    /// of which may have the entry.
    #[error("no server is named `{name}`{hints}")]
    Unknown {
        /// The name.
        name: String,
        /// What may have been meant, as text.
        hints: String,
    },
    /// Several sources have an entry of the name: one of them has to be named with it.
    #[error("several servers are named `{name}`: choose from {}", candidates.join(", "))]
    Ambiguous {
        /// The name.
        name: String,
        /// The names with their sources, such as `cursor:weather`, in order of precedence.
        candidates: Vec<String>,
    },
    /// A variable has no value, and no default: set it, or remove it from the file.
    #[error("server `{entry}` in {} needs the variable `{variable}`, which is not set", file.display())]
    Unset {
        /// The name of the entry.
        entry: String,
        /// The variable, as the file writes it, such as `TOKEN` or `input:token`.
        variable: String,
        /// The file.
        file: PathBuf,
    },
    /// The server was not reached, or does not speak MCP.
    #[error(transparent)]
    Connect(#[from] ConnectError),
}
