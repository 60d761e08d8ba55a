//! The contents of files, and the cache of verified contents.

use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;

use mcp_runtime::types::ResourceContents;

use super::entry::normal;
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

    /// Decodes the answer to a request for `uri`, and compares it with the entry of a listed file
    /// (Verification on Read).
    ///
    /// # Errors
    ///
    /// Returns the difference if the answer is not one part with the contents of the file.
    pub(super) fn of(
        server: &Arc<str>,
        uri: &str,
        parts: Vec<ResourceContents>,
        listed: Option<&SkillFile>,
    ) -> Result<Self, String> {
        let [part] = <[_; 1]>::try_from(parts)
            .map_err(|parts| format!("the server returned {} parts instead of one", parts.len()))?;
        let returned = part.uri().unwrap_or_default();
        if normal(returned) != normal(uri) {
            return Err(format!("the server returned the contents of `{returned}`"));
        }
        let mime_type = part.mime_type().map(ToOwned::to_owned);
        let bytes = match part {
            ResourceContents::Text(text) => text.text.into_bytes(),
            part => part.bytes().ok_or("its `blob` is not Base64")?,
        };
        if let Some(SkillFile { size, digest, .. }) = listed {
            let (found, length) = (Digest::of(&bytes), bytes.len());
            if length as u64 != *size {
                return Err(format!("it has {length} bytes instead of {size}"));
            }
            if found != *digest {
                return Err(format!("its digest is {found} instead of {digest}"));
            }
        }
        let (server, uri, bytes) = (Arc::clone(server), uri.to_owned(), bytes.into());
        Ok(Self {
            server,
            uri,
            mime_type,
            bytes,
        })
    }
}

impl fmt::Debug for SkillContents {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { server, uri, .. } = self;
        write!(f, "SkillContents({uri} of {server})")
    }
}

/// The verified files of a server that were read last.
#[derive(Debug, Default)]
pub(super) struct Cache(VecDeque<(SkillFile, SkillContents)>);

impl Cache {
    pub(super) fn get(&self, file: &SkillFile) -> Option<SkillContents> {
        let (_, contents) = self.0.iter().find(|(known, _)| known == file)?;
        Some(contents.clone())
    }

    /// Keeps verified contents. Forgets the oldest if there are too many.
    pub(super) fn put(&mut self, file: &SkillFile, contents: &SkillContents) {
        self.0.push_back((file.clone(), contents.clone()));
        let bytes = |files: &VecDeque<_>| {
            files
                .iter()
                .map(|(_, it): &(_, SkillContents)| it.bytes.len())
                .sum::<usize>()
        };
        while self.0.len() > CACHE_FILES || bytes(&self.0) > CACHE_BYTES {
            self.0.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Keeps files of this size, and returns how many of them are still known.
    fn kept(count: usize, size: usize) -> usize {
        let bytes: Arc<[u8]> = vec![0; size].into();
        let mut cache = Cache::default();
        let files = (0..count).map(|number| {
            let file = SkillFile {
                uri: format!("skill://a/{number}"),
                digest: Digest::of(b""),
                size: 0,
            };
            let contents = SkillContents {
                server: "docs".into(),
                uri: file.uri.clone(),
                mime_type: None,
                bytes: Arc::clone(&bytes),
            };
            cache.put(&file, &contents);
            assert!(cache.get(&file).is_some());
            file
        });
        let files: Vec<_> = files.collect();
        let known = files.iter().filter(|it| cache.get(it).is_some());
        known.count()
    }

    #[test]
    fn the_oldest_files_are_forgotten() {
        assert_eq!(kept(1024, 1), 1024);
        assert_eq!(kept(1030, 1), 1024);
        assert_eq!(kept(4, 8 << 20), 4);
        assert_eq!(kept(9, 8 << 20), 4);
    }
}
