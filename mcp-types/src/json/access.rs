//! Members of objects, one after the other.

use std::borrow::Cow;

use serde_json::{Error, Result};

use super::bytes;
use super::decode::Decode;
use super::fault::fault;
use super::reader::Reader;
use super::scan::Quoted;

/// The members of an object that has been opened.
pub(crate) struct Members<'a, 'de> {
    pub(super) reader: &'a mut Reader<'de>,
    /// Whether one has been read.
    begun: bool,
    /// Whether all have been read, and the bracket behind them.
    pub(super) ended: bool,
}

impl<'a, 'de> Members<'a, 'de> {
    /// All of them.
    #[inline]
    pub(crate) fn of(reader: &'a mut Reader<'de>) -> Self {
        Self::rest(reader, false)
    }

    /// All of them, or those behind the first.
    #[inline]
    pub(crate) fn rest(reader: &'a mut Reader<'de>, begun: bool) -> Self {
        let ended = false;
        Self {
            reader,
            begun,
            ended,
        }
    }

    /// Reads over the next name and its colon, or over the bracket behind the last member.
    #[inline(never)]
    pub(crate) fn name(&mut self) -> Result<Option<Quoted<'de>>> {
        self.name_here()
    }

    /// [`Members::name`], compiled into where it is called.
    #[inline(always)]
    fn name_here(&mut self) -> Result<Option<Quoted<'de>>> {
        let scanner = &mut self.reader.scanner;
        if scanner.is_next(b'}') {
            return Ok(self.end());
        }
        if let Some(inner) = scanner.usual_name(self.begun.then_some(b',')) {
            self.begun = true;
            let escaped = false;
            return Ok(Some(Quoted { inner, escaped }));
        }
        self.any_name()
    }

    #[inline(never)]
    fn any_name(&mut self) -> Result<Option<Quoted<'de>>> {
        if !self.reader.another(&mut self.begun, b'}')? {
            return Ok(self.end());
        }
        let scanner = &mut self.reader.scanner;
        let name = scanner.string().filter(|_| scanner.eat(b':'));
        name.ok_or_else(fault).map(Some)
    }

    /// Leaves the object.
    #[inline]
    fn end(&mut self) -> Option<Quoted<'de>> {
        self.reader.close(b'}');
        self.ended = true;
        None
    }

    /// The next member that has one of these names, its value yet to be read; others are skipped.
    #[inline(never)]
    pub(crate) fn next_known(&mut self, names: &[&str]) -> Result<Option<usize>> {
        while let Some(name) = self.name_here()? {
            let known = match name.escaped {
                false => place_of(name.inner, names),
                true => place_of(&self.reader.unescaped(name)?, names),
            };
            if known.is_some() {
                return Ok(known);
            }
            self.reader.skip()?;
        }
        Ok(None)
    }

    /// The next member, its value yet to be read: the place among these names, or another name.
    pub(crate) fn next_or_name(
        &mut self,
        names: &[&str],
    ) -> Result<Option<std::result::Result<usize, String>>> {
        let Some(name) = self.name()? else {
            return Ok(None);
        };
        let name = match name.escaped {
            false => Cow::Borrowed(name.inner),
            true => Cow::Owned(self.reader.unescaped(name)?),
        };
        Ok(Some(
            place_of(&name, names).ok_or_else(|| name.into_owned()),
        ))
    }

    /// Reads the value.
    #[inline]
    pub(crate) fn value<T: Decode<'de>>(&mut self) -> Result<T> {
        T::decode(self.reader)
    }

    /// Reads over the value, and gives a reader for it.
    pub(crate) fn here(&mut self) -> Result<Reader<'de>> {
        let value = self.reader.at(self.reader.place());
        self.reader.skip().map(|()| value)
    }

    /// Reads over the value.
    pub(crate) fn skip(&mut self) -> Result<()> {
        self.reader.skip()
    }

    /// A member of that name has been there before the one whose name has been read.
    #[cold]
    pub(crate) fn duplicate(&self, name: &str) -> Error {
        let message = format!("duplicate field `{name}`");
        self.reader.error(self.reader.place() - 1, &message)
    }

    /// All members have been read, and none has that name.
    #[cold]
    pub(crate) fn missing(&self, name: &str) -> Error {
        let message = format!("missing field `{name}`");
        self.reader.error(self.reader.place(), &message)
    }
}

/// Where a name stands among others.
#[inline]
pub(crate) fn place_of(name: &str, names: &[&str]) -> Option<usize> {
    let name = name.as_bytes();
    names
        .iter()
        .position(|known| bytes::are_equal(known.as_bytes(), name))
}
