//! The clients whose files are read, and how their files differ.

use std::path::Path;
use std::sync::LazyLock;

use serde::Deserialize;
use serde_json::Value;

use crate::edit::Shape;

/// A client, or a convention of several clients, for files that configure servers.
///
/// If the name of a server is ambiguous, the name of the source ([`as_str`](Self::as_str)) precedes
/// it: `cursor:weather`.
#[derive(Debug, PartialEq, Eq, Deserialize)]
pub struct Source {
    name: String,
    /// The member of a file that contains the servers by name.
    pub(crate) servers: String,
    pub(crate) references: References,
    /// The files in order of precedence. The first part of each path names one of the user's
    /// folders, or is `project` for a folder of the project.
    files: Vec<String>,
    /// Whether `url` means HTTP+SSE, because Streamable HTTP has a member of its own.
    #[serde(default)]
    pub(crate) url_is_sse: bool,
    /// Whether programs can't contain references.
    #[serde(default)]
    pub(crate) only_in_urls: bool,
    /// Whether a program can have a file with more variables (`envFile`).
    #[serde(default)]
    pub(crate) has_env_files: bool,
    /// Whether entries with neither a program nor a URL are parts of the client.
    #[serde(default)]
    pub(crate) has_parts: bool,
    /// The form of entries that are written.
    #[serde(rename = "entry")]
    pub(crate) shape: Shape,
}

/// The kind of references to variables in the strings of a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum References {
    /// There are no references, so each string is used as it is.
    None,
    /// `${VAR}` and `${VAR:-default}`.
    Braces,
    /// `${VAR}`, `${VAR:-default}` and `$VAR`.
    Shell,
    /// `${env:VAR}`, `${input:id}`, and the folders of an editor.
    Editor,
}

#[derive(Deserialize)]
struct Sources {
    source: Vec<Source>,
}

static SOURCES: LazyLock<Sources> = LazyLock::new(|| {
    toml::from_str(include_str!("sources.toml")).expect("each test reads the sources")
});

impl Source {
    /// Returns all sources, in order of precedence.
    pub fn all() -> impl DoubleEndedIterator<Item = &'static Self> {
        SOURCES.source.iter()
    }

    /// Returns the name, such as `claude-desktop`.
    pub fn as_str(&self) -> &str {
        &self.name
    }

    /// The files, each as the name of a folder and the path below it.
    pub(crate) fn files(&self) -> impl Iterator<Item = (&str, &str)> {
        self.files.iter().filter_map(|it| it.split_once('/'))
    }

    /// Whether the files have an extension.
    pub(crate) fn has_extension(&self, extension: &str) -> bool {
        self.files().any(|it| it.1.ends_with(extension))
    }

    /// The source for the file at `path`: among the sources whose member the file has, the one with
    /// a file of the same name.
    pub(crate) fn of_file(path: &Path, root: &Value) -> &'static Self {
        let has_member = |it: &&Self| root.get(&it.servers).is_some();
        let is_its = |it: &&Self| it.files().any(|(_, file)| path.ends_with(file));
        // The project comes last: it accepts `mcp.json` in any folder.
        let named = Self::all().filter(has_member).rfind(is_its);
        let found = named.or_else(|| Self::all().find(has_member));
        found.unwrap_or(&SOURCES.source[0])
    }
}
