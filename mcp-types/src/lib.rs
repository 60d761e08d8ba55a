#![doc = include_str!("../README.md")]

mod availability;

mod conform;
mod error_object;
mod ext;
#[allow(clippy::match_single_binding, clippy::too_many_arguments, reason = "as the schemas have it")]
#[allow(clippy::match_like_matches_macro, clippy::single_match, reason = "one form for all types")]
#[allow(clippy::redundant_closure, clippy::unnecessary_lazy_evaluations, unused_variables, reason = "one form for all types")]
#[rustfmt::skip]
mod generated;
pub mod jsonrpc;
mod meta;
mod method;
mod number;
mod one_or_many;
mod open_enum;
mod raw;
mod reading;
mod request_id;
mod revision;
mod revisions;
mod support;
mod text;
mod union;

pub use availability::{CapabilityInfo, FieldInfo, MethodInfo, Side, TypeInfo, VariantInfo};
pub use conform::Conform;
pub use error_object::ErrorObject;
pub use generated::*;
pub use meta::{RequestMetaRef, RequestParamsRef};
pub use method::{Notification, Request};
pub use number::integer_digits;
pub use one_or_many::OneOrMany;
pub use raw::{JsonObject, OrderedMap, RawJson, RawJsonRef};
pub use reading::{Misfit, read, well_formed};
pub use request_id::{ProgressToken, RequestId};
pub use revision::{Era, UnknownEra, UnknownRevision};
pub use revisions::Revisions;
