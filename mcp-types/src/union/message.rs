//! Unions of messages, told apart by `method`, with `params` beside it.

use std::borrow::Cow;

use serde_json::Result;

use crate::json::{Decode, Encode, Encoder, FieldName, Members, Reader};
use crate::{RawJson, RawJsonRef};

/// A union of messages.
pub(crate) trait ByMethod: Sized {
    /// Decodes the member with that method; `None` if there is none.
    fn decode(method: &str, params: Params<'_>) -> Result<Option<Self>>;

    /// What no member fits.
    fn unknown(json: RawJson) -> Self;
}

/// The parameters of a message, which may be absent.
pub(crate) struct Params<'de>(Option<Reader<'de>>);

impl<'de> Params<'de> {
    pub(crate) fn of(json: Option<RawJsonRef<'de>>) -> Self {
        Self(json.map(|json| Reader::of_valid(json.get())))
    }

    /// Decodes parameters that may be absent.
    pub(crate) fn optional<T: Decode<'de>>(self) -> Result<Option<T>> {
        let Self(reader) = self;
        reader.map(|mut reader| T::decode(&mut reader)).transpose()
    }

    /// Decodes parameters; absent ones are an empty object, so that the error names a field.
    pub(crate) fn required<T: Decode<'de>>(self) -> Result<T> {
        let Self(reader) = self;
        let mut reader = reader.unwrap_or_else(|| Reader::of_valid("{}"));
        T::decode(&mut reader)
    }
}

/// Reads a union of messages.
pub(crate) fn by_method<T: ByMethod>(reader: &mut Reader<'_>) -> Result<T> {
    reader.peek();
    let start = reader.place();
    reader.open(b'{', &"an object with `method`")?;
    let (mut method, mut params) = (None, None);
    let mut members = Members::of(reader);
    while let Some(name) = members.name()? {
        match &*name.text() {
            "method" if method.is_none() => method = Some(members.value::<Cow<'_, str>>()?),
            "params" if params.is_none() => params = Some(members.here()?),
            _ => members.skip()?,
        }
    }
    let method = method.ok_or_else(|| members.missing("method"))?;
    match T::decode(&method, Params(params))? {
        Some(message) => Ok(message),
        None => {
            reader.go(start);
            RawJson::decode(reader).map(T::unknown)
        }
    }
}

/// Writes a message without its envelope.
pub(crate) fn encode<'a>(
    to: &mut Encoder<'_, 'a>,
    method: &'a &'static str,
    params: Option<&'a dyn Encode>,
) {
    let mut object = to.object();
    object.field(const { &FieldName::new("method") }, method);
    if let Some(params) = params {
        object.any_field(const { &FieldName::new("params") }, params);
    }
    object.end();
}
