//! Converts the return values of resources into answers to `resources/read`.

use std::borrow::Cow;

use mcp_types::{
    BlobResourceContents, ReadResourceResult, ResourceContents, Revision, TextResourceContents,
};
use serde::Serialize;

use crate::ProtocolError;
use crate::error::RequestError;
use crate::protocol::resource_not_found;
use crate::server::HandlerError;
use crate::server::handler::{Convert, Json, conversions, downcast, to_protocol};

/// The contents of a resource. The URI and media type are added from the request and the entry.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Contents {
    /// Text.
    Text(String),
    /// A JSON document.
    Json(String),
    /// Binary data.
    Bytes(Vec<u8>),
    /// Several parts with their own URIs and media types.
    Parts(Vec<ResourceContents>),
    /// The complete answer.
    Whole(Box<ReadResourceResult>),
    /// There is no resource with this URI.
    Missing,
}

/// The error of a function if there is no resource with the requested URI.
///
/// The client gets the error code that its revision defines for this case.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, thiserror::Error)]
#[error("Resource not found")]
pub struct NotFound;

/// A type that a resource can return as its contents.
///
/// ```
/// use mcp_runtime::resources::{Contents, IntoContents};
///
/// let text = "Emma Woodhouse, handsome, clever, and rich".into_contents().unwrap();
/// assert!(matches!(text, Contents::Text(_)));
/// assert_eq!(None::<String>.into_contents().unwrap(), Contents::Missing);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be returned from a resource",
    label = "is neither text, bytes nor contents",
    note = "return a `String`, a `Vec<u8>`, a `Json<{Self}>`, `ResourceContents`, or an `Option` of one"
)]
pub trait IntoContents {
    /// Converts the value into contents.
    ///
    /// # Errors
    ///
    /// Returns the error that answers the request instead.
    fn into_contents(self) -> Result<Contents, ProtocolError>;
}

/// Returns the conversion of a return type into contents.
pub fn resource_output<T: IntoContents>() -> Convert<T, Contents> {
    T::into_contents
}

conversions! {
    IntoContents::into_contents -> Contents;
    contents: Contents => contents;
    text: String => Contents::Text(text);
    text: &'static str => Contents::Text(text.to_owned());
    text: Cow<'static, str> => Contents::Text(text.into_owned());
    bytes: Vec<u8> => Contents::Bytes(bytes);
    bytes: &'static [u8] => Contents::Bytes(bytes.to_vec());
    part: ResourceContents => Contents::Parts(vec![part]);
    parts: Vec<ResourceContents> => Contents::Parts(parts);
    whole: ReadResourceResult => Contents::Whole(Box::new(whole));
}

impl<T: Serialize> IntoContents for Json<T> {
    fn into_contents(self) -> Result<Contents, ProtocolError> {
        let json = serde_json::to_string(&self.0);
        json.map(Contents::Json)
            .map_err(|error| RequestError::ResourceNotJson(error.to_string()).to_error())
    }
}

impl<T: IntoContents> IntoContents for Option<T> {
    fn into_contents(self) -> Result<Contents, ProtocolError> {
        self.map_or(Ok(Contents::Missing), T::into_contents)
    }
}

impl<T: IntoContents, E: HandlerError> IntoContents for Result<T, E> {
    fn into_contents(self) -> Result<Contents, ProtocolError> {
        match self {
            Ok(value) => value.into_contents(),
            Err(error) => match downcast::<NotFound>(&error) {
                Some(NotFound) => Ok(Contents::Missing),
                None => Err(to_protocol(error)),
            },
        }
    }
}

impl Contents {
    pub(in crate::server) fn result(
        self,
        uri: String,
        mime_type: Option<String>,
        revision: Revision,
    ) -> Result<ReadResourceResult, ProtocolError> {
        let text = |text, mime_type| {
            let mut part = TextResourceContents::new(uri.as_str(), text);
            part.mime_type = mime_type;
            part.into()
        };
        let part = match self {
            Self::Text(content) => text(content, mime_type),
            Self::Json(content) => text(
                content,
                mime_type.or_else(|| Some("application/json".to_owned())),
            ),
            Self::Bytes(bytes) => {
                let mut part = BlobResourceContents::from_bytes(uri, bytes);
                part.mime_type = mime_type;
                part.into()
            }
            Self::Parts(parts) => return Ok(ReadResourceResult::new(parts)),
            Self::Whole(whole) => return Ok(*whole),
            Self::Missing => {
                let code = resource_not_found(revision);
                return Err(RequestError::ResourceNotFound { uri, code }.to_error());
            }
        };
        Ok(ReadResourceResult::new([part]))
    }
}
