//! Offers the files of a directory as resources.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard};

use iri_string::percent_encode::PercentEncodedForUri;
use mcp_types::{
    BlobResourceContents, Resource, ResourceContents, ResourceTemplate, TextResourceContents,
};
use tokio::time::Instant;

use super::{Contents, IntoContents as _, ListPart, ResourceEntry, UriTemplate};
use crate::ProtocolError;
use crate::error::RequestError;
use crate::limits::{FILE_WALK_LIFETIME, MAX_FILE_BYTES};
use crate::server::handler::blocking;
use crate::server::{IntoResource, Reply};
use crate::sync::lock;

/// Offers the files of a directory and its subdirectories as resources.
///
/// The URI of a file is `file:///` followed by its path within the directory. Clients can't read
/// files outside the directory: neither with `..` in any spelling, nor with an absolute path, nor
/// through a symbolic link. Files and directories whose names begin with a dot are hidden.
///
/// Limitation: someone who can write to the directory could replace a file with a symbolic link
/// between the check and the read. If others can write to it, offer the directory from a process that
/// has no access to other files.
///
/// ```
/// use mcp_runtime::Server;
/// use mcp_runtime::resources::FileTree;
///
/// # fn main() -> std::io::Result<()> {
/// let docs = FileTree::new("src")?.uri("docs:///").listed(100).max_size(64 * 1024);
///
/// let mut server = Server::builder();
/// server.resource(docs);
/// # drop(server.build());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct FileTree {
    root: PathBuf,
    template: ResourceTemplate,
    uri: String,
    /// If true, files and directories whose names begin with a dot are offered.
    hidden: bool,
    /// The maximum number of files to list.
    most: usize,
    max_size: u64,
}

impl FileTree {
    /// Offers the files under `root`.
    ///
    /// # Errors
    ///
    /// Fails if `root` is not a directory or can't be accessed.
    pub fn new(root: impl Into<PathBuf>) -> io::Result<Self> {
        let root = root.into().canonicalize()?;
        if !root.is_dir() {
            return Err(io::ErrorKind::NotADirectory.into());
        }
        Ok(Self {
            root,
            template: ResourceTemplate::new("files", ""),
            uri: "file:///".to_owned(),
            hidden: false,
            most: 0,
            max_size: MAX_FILE_BYTES,
        })
    }

    /// Sets the name of the template. The default is `files`.
    #[must_use]
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.template.name = name.into();
        self
    }

    /// Describes the files.
    #[must_use]
    pub fn description(mut self, text: impl Into<String>) -> Self {
        self.template.description = Some(text.into());
        self
    }

    /// Sets the prefix of all URIs, which precedes the path. The default is `file:///`. If a server
    /// offers several trees, each needs its own prefix.
    #[must_use]
    pub fn uri(mut self, prefix: impl Into<String>) -> Self {
        self.uri = prefix.into();
        self
    }

    /// Lists up to `most` files in `resources/list`, in the order of their URIs. By default, no files
    /// are listed. Files that clients can't read are left out: files over
    /// [`max_size`](Self::max_size), and files with `\` or `:` in their names.
    ///
    /// The directory is walked for each request. If lists have pages, it is walked for the first page
    /// only, and the result is used for the next pages within 30 seconds.
    #[must_use]
    pub fn listed(mut self, most: usize) -> Self {
        self.most = most;
        self
    }

    /// Sets the maximum size in bytes of a file that clients can read. The default is 1 MiB.
    #[must_use]
    pub fn max_size(mut self, bytes: u64) -> Self {
        self.max_size = bytes;
        self
    }

    /// Also offers files and directories whose names begin with a dot.
    #[must_use]
    pub fn hidden(mut self) -> Self {
        self.hidden = true;
        self
    }

    /// Reads the file `path`, which was requested as `uri`. Anything except a readable file is
    /// reported as missing.
    ///
    /// # Errors
    ///
    /// Fails if the file is too large.
    fn read(&self, path: &str, uri: String) -> Result<Contents, ProtocolError> {
        // Only regular files: opening a pipe may block, and reading a device may never end.
        let path = resolve(&self.root, path, self.hidden).filter(|path| path.is_file());
        let Some(path) = path else {
            return Ok(Contents::Missing);
        };
        let read = File::open(&path).and_then(|file| {
            let mut bytes = Vec::new();
            let limit = self.max_size.saturating_add(1);
            file.take(limit).read_to_end(&mut bytes).map(|_| bytes)
        });
        match read {
            Ok(bytes) if bytes.len() as u64 > self.max_size => {
                Err(RequestError::FileTooLarge(self.max_size).to_error())
            }
            Ok(bytes) => contents(bytes, uri, media_type(&path)).into_contents(),
            Err(_) => Ok(Contents::Missing),
        }
    }

    /// Collects the files of a directory and its subdirectories, in the order of their URIs, up to
    /// the maximum number of files to list.
    ///
    /// Symbolic links are not followed, so that no file is found twice and the walk terminates.
    fn walk(&self, directory: &Path, prefix: &str, files: &mut Vec<FoundFile>) {
        let Ok(entries) = fs::read_dir(directory) else {
            return;
        };
        let mut named = Vec::new();
        for entry in entries.flatten() {
            if let Ok(name) = entry.file_name().into_string()
                && is_plain(&name)
                && (self.hidden || !name.starts_with('.'))
                && let Ok(kind) = entry.file_type()
                && (kind.is_dir() || kind.is_file())
            {
                let end = if kind.is_dir() { "/" } else { "" };
                named.push((format!("{}{end}", encoded(&name)), name, entry));
            }
        }
        named.sort_by(|(one, ..), (other, ..)| one.cmp(other));
        for (key, name, entry) in named {
            if files.len() >= self.most {
                return;
            }
            let path = format!("{prefix}{name}");
            if key.ends_with('/') {
                self.walk(&entry.path(), &format!("{path}/"), files);
            } else if let Ok(file) = entry.metadata()
                && file.len() <= self.max_size
            {
                let size = file.len();
                files.push(FoundFile { path, size });
            }
        }
    }
}

impl IntoResource for FileTree {
    /// Creates the entry of the template.
    ///
    /// # Panics
    ///
    /// Panics if the prefix of the URIs contains braces.
    fn into_resource(self) -> ResourceEntry {
        let text = format!("{}{{+path}}", self.uri);
        let template = match UriTemplate::parse(&text) {
            Ok(template) => template,
            Err(error) => panic!("`{}` can't begin a URI: {error}", self.uri),
        };
        let tree = Arc::new(self);
        let listing = Arc::clone(&tree);
        let listed = tree.template.clone();
        let mut entry = ResourceEntry::template(listed, template, move |call| {
            let path = call.variables.get("path").cloned().unwrap_or_default();
            let tree = Arc::clone(&tree);
            let uri = call.uri.to_owned();
            Reply::Pending(Box::pin(blocking(move || tree.read(&path, uri))))
        });
        if listing.most == 0 {
            return entry;
        }
        let last = Arc::new(FileList::default());
        entry.lister = Some(Arc::new(move |part| {
            let tree = Arc::clone(&listing);
            let last = Arc::clone(&last);
            Box::pin(blocking(move || Ok(last.list(&tree, &part))))
        }));
        entry
    }
}

/// Lists the files of a tree page by page. Keeps the walk that produced the most recent first page for
/// the pages that follow.
#[derive(Debug, Default)]
struct FileList(Mutex<Option<Arc<Walk>>>);

/// The files that a walk has found, in the order of their URIs.
#[derive(Debug)]
struct Walk {
    files: Vec<FoundFile>,
    begun: Instant,
}

#[derive(Debug)]
struct FoundFile {
    path: String,
    size: u64,
}

impl FileList {
    fn list(&self, tree: &FileTree, part: &ListPart) -> Vec<Resource> {
        let is_current = |walk: &Arc<Walk>| walk.begun.elapsed() < FILE_WALK_LIFETIME;
        let last = part.after.as_ref().and_then(|_| self.lock().clone());
        let walk = last.filter(is_current).unwrap_or_else(|| {
            let begun = Instant::now();
            let mut files = Vec::new();
            tree.walk(&tree.root, "", &mut files);
            Arc::new(Walk { files, begun })
        });
        let after = part.after.as_deref().unwrap_or_default();
        let is_before = |file: &FoundFile| *file.uri(&tree.uri) <= *after;
        let rest = &walk.files[walk.files.partition_point(is_before)..];
        let listed = &rest[..rest.len().min(part.enough)];
        let resources = listed.iter().map(|file| file.resource(&tree.uri));
        // A part without a limit contains all files, but the page may still show fewer of them.
        let is_rest_shown = rest.len() < part.enough && part.enough != usize::MAX;
        let goes_on = part.paged && !rest.is_empty() && !is_rest_shown;
        *self.lock() = goes_on.then(|| Arc::clone(&walk));
        resources.collect()
    }

    fn lock(&self) -> MutexGuard<'_, Option<Arc<Walk>>> {
        lock(&self.0)
    }
}

impl FoundFile {
    fn uri(&self, prefix: &str) -> String {
        format!("{prefix}{}", encoded(&self.path))
    }

    fn resource(&self, prefix: &str) -> Resource {
        let mut resource = Resource::new(self.path.as_str(), self.uri(prefix));
        resource.mime_type = media_type(Path::new(&self.path)).map(str::to_owned);
        resource.size = Some(self.size.into());
        resource
    }
}

/// Percent-encodes a path for a URI (RFC 3986, section 3.3).
fn encoded(path: &str) -> String {
    PercentEncodedForUri::from_path(path).to_string()
}

/// Resolves `path` to a file or directory under `root`, following all symbolic links. Returns `None`
/// if it does not exist or is not under `root`.
///
/// `root` must be canonical. `path` is the path from the URI, decoded once. Its segments are separated
/// by `/` on every platform.
fn resolve(root: &Path, path: &str, hidden: bool) -> Option<PathBuf> {
    let mut found = root.to_owned();
    for part in path.split('/') {
        if !is_plain(part) || (!hidden && part.starts_with('.')) {
            return None;
        }
        found.push(part);
    }
    let found = fs::canonicalize(found).ok()?;
    let inside = found.strip_prefix(root).ok()?;
    // A visible symbolic link may lead to a hidden file.
    let is_shown = |part: &OsStr| hidden || part.to_str().is_some_and(|it| !it.starts_with('.'));
    inside.iter().all(is_shown).then_some(found)
}

/// Returns true if a segment of a path is a plain name. Excludes empty segments, `.` and `..`, drives,
/// separators of any platform, and NUL.
fn is_plain(part: &str) -> bool {
    let mut components = Path::new(part).components();
    let is_name = matches!(components.next(), Some(Component::Normal(name)) if name == part);
    is_name && components.next().is_none() && !part.contains(['\\', '\0', ':'])
}

/// Returns text contents if the bytes are UTF-8 and the media type `guess` is textual or missing.
/// Otherwise returns binary contents.
fn contents(bytes: Vec<u8>, uri: String, guess: Option<&'static str>) -> ResourceContents {
    let bytes = match String::from_utf8(bytes) {
        Ok(text) if guess.is_none_or(is_text) => {
            return TextResourceContents::new(uri, text)
                .with_mime_type(guess.unwrap_or("text/plain"))
                .into();
        }
        Ok(text) => text.into_bytes(),
        Err(error) => error.into_bytes(),
    };
    BlobResourceContents::from_bytes(uri, bytes)
        .with_mime_type(guess.unwrap_or("application/octet-stream"))
        .into()
}

fn is_text(mime_type: &str) -> bool {
    let (kind, detail) = mime_type.split_once('/').unwrap_or_default();
    kind == "text" || detail.ends_with("+xml") || ["json", "toml", "xml", "yaml"].contains(&detail)
}

/// Guesses the media type of a file from its extension, in any case. Returns `None` if the extension is
/// not a common one.
///
/// ```
/// use mcp_runtime::resources::media_type;
///
/// assert_eq!(media_type("docs/logo.PNG"), Some("image/png"));
/// assert_eq!(media_type("LICENSE"), None);
/// ```
#[must_use]
pub fn media_type(path: impl AsRef<Path>) -> Option<&'static str> {
    let extension = path.as_ref().extension()?.to_str()?.to_ascii_lowercase();
    Some(match extension.as_str() {
        "bmp" => "image/bmp",
        "c" => "text/x-c",
        "css" => "text/css",
        "csv" => "text/csv",
        "gif" => "image/gif",
        "gz" => "application/gzip",
        "htm" | "html" => "text/html",
        "jpeg" | "jpg" => "image/jpeg",
        "js" => "text/javascript",
        "json" => "application/json",
        "log" | "txt" => "text/plain",
        "md" => "text/markdown",
        "mp3" => "audio/mpeg",
        "mp4" => "video/mp4",
        "ogg" => "audio/ogg",
        "pdf" => "application/pdf",
        "png" => "image/png",
        "py" => "text/x-python",
        "rs" => "text/x-rust",
        "svg" => "image/svg+xml",
        "toml" => "application/toml",
        "ts" => "text/x-typescript",
        "wasm" => "application/wasm",
        "wav" => "audio/wav",
        "webp" => "image/webp",
        "xml" => "application/xml",
        "yaml" | "yml" => "application/yaml",
        "zip" => "application/zip",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_are_plain() {
        for name in ["a", "a.txt", "..a", "a..", "%2e%2e", "é", "a b"] {
            assert!(is_plain(name), "{name}");
        }
        for name in [
            "", ".", "..", "a/b", "/", "a\\b", "..\\a", "a\0", "C:", "C:a",
        ] {
            assert!(!is_plain(name), "{name:?}");
        }
    }

    #[test]
    fn common_files_are_known_whatever_their_case() {
        assert_eq!(media_type(Path::new("a/b.PNG")), Some("image/png"));
        assert_eq!(media_type(Path::new("a.tar.gz")), Some("application/gzip"));
        assert_eq!(media_type(Path::new("png")), None);
        assert_eq!(media_type(Path::new("a.unheard")), None);
    }

    #[test]
    fn what_is_reserved_is_escaped() {
        assert_eq!(encoded("a/b c.txt"), "a/b%20c.txt");
        assert_eq!(encoded("é?#%[]"), "%C3%A9%3F%23%25%5B%5D");
    }
}
