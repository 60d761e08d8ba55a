//! Members of objects and elements of lists, one after the other.

use serde::de::{DeserializeSeed, MapAccess, SeqAccess};
use serde_json::{Error, Result};

use super::ahead::{Ahead, Done};
use super::key::Name;
use super::read::{Reader, fault};
use super::scan::Quoted;

/// The members of an object that has been opened.
pub(super) struct Members<'a, 'de> {
    reader: &'a mut Reader<'de>,
    begun: bool,
    /// Whether the colon has been read that goes before the next value.
    colon: bool,
    /// The member that comes before the others.
    ahead: Option<Ahead>,
    /// That member, when it has been read.
    done: Done,
}

impl<'a, 'de> Members<'a, 'de> {
    #[inline]
    pub(super) fn of(reader: &'a mut Reader<'de>, ahead: Option<Ahead>) -> Self {
        Self {
            reader,
            begun: false,
            colon: false,
            ahead,
            done: Done::NONE,
        }
    }

    /// Reads over the next name.
    #[inline]
    fn name(&mut self) -> Result<Option<Quoted<'de>>> {
        let scanner = &mut self.reader.scanner;
        let place = scanner.place() + usize::from(self.begun);
        if self.ahead.is_none() && place != self.done.name {
            if scanner.is_next(b'}') {
                return Ok(None);
            }
            let comma = self.begun.then_some(b',');
            if let Some(inner) = scanner.usual_name(comma) {
                (self.begun, self.colon) = (true, true);
                let escaped = false;
                return Ok(Some(Quoted { inner, escaped }));
            }
        }
        self.any_name()
    }

    #[inline(never)]
    fn any_name(&mut self) -> Result<Option<Quoted<'de>>> {
        self.colon = false;
        if !self.another()? {
            return Ok(None);
        }
        self.reader.scanner.string().ok_or_else(fault).map(Some)
    }

    /// Whether there is one more, whose name comes next.
    fn another(&mut self) -> Result<bool> {
        if let Some(ahead) = &mut self.ahead {
            match ahead.go_on(&mut self.reader.scanner) {
                None => return Ok(true),
                Some(done) => (self.ahead, self.done) = (None, done),
            }
        }
        let more = another(self.reader, &mut self.begun, b'}')?;
        self.reader.scanner.peek();
        if !more || self.reader.scanner.place() != self.done.name {
            return Ok(more);
        }
        self.reader.scanner.go(self.done.end);
        another(self.reader, &mut self.begun, b'}')
    }
}

impl<'de> MapAccess<'de> for Members<'_, 'de> {
    type Error = Error;

    #[inline]
    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>> {
        match self.name()? {
            Some(name) => seed.deserialize(Name(name)).map(Some),
            None => Ok(None),
        }
    }

    #[inline]
    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value> {
        if self.colon || self.reader.scanner.eat(b':') {
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
