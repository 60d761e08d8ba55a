//! Members of objects and elements of lists, one after the other.

use serde::de::{DeserializeSeed, MapAccess, SeqAccess};
use serde_json::{Error, Result};

use super::ahead::Ahead;
use super::key::Name;
use super::read::{Reader, fault};

/// The members of an object that has been opened.
pub(super) struct Members<'a, 'de> {
    reader: &'a mut Reader<'de>,
    begun: bool,
    /// The member that comes before the others.
    ahead: Option<Ahead>,
}

impl<'a, 'de> Members<'a, 'de> {
    #[inline]
    pub(super) fn of(reader: &'a mut Reader<'de>, ahead: Option<Ahead>) -> Self {
        Self {
            reader,
            begun: false,
            ahead,
        }
    }

    /// Whether there is one more, whose name comes next.
    #[inline]
    fn another(&mut self) -> Result<bool> {
        match &mut self.ahead {
            None => another(self.reader, &mut self.begun, b'}'),
            Some(ahead) => {
                if ahead.go_on(&mut self.reader.scanner) {
                    return Ok(true);
                }
                let more = another(self.reader, &mut self.begun, b'}')?;
                if more && ahead.skip(&mut self.reader.scanner) {
                    return another(self.reader, &mut self.begun, b'}');
                }
                Ok(more)
            }
        }
    }
}

impl<'de> MapAccess<'de> for Members<'_, 'de> {
    type Error = Error;

    #[inline]
    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>> {
        if !self.another()? {
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
    let next = reader.scanner.peek();
    if next == Some(bracket) {
        return Ok(false);
    }
    if std::mem::replace(begun, true) && !reader.scanner.eat(b',') {
        return Err(fault());
    }
    Ok(true)
}
