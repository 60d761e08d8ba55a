//! Strings that are borrowed from the message where they have no escapes.

use std::borrow::Cow;

use serde::Deserialize;

/// A string, borrowed where it can be. Serde borrows a `Cow` only as a field by itself.
#[derive(Deserialize)]
pub(crate) struct Text<'a>(#[serde(borrow)] pub(crate) Cow<'a, str>);
