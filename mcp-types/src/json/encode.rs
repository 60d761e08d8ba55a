//! Values of the model, written as JSON text.
//!
//! What serde calls `Serialize` is compiled anew for each kind of output, and again in each crate
//! that writes. A type of the model says in one function what it consists of, to an [`Encoder`]:
//! one that writes text, or one that takes note of the parts, from which any serializer is served.

use std::borrow::Cow;

use serde_json::{Map, Number, Value};

use super::compose::{List, Object};
use super::part::Part;
use super::write::{append_bool, append_integer, append_raw, append_scalar, append_string};

/// A value that can be written as JSON, always and at once.
///
/// All types of this crate that are JSON have it, and no type of another can: a
/// [`RawJson`](crate::RawJson) is what to make of a value that only serde can write.
///
/// ```
/// use mcp_types::{Encode, RawJson, TextContent};
///
/// let values: [&dyn Encode; 2] = [&TextContent::new("hi"), &RawJson::new(&(1, "a")).unwrap()];
/// let written = values.map(|value| RawJson::encode(value).to_string());
/// assert_eq!(written, [r#"{"type":"text","text":"hi"}"#, r#"[1,"a"]"#]);
/// ```
pub trait Encode {
    /// Says what the value consists of.
    #[doc(hidden)]
    fn encode<'a>(&'a self, to: &mut Encoder<'_, 'a>);
}

/// `value` as text.
pub(crate) fn encode(value: &dyn Encode) -> String {
    let mut out = Vec::new();
    append_encoded(&mut out, value);
    // All that is appended is text.
    String::from_utf8(out).unwrap_or_default()
}

/// Appends `value` as text.
#[inline]
pub(crate) fn append_encoded<T: Encode + ?Sized>(out: &mut Vec<u8>, value: &T) {
    value.encode(&mut Encoder::Text(out));
}

/// A place for one value.
pub enum Encoder<'o, 'a> {
    /// The end of a text.
    Text(&'o mut Vec<u8>),
    /// What the value consists of, without what its parts consist of.
    Part(&'o mut Part<'a>),
}

impl<'a> Encoder<'_, 'a> {
    #[inline]
    pub(crate) fn null(&mut self) {
        match self {
            Self::Text(out) => out.extend_from_slice(b"null"),
            Self::Part(part) => **part = Part::Null,
        }
    }

    #[inline]
    pub(crate) fn bool(&mut self, value: bool) {
        match self {
            Self::Text(out) => append_bool(out, value),
            Self::Part(part) => **part = Part::Bool(value),
        }
    }

    #[inline]
    pub(crate) fn integer(&mut self, value: i64) {
        match self {
            Self::Text(out) => append_integer(out, value < 0, value.unsigned_abs()),
            Self::Part(part) => **part = Part::Integer(value),
        }
    }

    #[inline]
    pub(crate) fn unsigned(&mut self, value: u64) {
        match self {
            Self::Text(out) => append_integer(out, false, value),
            Self::Part(part) => **part = Part::Unsigned(value),
        }
    }

    #[inline]
    pub(crate) fn text(&mut self, text: &'a str) {
        match self {
            Self::Text(out) => append_string(out, text),
            Self::Part(part) => **part = Part::Text(text),
        }
    }

    /// Text that is JSON.
    #[inline]
    pub(crate) fn raw(&mut self, json: &'a str) {
        match self {
            Self::Text(out) => append_raw(out, json),
            Self::Part(part) => **part = Part::Raw(json),
        }
    }

    pub(crate) fn list<T: Encode>(&mut self, items: &'a [T]) {
        let mut list = self.begin_list();
        for item in items {
            list.item(item);
        }
        list.end();
    }

    fn begin_list(&mut self) -> List<'_, 'a> {
        match self {
            Self::Text(out) => List::in_text(out),
            Self::Part(part) => List::in_part(part),
        }
    }

    pub(crate) fn object(&mut self) -> Object<'_, 'a> {
        match self {
            Self::Text(out) => Object::in_text(out),
            Self::Part(part) => Object::in_part(part),
        }
    }
}

impl Encode for bool {
    fn encode<'a>(&'a self, to: &mut Encoder<'_, 'a>) {
        to.bool(*self);
    }
}

impl Encode for i64 {
    fn encode<'a>(&'a self, to: &mut Encoder<'_, 'a>) {
        to.integer(*self);
    }
}

impl Encode for u64 {
    fn encode<'a>(&'a self, to: &mut Encoder<'_, 'a>) {
        to.unsigned(*self);
    }
}

/// Up to here each whole `f64` is exact.
const LARGEST_EXACT: f64 = 9_007_199_254_740_992.0;

impl Encode for f64 {
    /// A whole number is written without a fraction (`5`, not `5.0`), as most peers do, so that
    /// what came in as an integer goes out as one.
    fn encode<'a>(&'a self, to: &mut Encoder<'_, 'a>) {
        if self.fract() == 0.0 && self.abs() <= LARGEST_EXACT {
            #[expect(clippy::cast_possible_truncation, reason = "whole and in range")]
            return to.integer(*self as i64);
        }
        match to {
            Encoder::Text(out) => append_scalar(out, self),
            Encoder::Part(part) => **part = Part::Float(*self),
        }
    }
}

impl Encode for str {
    fn encode<'a>(&'a self, to: &mut Encoder<'_, 'a>) {
        to.text(self);
    }
}

impl Encode for String {
    #[inline]
    fn encode<'a>(&'a self, to: &mut Encoder<'_, 'a>) {
        to.text(self);
    }
}

impl Encode for Cow<'_, str> {
    fn encode<'a>(&'a self, to: &mut Encoder<'_, 'a>) {
        to.text(self);
    }
}

impl<T: Encode + ?Sized> Encode for &T {
    fn encode<'a>(&'a self, to: &mut Encoder<'_, 'a>) {
        T::encode(self, to);
    }
}

impl<T: Encode> Encode for Box<T> {
    fn encode<'a>(&'a self, to: &mut Encoder<'_, 'a>) {
        T::encode(self, to);
    }
}

impl<T: Encode> Encode for Option<T> {
    fn encode<'a>(&'a self, to: &mut Encoder<'_, 'a>) {
        match self {
            Some(value) => value.encode(to),
            None => to.null(),
        }
    }
}

impl<T: Encode> Encode for Vec<T> {
    fn encode<'a>(&'a self, to: &mut Encoder<'_, 'a>) {
        to.list(self);
    }
}

impl<T: Encode> Encode for [T] {
    fn encode<'a>(&'a self, to: &mut Encoder<'_, 'a>) {
        to.list(self);
    }
}

impl Encode for Map<String, Value> {
    fn encode<'a>(&'a self, to: &mut Encoder<'_, 'a>) {
        let mut object = to.object();
        object.entries(self);
        object.end();
    }
}

impl Encode for Number {
    fn encode<'a>(&'a self, to: &mut Encoder<'_, 'a>) {
        match to {
            Encoder::Text(out) => append_scalar(out, self),
            Encoder::Part(part) => **part = Part::Number(self),
        }
    }
}

impl Encode for Value {
    fn encode<'a>(&'a self, to: &mut Encoder<'_, 'a>) {
        match self {
            Self::Null => to.null(),
            Self::Bool(value) => to.bool(*value),
            Self::Number(number) => number.encode(to),
            Self::String(text) => to.text(text),
            Self::Array(items) => to.list(items),
            Self::Object(members) => members.encode(to),
        }
    }
}
