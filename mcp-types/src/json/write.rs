//! A serializer into a byte buffer.
//!
//! It writes what serde_json writes, and always on one line: raw values are kept as they came,
//! but a line break in them, which can only be white space between tokens, becomes a space.

use serde::Serialize;
use serde::ser::{Error as _, SerializeSeq, Serializer};
use serde_json::{Error, Result};

use super::bytes;
use super::compound::Compound;
use super::raw_text::raw_value_name;

/// Appends `value`.
///
/// # Errors
///
/// When it can't be serialised, such as a map whose keys are not strings.
pub(crate) fn append<T: Serialize + ?Sized>(out: &mut Vec<u8>, value: &T) -> Result<()> {
    value.serialize(Writer { out, raw: false })
}

/// `value` as text.
///
/// # Errors
///
/// As [`append`].
pub(crate) fn to_text<T: Serialize + ?Sized>(value: &T) -> Result<String> {
    let mut out = Vec::new();
    let written = append(&mut out, value);
    finished(out, written)
}

/// The text of `out`: not generic, so that it is there once.
fn finished(out: Vec<u8>, written: Result<()>) -> Result<String> {
    written?;
    String::from_utf8(out).map_err(Error::custom)
}

/// Appends JSON that is already text.
pub(crate) fn append_raw(out: &mut Vec<u8>, json: &str) {
    let start = out.len();
    out.extend_from_slice(json.as_bytes());
    if bytes::has_line_break(&out[start..]) {
        for byte in &mut out[start..] {
            if matches!(*byte, b'\n' | b'\r') {
                *byte = b' ';
            }
        }
    }
}

/// Appends a string, with quotation marks and escapes.
#[inline(never)]
pub(super) fn append_string(out: &mut Vec<u8>, text: &str) {
    append_string_here(out, text);
}

/// [`append_string`], compiled into where it is called.
#[inline(always)]
pub(super) fn append_string_here(out: &mut Vec<u8>, text: &str) {
    let bytes = text.as_bytes();
    out.reserve(bytes.len() + 2);
    out.push(b'"');
    if bytes::are_plain(bytes) {
        out.extend_from_slice(bytes);
    } else {
        append_escaped(out, bytes);
    }
    out.push(b'"');
}

#[inline(never)]
fn append_escaped(out: &mut Vec<u8>, bytes: &[u8]) {
    let mut rest = bytes;
    loop {
        let (plain, more) = rest.split_at(bytes::plain(rest, 0));
        out.extend_from_slice(plain);
        let Some((special, after)) = more.split_first() else {
            return;
        };
        match *special {
            b'"' => out.extend_from_slice(br#"\""#),
            b'\\' => out.extend_from_slice(br"\\"),
            b'\n' => out.extend_from_slice(br"\n"),
            b'\r' => out.extend_from_slice(br"\r"),
            b'\t' => out.extend_from_slice(br"\t"),
            0x08 => out.extend_from_slice(br"\b"),
            0x0c => out.extend_from_slice(br"\f"),
            control => {
                let digit = |half: u8| b"0123456789abcdef"[usize::from(half & 0xf)];
                out.extend_from_slice(br"\u00");
                out.extend_from_slice(&[digit(control >> 4), digit(control)]);
            }
        }
        rest = after;
    }
}

#[inline]
pub(super) fn append_bool(out: &mut Vec<u8>, value: bool) {
    let word: &[u8] = if value { b"true" } else { b"false" };
    out.extend_from_slice(word);
}

/// Appends an integer of that size.
pub(super) fn append_integer(out: &mut Vec<u8>, negative: bool, size: u64) {
    let (mut digits, mut start, mut rest) = ([0; 20], 20, size);
    for place in digits.iter_mut().rev() {
        *place = b'0' + (rest % 10) as u8;
        start -= 1;
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    if negative {
        out.push(b'-');
    }
    out.extend_from_slice(&digits[start..]);
}

/// Appends a number of any kind; what has no form in JSON is `null`.
pub(super) fn append_scalar<T: Serialize>(out: &mut Vec<u8>, number: &T) {
    // Nothing can go wrong with it.
    let _ = serde_json::to_writer(out, number);
}

/// A place for one value.
pub(super) struct Writer<'a> {
    pub(super) out: &'a mut Vec<u8>,
    /// Whether a string is JSON.
    pub(super) raw: bool,
}

impl<'a> Writer<'a> {
    /// Writes the beginning of the object that is a variant.
    fn variant(&mut self, variant: &str) {
        self.out.push(b'{');
        append_string(self.out, variant);
        self.out.push(b':');
    }

    /// Leaves a value without parts to serde_json.
    fn scalar<T: Serialize>(self, value: T) -> Result<()> {
        serde_json::to_writer(self.out, &value)
    }
}

macro_rules! scalars {
    ($($method:ident: $type:ty,)*) => {
        $(fn $method(self, value: $type) -> Result<()> {
            self.scalar(value)
        })*
    };
}

impl<'a> Serializer for Writer<'a> {
    type Ok = ();
    type Error = Error;
    type SerializeSeq = Compound<'a>;
    type SerializeTuple = Compound<'a>;
    type SerializeTupleStruct = Compound<'a>;
    type SerializeTupleVariant = Compound<'a>;
    type SerializeMap = Compound<'a>;
    type SerializeStruct = Compound<'a>;
    type SerializeStructVariant = Compound<'a>;

    scalars! {
        serialize_i8: i8,
        serialize_i16: i16,
        serialize_i32: i32,
        serialize_i64: i64,
        serialize_i128: i128,
        serialize_u8: u8,
        serialize_u16: u16,
        serialize_u32: u32,
        serialize_u64: u64,
        serialize_u128: u128,
        serialize_f32: f32,
        serialize_f64: f64,
        serialize_char: char,
    }

    #[inline]
    fn serialize_bool(self, value: bool) -> Result<()> {
        append_bool(self.out, value);
        Ok(())
    }

    #[inline]
    fn serialize_str(self, text: &str) -> Result<()> {
        if self.raw {
            append_raw(self.out, text);
        } else {
            append_string(self.out, text);
        }
        Ok(())
    }

    fn serialize_bytes(self, bytes: &[u8]) -> Result<()> {
        let mut list = self.serialize_seq(None)?;
        bytes
            .iter()
            .try_for_each(|byte| list.serialize_element(byte))?;
        SerializeSeq::end(list)
    }

    fn serialize_none(self) -> Result<()> {
        self.serialize_unit()
    }

    #[inline]
    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<()> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<()> {
        self.out.extend_from_slice(b"null");
        Ok(())
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<()> {
        self.serialize_unit()
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Result<()> {
        self.serialize_str(variant)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> Result<()> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        mut self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<()> {
        self.variant(variant);
        append(self.out, value)?;
        self.out.push(b'}');
        Ok(())
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Compound<'a>> {
        Ok(Compound::new(self.out, b'[', "]"))
    }

    fn serialize_tuple(self, _: usize) -> Result<Compound<'a>> {
        Ok(Compound::new(self.out, b'[', "]"))
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Compound<'a>> {
        Ok(Compound::new(self.out, b'[', "]"))
    }

    fn serialize_tuple_variant(
        mut self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Compound<'a>> {
        self.variant(variant);
        Ok(Compound::new(self.out, b'[', "]}"))
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Compound<'a>> {
        Ok(Compound::new(self.out, b'{', "}"))
    }

    #[inline]
    fn serialize_struct(self, name: &'static str, _: usize) -> Result<Compound<'a>> {
        // Only what serde_json asks for begins like this, which the compiler knows of most names.
        Ok(match name.starts_with('$') && name == raw_value_name() {
            true => Compound::raw(self.out),
            false => Compound::new(self.out, b'{', "}"),
        })
    }

    fn serialize_struct_variant(
        mut self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Compound<'a>> {
        self.variant(variant);
        Ok(Compound::new(self.out, b'{', "}}"))
    }
}

#[cfg(test)]
mod tests;
