//! Contents of results: text as it is, all else as one line or as a file.

use std::fs;
use std::path::{Path, PathBuf};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use mcp_runtime::types::{ContentBlock, ResourceContents};

use crate::failure::{Failure, Kind};

/// Shows contents, and writes those that are no text into a folder if there is one.
pub(crate) struct Contents<'a> {
    folder: Option<&'a Path>,
    written: usize,
}

impl<'a> Contents<'a> {
    pub(crate) fn new(folder: Option<&'a Path>) -> Self {
        Self { folder, written: 0 }
    }

    /// The text of a content block, or a line about it.
    ///
    /// # Errors
    ///
    /// If a file can't be written.
    pub(crate) fn show(&mut self, block: &ContentBlock) -> Result<String, Failure> {
        match block {
            ContentBlock::Text(text) => Ok(text.text.clone()),
            ContentBlock::Image(image) => self.encoded(&image.mime_type, &image.data),
            ContentBlock::Audio(audio) => self.encoded(&audio.mime_type, &audio.data),
            ContentBlock::ResourceLink(link) => Ok(format!("{} ({})", link.uri, link.name)),
            ContentBlock::Resource(resource) => self.resource(&resource.resource),
            other => Ok(serde_json::to_string(other).unwrap_or_default()),
        }
    }

    /// The text of a resource, or a line about it.
    ///
    /// # Errors
    ///
    /// If a file can't be written.
    pub(crate) fn resource(&mut self, contents: &ResourceContents) -> Result<String, Failure> {
        if let Some(text) = contents.as_text() {
            return Ok(text.to_owned());
        }
        let mime_type = contents.mime_type().unwrap_or("application/octet-stream");
        match contents.bytes() {
            Some(bytes) => self.binary(mime_type, &bytes),
            None => Ok(format!("{mime_type}, which is no Base64")),
        }
    }

    fn encoded(&mut self, mime_type: &str, data: &str) -> Result<String, Failure> {
        match STANDARD.decode(data) {
            Ok(bytes) => self.binary(mime_type, &bytes),
            Err(_) => Ok(format!("{mime_type}, which is no Base64")),
        }
    }

    fn binary(&mut self, mime_type: &str, bytes: &[u8]) -> Result<String, Failure> {
        let line = format!("{mime_type}, {}", size(bytes.len()));
        let Some(folder) = self.folder else {
            return Ok(line);
        };
        let path = self.write(folder, mime_type, bytes).map_err(|error| {
            let message = format!("{}: {error}", folder.display());
            Failure::new(Kind::Unexpected, message)
        })?;
        Ok(format!("{line}: {}", path.display()))
    }

    /// Writes a file whose name the server does not choose.
    fn write(&mut self, folder: &Path, mime_type: &str, bytes: &[u8]) -> std::io::Result<PathBuf> {
        fs::create_dir_all(folder)?;
        loop {
            self.written += 1;
            let path = folder.join(format!("content-{}.{}", self.written, extension(mime_type)));
            match fs::OpenOptions::new()
                .write(true)
                .create_new(true)
                .open(&path)
            {
                Ok(mut file) => {
                    std::io::Write::write_all(&mut file, bytes)?;
                    return Ok(path);
                }
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
    }
}

/// The extension of files of a type.
fn extension(mime_type: &str) -> &str {
    let end = mime_type.find(';').unwrap_or(mime_type.len());
    match mime_type[..end].trim() {
        "image/jpeg" => "jpg",
        "image/svg+xml" => "svg",
        "audio/mpeg" => "mp3",
        "audio/x-wav" => "wav",
        "text/plain" => "txt",
        other => match other.rsplit('/').next() {
            Some(kind)
                if kind.len() <= 5
                    && kind.bytes().all(|it| it.is_ascii_alphanumeric())
                    && !kind.is_empty() =>
            {
                kind
            }
            _ => "bin",
        },
    }
}

/// A size for people.
fn size(bytes: usize) -> String {
    indicatif::BinaryBytes(bytes as u64).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contents_that_are_no_text_are_a_line() {
        let block = ContentBlock::image([0; 12_595], "image/png");
        assert_eq!(
            Contents::new(None).show(&block).unwrap(),
            "image/png, 12.30 KiB"
        );
    }

    #[test]
    fn files_have_names_of_our_own_and_replace_none() {
        let folder = tempfile::tempdir().unwrap();
        let block = ContentBlock::image("x", "image/../../x");
        for name in ["content-1.x", "content-2.x"] {
            let line = Contents::new(Some(folder.path())).show(&block).unwrap();
            assert!(line.ends_with(name), "{line}");
        }
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
    }
}
