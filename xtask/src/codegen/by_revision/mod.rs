//! Emits code about single revisions of the merged model.
//!
//! [`availability`] and [`revisions`] emit tables. [`conform`] emits the conversion of values: [`fields`]
//! removes and fills the fields of structs with [`values`], and [`nearest`] replaces members of unions.
//! [`span`] emits conditions on the revision.

pub(super) mod availability;
pub(super) mod conform;
pub(super) mod fields;
pub(super) mod nearest;
pub(super) mod revisions;
pub(super) mod span;
pub(super) mod values;
