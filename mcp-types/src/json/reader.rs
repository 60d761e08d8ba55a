//! A place in JSON text, where a value comes next.

use std::borrow::Cow;

use serde::de::Expected;
use serde_json::{Error, Result};

use super::fault::{self, fault};
use super::scan::{Quoted, Scanner};
use super::unescape::unescape;

/// How deep values may nest: each level takes stack.
const MAX_DEPTH: usize = 128;

/// Reads values, one after the other.
#[doc(hidden)]
pub struct Reader<'de> {
    pub(super) scanner: Scanner<'de>,
    /// How many more levels may be opened.
    pub(super) levels: usize,
}

impl<'de> Reader<'de> {
    pub(super) fn new(scanner: Scanner<'de>) -> Self {
        let levels = MAX_DEPTH;
        Self { scanner, levels }
    }

    /// The beginning of text that is known to be valid.
    pub(crate) fn of_valid(text: &'de str) -> Self {
        Self::new(Scanner::of_valid(text))
    }

    /// The beginning of text that is a number, and nothing else.
    pub(super) fn of_number(text: &'de str) -> Option<Self> {
        let mut scanner = Scanner::new(text);
        let is_number = text.starts_with(['-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9'])
            && scanner.value(0).is_some_and(|number| number == text);
        is_number.then(|| Self::of_valid(text))
    }

    /// The first byte of the next value.
    #[inline]
    pub(crate) fn peek(&mut self) -> Option<u8> {
        self.scanner.peek()
    }

    /// Where it is.
    #[inline]
    pub(crate) fn place(&self) -> usize {
        self.scanner.place()
    }

    /// Goes back to where it has been.
    #[inline]
    pub(crate) fn go(&mut self, place: usize) {
        self.scanner.go(place);
    }

    /// Another one, at that place.
    pub(crate) fn at(&self, place: usize) -> Self {
        let (mut scanner, levels) = (self.scanner.clone(), self.levels);
        scanner.go(place);
        Self { scanner, levels }
    }

    /// The text of the next value.
    #[inline]
    pub(crate) fn raw(&mut self) -> Result<&'de str> {
        self.scanner.value(usize::MAX).ok_or_else(fault)
    }

    /// Reads over a value.
    #[inline]
    pub(crate) fn skip(&mut self) -> Result<()> {
        self.scanner.skip(usize::MAX).map(|_| ()).ok_or_else(fault)
    }

    /// Reads over `null`, if it comes next.
    #[inline]
    pub(crate) fn null(&mut self) -> Result<bool> {
        if self.peek() != Some(b'n') {
            return Ok(false);
        }
        self.scanner.word("null").map(|()| true).ok_or_else(fault)
    }

    /// Reads a string, which is copied only if it has escapes.
    #[inline]
    pub(crate) fn string(&mut self) -> Result<Cow<'de, str>> {
        self.string_for(&"a string")
    }

    /// [`Reader::string`] for what an error says was expected.
    #[inline]
    pub(super) fn string_for(&mut self, expected: &dyn Expected) -> Result<Cow<'de, str>> {
        match self.scanner.plain_string() {
            Some(text) => Ok(Cow::Borrowed(text)),
            None => self.any_string(expected),
        }
    }

    #[inline(never)]
    fn any_string(&mut self, expected: &dyn Expected) -> Result<Cow<'de, str>> {
        if self.peek() != Some(b'"') {
            return Err(self.misfit(expected));
        }
        // White space may have stood before it.
        if let Some(text) = self.scanner.plain_string() {
            return Ok(Cow::Borrowed(text));
        }
        let (said, end) = self.unescape(self.place() + 1)?;
        self.go(end);
        // Not behind white space: none may stand in a string as it is.
        match self.scanner.is_next(b'"') && self.scanner.eat(b'"') {
            true => Ok(Cow::Owned(said)),
            false => Err(fault()),
        }
    }

    /// What a string of this text says, of which the end is known; it is copied only if it has
    /// escapes.
    #[inline]
    pub(super) fn said(&self, quoted: Quoted<'de>) -> Result<Cow<'de, str>> {
        match quoted.escaped {
            true => self.unescaped(quoted).map(Cow::Owned),
            false => Ok(Cow::Borrowed(quoted.inner)),
        }
    }

    #[cold]
    pub(super) fn unescaped(&self, quoted: Quoted<'de>) -> Result<String> {
        self.unescape(self.place_of(quoted)).map(|(said, _)| said)
    }

    fn unescape(&self, start: usize) -> Result<(String, usize)> {
        unescape(self.scanner.text(), start).map_err(|fault| self.error(fault.at, fault.reason))
    }

    /// Where a string of this text stands, behind its quotation mark.
    pub(super) fn place_of(&self, quoted: Quoted<'de>) -> usize {
        quoted.inner.as_ptr().addr() - self.scanner.text().as_ptr().addr()
    }

    /// Another one, at a string that has been read.
    pub(super) fn at_string(&self, quoted: Quoted<'de>) -> Self {
        self.at(self.place_of(quoted).saturating_sub(1))
    }

    /// Goes into a list or an object.
    #[inline]
    pub(crate) fn open(&mut self, bracket: u8, expected: &dyn Expected) -> Result<()> {
        if !self.scanner.eat(bracket) {
            return Err(self.misfit(expected));
        }
        match self.levels.checked_sub(1) {
            Some(levels) => {
                self.levels = levels;
                Ok(())
            }
            None => Err(self.error(self.place(), "recursion limit exceeded")),
        }
    }

    /// Leaves a list or an object, if the bracket comes next.
    #[inline]
    pub(crate) fn close(&mut self, bracket: u8) -> bool {
        self.levels += 1;
        self.scanner.eat(bracket)
    }

    /// Leaves an object that has been opened, by going back to where it begins.
    #[inline]
    pub(crate) fn go_out(&mut self, start: usize) {
        self.levels += 1;
        self.go(start);
    }

    /// Whether there is one more member or element; reads over the comma before it, and not over
    /// the bracket.
    #[inline]
    pub(crate) fn another(&mut self, begun: &mut bool, bracket: u8) -> Result<bool> {
        if self.scanner.peek() == Some(bracket) {
            return Ok(false);
        }
        if std::mem::replace(begun, true) && !self.scanner.eat(b',') {
            return Err(fault());
        }
        Ok(true)
    }

    /// `message`, which is about that place.
    #[cold]
    pub(crate) fn error(&self, place: usize, message: &str) -> Error {
        fault::at(self.scanner.text().as_bytes(), place, message)
    }

    /// `error`, which is about the value that begins at that place.
    #[cold]
    pub(super) fn error_of(&self, start: usize, error: &Error) -> Error {
        fault::of_part(self.scanner.text(), start, error)
    }

    /// What has been read, if it is all of the text; else why it can't be.
    #[inline]
    pub(super) fn whole<T>(&mut self, value: Result<T>) -> Result<T> {
        match value {
            Ok(value) => match self.end() {
                Ok(()) => Ok(value),
                Err(more) => Err(more),
            },
            Err(misfit) => Err(self.reason(Some(misfit))),
        }
    }

    /// Nothing but white space must follow.
    fn end(&mut self) -> Result<()> {
        match self.scanner.is_at_end() {
            true => Ok(()),
            false => Err(self.reason(None)),
        }
    }

    /// Text that is no JSON is said to be none, whatever else is wrong with it.
    #[cold]
    pub(super) fn reason(&self, misfit: Option<Error>) -> Error {
        let reason = match self.scanner.is_valid() {
            true => misfit,
            false => fault::reason(self.scanner.text(), misfit),
        };
        reason.unwrap_or_else(fault)
    }
}
