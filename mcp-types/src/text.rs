//! Strings that are borrowed from the message where they have no escapes.

use std::borrow::Cow;

use serde::{Deserialize, Deserializer};

/// A string, borrowed where it can be. Serde borrows a `Cow` only as a field by itself.
#[derive(Deserialize)]
pub(crate) struct Text<'a>(#[serde(borrow)] pub(crate) Cow<'a, str>);

/// Reads a field that may be `null`.
pub(crate) fn optional<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Cow<'de, str>>, D::Error> {
    let text: Option<Text<'de>> = Option::deserialize(deserializer)?;
    Ok(text.map(|Text(text)| text))
}
