//! Unions of messages, told apart by `method`, with `params` beside it.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{Deserialize, Deserializer, Error, IgnoredAny, MapAccess, Visitor};
use serde::ser::{Serialize, SerializeMap, Serializer};

use super::replay::{Held, Key, collect};
use crate::json::RawText;
use crate::{RawJson, RawJsonRef};

/// A union of messages.
pub(crate) trait ByMethod: Sized {
    /// Whether a member has that method.
    fn knows(method: &str) -> bool;

    /// Decodes the member with that method, which [`ByMethod::knows`].
    fn decode<'de, P: Params<'de>>(method: &str, params: P) -> Result<Self, P::Error>;

    /// What no member fits.
    fn unknown(json: RawJson) -> Self;
}

/// Where the parameters of a message come from.
pub(crate) trait Params<'de> {
    type Error: Error;

    /// Decodes parameters that may be absent.
    fn optional<T: Deserialize<'de>>(self) -> Result<Option<T>, Self::Error>;

    /// Decodes parameters; absent ones are an empty object, so that the error names a field.
    fn required<T: Deserialize<'de>>(self) -> Result<T, Self::Error>;
}

/// Parameters that have been found already.
pub(crate) struct Raw<'de>(pub(crate) Option<RawJsonRef<'de>>);

impl<'de> Params<'de> for Raw<'de> {
    type Error = serde_json::Error;

    fn optional<T: Deserialize<'de>>(self) -> Result<Option<T>, Self::Error> {
        self.0.map(RawJsonRef::parse).transpose()
    }

    fn required<T: Deserialize<'de>>(self) -> Result<T, Self::Error> {
        self.0.unwrap_or(RawJsonRef::EMPTY_OBJECT).parse()
    }
}

/// Parameters that stood before the method.
struct Before<'de, E>(Option<RawText<'de>>, PhantomData<E>);

impl<'de, E: Error> Params<'de> for Before<'de, E> {
    type Error = E;

    fn optional<T: Deserialize<'de>>(self) -> Result<Option<T>, E> {
        self.0.map(read).transpose()
    }

    fn required<T: Deserialize<'de>>(self) -> Result<T, E> {
        match self.0 {
            Some(params) => read(params),
            None => serde_json::from_str("{}").map_err(E::custom),
        }
    }
}

fn read<'de, T: Deserialize<'de>, E: Error>(params: RawText<'de>) -> Result<T, E> {
    params.decode(PhantomData).map_err(E::custom)
}

/// Parameters that come after the method.
struct After<'a, A>(&'a mut A);

impl<'de, A: MapAccess<'de>> Params<'de> for After<'_, A> {
    type Error = A::Error;

    fn optional<T: Deserialize<'de>>(self) -> Result<Option<T>, A::Error> {
        self.0.next_value().map(Some)
    }

    fn required<T: Deserialize<'de>>(self) -> Result<T, A::Error> {
        self.0.next_value()
    }
}

/// Reads a union of messages.
pub(crate) fn by_method<'de, T: ByMethod, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    deserializer.deserialize_map(MessageVisitor(PhantomData))
}

struct MessageVisitor<T>(PhantomData<T>);

impl<'de, T: ByMethod> Visitor<'de> for MessageVisitor<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object with `method`")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<T, A::Error> {
        let mut held = Held::new();
        let mut method = None;
        while let Some(Key(key)) = map.next_key()? {
            match (&*key, &method) {
                ("method", None) => {
                    let Key(name) = map.next_value()?;
                    held.push((key, RawText::of_str(&name).map_err(A::Error::custom)?));
                    if !T::knows(&name) {
                        return collect(&held, map).map(T::unknown);
                    }
                    method = Some(name);
                }
                ("params", Some(name)) => {
                    let message = T::decode(name, After(&mut map))?;
                    while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
                    return Ok(message);
                }
                _ => held.push((key, map.next_value()?)),
            }
        }
        let method = method.ok_or_else(|| A::Error::missing_field("method"))?;
        let params = held.into_iter().find(|(key, _)| key == "params");
        T::decode(
            &method,
            Before(params.map(|(_, params)| params), PhantomData),
        )
    }
}

/// Writes a message without its envelope.
pub(crate) fn serialize<S: Serializer, P: Serialize>(
    method: &str,
    params: Option<&P>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(Some(1 + usize::from(params.is_some())))?;
    map.serialize_entry("method", method)?;
    if let Some(params) = params {
        map.serialize_entry("params", params)?;
    }
    map.end()
}
