//! Strings that are borrowed from the message if they have no escapes.

use std::borrow::Cow;

use serde::Deserialize;

/// A string that is borrowed if possible. Serde borrows a `Cow` only with the `borrow` attribute on a
/// field.
#[derive(Deserialize)]
pub(crate) struct Text<'a>(#[serde(borrow)] pub(crate) Cow<'a, str>);
