//! What a tool may return besides text.

use mcp_types::{AudioContent, ContentBlock, ImageContent};

/// A value that is returned as JSON: structured content, and a copy of it as text.
///
/// A tool's own types are returned so by themselves; the wrapper says it where that is not
/// possible, as for a number or in a closure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Json<T>(pub T);

/// A picture.
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

/// A sound.
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

    /// A PNG file.
    #[must_use]
    pub fn png(data: impl Into<Vec<u8>>) -> Self {
        Self::new(data, "image/png")
    }

    /// A JPEG file.
    #[must_use]
    pub fn jpeg(data: impl Into<Vec<u8>>) -> Self {
        Self::new(data, "image/jpeg")
    }

    /// The format.
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

    /// A WAVE file.
    #[must_use]
    pub fn wav(data: impl Into<Vec<u8>>) -> Self {
        Self::new(data, "audio/wav")
    }

    /// The format.
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

/// A block of text.
pub(super) fn text_block(text: impl Into<String>) -> ContentBlock {
    ContentBlock::text(text)
}
