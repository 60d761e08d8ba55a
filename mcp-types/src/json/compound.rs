//! Lists and objects as they are written.

use serde::Serialize;
use serde::ser::{
    SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant, SerializeTuple,
    SerializeTupleStruct, SerializeTupleVariant,
};
use serde_json::Error;

use super::write::{Writer, append_string};

/// A list or an object that has been opened, or the one value of a raw one.
pub(super) struct Compound<'a> {
    pub(super) out: &'a mut Vec<u8>,
    end: &'static str,
    begun: bool,
    raw: bool,
}

impl<'a> Compound<'a> {
    #[inline]
    pub(super) fn new(out: &'a mut Vec<u8>, end: &'static str) -> Self {
        let (begun, raw) = (false, false);
        Self {
            out,
            end,
            begun,
            raw,
        }
    }

    pub(super) fn raw(out: &'a mut Vec<u8>) -> Self {
        let mut raw = Self::new(out, "");
        raw.raw = true;
        raw
    }

    #[inline]
    pub(super) fn close(self) -> Result<(), Error> {
        self.out.extend_from_slice(self.end.as_bytes());
        Ok(())
    }

    #[inline]
    fn comma(&mut self) {
        if std::mem::replace(&mut self.begun, true) {
            self.out.push(b',');
        }
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
        self.comma();
        self.value(value)
    }

    #[inline]
    fn field<T: Serialize + ?Sized>(&mut self, name: &str, value: &T) -> Result<(), Error> {
        if !self.raw {
            self.comma();
            append_string(self.out, name);
            self.out.push(b':');
        }
        self.value(value)
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

            #[inline]
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
        self.comma();
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
