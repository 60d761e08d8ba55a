//! The files of each client, and the text of entries.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use super::text;
use crate::places::Places;
use crate::servers::absolute;
use crate::{ConfigError, Source, Target};

impl Source {
    /// Returns the source with this name.
    pub fn by_name(name: &str) -> Option<&'static Self> {
        Self::all().find(|it| it.as_str() == name)
    }

    /// Returns true if the files of the client can contain URLs.
    pub const fn has_urls(&self) -> bool {
        self.shape.remote.is_some()
    }

    /// Returns true if entries for the client can be printed ([`entry_text`](Self::entry_text)), but
    /// its files are not changed.
    pub const fn is_only_printed(&self) -> bool {
        self.shape.is_only_printed
    }

    /// Returns the client's own ways to take a value from a variable `NAME`, for a message.
    pub fn references(&self) -> Option<&str> {
        self.shape.references.as_deref()
    }

    /// Returns the path of the user's file to which a server is added, or of a project's file. The
    /// latter is in `folder`, or in a parent folder of the same repository if only that file
    /// exists. Returns `None` if the client has no such file.
    ///
    /// # Errors
    ///
    /// Returns [`ConfigError::NoHome`] if the home folder is unknown.
    pub fn file(&self, is_of_project: bool, folder: &Path) -> Result<Option<PathBuf>, ConfigError> {
        let places = Places::of_user()?;
        let folder = absolute(folder);
        let project = places.project(&folder);
        let other = self.shape.project.as_deref().filter(|_| is_of_project);
        let source = other.and_then(Self::by_name).unwrap_or(self);
        let files = places.files(source, &project).into_iter();
        let files = files.filter(|it| it.2 == is_of_project).map(|it| it.0);
        // All other files of a project are only read.
        let mut files = files.take(if is_of_project {
            project.len()
        } else {
            usize::MAX
        });
        let first = files.next();
        let existing = first.iter().cloned().chain(files).find(|it| it.exists());
        Ok(existing.or(first))
    }

    /// Returns the text of a file that contains only this server.
    ///
    /// ```
    /// use mcp_config::{Source, Target};
    ///
    /// let target = Target::from_url("https://mcp.example.com/mcp").unwrap();
    /// let windsurf = Source::by_name("windsurf").unwrap();
    /// let text = windsurf.entry_text("example", &target).unwrap();
    /// assert!(text.contains(r#""serverUrl": "https://mcp.example.com/mcp""#));
    /// ```
    ///
    /// # Errors
    ///
    /// Returns [`ConfigError::Unsupported`] like [`Change::add`](crate::Change::add).
    pub fn entry_text(&self, name: &str, target: &Target) -> Result<String, ConfigError> {
        let members = self.members(name, target)?;
        if !self.has_extension(".yaml") {
            return Ok(self.edited("", name, Some(&members)).unwrap_or_default());
        }
        // JSON is valid YAML.
        let lines = members
            .iter()
            .map(|(name, it)| format!("    {name}: {it}\n"));
        let lines: String = lines.collect();
        Ok(format!("{}:\n  {}:\n{lines}", self.servers, json!(name)))
    }

    pub(super) fn edited(
        &self,
        text: &str,
        name: &str,
        entry: Option<&Map<String, Value>>,
    ) -> Option<String> {
        if !self.has_extension(".toml") {
            return text::json(text, &self.servers, name, entry);
        }
        let edited = text::toml(&text.replace("\r\n", "\n"), &self.servers, name, entry)?;
        Some(match text.contains("\r\n") {
            true => edited.replace('\n', "\r\n"),
            false => edited,
        })
    }
}
