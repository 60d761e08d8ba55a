//! A deserializer over text.
//!
//! It reads what messages are made of (objects, lists, strings, integers, raw values) in place;
//! all else, and whatever has a fault, is left to serde_json.

use serde::de::value::{BorrowedStrDeserializer, MapDeserializer};
use serde::de::{Deserialize, Deserializer, Error as _, Visitor};
use serde::forward_to_deserialize_any;
use serde_json::de::StrRead;
use serde_json::{Error, Result};

use super::access::{Elements, Members};
use super::ahead::Ahead;
use super::raw_text::{CHECKED, raw_value_name};
use super::scan::{Quoted, Scanner};

/// How deep values may nest: each level takes stack.
const MAX_DEPTH: usize = 128;

/// Decodes JSON as `serde_json::from_str` does, and refuses the same.
///
/// It is what the parts of messages are read with: a list of tools or of content takes about a
/// fifth fewer instructions, because strings are looked at eight bytes at a time, and because a
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
/// Those of `serde_json::from_str`: when the text is not one JSON value, or does not fit `T`.
pub fn from_str<'de, T: Deserialize<'de>>(text: &'de str) -> Result<T> {
    read(text, Scanner::new(text))
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
        Err(_) => serde_json::from_slice(bytes),
    }
}

/// Decodes the one value that `text` is; it is known to be JSON.
pub(crate) fn from_valid<'de, T: Deserialize<'de>>(text: &'de str) -> Result<T> {
    read(text, Scanner::of_valid(text))
}

fn read<'de, T: Deserialize<'de>>(text: &'de str, scanner: Scanner<'de>) -> Result<T> {
    let mut reader = Reader {
        scanner,
        levels: MAX_DEPTH,
    };
    match T::deserialize(&mut reader) {
        Ok(value) if reader.scanner.is_at_end() => Ok(value),
        _ => serde_json::from_str(text),
    }
}

/// A place in the text, where a value comes next.
pub(super) struct Reader<'de> {
    pub(super) scanner: Scanner<'de>,
    /// How many more levels may be opened.
    pub(super) levels: usize,
}

/// The text is not what it should be here. Nobody sees this: serde_json is asked for the reason.
#[cold]
pub(super) fn fault() -> Error {
    Error::custom("invalid JSON")
}

impl<'de> Reader<'de> {
    #[inline]
    fn string<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value> {
        let quoted = self.scanner.string().ok_or_else(fault)?;
        visit(quoted, visitor)
    }

    fn array<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value> {
        self.open(b'[')?;
        let value = visitor.visit_seq(Elements::of(self));
        self.close(b']', value)
    }

    #[inline]
    fn object<V: Visitor<'de>>(&mut self, ahead: Option<Ahead>, visitor: V) -> Result<V::Value> {
        self.open(b'{')?;
        let value = visitor.visit_map(Members::of(self, ahead));
        self.close(b'}', value)
    }

    #[inline]
    fn open(&mut self, bracket: u8) -> Result<()> {
        self.scanner.eat(bracket);
        self.levels = self.levels.checked_sub(1).ok_or_else(fault)?;
        Ok(())
    }

    /// Takes the value in its `Result`, because to take it out means to move it.
    #[inline(always)]
    fn close<T>(&mut self, bracket: u8, value: Result<T>) -> Result<T> {
        self.levels += 1;
        if value.is_ok() && !self.scanner.eat(bracket) {
            return Err(fault());
        }
        value
    }

    fn word<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value> {
        match self.raw()? {
            "true" => visitor.visit_bool(true),
            "false" => visitor.visit_bool(false),
            _ => visitor.visit_unit(),
        }
    }

    fn number<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value> {
        let text = self.raw()?;
        // JSON's negative zero is a fraction.
        if text != "-0" && !text.contains(['.', 'e', 'E']) {
            if let Ok(number) = text.parse::<u64>() {
                return visitor.visit_u64(number);
            }
            if let Ok(number) = text.parse::<i64>() {
                return visitor.visit_i64(number);
            }
        }
        serde_json::Deserializer::from_str(text).deserialize_any(visitor)
    }

    /// Leaves the value to serde_json.
    fn leave<T>(
        &mut self,
        read: impl FnOnce(&mut serde_json::Deserializer<StrRead<'de>>) -> Result<T>,
    ) -> Result<T> {
        let mut value = serde_json::Deserializer::from_str(self.raw()?);
        let read = read(&mut value)?;
        value.end().map(|()| read)
    }

    /// The text of the value.
    #[inline]
    fn raw(&mut self) -> Result<&'de str> {
        self.scanner.value(self.levels).ok_or_else(fault)
    }
}

#[inline]
pub(super) fn visit<'de, V: Visitor<'de>>(quoted: Quoted<'de>, visitor: V) -> Result<V::Value> {
    if quoted.escaped {
        visitor.visit_string(unescape(quoted.inner)?)
    } else {
        visitor.visit_borrowed_str(quoted.inner)
    }
}

#[cold]
fn unescape(inner: &str) -> Result<String> {
    serde_json::from_str(&format!("\"{inner}\""))
}

impl<'de> Deserializer<'de> for &mut Reader<'de> {
    type Error = Error;

    #[inline]
    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.scanner.peek().ok_or_else(fault)? {
            b'"' => self.string(visitor),
            b'{' => self.object(None, visitor),
            b'[' => self.array(visitor),
            b't' | b'f' | b'n' => self.word(visitor),
            _ => self.number(visitor),
        }
    }

    #[inline]
    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.string(visitor)
    }

    #[inline]
    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.string(visitor)
    }

    #[inline]
    fn deserialize_identifier<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.string(visitor)
    }

    #[inline]
    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.scanner.peek() {
            Some(b'{') => self.object(None, visitor),
            _ => Err(fault()),
        }
    }

    #[inline]
    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value> {
        match Ahead::find(&self.scanner, self.levels, name, fields) {
            None => self.deserialize_any(visitor),
            ahead => self.object(ahead, visitor),
        }
    }

    #[inline]
    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        if self.scanner.peek() == Some(b'n') {
            self.scanner.word("null").ok_or_else(fault)?;
            visitor.visit_none()
        } else {
            visitor.visit_some(self)
        }
    }

    #[inline]
    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value> {
        if name == raw_value_name() {
            let text = BorrowedStrDeserializer::new(self.raw()?);
            let member = std::iter::once((BorrowedStrDeserializer::new(CHECKED), text));
            visitor.visit_map(MapDeserializer::new(member))
        } else {
            visitor.visit_newtype_struct(self)
        }
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value> {
        self.leave(|value| value.deserialize_enum(name, variants, visitor))
    }

    fn deserialize_bytes<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.leave(|value| value.deserialize_bytes(visitor))
    }

    fn deserialize_byte_buf<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.leave(|value| value.deserialize_byte_buf(visitor))
    }

    fn deserialize_i128<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.leave(|value| value.deserialize_i128(visitor))
    }

    fn deserialize_u128<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.leave(|value| value.deserialize_u128(visitor))
    }

    fn deserialize_f32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.leave(|value| value.deserialize_f32(visitor))
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.scanner.skip(self.levels).ok_or_else(fault)?;
        visitor.visit_unit()
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 u8 u16 u32 u64 f64 char unit unit_struct seq tuple tuple_struct
    }
}

#[cfg(test)]
mod tests;
