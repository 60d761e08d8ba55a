//! Reading a file of the tree.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use mcp_types::jsonrpc::code;
use mcp_types::{BlobResourceContents, ResourceContents, TextResourceContents};

use super::media;
use crate::ProtocolError;
use crate::server::resources::Contents;

/// The contents of the file `path`, for the client that asked for `uri`.
///
/// # Errors
///
/// When the file has more than `limit` bytes. What is no readable file is missing.
pub(super) fn read(path: &Path, uri: String, limit: u64) -> Result<Contents, ProtocolError> {
    // Whatever is no regular file might never end, or never begin.
    let Some(file) = path.is_file().then(|| File::open(path).ok()).flatten() else {
        return Ok(Contents::Missing);
    };
    let mut bytes = Vec::new();
    if file
        .take(limit.saturating_add(1))
        .read_to_end(&mut bytes)
        .is_err()
    {
        return Ok(Contents::Missing);
    }
    if u64::try_from(bytes.len()).is_ok_and(|length| length > limit) {
        let message = format!("the file is larger than the limit of {limit} bytes");
        return Err(ProtocolError::new(code::INTERNAL_ERROR, message));
    }
    Ok(Contents::Parts(vec![contents(
        bytes,
        uri,
        media::guess(path),
    )]))
}

/// Text, where it is text, under the type that the name of the file stands for.
fn contents(bytes: Vec<u8>, uri: String, guess: Option<&'static str>) -> ResourceContents {
    match String::from_utf8(bytes) {
        Ok(text) if guess.is_none_or(is_text) => TextResourceContents::new(uri, text)
            .with_mime_type(guess.unwrap_or("text/plain"))
            .into(),
        text => {
            let bytes =
                text.map_or_else(std::string::FromUtf8Error::into_bytes, String::into_bytes);
            let mime_type = guess.unwrap_or("application/octet-stream");
            BlobResourceContents::from_bytes(uri, bytes)
                .with_mime_type(mime_type)
                .into()
        }
    }
}

fn is_text(mime_type: &str) -> bool {
    let (kind, detail) = mime_type.split_once('/').unwrap_or_default();
    kind == "text" || detail.ends_with("+xml") || ["json", "toml", "xml", "yaml"].contains(&detail)
}
