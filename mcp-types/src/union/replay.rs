//! An object whose first members have been read already.

use std::borrow::Cow;
use std::fmt;

use serde::de::value::CowStrDeserializer;
use serde::de::{Deserialize, DeserializeSeed, Deserializer, Error, MapAccess, Visitor};

use crate::RawJson;
use crate::json::RawText;

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

/// Members held back, oldest first.
pub(crate) type Held<'de> = Vec<(Cow<'de, str>, RawText<'de>)>;

/// The whole object: what was held back, a key whose value comes next, and the rest.
pub(crate) struct Replay<'de, A> {
    held: std::vec::IntoIter<(Cow<'de, str>, RawText<'de>)>,
    value: Option<RawText<'de>>,
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
            Some(value) => value.decode(seed).map_err(A::Error::custom),
            None => self.rest.next_value_seed(seed),
        }
    }
}

/// The object as JSON text, its members in the order they came.
pub(crate) fn collect<'de, A: MapAccess<'de>>(
    held: &Held<'de>,
    mut rest: A,
) -> Result<RawJson, A::Error> {
    let mut text = String::from("{");
    let mut add = |key: &str, value: &RawText<'_>| {
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
    while let Some((Key(key), value)) = rest.next_entry::<Key<'de>, RawText<'de>>()? {
        add(&key, &value)?;
    }
    text.push('}');
    RawJson::from_text(text).map_err(A::Error::custom)
}
