//! Members of objects and elements of lists, one after the other.

use serde::de::{DeserializeSeed, MapAccess, SeqAccess};
use serde_json::{Error, Result};

use super::key::Name;
use super::read::{Reader, fault};

/// The members of an object that has been opened.
pub(super) struct Members<'a, 'de> {
    reader: &'a mut Reader<'de>,
    begun: bool,
}

impl<'a, 'de> Members<'a, 'de> {
    #[inline]
    pub(super) fn of(reader: &'a mut Reader<'de>) -> Self {
        let begun = false;
        Self { reader, begun }
    }
}

impl<'de> MapAccess<'de> for Members<'_, 'de> {
    type Error = Error;

    #[inline]
    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>> {
        if !another(self.reader, &mut self.begun, b'}')? {
            return Ok(None);
        }
        let name = self.reader.scanner.string().ok_or_else(fault)?;
        seed.deserialize(Name(name)).map(Some)
    }

    #[inline]
    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value> {
        if self.reader.scanner.eat(b':') {
            seed.deserialize(&mut *self.reader)
        } else {
            Err(fault())
        }
    }
}

/// The elements of a list that has been opened.
pub(super) struct Elements<'a, 'de> {
    reader: &'a mut Reader<'de>,
    begun: bool,
}

impl<'a, 'de> Elements<'a, 'de> {
    pub(super) fn of(reader: &'a mut Reader<'de>) -> Self {
        let begun = false;
        Self { reader, begun }
    }
}

impl<'de> SeqAccess<'de> for Elements<'_, 'de> {
    type Error = Error;

    #[inline]
    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>> {
        if !another(self.reader, &mut self.begun, b']')? {
            return Ok(None);
        }
        seed.deserialize(&mut *self.reader).map(Some)
    }
}

/// Whether there is one more; reads over the comma before it, and not over the bracket.
#[inline]
fn another(reader: &mut Reader<'_>, begun: &mut bool, bracket: u8) -> Result<bool> {
    if *begun && reader.scanner.eat(b',') {
        return Ok(true);
    }
    if reader.scanner.peek() == Some(bracket) {
        return Ok(false);
    }
    if std::mem::replace(begun, true) {
        Err(fault())
    } else {
        Ok(true)
    }
}
