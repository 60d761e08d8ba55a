//! Content blocks: text, images, audio and resources.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use crate::{
    AudioContent, ContentBlock, EmbeddedResource, ImageContent, ResourceContents, ResourceLink,
    SamplingMessageContentBlock, TextContent,
};

impl ContentBlock {
    /// Creates a block of text.
    ///
    /// ```
    /// use mcp_types::ContentBlock;
    ///
    /// let block = ContentBlock::text("It is raining.");
    /// assert_eq!(block.as_text(), Some("It is raining."));
    /// assert_eq!(block, ContentBlock::from("It is raining."));
    /// ```
    #[must_use]
    #[doc(alias = "Content")]
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(TextContent::new(text))
    }

    /// Creates an image from the bytes of its file.
    #[must_use]
    pub fn image(bytes: impl AsRef<[u8]>, mime_type: impl Into<String>) -> Self {
        Self::Image(ImageContent::from_bytes(bytes, mime_type))
    }

    /// Creates audio content from the bytes of its file.
    #[must_use]
    pub fn audio(bytes: impl AsRef<[u8]>, mime_type: impl Into<String>) -> Self {
        Self::Audio(AudioContent::from_bytes(bytes, mime_type))
    }

    /// Creates an embedded resource with its content.
    ///
    /// ```
    /// use mcp_types::{ContentBlock, ResourceContents};
    ///
    /// let note = ResourceContents::text("file:///note.md", "# Note");
    /// let block = ContentBlock::resource(note);
    /// assert_eq!(block.as_resource().unwrap().uri(), Some("file:///note.md"));
    /// ```
    #[must_use]
    pub fn resource(contents: impl Into<ResourceContents>) -> Self {
        EmbeddedResource::new(contents).into()
    }

    /// Creates a link to a resource from its name and its URI.
    #[must_use]
    pub fn resource_link(name: impl Into<String>, uri: impl Into<String>) -> Self {
        ResourceLink::new(name, uri).into()
    }

    /// Returns the text, if the block is text.
    #[must_use]
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(content) => Some(&content.text),
            _ => None,
        }
    }

    /// Returns the image, if the block is an image.
    #[must_use]
    pub fn as_image(&self) -> Option<&ImageContent> {
        match self {
            Self::Image(content) => Some(content),
            _ => None,
        }
    }

    /// Returns the audio content, if the block is audio.
    #[must_use]
    pub fn as_audio(&self) -> Option<&AudioContent> {
        match self {
            Self::Audio(content) => Some(content),
            _ => None,
        }
    }

    /// Returns the contents of the resource, if the block is an embedded resource.
    #[must_use]
    pub fn as_resource(&self) -> Option<&ResourceContents> {
        match self {
            Self::Resource(embedded) => Some(&embedded.resource),
            _ => None,
        }
    }

    /// Returns the link, if the block is a link to a resource.
    #[must_use]
    pub fn as_resource_link(&self) -> Option<&ResourceLink> {
        match self {
            Self::ResourceLink(link) => Some(link),
            _ => None,
        }
    }
}

impl SamplingMessageContentBlock {
    /// Creates a block of text.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(TextContent::new(text))
    }

    /// Returns the text, if the block is text.
    #[must_use]
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(content) => Some(&content.text),
            _ => None,
        }
    }
}

macro_rules! from_bytes {
    ($($content:ident, $what:literal;)*) => {
        $(impl $content {
            #[doc = $what]
            ///
            /// `mime_type` is the media type, such as `image/png` or `audio/wav`.
            #[must_use]
            pub fn from_bytes(bytes: impl AsRef<[u8]>, mime_type: impl Into<String>) -> Self {
                Self::new(STANDARD.encode(bytes), mime_type)
            }

            /// Returns the bytes, or `None` if `data` is not Base64.
            #[must_use]
            pub fn bytes(&self) -> Option<Vec<u8>> {
                STANDARD.decode(&self.data).ok()
            }
        })*
    };
}

from_bytes! {
    ImageContent, "Creates an image from the bytes of its file.";
    AudioContent, "Creates audio content from the bytes of its file.";
}

macro_rules! from_text {
    ($($type:ident)*) => {
        $(
            impl From<&str> for $type {
                fn from(text: &str) -> Self {
                    Self::text(text)
                }
            }

            impl From<String> for $type {
                fn from(text: String) -> Self {
                    Self::text(text)
                }
            }
        )*
    };
}

from_text!(ContentBlock SamplingMessageContentBlock);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_carried_as_base64() {
        let block = ContentBlock::image([1, 2, 255], "image/png");
        let image = block.as_image().unwrap();
        assert_eq!((&*image.data, &*image.mime_type), ("AQL/", "image/png"));
        assert_eq!(image.bytes().unwrap(), [1, 2, 255]);
        let block = ContentBlock::audio(b"RIFF", "audio/wav");
        assert_eq!(block.as_audio().unwrap().bytes().unwrap(), b"RIFF");
        assert_eq!(ImageContent::new("no base64", "image/png").bytes(), None);
    }

    #[test]
    fn a_block_is_what_it_was_made_as_and_nothing_else() {
        let blocks = [
            ContentBlock::text("a"),
            ContentBlock::image([], "image/png"),
            ContentBlock::audio([], "audio/wav"),
            ContentBlock::resource(ResourceContents::text("a:b", "c")),
            ContentBlock::resource_link("a", "a:b"),
        ];
        let kinds = |block: &ContentBlock| {
            [
                block.as_text().is_some(),
                block.as_image().is_some(),
                block.as_audio().is_some(),
                block.as_resource().is_some(),
                block.as_resource_link().is_some(),
            ]
        };
        for (index, block) in blocks.iter().enumerate() {
            let expected: [bool; 5] = std::array::from_fn(|kind| kind == index);
            assert_eq!(kinds(block), expected, "{block:?}");
        }
    }

    #[test]
    fn text_becomes_a_block() {
        let block = SamplingMessageContentBlock::from("hi".to_owned());
        assert_eq!(block.as_text(), Some("hi"));
    }
}
