//! JSON text of a value, borrowed from the input where that is possible.

use std::borrow::Cow;
use std::fmt;
use std::sync::OnceLock;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor, value};
use serde::forward_to_deserialize_any;
use serde_json::value::RawValue;

use super::name::Name;
use super::write::to_text;

/// The text of a value.
///
/// serde_json's own raw values are either always borrowed, which fails for input that is read from
/// a stream, or always copied, which costs an allocation for each value and a slower decoder.
///
/// What comes from anything that has no text, such as another format or what serde holds back for
/// its own unions, is written as JSON.
pub(crate) struct RawText<'de>(Cow<'de, str>);

impl<'de> RawText<'de> {
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
}

impl<'de> Deserialize<'de> for RawText<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_newtype_struct(raw_value_name(), Text::ASKED)
    }
}

/// Takes the text of a value, or writes it.
#[derive(Clone, Copy)]
pub(super) struct Text {
    /// Whether the text has been asked for, so that an object may be the answer.
    asked: bool,
}

impl Text {
    pub(super) const ASKED: Self = Self { asked: true };
    pub(super) const WRITTEN: Self = Self { asked: false };
}

/// Whether an object whose first name is this one holds the text of a value, as this crate's own
/// deserializer gives it.
///
/// It is the very same string: nothing that has been read can pass for it.
#[inline]
pub(super) fn is_checked(name: &str) -> bool {
    std::ptr::eq(name, checked_name())
}

/// Writes a value without parts.
fn written<'de, T: serde::Serialize, E: Error>(value: T) -> Result<RawText<'de>, E> {
    let text = to_text(&value).map_err(E::custom)?;
    Ok(RawText(Cow::Owned(text)))
}

macro_rules! scalars {
    ($($method:ident: $type:ty,)*) => {
        $(fn $method<E: Error>(self, value: $type) -> Result<RawText<'de>, E> {
            written(value)
        })*
    };
}

impl<'de> Visitor<'de> for Text {
    type Value = RawText<'de>;

    scalars! {
        visit_bool: bool,
        visit_i64: i64,
        visit_i128: i128,
        visit_u64: u64,
        visit_u128: u128,
        visit_f64: f64,
        visit_char: char,
        visit_str: &str,
        visit_bytes: &[u8],
    }

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON value")
    }

    fn visit_unit<E: Error>(self) -> Result<RawText<'de>, E> {
        written(())
    }

    fn visit_none<E: Error>(self) -> Result<RawText<'de>, E> {
        written(())
    }

    fn visit_some<D: Deserializer<'de>>(self, value: D) -> Result<RawText<'de>, D::Error> {
        value.deserialize_any(Self::WRITTEN)
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(
        self,
        value: D,
    ) -> Result<RawText<'de>, D::Error> {
        value.deserialize_any(Self::WRITTEN)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<RawText<'de>, A::Error> {
        let mut list = String::from("[");
        while let Some(RawText(element)) = seq.next_element()? {
            if list.len() > 1 {
                list.push(',');
            }
            list.push_str(&element);
        }
        list.push(']');
        Ok(RawText(Cow::Owned(list)))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<RawText<'de>, A::Error> {
        match map.next_key()? {
            Some(Name(name)) if self.asked && is_checked(&name) => {
                map.next_value().map(|Name(text)| RawText(text))
            }
            first if self.asked => answer(first, map),
            first => object(first, map),
        }
    }
}

/// Takes the text of a value that was asked for; the first name has been read.
pub(super) fn answer<'de, A: MapAccess<'de>>(
    first: Option<Name<'de>>,
    mut map: A,
) -> Result<RawText<'de>, A::Error> {
    match first {
        Some(Name(name)) if name == raw_value_name() => {
            map.next_value().map(|Name(text)| RawText(text))
        }
        first => object(first, map),
    }
}

/// Writes an object, of which the first name has been read.
fn object<'de, A: MapAccess<'de>>(
    first: Option<Name<'de>>,
    mut map: A,
) -> Result<RawText<'de>, A::Error> {
    let mut object = String::from("{");
    let mut next = first;
    while let Some(Name(name)) = next {
        if object.len() > 1 {
            object.push(',');
        }
        let name = to_text(&*name).map_err(A::Error::custom)?;
        let RawText(value) = map.next_value()?;
        object.extend([&*name, ":", &*value]);
        next = map.next_key()?;
    }
    object.push('}');
    Ok(RawText(Cow::Owned(object)))
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

/// The name under which this crate's own deserializer gives the text of a value: the same, so that
/// serde_json's raw values take it, and a copy, so that it is known by where it is.
pub(super) fn checked_name() -> &'static str {
    static NAME: OnceLock<Box<str>> = OnceLock::new();
    NAME.get_or_init(|| raw_value_name().into())
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
    use serde::de::value::{MapAccessDeserializer, MapDeserializer};
    use serde_json::json;

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

    #[test]
    fn what_has_no_text_is_written() {
        let all = json!({"a": [1, -2, 2.5, "x\"", null, true], "b": {"c": {}, "d": []}, "": 0});
        let text = |json: serde_json::Value| {
            let held = MapDeserializer::<_, serde_json::Error>::new(std::iter::once(("x", json)));
            let held = MapAccessDeserializer::new(held);
            RawText::deserialize(held).map(RawText::into_text)
        };
        let text = text(all.clone()).unwrap();
        let all = json!({ "x": all });
        let read: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(read, all);
    }
}
