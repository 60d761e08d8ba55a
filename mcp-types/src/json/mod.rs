//! JSON text, read and written where it stands.
//!
//! Messages pass here on their way in and out, so that their bytes are looked at as seldom as
//! possible, and several at a time. serde_json stays the judge: what is refused here is read again
//! by it, and its error is the one to report.

mod access;
mod ahead;
mod bytes;
mod compound;
mod key;
mod nesting;
mod raw_text;
mod read;
mod scan;
mod skip;
mod write;

pub(crate) use ahead::{BY_FIELD, BY_KEY};
pub(crate) use bytes::may_have_underscore;
pub(crate) use raw_text::{RawText, raw_value_name};
pub(crate) use read::from_valid;
pub use read::{from_slice, from_str};
pub(crate) use scan::Scanner;
pub(crate) use write::{append, append_raw};
