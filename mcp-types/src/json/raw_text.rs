//! JSON text of a value, borrowed from the input where that is possible.

use std::borrow::Cow;
use std::fmt;
use std::sync::OnceLock;

use serde::de::{Deserialize, DeserializeSeed, Deserializer, Error, MapAccess, Visitor, value};
use serde::forward_to_deserialize_any;
use serde_json::value::RawValue;

use crate::union::Key;

/// The key under which this crate's own deserializer gives the text of a value.
///
/// It is another one than serde_json's, whose raw values want to be made by serde_json alone.
pub(super) const CHECKED: &str = "$mcp_types::CheckedJson";

/// A value that is decoded later.
///
/// serde_json's own raw values are either always borrowed, which fails for input that is read from
/// a stream, or always copied, which costs an allocation for each value and a slower decoder.
pub(crate) struct RawText<'de>(Cow<'de, str>);

impl<'de> RawText<'de> {
    /// A string as JSON.
    pub(crate) fn of_str(value: &str) -> serde_json::Result<Self> {
        serde_json::to_string(value).map(|text| Self(Cow::Owned(text)))
    }

    /// The JSON text.
    pub(crate) fn get(&self) -> &str {
        &self.0
    }

    /// The JSON text, copied if it is a part of the input.
    pub(crate) fn into_text(self) -> Box<str> {
        self.0.into()
    }

    /// The JSON text, if it is a part of the input.
    pub(crate) fn borrowed(self) -> Option<&'de str> {
        match self.0 {
            Cow::Borrowed(text) => Some(text),
            Cow::Owned(_) => None,
        }
    }

    /// Decodes the value.
    pub(crate) fn decode<V: DeserializeSeed<'de>>(self, seed: V) -> serde_json::Result<V::Value> {
        match self.0 {
            Cow::Borrowed(text) => seed.deserialize(&mut serde_json::Deserializer::from_str(text)),
            // A reader, because the text does not live as long as the input.
            Cow::Owned(text) => {
                let mut reader = serde_json::Deserializer::from_reader(text.as_bytes());
                seed.deserialize(&mut reader)
            }
        }
    }
}

impl<'de> Deserialize<'de> for RawText<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Text;

        impl<'de> Visitor<'de> for Text {
            type Value = RawText<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("any JSON value")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<RawText<'de>, A::Error> {
                match map.next_key::<Key<'de>>()? {
                    Some(Key(key)) if key == CHECKED || key == raw_value_name() => {
                        map.next_value().map(|Key(text)| RawText(text))
                    }
                    _ => Err(Error::custom("JSON text was expected")),
                }
            }
        }

        deserializer.deserialize_newtype_struct(raw_value_name(), Text)
    }
}

/// The name by which a deserializer is asked for the text of a value: the one that `RawValue` asks
/// with.
pub(crate) fn raw_value_name() -> &'static str {
    static NAME: OnceLock<&str> = OnceLock::new();
    NAME.get_or_init(|| {
        let mut name = "";
        let overheard = <Box<RawValue>>::deserialize(Listener { name: &mut name });
        debug_assert!(overheard.is_err(), "the listener has no value to give");
        name
    })
}

/// Notes what it is asked for, and has nothing to give.
struct Listener<'a> {
    name: &'a mut &'static str,
}

impl<'de> Deserializer<'de> for Listener<'_> {
    type Error = value::Error;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, value::Error> {
        Err(Error::custom("there is no value"))
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, value::Error> {
        *self.name = name;
        self.deserialize_any(visitor)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option
        unit unit_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_verbatim_however_it_is_read() {
        let json = r#"{"a": [1.0, "\u00e9"]}"#;
        let borrowed: RawText<'_> = serde_json::from_str(json).unwrap();
        assert_eq!(borrowed.get(), json);
        assert!(matches!(borrowed.0, Cow::Borrowed(_)));
        let mut reader = serde_json::Deserializer::from_reader(json.as_bytes());
        assert_eq!(RawText::deserialize(&mut reader).unwrap().get(), json);
        let value: serde_json::Value = serde_json::from_str(json).unwrap();
        assert_eq!(
            RawText::deserialize(&value).unwrap().get(),
            value.to_string()
        );
    }
}
