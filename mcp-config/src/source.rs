//! The clients whose files are read, and how their files differ.

use std::fmt;
use std::path::Path;
use std::sync::LazyLock;

use serde::Deserialize;
use serde_json::Value;

/// A client, or a convention of several, that names servers in files.
///
/// Its name ([`as_str`](Self::as_str)) stands before the name of a server where that alone is
/// ambiguous: `cursor:weather`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Source(&'static Format);

/// What differs between sources.
#[derive(Debug, PartialEq, Eq, Deserialize)]
pub(crate) struct Format {
    name: String,
    /// The member of a file that has the servers by name.
    pub(crate) servers: String,
    pub(crate) references: References,
    /// The files, in order of precedence, each below one of the [`Places`](crate::Places), which its
    /// first part names, or below a folder of the project.
    pub(crate) files: Vec<String>,
    /// True if `url` is HTTP+SSE, and Streamable HTTP a member of its own.
    #[serde(default)]
    pub(crate) url_is_sse: bool,
    /// True if programs have no references.
    #[serde(default)]
    pub(crate) only_in_urls: bool,
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
struct Formats {
    source: Vec<Format>,
}

static FORMATS: LazyLock<Formats> = LazyLock::new(|| {
    toml::from_str(include_str!("sources.toml")).expect("each test reads the formats")
});

impl Source {
    /// All sources, in order of precedence.
    pub fn all() -> impl DoubleEndedIterator<Item = Self> {
        FORMATS.source.iter().map(Self)
    }

    /// The name, such as `claude-desktop`.
    pub fn as_str(self) -> &'static str {
        &self.0.name
    }

    pub(crate) fn format(self) -> &'static Format {
        self.0
    }

    /// The source of a file that somebody names: of those whose servers its members may be, the one
    /// whose files have its name.
    pub(crate) fn of_file(path: &Path, root: &Value) -> Self {
        let has_member = |it: &Self| root.get(&it.0.servers).is_some();
        let is_its = |file: &String| {
            file.split_once('/')
                .is_some_and(|(_, it)| path.ends_with(it))
        };
        // Last of all the project, with `mcp.json` anywhere.
        let named = Self::all()
            .filter(has_member)
            .rfind(|it| it.0.files.iter().any(is_its));
        let found = named.or_else(|| Self::all().find(has_member));
        found.unwrap_or(Self(&FORMATS.source[0]))
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.name)
    }
}
