//! The models of all revisions in, one model out.
//!
//! [`conflicts`] asks where the revisions disagree, in [`type_words`]; [`merge`] joins them. [`variants`]
//! classifies unions, [`places`] and [`keys`] name parts of the model in `overlay.toml` and `docs.toml`.

pub(super) mod conflicts;
pub(super) mod keys;
pub(super) mod merge;
pub(super) mod places;
pub(super) mod type_words;
pub(super) mod variants;
