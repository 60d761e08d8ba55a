//! The clients whose files are read, and how their files differ.

use std::path::Path;
use std::sync::LazyLock;

use serde::Deserialize;
use serde_json::Value;

/// A client, or a convention of several, that names servers in files.
///
/// Its name ([`as_str`](Self::as_str)) stands before the name of a server where that alone is
/// ambiguous: `cursor:weather`.
#[derive(Debug, PartialEq, Eq, Deserialize)]
pub struct Source {
    name: String,
    /// The member of a file that has the servers by name.
    pub(crate) servers: String,
    pub(crate) references: References,
    /// The files, in order of precedence, each below one of the user's folders, which its first part
    /// names, or below a folder of the project.
    files: Vec<String>,
    /// True if `url` is HTTP+SSE, and Streamable HTTP a member of its own.
    #[serde(default)]
    pub(crate) url_is_sse: bool,
    /// True if programs have no references.
    #[serde(default)]
    pub(crate) only_in_urls: bool,
    /// True if a program can have a file with more variables (`envFile`).
    #[serde(default)]
    pub(crate) has_env_files: bool,
    /// True if entries without a program and a URL are parts of the client.
    #[serde(default)]
    pub(crate) has_parts: bool,
}

/// The references to variables that the texts of a source have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum References {
    /// None: each text stands for itself.
    None,
    /// `${VAR}` and `${VAR:-default}`.
    Braces,
    /// The same, and `$VAR`.
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
    /// All sources, in order of precedence.
    pub fn all() -> impl DoubleEndedIterator<Item = &'static Self> {
        SOURCES.source.iter()
    }

    /// The name, such as `claude-desktop`.
    pub fn as_str(&self) -> &str {
        &self.name
    }

    /// The files: the name of a folder, and the path below it.
    pub(crate) fn files(&self) -> impl Iterator<Item = (&str, &str)> {
        self.files.iter().filter_map(|it| it.split_once('/'))
    }

    /// The source of a file that somebody names: of those whose servers its members may be, the one
    /// whose files have its name.
    pub(crate) fn of_file(path: &Path, root: &Value) -> &'static Self {
        let has_member = |it: &&Self| root.get(&it.servers).is_some();
        let is_its = |it: &&Self| it.files().any(|(_, file)| path.ends_with(file));
        // The project comes last: it accepts `mcp.json` in any folder.
        let named = Self::all().filter(has_member).rfind(is_its);
        let found = named.or_else(|| Self::all().find(has_member));
        found.unwrap_or(&SOURCES.source[0])
    }
}
