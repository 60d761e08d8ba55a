//! Merges the models of all revisions into one.
//!
//! [`conflicts`] asks about disagreements between revisions, which [`type_words`] describes, and
//! [`merge`] merges the models. [`variants`] classifies unions. [`places`] and [`keys`] are the names of
//! parts of the model in `overlay.toml` and `docs.toml`.

pub(super) mod conflicts;
pub(super) mod keys;
pub(super) mod merge;
pub(super) mod places;
pub(super) mod type_words;
pub(super) mod variants;
