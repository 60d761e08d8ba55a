//! Lists and objects as they are encoded.

use serde_json::{Map, Value};

use super::encode::{Encode, append_encoded};
use super::field_name::{FieldName, append_any};
use super::part::Part;
use super::write::append_string_here;

/// An object that is being encoded.
pub(crate) enum Object<'o, 'a> {
    /// Its members stand behind commas, from `start` on.
    Text { out: &'o mut Vec<u8>, start: usize },
    /// Its members are noted.
    Part(&'o mut Part<'a>),
}

impl<'o, 'a> Object<'o, 'a> {
    #[inline]
    pub(super) fn in_text(out: &'o mut Vec<u8>) -> Self {
        let start = out.len();
        Self::Text { out, start }
    }

    #[inline(never)]
    pub(super) fn in_part(part: &'o mut Part<'a>) -> Self {
        *part = Part::Object(Vec::with_capacity(8));
        Self::Part(part)
    }

    /// A field that is a string. Most are, so this is there once, and not in each type.
    #[expect(clippy::ptr_arg, reason = "a part is a value of known size")]
    #[inline(never)]
    pub(crate) fn text(&mut self, name: &'static FieldName, value: &'a String) {
        match self {
            Self::Text { out, .. } => {
                name.append(out);
                append_string_here(out, value);
            }
            Self::Part(part) => part.push(name.get(), value),
        }
    }

    /// A field that is a string, and may be absent.
    #[inline]
    pub(crate) fn optional_text(&mut self, name: &'static FieldName, value: &'a Option<String>) {
        if let Some(value) = value {
            self.text(name, value);
        }
    }

    /// A field that is always there.
    #[inline]
    pub(crate) fn field<T: Encode>(&mut self, name: &'static FieldName, value: &'a T) {
        match self {
            Self::Text { out, .. } => {
                name.append(out);
                append_encoded(out, value);
            }
            Self::Part(part) => part.push(name.get(), value),
        }
    }

    /// A field of whatever type.
    pub(crate) fn any_field(&mut self, name: &'static FieldName, value: &'a dyn Encode) {
        match self {
            Self::Text { out, .. } => {
                name.append(out);
                append_encoded(out, value);
            }
            Self::Part(part) => part.push(name.get(), value),
        }
    }

    /// A field that may be absent.
    #[inline]
    pub(crate) fn optional<T: Encode>(&mut self, name: &'static FieldName, value: &'a Option<T>) {
        if let Some(value) = value {
            self.field(name, value);
        }
    }

    /// A member of any name.
    pub(crate) fn entry<T: Encode>(&mut self, name: &'a str, value: &'a T) {
        match self {
            Self::Text { out, .. } => {
                append_any(out, name);
                append_encoded(out, value);
            }
            Self::Part(part) => part.push(name, value),
        }
    }

    /// All members of another object.
    pub(crate) fn entries(&mut self, entries: &'a Map<String, Value>) {
        for (name, value) in entries {
            self.entry(name, value);
        }
    }

    /// There are no more members.
    pub(crate) fn end(self) {
        if let Self::Text { out, start } = self {
            close(out, start, *b"{}");
        }
    }
}

/// A list that is being encoded.
pub(super) enum List<'o, 'a> {
    /// Its items stand behind commas, from `start` on.
    Text { out: &'o mut Vec<u8>, start: usize },
    /// Its items are noted.
    Part(&'o mut Part<'a>),
}

impl<'o, 'a> List<'o, 'a> {
    pub(super) fn in_text(out: &'o mut Vec<u8>) -> Self {
        let start = out.len();
        Self::Text { out, start }
    }

    pub(super) fn in_part(part: &'o mut Part<'a>) -> Self {
        *part = Part::List(Vec::new());
        Self::Part(part)
    }

    pub(super) fn item(&mut self, item: &'a dyn Encode) {
        match self {
            Self::Text { out, .. } => {
                out.push(b',');
                append_encoded(out, item);
            }
            Self::Part(part) => part.push_item(item),
        }
    }

    pub(super) fn end(self) {
        if let Self::Text { out, start } = self {
            close(out, start, *b"[]");
        }
    }
}

/// Puts brackets around what has been appended since `start`, each part behind a comma.
#[inline]
fn close(out: &mut Vec<u8>, start: usize, [begin, end]: [u8; 2]) {
    match out.get_mut(start) {
        Some(comma) => *comma = begin,
        None => out.push(begin),
    }
    out.push(end);
}
