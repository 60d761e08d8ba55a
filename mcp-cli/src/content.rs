//! Shows the contents of results: text as it is, and everything else on a line or in a file.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use indicatif::BinaryBytes;
use mcp_runtime::types::{ContentBlock, ResourceContents};
use percent_encoding::percent_decode_str;

use crate::failure::Failure;
use crate::limits::{EXTENSION_CHARS, FILE_NAME_CHARS};

/// Shows contents, and writes binary contents into a folder if there is one.
pub(crate) struct Contents<'a> {
    folder: Option<&'a Path>,
}

impl<'a> Contents<'a> {
    pub(crate) fn new(folder: Option<&'a Path>) -> Self {
        Self { folder }
    }

    /// The text of a content block, or a line that describes it.
    ///
    /// # Errors
    ///
    /// Fails if a file can't be written.
    pub(crate) fn show(&self, block: &ContentBlock) -> Result<String, Failure> {
        match block {
            ContentBlock::Text(text) => Ok(text.text.clone()),
            ContentBlock::Image(it) => self.binary(None, &it.mime_type, it.bytes()),
            ContentBlock::Audio(it) => self.binary(None, &it.mime_type, it.bytes()),
            ContentBlock::ResourceLink(link) => Ok(format!("{} ({})", link.uri, link.name)),
            ContentBlock::Resource(resource) => self.resource(&resource.resource),
            other => Ok(serde_json::to_string(other).unwrap_or_default()),
        }
    }

    /// The text of a resource, or a line that describes it.
    ///
    /// # Errors
    ///
    /// Fails if a file can't be written.
    pub(crate) fn resource(&self, contents: &ResourceContents) -> Result<String, Failure> {
        if let Some(text) = contents.as_text() {
            return Ok(text.to_owned());
        }
        let mime_type = contents.mime_type().unwrap_or("application/octet-stream");
        self.binary(contents.uri(), mime_type, contents.bytes())
    }

    fn binary(
        &self,
        uri: Option<&str>,
        mime_type: &str,
        bytes: Option<Vec<u8>>,
    ) -> Result<String, Failure> {
        let name = uri.map_or_else(String::new, |it| format!("{it}: "));
        let Some(bytes) = bytes else {
            return Ok(format!("{name}{mime_type}, which is not Base64"));
        };
        let line = format!("{name}{mime_type}, {}", BinaryBytes(bytes.len() as u64));
        let Some(folder) = self.folder else {
            return Ok(format!("{line} (`--save DIR` keeps it)"));
        };
        let written = write(folder, uri.unwrap_or_default(), mime_type, &bytes);
        let path = written.map_err(|error| Failure::of_file(folder, &error))?;
        Ok(format!("{line}: {}", path.display()))
    }
}

/// Writes a new file, and returns its path.
fn write(folder: &Path, uri: &str, mime_type: &str, bytes: &[u8]) -> io::Result<PathBuf> {
    fs::create_dir_all(folder)?;
    let name = file_name(uri);
    let (stem, extension) = match name.rsplit_once('.') {
        Some((stem, extension)) if extension.len() <= EXTENSION_CHARS => (stem, extension),
        _ => (&*name, extension(mime_type)),
    };
    let mut number = 1;
    loop {
        let name = match number {
            1 if !stem.is_empty() => stem.to_owned(),
            _ => format!(
                "{}-{number}",
                if stem.is_empty() { "content" } else { stem }
            ),
        };
        let path = folder.join(format!("{name}.{extension}"));
        match File::create_new(&path) {
            Ok(mut file) => return file.write_all(bytes).map(|()| path),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => number += 1,
            Err(error) => return Err(error),
        }
    }
}

/// The last name in the URI of a resource, as a name that is safe in each system. Empty if there is
/// no such name.
fn file_name(uri: &str) -> String {
    let path = uri.split(['?', '#']).next().unwrap_or_default();
    let name = path.trim_end_matches('/').rsplit(['/', ':']).next();
    let name = percent_decode_str(name.unwrap_or_default()).decode_utf8_lossy();
    let is_safe = |it: char| it.is_ascii_alphanumeric() || "._-".contains(it);
    let name = name.replace(|it| !is_safe(it), "_");
    let name: String = name
        .trim_matches('.')
        .chars()
        .take(FILE_NAME_CHARS)
        .collect();
    let device = name
        .split('.')
        .next()
        .unwrap_or_default()
        .to_ascii_uppercase();
    let is_device = match device.strip_prefix("COM").or(device.strip_prefix("LPT")) {
        Some(number) => number.len() == 1 && number.bytes().all(|it| it.is_ascii_digit()),
        None => ["CON", "PRN", "AUX", "NUL"].contains(&&*device),
    };
    if is_device { format!("_{name}") } else { name }
}

fn extension(mime_type: &str) -> &str {
    let essence = mime_type.split(';').next().unwrap_or_default().trim();
    let kind = essence.rsplit('/').next().unwrap_or_default();
    match essence {
        "image/svg+xml" => "svg",
        "audio/mpeg" => "mp3",
        "text/plain" => "txt",
        _ if (1..=5).contains(&kind.len()) && kind.bytes().all(|it| it.is_ascii_alphanumeric()) => {
            kind
        }
        _ => "bin",
    }
}

#[cfg(test)]
mod tests {
    use mcp_runtime::types::{BlobResourceContents, ResourceLink};

    use super::*;

    #[test]
    fn contents_other_than_text_are_one_line() {
        let contents = Contents::new(None);
        let image = ContentBlock::image([0; 12_595], "image/png");
        assert_eq!(
            contents.show(&image).unwrap(),
            "image/png, 12.30 KiB (`--save DIR` keeps it)"
        );
        let blob = BlobResourceContents::from_bytes("file:///a.bin", [0; 3]);
        assert_eq!(
            contents.resource(&ResourceContents::Blob(blob)).unwrap(),
            "file:///a.bin: application/octet-stream, 3 B (`--save DIR` keeps it)"
        );
        let link = ResourceLink::new("a", "file:///a.md");
        let link = contents.show(&ContentBlock::ResourceLink(Box::new(link)));
        assert_eq!(link.unwrap(), "file:///a.md (a)");
    }

    #[test]
    fn files_have_safe_names_and_replace_none() {
        let folder = tempfile::tempdir().unwrap();
        let contents = Contents::new(Some(folder.path()));
        let image = || ContentBlock::image("x", "image/../../x");
        let blob = |uri: &str| {
            let blob = BlobResourceContents::from_bytes(uri, "x");
            ContentBlock::resource(ResourceContents::Blob(blob))
        };
        for (block, name) in [
            (image(), "content-1.x"),
            (image(), "content-2.x"),
            (blob("file:///a/report.pdf?x=/y"), "report.pdf"),
            (blob("file:///b/report.pdf"), "report-2.pdf"),
            (blob("note:7"), "7.bin"),
            (blob("file:///%2e%2e%2f..%5c.ssh%00"), "_.._.ssh_"),
            (blob("file:///.bashrc"), "bashrc.bin"),
            (blob("file:///nul.tar.gz"), "_nul.tar.gz"),
            (blob("file:///com1"), "_com1.bin"),
            (blob("file:///天気"), "__.bin"),
            (blob("///"), "content-1.bin"),
        ] {
            let line = contents.show(&block).unwrap();
            let path = folder.path().join(name);
            assert!(line.ends_with(&format!(": {}", path.display())), "{line}");
            assert_eq!(fs::read(path).unwrap(), b"x");
        }
        let long = file_name(&format!("a:{}.txt", "x".repeat(500)));
        assert_eq!(long.len(), FILE_NAME_CHARS);
    }
}
