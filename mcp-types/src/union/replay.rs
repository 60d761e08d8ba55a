//! An object whose first members have been read already.

use std::borrow::Cow;
use std::fmt;

use serde::de::value::{BorrowedStrDeserializer, CowStrDeserializer};
use serde::de::{Deserialize, DeserializeSeed, Deserializer, Error, MapAccess, Visitor};
use serde_json::value::RawValue;

use crate::RawJson;

/// A member name or another short string, borrowed unless it has escapes.
pub(crate) struct Key<'de>(pub(crate) Cow<'de, str>);

impl<'de> Deserialize<'de> for Key<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Name;

        impl<'de> Visitor<'de> for Name {
            type Value = Key<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }

            fn visit_borrowed_str<E: Error>(self, name: &'de str) -> Result<Key<'de>, E> {
                Ok(Key(Cow::Borrowed(name)))
            }

            fn visit_str<E: Error>(self, name: &str) -> Result<Key<'de>, E> {
                Ok(Key(Cow::Owned(name.to_owned())))
            }

            fn visit_string<E: Error>(self, name: String) -> Result<Key<'de>, E> {
                Ok(Key(Cow::Owned(name)))
            }
        }

        deserializer.deserialize_str(Name)
    }
}

/// A string that may be absent, borrowed unless it has escapes.
pub(crate) fn text_option<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Cow<'de, str>>, D::Error> {
    Ok(Option::<Key<'de>>::deserialize(deserializer)?.map(|Key(text)| text))
}

/// Members held back, oldest first.
pub(crate) type Held<'de> = Vec<(Cow<'de, str>, Box<RawValue>)>;

/// The whole object: what was held back, a key whose value comes next, and the rest.
pub(crate) struct Replay<'de, A> {
    held: std::vec::IntoIter<(Cow<'de, str>, Box<RawValue>)>,
    value: Option<Box<RawValue>>,
    pending: Option<Cow<'de, str>>,
    rest: A,
}

impl<'de, A> Replay<'de, A> {
    pub(crate) fn new(held: Held<'de>, pending: Option<Cow<'de, str>>, rest: A) -> Self {
        Self {
            held: held.into_iter(),
            value: None,
            pending,
            rest,
        }
    }
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for Replay<'de, A> {
    type Error = A::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, A::Error> {
        let key = match self.held.next() {
            Some((key, value)) => {
                self.value = Some(value);
                Some(key)
            }
            None => self.pending.take(),
        };
        match key {
            Some(key) => seed.deserialize(CowStrDeserializer::new(key)).map(Some),
            None => self.rest.next_key_seed(seed),
        }
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, A::Error> {
        match self.value.take() {
            // A reader, because the text does not live as long as the input.
            Some(value) => seed
                .deserialize(&mut serde_json::Deserializer::from_reader(
                    value.get().as_bytes(),
                ))
                .map_err(A::Error::custom),
            None => self.rest.next_value_seed(seed),
        }
    }
}

/// An object that has been held back as a whole.
///
/// Its text lives as long as `'a`, so that it is read as fast as the input itself.
pub(crate) struct Whole<'a, 'de> {
    members: std::slice::Iter<'a, (Cow<'de, str>, Box<RawValue>)>,
    value: Option<&'a RawValue>,
}

impl<'a, 'de> Whole<'a, 'de> {
    /// Holds back the rest as well.
    pub(crate) fn new<A: MapAccess<'de>>(
        held: &'a mut Held<'de>,
        mut rest: A,
    ) -> Result<Self, A::Error> {
        while let Some((Key(key), value)) = rest.next_entry()? {
            held.push((key, value));
        }
        Ok(Self {
            members: held.iter(),
            value: None,
        })
    }
}

impl<'a> MapAccess<'a> for Whole<'a, '_> {
    type Error = serde_json::Error;

    fn next_key_seed<K: DeserializeSeed<'a>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Self::Error> {
        let Some((key, value)) = self.members.next() else {
            return Ok(None);
        };
        self.value = Some(value);
        seed.deserialize(BorrowedStrDeserializer::new(key))
            .map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'a>>(
        &mut self,
        seed: V,
    ) -> Result<V::Value, Self::Error> {
        let value = self.value.take().map_or("null", RawValue::get);
        seed.deserialize(&mut serde_json::Deserializer::from_str(value))
    }
}

/// The object as JSON text, its members in the order they came.
pub(crate) fn collect<'de, A: MapAccess<'de>>(
    held: &Held<'de>,
    mut rest: A,
) -> Result<RawJson, A::Error> {
    let mut text = String::from("{");
    let mut add = |key: &str, value: &RawValue| {
        if text.len() > 1 {
            text.push(',');
        }
        let key = serde_json::to_string(key).map_err(A::Error::custom)?;
        text.push_str(&key);
        text.push(':');
        text.push_str(value.get());
        Ok(())
    };
    for (key, value) in held {
        add(key, value)?;
    }
    while let Some((Key(key), value)) = rest.next_entry::<Key<'de>, Box<RawValue>>()? {
        add(&key, &value)?;
    }
    text.push('}');
    RawJson::from_text(text).map_err(A::Error::custom)
}
