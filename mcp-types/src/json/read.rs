//! Values out of whole texts.

use serde::de::{Deserialize, DeserializeSeed};
use serde_json::Result;

use super::fault;
use super::reader::Reader;
use super::scan::Scanner;

/// Decodes JSON as `serde_json::from_str` does, and refuses the same.
///
/// It is what the parts of messages are read with: content takes a third fewer instructions,
/// because strings are looked at eight bytes at a time, and because a
/// union is told apart wherever its tag stands without anything being set aside. Types of other
/// crates are decoded, too.
///
/// ```
/// use mcp_types::{CallToolResult, ContentBlock};
///
/// let json = r#"{"content":[{"text":"3","type":"text"}]}"#;
/// let result: CallToolResult = mcp_types::from_str(json).unwrap();
/// assert_eq!(result.content, [ContentBlock::text("3")]);
/// ```
///
/// # Errors
///
/// Those of `serde_json::from_str`: when the text is not one JSON value, which is told first, or does
/// not fit `T`. What does not fit a type of this crate is found at its line and column, which
/// serde_json can't tell.
pub fn from_str<'de, T: Deserialize<'de>>(text: &'de str) -> Result<T> {
    read(Scanner::new(text))
}

/// Decodes JSON from bytes, which are to be UTF-8: see [`from_str`].
///
/// ```
/// use mcp_types::Implementation;
///
/// let client: Implementation = mcp_types::from_slice(br#"{"name":"a","version":"1"}"#).unwrap();
/// assert_eq!(client.name, "a");
/// ```
///
/// # Errors
///
/// Those of `serde_json::from_slice`: when the bytes are not one JSON value, or it does not fit
/// `T`.
pub fn from_slice<'de, T: Deserialize<'de>>(bytes: &'de [u8]) -> Result<T> {
    match std::str::from_utf8(bytes) {
        Ok(text) => from_str(text),
        Err(no_text) => Err(fault::at(bytes, no_text.valid_up_to(), NO_TEXT)),
    }
}

/// What serde_json says of bytes that are not UTF-8.
const NO_TEXT: &str = "invalid unicode code point";

/// Decodes the value that `text` begins with, and tells where it ends, in bytes: see [`from_str`].
/// What follows is not looked at.
///
/// ```
/// let (number, end) = mcp_types::from_prefix::<u8>(" 7, 8").unwrap();
/// assert_eq!((number, end), (7, 2));
/// ```
///
/// # Errors
///
/// When `text` begins with no JSON value, or it does not fit `T`.
pub fn from_prefix<'de, T: Deserialize<'de>>(text: &'de str) -> Result<(T, usize)> {
    let mut reader = Reader::new(Scanner::new(text));
    match T::deserialize(&mut reader) {
        Ok(value) => Ok((value, reader.place())),
        Err(error) => Err(reader.reason(Some(error))),
    }
}

/// Decodes the one value that `text` is, which is known to be JSON, with a seed.
pub(crate) fn from_valid_with<'de, S: DeserializeSeed<'de>>(
    text: &'de str,
    seed: S,
) -> Result<S::Value> {
    let mut reader = Reader::of_valid(text);
    let value = seed.deserialize(&mut reader);
    reader.whole(value)
}

/// Decodes the one value that `text` is; it is known to be JSON.
pub(crate) fn from_valid<'de, T: Deserialize<'de>>(text: &'de str) -> Result<T> {
    read(Scanner::of_valid(text))
}

fn read<'de, T: Deserialize<'de>>(scanner: Scanner<'de>) -> Result<T> {
    let mut reader = Reader::new(scanner);
    let value = T::deserialize(&mut reader);
    reader.whole(value)
}

#[cfg(test)]
mod tests;
