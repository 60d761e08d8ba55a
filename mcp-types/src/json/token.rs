//! Values without parts, and how the others begin.

use std::borrow::Cow;

use serde::de::{Error as _, Expected, Unexpected, Visitor};
use serde_json::{Error, Result};

use super::fault::fault;
use super::reader::Reader;

/// What a value is, or begins with.
pub(super) enum Token<'de> {
    Null,
    Bool(bool),
    Number(Number),
    String(Cow<'de, str>),
    /// A list that has been opened.
    List,
    /// An object that has been opened.
    Object,
}

impl Token<'_> {
    /// What an error says that was found.
    fn unexpected(&self) -> Unexpected<'_> {
        match self {
            Self::Null => Unexpected::Unit,
            Self::Bool(value) => Unexpected::Bool(*value),
            Self::Number(number) => number.unexpected(),
            Self::String(text) => Unexpected::Str(text),
            Self::List => Unexpected::Seq,
            Self::Object => Unexpected::Map,
        }
    }
}

/// A number, as the first of these that can hold it.
#[derive(Clone, Copy)]
pub(super) enum Number {
    Unsigned(u64),
    Signed(i64),
    Float(f64),
}

impl Number {
    /// The number that is written like this; `None` if it is too large.
    pub(super) fn of(text: &str) -> Option<Self> {
        // JSON's negative zero is a fraction.
        if text != "-0" && !text.bytes().any(|byte| matches!(byte, b'.' | b'e' | b'E')) {
            if let Ok(number) = text.parse() {
                return Some(Self::Unsigned(number));
            }
            if let Ok(number) = text.parse() {
                return Some(Self::Signed(number));
            }
        }
        let number: f64 = text.parse().ok()?;
        number.is_finite().then_some(Self::Float(number))
    }

    pub(super) fn unexpected(self) -> Unexpected<'static> {
        match self {
            Self::Unsigned(number) => Unexpected::Unsigned(number),
            Self::Signed(number) => Unexpected::Signed(number),
            Self::Float(number) => Unexpected::Float(number),
        }
    }

    pub(super) fn visit<'de, V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self {
            Self::Unsigned(number) => visitor.visit_u64(number),
            Self::Signed(number) => visitor.visit_i64(number),
            Self::Float(number) => visitor.visit_f64(number),
        }
    }
}

impl From<Number> for serde_json::Value {
    fn from(number: Number) -> Self {
        match number {
            Number::Unsigned(number) => number.into(),
            Number::Signed(number) => number.into(),
            Number::Float(number) => number.into(),
        }
    }
}

impl<'de> Reader<'de> {
    /// Reads over a value without parts, or goes into one with parts.
    #[inline(never)]
    pub(super) fn token(&mut self) -> Result<Token<'de>> {
        Ok(match self.peek() {
            Some(b'"') => Token::String(self.string()?),
            Some(bracket @ b'[') => {
                self.open(bracket, &"a list")?;
                Token::List
            }
            Some(bracket @ b'{') => {
                self.open(bracket, &"an object")?;
                Token::Object
            }
            Some(b't' | b'f' | b'n') => match self.scalar()? {
                "true" => Token::Bool(true),
                "false" => Token::Bool(false),
                _ => Token::Null,
            },
            _ => {
                let text = self.scalar()?;
                Token::Number(Number::of(text).ok_or_else(|| self.too_large())?)
            }
        })
    }

    /// Reads over a number.
    pub(super) fn number(&mut self, expected: &dyn Expected) -> Result<Number> {
        let text = self.number_text(expected)?;
        Number::of(text).ok_or_else(|| self.too_large())
    }

    /// Reads over a number; how it is written.
    pub(super) fn number_text(&mut self, expected: &dyn Expected) -> Result<&'de str> {
        match self.peek() {
            Some(b'-' | b'0'..=b'9') => self.scalar(),
            _ => Err(self.misfit(expected)),
        }
    }

    /// Reads over a boolean.
    pub(super) fn bool(&mut self, expected: &dyn Expected) -> Result<bool> {
        match self.peek() {
            Some(b't' | b'f') => self.scalar().map(|text| text == "true"),
            _ => Err(self.misfit(expected)),
        }
    }

    /// Reads over a number or a word that comes next.
    fn scalar(&mut self) -> Result<&'de str> {
        self.scanner.scalar().ok_or_else(fault)
    }

    #[cold]
    pub(super) fn too_large(&self) -> Error {
        self.error(self.place(), "number out of range")
    }

    /// The next value is not what was expected, if it is a value at all.
    #[cold]
    pub(crate) fn misfit(&mut self, expected: &dyn Expected) -> Error {
        let found = match self.peek() {
            Some(b'[') => Ok(Token::List),
            Some(b'{') => Ok(Token::Object),
            Some(_) => self.token(),
            None => Err(fault()),
        };
        match found {
            Ok(token) => self.placed(Error::invalid_type(token.unexpected(), expected)),
            Err(fault) => fault,
        }
    }

    /// The error with the place that has been read up to, unless it has one.
    #[cold]
    pub(super) fn placed(&self, error: Error) -> Error {
        match error.line() {
            0 => self.error(self.place(), &error.to_string()),
            _ => error,
        }
    }
}
