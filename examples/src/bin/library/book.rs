//! The types of arguments and results.

use std::fmt;
use std::str::FromStr;

use mcp_runtime::prelude::*;

/// A book.
#[derive(Clone, Serialize, JsonSchema)]
pub(crate) struct Book {
    pub(crate) title: String,
    pub(crate) author: String,
    /// When it came out.
    pub(crate) year: u16,
    pub(crate) isbn: Isbn,
}

/// The number of a book: thirteen digits.
#[derive(Clone, Copy, PartialEq, Serialize, JsonSchema)]
pub(crate) struct Isbn(pub(crate) u64);

impl FromStr for Isbn {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let number = text.replace('-', "").parse().ok();
        number
            .filter(|number| (10_u64.pow(12)..10_u64.pow(13)).contains(number))
            .map(Self)
            .ok_or("expected thirteen digits")
    }
}

/// How a summary reads.
#[derive(Clone, Copy, Default)]
pub(crate) enum Tone {
    #[default]
    Neutral,
    Witty,
}

impl FromStr for Tone {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "neutral" => Ok(Self::Neutral),
            "witty" => Ok(Self::Witty),
            _ => Err("expected `neutral` or `witty`"),
        }
    }
}

impl fmt::Display for Tone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Neutral => "neutral",
            Self::Witty => "witty",
        })
    }
}
