//! The list of the files in a tree, page by page.

use std::fs::{self, DirEntry};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use iri_string::percent_encode::PercentEncodedForUri;
use mcp_types::Resource;
use tokio::time::Instant;

use super::file_tree::{is_hidden, is_plain, media_type};
use super::route::ListPart;
use crate::limits::FILE_WALK_LIFETIME;

/// Which files are offered.
#[derive(Clone, Debug)]
pub(super) struct Selection {
    pub(super) hidden: bool,
    /// The most files that are listed.
    pub(super) most: usize,
    /// The most bytes of a file.
    pub(super) max_size: u64,
}

/// The walk that the last first page was made of, which serves the pages after it.
#[derive(Debug, Default)]
pub(super) struct FileList(Mutex<Option<Arc<Walk>>>);

/// The files under a directory, in the order of their URIs.
#[derive(Debug)]
struct Walk {
    files: Vec<Found>,
    begun: Instant,
}

#[derive(Debug)]
struct Found {
    path: String,
    size: u64,
}

impl FileList {
    /// The files under `root` of one part of the list, as resources whose URIs begin with `uri`.
    pub(super) fn list(
        &self,
        root: &Path,
        uri: &str,
        selection: &Selection,
        part: &ListPart,
    ) -> Vec<Resource> {
        let last = part.after.as_ref().and_then(|_| self.last());
        let walk = last.unwrap_or_else(|| Arc::new(Walk::through(root, selection)));
        let after = part.after.as_deref().unwrap_or_default();
        let is_before = |file: &Found| *file.uri(uri) <= *after;
        let rest = &walk.files[walk.files.partition_point(is_before)..];
        let listed = &rest[..rest.len().min(part.enough)];
        let resources = listed.iter().map(|file| file.resource(uri)).collect();
        // Where any number is asked for, the page may show less than all of them.
        let is_rest_shown = rest.len() < part.enough && part.enough != usize::MAX;
        let goes_on = part.paged && !rest.is_empty() && !is_rest_shown;
        *self.lock() = goes_on.then(|| Arc::clone(&walk));
        resources
    }

    fn last(&self) -> Option<Arc<Walk>> {
        let last = self.lock().clone();
        last.filter(|walk| walk.begun.elapsed() < FILE_WALK_LIFETIME)
    }

    fn lock(&self) -> MutexGuard<'_, Option<Arc<Walk>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Walk {
    /// Finds the files under `root`. Links are not followed, so that no file is found twice and the
    /// walk ends.
    fn through(root: &Path, selection: &Selection) -> Self {
        let begun = Instant::now();
        let mut files = Vec::new();
        walk(root, "", selection, &mut files);
        Self { files, begun }
    }
}

/// Adds the files of a directory and of those in it, until there are as many as are listed.
fn walk(directory: &Path, prefix: &str, selection: &Selection, files: &mut Vec<Found>) {
    let Ok(entries) = fs::read_dir(directory) else {
        return;
    };
    let mut named = Vec::new();
    for entry in entries.flatten() {
        if let Ok(name) = entry.file_name().into_string()
            && is_plain(&name)
            && (selection.hidden || !is_hidden(Some(&name)))
            && let Ok(kind) = entry.file_type()
        {
            let end = if kind.is_dir() { "/" } else { "" };
            if kind.is_dir() || kind.is_file() {
                // The order of the URIs.
                named.push((format!("{}{end}", encoded(&name)), name, entry));
            }
        }
    }
    named.sort_by(|(one, ..), (other, ..)| one.cmp(other));
    for (key, name, entry) in named {
        if files.len() >= selection.most {
            return;
        }
        let path = format!("{prefix}{name}");
        if key.ends_with('/') {
            walk(&entry.path(), &format!("{path}/"), selection, files);
        } else if let Some(size) = size(&entry).filter(|size| *size <= selection.max_size) {
            files.push(Found { path, size });
        }
    }
}

fn size(entry: &DirEntry) -> Option<u64> {
    entry.metadata().ok().map(|file| file.len())
}

impl Found {
    fn uri(&self, prefix: &str) -> String {
        format!("{prefix}{}", encoded(&self.path))
    }

    fn resource(&self, prefix: &str) -> Resource {
        let mut resource = Resource::new(self.path.as_str(), self.uri(prefix));
        resource.mime_type = media_type(Path::new(&self.path)).map(str::to_owned);
        resource.size = i64::try_from(self.size).ok();
        resource
    }
}

/// A path as it stands in a URI (RFC 3986, section 3.3).
fn encoded(path: &str) -> String {
    PercentEncodedForUri::from_path(path).to_string()
}

#[cfg(test)]
mod tests {
    use super::encoded;

    #[test]
    fn what_is_reserved_is_escaped() {
        assert_eq!(encoded("a/b c.txt"), "a/b%20c.txt");
        assert_eq!(encoded("é?#%[]"), "%C3%A9%3F%23%25%5B%5D");
    }
}
