//! The one model in, what each revision has of it out.
//!
//! [`availability`] and [`revisions`] list it, and [`conform`] makes values conform to it: [`fields`]
//! removes and fills those of structs, with [`values`], and [`nearest`] replaces members. [`span`]
//! writes conditions on the revision.

pub(super) mod availability;
pub(super) mod conform;
pub(super) mod fields;
pub(super) mod nearest;
pub(super) mod revisions;
pub(super) mod span;
pub(super) mod values;
