//! Strings out of a list that may grow.

use std::borrow::Cow;

use serde_json::Result;

use crate::json::Reader;

/// An enum of strings with room for those it does not know.
pub(crate) trait OpenEnum: Sized {
    /// The variant for `value`, if there is one of its own.
    fn known(value: &str) -> Option<Self>;

    /// The variant for all other values.
    fn unknown(value: String) -> Self;
}

/// Reads a string; only an unknown one is allocated.
pub(crate) fn decode<T: OpenEnum>(reader: &mut Reader<'_>) -> Result<T> {
    let value = reader.string()?;
    Ok(T::known(&value).unwrap_or_else(|| T::unknown(Cow::into_owned(value))))
}
