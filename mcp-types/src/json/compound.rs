//! Lists and objects as they are written.

use serde::Serialize;
use serde::ser::{
    SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant, SerializeTuple,
    SerializeTupleStruct, SerializeTupleVariant,
};
use serde_json::Error;

use super::bytes;
use super::write::{Writer, append_string};

/// A list or an object that has been opened, or the one value of a raw one.
pub(super) struct Compound<'a> {
    out: &'a mut Vec<u8>,
    /// What goes before the next part: the bracket that opens, and then commas.
    before: u8,
    end: &'static str,
    raw: bool,
}

impl<'a> Compound<'a> {
    #[inline]
    pub(super) fn new(out: &'a mut Vec<u8>, begin: u8, end: &'static str) -> Self {
        Self {
            out,
            before: begin,
            end,
            raw: false,
        }
    }

    pub(super) fn raw(out: &'a mut Vec<u8>) -> Self {
        let mut raw = Self::new(out, b',', "");
        raw.raw = true;
        raw
    }

    #[inline]
    fn close(self) -> Result<(), Error> {
        if self.before != b',' {
            self.out.push(self.before);
        }
        self.out.extend_from_slice(self.end.as_bytes());
        Ok(())
    }

    #[inline]
    fn bracket_or_comma(&mut self) -> u8 {
        std::mem::replace(&mut self.before, b',')
    }

    #[inline]
    fn value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        value.serialize(Writer {
            out: self.out,
            raw: self.raw,
        })
    }

    #[inline]
    fn element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        let before = self.bracket_or_comma();
        self.out.push(before);
        self.value(value)
    }

    #[inline(always)]
    fn field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Result<(), Error> {
        if !self.raw {
            let before = self.bracket_or_comma();
            append_name(self.out, before, name);
        }
        self.value(value)
    }
}

/// How long a name may be to be written at once; longer ones are rare.
const SHORT: usize = 28;

/// Appends the name of a field, with what goes before and behind it.
///
/// Where this is compiled into, the name is a constant. So it is the compiler that finds out that
/// there is nothing to escape, and what is left is one copy of a known length.
#[inline(always)]
fn append_name(out: &mut Vec<u8>, before: u8, name: &'static str) {
    let bytes = name.as_bytes();
    if bytes.len() <= SHORT && bytes::are_plain(bytes) {
        let mut text = [0; SHORT + 4];
        let length = bytes.len() + 4;
        text[0] = before;
        text[1] = b'"';
        text[2..length - 2].copy_from_slice(bytes);
        text[length - 2] = b'"';
        text[length - 1] = b':';
        out.extend_from_slice(&text[..length]);
    } else {
        out.push(before);
        append_string(out, name);
        out.push(b':');
    }
}

macro_rules! lists {
    ($($trait:ident::$method:ident,)*) => {
        $(impl $trait for Compound<'_> {
            type Ok = ();
            type Error = Error;

            fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
                self.element(value)
            }

            fn end(self) -> Result<(), Error> {
                self.close()
            }
        })*
    };
}

lists! {
    SerializeSeq::serialize_element,
    SerializeTuple::serialize_element,
    SerializeTupleStruct::serialize_field,
    SerializeTupleVariant::serialize_field,
}

macro_rules! objects {
    ($($trait:ident,)*) => {
        $(impl $trait for Compound<'_> {
            type Ok = ();
            type Error = Error;

            #[inline(always)]
            fn serialize_field<T: Serialize + ?Sized>(
                &mut self,
                name: &'static str,
                value: &T,
            ) -> Result<(), Error> {
                self.field(name, value)
            }

            #[inline]
            fn end(self) -> Result<(), Error> {
                self.close()
            }
        })*
    };
}

objects! {
    SerializeStruct,
    SerializeStructVariant,
}

impl SerializeMap for Compound<'_> {
    type Ok = ();
    type Error = Error;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, name: &T) -> Result<(), Error> {
        let before = self.bracket_or_comma();
        self.out.push(before);
        let start = self.out.len();
        let written = self.value(name);
        // Names that are no strings are rare, and serde_json knows which of them may be.
        if written.is_err() || self.out.get(start) != Some(&b'"') {
            self.out.truncate(start);
            let object = serde_json::to_vec(&OneMember(name))?;
            let name = object
                .strip_prefix(b"{")
                .and_then(|rest| rest.strip_suffix(b":null}"));
            self.out.extend_from_slice(name.unwrap_or_default());
        }
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        self.out.push(b':');
        self.value(value)
    }

    fn end(self) -> Result<(), Error> {
        self.close()
    }
}

/// An object with a member of that name, and nothing in it.
struct OneMember<'a, T: ?Sized>(&'a T);

impl<T: Serialize + ?Sized> Serialize for OneMember<'_, T> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(1))?;
        map.serialize_entry(self.0, &())?;
        map.end()
    }
}
