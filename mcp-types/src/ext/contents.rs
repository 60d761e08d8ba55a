//! Contents of resources.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use crate::{
    BlobResourceContents, JsonObject, ReadResourceResult, ResourceContents, TextResourceContents,
};

impl ResourceContents {
    /// Creates text content of the resource `uri`.
    ///
    /// ```
    /// use mcp_types::{ReadResourceResult, ResourceContents};
    ///
    /// let page = ResourceContents::text("file:///a.html", "<p>Hi").with_mime_type("text/html");
    /// assert_eq!(page.as_text(), Some("<p>Hi"));
    /// let result = ReadResourceResult::from(page);
    /// assert_eq!(result.contents.len(), 1);
    /// ```
    #[must_use]
    pub fn text(uri: impl Into<String>, text: impl Into<String>) -> Self {
        TextResourceContents::new(uri, text).into()
    }

    /// Creates binary content of the resource `uri`.
    #[must_use]
    pub fn blob(uri: impl Into<String>, bytes: impl AsRef<[u8]>) -> Self {
        BlobResourceContents::from_bytes(uri, bytes).into()
    }

    /// Sets the media type. Content of an unknown kind is not changed.
    #[must_use]
    pub fn with_mime_type(mut self, mime_type: impl Into<String>) -> Self {
        match &mut self {
            Self::Text(text) => text.mime_type = Some(mime_type.into()),
            Self::Blob(blob) => blob.mime_type = Some(mime_type.into()),
            Self::Unknown(_) => {}
        }
        self
    }

    /// Sets the `_meta`. Content of an unknown kind is not changed.
    #[must_use]
    pub fn with_meta(mut self, meta: Option<JsonObject>) -> Self {
        match &mut self {
            Self::Text(text) => text.meta = meta,
            Self::Blob(blob) => blob.meta = meta,
            Self::Unknown(_) => {}
        }
        self
    }

    /// Returns the `_meta`, if the content has any.
    #[must_use]
    pub fn meta(&self) -> Option<&JsonObject> {
        match self {
            Self::Text(text) => text.meta.as_ref(),
            Self::Blob(blob) => blob.meta.as_ref(),
            Self::Unknown(_) => None,
        }
    }

    /// Returns the URI, or `None` for content of an unknown kind.
    #[must_use]
    pub fn uri(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(&text.uri),
            Self::Blob(blob) => Some(&blob.uri),
            Self::Unknown(_) => None,
        }
    }

    /// Returns a mutable reference to the URI, or `None` for content of an unknown kind.
    #[must_use]
    pub fn uri_mut(&mut self) -> Option<&mut String> {
        match self {
            Self::Text(text) => Some(&mut text.uri),
            Self::Blob(blob) => Some(&mut blob.uri),
            Self::Unknown(_) => None,
        }
    }

    /// Returns the media type, if it is known.
    #[must_use]
    pub fn mime_type(&self) -> Option<&str> {
        match self {
            Self::Text(text) => text.mime_type.as_deref(),
            Self::Blob(blob) => blob.mime_type.as_deref(),
            Self::Unknown(_) => None,
        }
    }

    /// Returns the text, if the content is text.
    #[must_use]
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(&text.text),
            _ => None,
        }
    }

    /// Returns the bytes, if the content is binary and its `blob` is Base64.
    #[must_use]
    pub fn bytes(&self) -> Option<Vec<u8>> {
        match self {
            Self::Blob(blob) => blob.bytes(),
            _ => None,
        }
    }
}

impl BlobResourceContents {
    /// Creates the content of the resource `uri` from its bytes.
    #[must_use]
    pub fn from_bytes(uri: impl Into<String>, bytes: impl AsRef<[u8]>) -> Self {
        Self::new(uri, STANDARD.encode(bytes))
    }

    /// Returns the bytes, or `None` if `blob` is not Base64.
    #[must_use]
    pub fn bytes(&self) -> Option<Vec<u8>> {
        STANDARD.decode(&self.blob).ok()
    }
}

impl From<ResourceContents> for ReadResourceResult {
    fn from(contents: ResourceContents) -> Self {
        Self::new([contents])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RawJson;

    #[test]
    fn text_and_bytes_are_told_apart() {
        let text = ResourceContents::text("a:t", "x");
        assert_eq!((text.uri(), text.as_text()), (Some("a:t"), Some("x")));
        assert_eq!((text.mime_type(), text.bytes()), (None, None));
        let blob = ResourceContents::blob("a:b", [0, 1]).with_mime_type("image/png");
        assert_eq!((blob.uri(), blob.as_text()), (Some("a:b"), None));
        assert_eq!(blob.mime_type(), Some("image/png"));
        assert_eq!(blob.bytes().unwrap(), [0, 1]);
    }

    #[test]
    fn an_unknown_kind_says_nothing() {
        let json = RawJson::from_text(r#"{"uri":"a:b","scent":"rose"}"#).unwrap();
        let unknown = ResourceContents::Unknown(json).with_mime_type("x/y");
        assert_eq!((unknown.uri(), unknown.mime_type()), (None, None));
    }
}
