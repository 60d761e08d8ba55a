//! JSON text, read and written where it stands.
//!
//! Messages pass here on their way in and out, so that their bytes are looked at as seldom as
//! possible, and several at a time. What is JSON is what serde_json takes for it: text that is
//! refused here is read over again by it, and its error is the one to report.

mod access;
mod bytes;
mod compose;
mod compound;
mod decode;
mod deserializer;
mod encode;
mod fault;
mod field_name;
mod from_serde;
mod handover;
mod key;
mod name;
mod nesting;
mod part;
mod raw_text;
mod read;
mod reader;
mod scan;
mod skip;
mod token;
mod unescape;
mod variant;
mod write;

pub(crate) use access::{Members, place_of};
pub(crate) use bytes::may_have_underscore;
pub use decode::{Decode, DecodeOwned};
pub(crate) use decode::{decode, entries};
pub use encode::Encode;
pub(crate) use encode::{Encoder, append_encoded, encode};
pub(crate) use fault::no_json;
pub(crate) use field_name::FieldName;
pub(crate) use from_serde::{BORROWED, deserialize, deserialize_borrowed};
pub(crate) use part::serialize;
pub(crate) use raw_text::{RawText, raw_value_name};
pub use read::{from_prefix, from_slice, from_str};
pub(crate) use read::{from_valid, from_valid_with};
pub(crate) use reader::Reader;
pub(crate) use scan::Scanner;
pub(crate) use write::{append_raw, to_text};
