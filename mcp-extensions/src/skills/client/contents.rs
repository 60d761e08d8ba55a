//! The contents of files, and the cache of verified contents.

use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;

use mcp_runtime::types::ResourceContents;

use super::file_uri;
use crate::skills::limits::{CACHE_BYTES, CACHE_FILES};
use crate::skills::{Digest, SkillFile};

/// The contents of a file, with the two halves of its origin.
///
/// The contents of a skill whose files are listed are verified. Clones are cheap.
#[derive(Clone)]
#[non_exhaustive]
pub struct SkillContents {
    /// The label that the host gives the server.
    pub server: Arc<str>,
    /// The URI of the file, as the entry writes it.
    pub uri: String,
    /// The media type, as the server reports it. It is not verified.
    pub mime_type: Option<String>,
    /// The bytes of the file.
    pub bytes: Arc<[u8]>,
}

impl SkillContents {
    /// Returns the contents as text, or `None` if they are not UTF-8.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        std::str::from_utf8(&self.bytes).ok()
    }

    /// Decodes the answer to a request for `uri`, in the entry's spelling.
    ///
    /// # Errors
    ///
    /// Returns the reason if the answer is not one part with the contents of `uri`.
    pub(super) fn of(
        server: &Arc<str>,
        uri: &str,
        parts: Vec<ResourceContents>,
    ) -> Result<Self, String> {
        let [part] = <[_; 1]>::try_from(parts)
            .map_err(|parts| format!("the server returned {} parts instead of one", parts.len()))?;
        let returned = part.uri().unwrap_or_default();
        if file_uri::normal(returned) != file_uri::normal(uri) {
            return Err(format!("the server returned the contents of `{returned}`"));
        }
        let mime_type = part.mime_type().map(ToOwned::to_owned);
        let bytes = match part {
            ResourceContents::Text(text) => text.text.into_bytes(),
            part => part.bytes().ok_or("its `blob` is not Base64")?,
        };
        Ok(Self {
            server: Arc::clone(server),
            uri: uri.to_owned(),
            mime_type,
            bytes: bytes.into(),
        })
    }

    /// Compares the contents with an entry (Verification on Read).
    ///
    /// # Errors
    ///
    /// Returns the difference.
    pub(super) fn verify(&self, file: &SkillFile) -> Result<(), String> {
        let length = self.bytes.len() as u64;
        if length != file.size {
            return Err(format!("it has {length} bytes instead of {}", file.size));
        }
        let digest = Digest::of(&self.bytes);
        if digest == file.digest {
            Ok(())
        } else {
            Err(format!("its digest is {digest} instead of {}", file.digest))
        }
    }
}

impl fmt::Debug for SkillContents {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SkillContents")
            .field("server", &self.server)
            .field("uri", &self.uri)
            .field("mime_type", &self.mime_type)
            .field("bytes", &self.bytes.len())
            .finish()
    }
}

/// The verified files of a server that were read last.
#[derive(Debug, Default)]
pub(super) struct Cache {
    files: VecDeque<(SkillFile, SkillContents)>,
    bytes: usize,
}

impl Cache {
    pub(super) fn get(&self, file: &SkillFile) -> Option<SkillContents> {
        let mut files = self.files.iter();
        let (_, contents) = files.find(|(known, _)| known == file)?;
        Some(contents.clone())
    }

    /// Keeps verified contents. Forgets the oldest if there are too many.
    pub(super) fn put(&mut self, file: SkillFile, contents: SkillContents) {
        self.bytes += contents.bytes.len();
        self.files.push_back((file, contents));
        while self.bytes > CACHE_BYTES || self.files.len() > CACHE_FILES {
            let oldest = self.files.pop_front();
            self.bytes -= oldest.map_or(self.bytes, |(_, contents)| contents.bytes.len());
        }
    }
}
