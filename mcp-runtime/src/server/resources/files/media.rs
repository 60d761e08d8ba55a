//! What is in a file, by its name.

use std::path::Path;

/// The media types of common files, by extension.
const TYPES: &[(&str, &str)] = &[
    ("bmp", "image/bmp"),
    ("c", "text/x-c"),
    ("css", "text/css"),
    ("csv", "text/csv"),
    ("gif", "image/gif"),
    ("gz", "application/gzip"),
    ("htm", "text/html"),
    ("html", "text/html"),
    ("jpeg", "image/jpeg"),
    ("jpg", "image/jpeg"),
    ("js", "text/javascript"),
    ("json", "application/json"),
    ("log", "text/plain"),
    ("md", "text/markdown"),
    ("mp3", "audio/mpeg"),
    ("mp4", "video/mp4"),
    ("ogg", "audio/ogg"),
    ("pdf", "application/pdf"),
    ("png", "image/png"),
    ("py", "text/x-python"),
    ("rs", "text/x-rust"),
    ("svg", "image/svg+xml"),
    ("toml", "application/toml"),
    ("ts", "text/x-typescript"),
    ("txt", "text/plain"),
    ("wasm", "application/wasm"),
    ("wav", "audio/wav"),
    ("webp", "image/webp"),
    ("xml", "application/xml"),
    ("yaml", "application/yaml"),
    ("yml", "application/yaml"),
    ("zip", "application/zip"),
];

/// The media type that the extension of `path` stands for, if it is a common one.
pub(super) fn guess(path: &Path) -> Option<&'static str> {
    let extension = path.extension()?.to_str()?.to_ascii_lowercase();
    let found = TYPES.binary_search_by(|(known, _)| (*known).cmp(extension.as_str()));
    Some(TYPES[found.ok()?].1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_files_are_known_whatever_their_case() {
        assert!(TYPES.is_sorted());
        assert_eq!(guess(Path::new("a/b.PNG")), Some("image/png"));
        assert_eq!(guess(Path::new("a.tar.gz")), Some("application/gzip"));
        assert_eq!(guess(Path::new("png")), None);
        assert_eq!(guess(Path::new("a.unheard")), None);
    }
}
