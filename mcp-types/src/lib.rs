#![doc = include_str!("../README.md")]

mod availability;
mod conform;
mod debug;
mod ext;
#[rustfmt::skip]
mod generated;
mod json;
pub mod jsonrpc;
mod meta;
mod method;
mod number;
mod object;
mod one_or_many;
mod open_enum;
mod ordered_map;
mod raw;
mod raw_ref;
mod revision;
mod revisions;
mod support;
mod union;
mod vacant;

pub use availability::{CapabilityInfo, FieldInfo, MethodInfo, Side, TypeInfo, VariantInfo};
pub use conform::Conform;
pub use generated::*;
pub use json::{Decode, DecodeOwned, Encode, from_prefix, from_slice, from_str};
pub use jsonrpc::{ErrorObject, ProgressToken, RequestId};
pub use meta::RequestMetaRef;
pub use method::{Notification, Request};
pub use number::integer_digits;
pub use one_or_many::OneOrMany;
pub use ordered_map::OrderedMap;
pub use raw::{JsonObject, RawJson};
pub use raw_ref::RawJsonRef;
pub use revision::{Era, UnknownRevision};
pub use revisions::Revisions;
