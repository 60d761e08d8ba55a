//! Values that a tool may return besides text.

use mcp_types::{AudioContent, ContentBlock, ImageContent};

/// A value that is returned as JSON: structured content, and a copy of it as text.
///
/// A tool's own types are returned so by themselves; the wrapper says it where that is not
/// possible, as for a number or in a closure. In a resource it is the contents, of the media type
/// `application/json`.
///
/// ```
/// use mcp_runtime::prelude::*;
///
/// /// How many there are: a number, not its digits.
/// fn count() -> Json<u32> {
///     Json(3)
/// }
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Json<T>(pub T);

/// A picture, as a tool or prompt returns it (2026-07-28, "Tools", section Image Content). It holds the
/// bytes of the file, which are sent in Base64 and not looked at.
///
/// ```
/// use mcp_runtime::Image;
///
/// let pixel = Image::png(vec![0x89, 0x50, 0x4e, 0x47]);
/// assert_eq!(pixel.mime_type(), "image/png");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    data: Vec<u8>,
    mime_type: String,
}

/// A sound, as a tool or prompt returns it (2025-03-26 and later, "Tools", section Audio Content); older
/// revisions get a text in its place. It holds the bytes of the file, which are sent in Base64 and not
/// looked at.
///
/// ```
/// use mcp_runtime::Audio;
///
/// let beep = Audio::wav(b"RIFF".to_vec());
/// assert_eq!(beep.mime_type(), "audio/wav");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Audio {
    data: Vec<u8>,
    mime_type: String,
}

impl Image {
    /// A picture in the format that `mime_type` names, such as `image/webp`.
    #[must_use]
    pub fn new(data: impl Into<Vec<u8>>, mime_type: impl Into<String>) -> Self {
        Self {
            data: data.into(),
            mime_type: mime_type.into(),
        }
    }

    /// The bytes of a PNG file.
    #[must_use]
    pub fn png(data: impl Into<Vec<u8>>) -> Self {
        Self::new(data, "image/png")
    }

    /// The bytes of a JPEG file.
    #[must_use]
    pub fn jpeg(data: impl Into<Vec<u8>>) -> Self {
        Self::new(data, "image/jpeg")
    }

    /// The media type that was given.
    #[must_use]
    pub fn mime_type(&self) -> &str {
        &self.mime_type
    }
}

impl Audio {
    /// A sound in the format that `mime_type` names, such as `audio/ogg`.
    #[must_use]
    pub fn new(data: impl Into<Vec<u8>>, mime_type: impl Into<String>) -> Self {
        Self {
            data: data.into(),
            mime_type: mime_type.into(),
        }
    }

    /// The bytes of a WAVE file.
    #[must_use]
    pub fn wav(data: impl Into<Vec<u8>>) -> Self {
        Self::new(data, "audio/wav")
    }

    /// The media type that was given.
    #[must_use]
    pub fn mime_type(&self) -> &str {
        &self.mime_type
    }
}

impl From<Image> for ContentBlock {
    fn from(image: Image) -> Self {
        Self::Image(ImageContent::from_bytes(image.data, image.mime_type))
    }
}

impl From<Audio> for ContentBlock {
    fn from(audio: Audio) -> Self {
        Self::Audio(AudioContent::from_bytes(audio.data, audio.mime_type))
    }
}
