//! Content of results and messages: text, images, audio and resources.

use std::borrow::Cow;

use mcp_types::{
    AudioContent, ContentBlock, EmbeddedResource, ImageContent, ResourceLink, TextContent,
};

/// A value that is sent as content: a string, a content block, or an `Option`, a list or a tuple of
/// up to six such values.
///
/// A function with `#[tool]` can return such a value, alone or in a `Result`. A closure must
/// convert a list or tuple with `CallToolResult::new(value.into_content())`. A list or tuple that
/// has only strings is sent as structured content instead, because it is also valid JSON.
///
/// ```
/// use mcp_runtime::{Image, IntoContent};
///
/// let plot = Image::png(vec![0x89, 0x50, 0x4e, 0x47]);
/// let blocks = ("Rain in May:", vec![plot]).into_content();
/// assert_eq!(blocks[0].as_text(), Some("Rain in May:"));
/// assert_eq!(blocks.len(), 2);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not content",
    label = "needs text or content",
    note = "content is text, `ContentBlock`, `Image`, `Audio`, `ResourceLink` and `EmbeddedResource`, and an `Option`, list or tuple of them"
)]
pub trait IntoContent {
    /// Returns the content blocks in order.
    #[must_use]
    fn into_content(self) -> Vec<ContentBlock>;
}

/// Implements `IntoContent` for types whose values become one block.
macro_rules! blocks {
    ($($value:ident: $($kind:ty),* => $block:expr;)*) => {
        $($(
            impl IntoContent for $kind {
                fn into_content(self) -> Vec<ContentBlock> {
                    let $value = self;
                    vec![$block]
                }
            }
        )*)*
    };
}

blocks! {
    text: String, &str, Box<str>, Cow<'_, str>, char => ContentBlock::text(text);
    block: ContentBlock => block;
    content: TextContent, Image, ImageContent, Audio, AudioContent, ResourceLink,
        EmbeddedResource => ContentBlock::from(content);
}

impl<T: IntoContent> IntoContent for Option<T> {
    fn into_content(self) -> Vec<ContentBlock> {
        self.map_or_else(Vec::new, T::into_content)
    }
}

impl<T: IntoContent> IntoContent for Vec<T> {
    fn into_content(self) -> Vec<ContentBlock> {
        self.into_iter().flat_map(T::into_content).collect()
    }
}

impl<T: IntoContent, const N: usize> IntoContent for [T; N] {
    fn into_content(self) -> Vec<ContentBlock> {
        self.into_iter().flat_map(T::into_content).collect()
    }
}

macro_rules! tuples {
    ($(($($kind:ident $name:ident),*))*) => {$(
        impl<$($kind: IntoContent),*> IntoContent for ($($kind,)*) {
            fn into_content(self) -> Vec<ContentBlock> {
                let ($($name,)*) = self;
                [$($name.into_content()),*].into_iter().flatten().collect()
            }
        }
    )*};
}

tuples! {
    (A a)
    (A a, B b)
    (A a, B b, C c)
    (A a, B b, C c, D d)
    (A a, B b, C c, D d, E e)
    (A a, B b, C c, D d, E e, F f)
}

/// An image that a tool or prompt returns (2026-07-28, "Tools", section Image Content).
///
/// It holds the content of an image file, which is sent in Base64 and not decoded.
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

/// Audio that a tool or prompt returns (2025-03-26 and later, "Tools", section Audio Content).
///
/// It holds the content of an audio file, which is sent in Base64 and not decoded. Clients of older
/// revisions get text instead.
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
    /// Creates an image with the media type `mime_type`, such as `image/webp`.
    #[must_use]
    pub fn new(data: impl Into<Vec<u8>>, mime_type: impl Into<String>) -> Self {
        Self {
            data: data.into(),
            mime_type: mime_type.into(),
        }
    }

    /// Creates an image from the content of a PNG file.
    #[must_use]
    pub fn png(data: impl Into<Vec<u8>>) -> Self {
        Self::of_file(data.into(), b"\x89PNG", "image/png")
    }

    /// Creates an image from the content of a JPEG file.
    #[must_use]
    pub fn jpeg(data: impl Into<Vec<u8>>) -> Self {
        Self::of_file(data.into(), b"\xff\xd8", "image/jpeg")
    }

    /// Creates an image, and warns if the file does not begin with `start`: the data may be a path
    /// by mistake.
    fn of_file(data: Vec<u8>, start: &[u8], mime_type: &str) -> Self {
        if !data.starts_with(start) {
            crate::log::warn!(
                mime_type,
                "an image does not begin like a file of this type: pass the content of the file, not its path"
            );
        }
        Self::new(data, mime_type)
    }

    /// The media type that was given.
    #[must_use]
    pub fn mime_type(&self) -> &str {
        &self.mime_type
    }
}

impl Audio {
    /// Creates audio with the media type `mime_type`, such as `audio/ogg`.
    #[must_use]
    pub fn new(data: impl Into<Vec<u8>>, mime_type: impl Into<String>) -> Self {
        Self {
            data: data.into(),
            mime_type: mime_type.into(),
        }
    }

    /// Creates audio from the content of a WAVE file.
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
