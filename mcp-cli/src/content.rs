//! Shows the contents of results: text as it is, and everything else on one line or in a file.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use indicatif::BinaryBytes;
use mcp_runtime::types::{ContentBlock, ResourceContents};

use crate::failure::Failure;

/// Shows contents, and writes binary contents into a folder if there is one.
pub(crate) struct Contents<'a> {
    folder: Option<&'a Path>,
    written: usize,
}

impl<'a> Contents<'a> {
    pub(crate) fn new(folder: Option<&'a Path>) -> Self {
        Self { folder, written: 0 }
    }

    /// The text of a content block, or a line that describes it.
    ///
    /// # Errors
    ///
    /// Fails if a file can't be written.
    pub(crate) fn show(&mut self, block: &ContentBlock) -> Result<String, Failure> {
        match block {
            ContentBlock::Text(text) => Ok(text.text.clone()),
            ContentBlock::Image(it) => self.binary(&it.mime_type, it.bytes()),
            ContentBlock::Audio(it) => self.binary(&it.mime_type, it.bytes()),
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
    pub(crate) fn resource(&mut self, contents: &ResourceContents) -> Result<String, Failure> {
        if let Some(text) = contents.as_text() {
            return Ok(text.to_owned());
        }
        let mime_type = contents.mime_type().unwrap_or("application/octet-stream");
        self.binary(mime_type, contents.bytes())
    }

    fn binary(&mut self, mime_type: &str, bytes: Option<Vec<u8>>) -> Result<String, Failure> {
        let Some(bytes) = bytes else {
            return Ok(format!("{mime_type}, which is not Base64"));
        };
        let size = BinaryBytes(bytes.len() as u64);
        let line = format!("{mime_type}, {size}");
        let Some(folder) = self.folder else {
            return Ok(line);
        };
        let written = self.write(folder, mime_type, &bytes);
        let path = written.map_err(|error| Failure::of_file(folder, &error))?;
        Ok(format!("{line}: {}", path.display()))
    }

    /// Writes a file. The server does not choose its name.
    fn write(&mut self, folder: &Path, mime_type: &str, bytes: &[u8]) -> io::Result<PathBuf> {
        fs::create_dir_all(folder)?;
        loop {
            self.written += 1;
            let path = folder.join(format!("content-{}.{}", self.written, extension(mime_type)));
            match File::create_new(&path) {
                Ok(mut file) => return file.write_all(bytes).map(|()| path),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
    }
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
    use super::*;

    #[test]
    fn contents_other_than_text_are_one_line() {
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
