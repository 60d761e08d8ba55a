//! Standard output: data only, made harmless on a terminal.

use std::borrow::Cow;
use std::io::{self, IsTerminal, Write};

use anstream::{AutoStream, ColorChoice};
use anstyle::{Effects, Style};
use serde::Serialize;

use crate::failure::Failure;
use crate::json;

/// Where data is written to.
pub(crate) struct Output {
    pub(crate) json: bool,
    /// True if a person reads it.
    pub(crate) is_terminal: bool,
    is_styled: bool,
}

impl Output {
    pub(crate) fn new(json: bool) -> Self {
        let stdout = io::stdout();
        Self {
            json,
            is_terminal: stdout.is_terminal(),
            is_styled: !matches!(AutoStream::choice(&stdout), ColorChoice::Never),
        }
    }

    /// Writes a line of text. On a terminal its control characters are escaped.
    ///
    /// # Errors
    ///
    /// If standard output is closed or can't be written.
    pub(crate) fn line(&self, text: &str) -> Result<(), Failure> {
        Ok(writeln!(
            io::stdout(),
            "{}",
            visible(text, self.is_terminal)
        )?)
    }

    /// Writes a heading, in bold on a terminal.
    ///
    /// # Errors
    ///
    /// As [`line`](Self::line).
    pub(crate) fn heading(&self, text: &str) -> Result<(), Failure> {
        let style = match self.is_styled {
            true => Style::new().effects(Effects::BOLD),
            false => Style::new(),
        };
        let text = visible(text, self.is_terminal);
        Ok(writeln!(io::stdout(), "{style}{text}{style:#}")?)
    }

    /// Writes a document, indented by two spaces.
    ///
    /// # Errors
    ///
    /// As [`line`](Self::line).
    pub(crate) fn document(&self, value: &impl Serialize) -> Result<(), Failure> {
        self.json_line(json::pretty(value)?)
    }

    /// Writes a document on one line.
    ///
    /// # Errors
    ///
    /// As [`line`](Self::line).
    pub(crate) fn compact(&self, value: &impl Serialize) -> Result<(), Failure> {
        self.json_line(serde_json::to_string(value).map_err(io::Error::from)?)
    }

    /// Writes JSON. On a terminal, characters that control it are escaped as JSON does.
    fn json_line(&self, text: String) -> Result<(), Failure> {
        let escape = |letter: char| format!("\\u{:04x}", u32::from(letter));
        let text = escaped(&text, self.is_terminal, escape);
        Ok(writeln!(io::stdout(), "{text}")?)
    }

    /// Writes bytes as they are.
    ///
    /// # Errors
    ///
    /// As [`line`](Self::line).
    pub(crate) fn bytes(&self, bytes: &[u8]) -> Result<(), Failure> {
        let mut stdout = io::stdout().lock();
        stdout.write_all(bytes)?;
        Ok(stdout.flush()?)
    }
}

/// Escapes the characters of a text that control a terminal or hide other text: control characters
/// other than line feeds and tabs, and those that change the direction of writing.
pub(crate) fn visible(text: &str, is_terminal: bool) -> Cow<'_, str> {
    escaped(text, is_terminal, |letter| {
        letter.escape_unicode().to_string()
    })
}

fn escaped(text: &str, is_terminal: bool, escape: impl Fn(char) -> String) -> Cow<'_, str> {
    if !is_terminal || !text.contains(is_hidden) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match is_hidden(letter) {
            true => escaped += &escape(letter),
            false => escaped.push(letter),
        }
    }
    Cow::Owned(escaped)
}

fn is_hidden(letter: char) -> bool {
    let is_direction = matches!(letter, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    is_direction || (letter.is_control() && letter != '\n' && letter != '\t')
}

/// Writes a remark, such as a message of a server's log, to standard error.
pub(crate) fn note(text: &str) {
    let mut stderr = io::stderr().lock();
    let text = visible(text, stderr.is_terminal());
    // Nobody is left to be told of an error here.
    let _ = writeln!(stderr, "{text}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_can_not_control_a_terminal() {
        let text = "a\u{1b}]0;title\u{7}\r\u{9b}1m\u{202e}b\tc\n";
        let shown = visible(text, true);
        assert_eq!(
            shown,
            "a\\u{1b}]0;title\\u{7}\\u{d}\\u{9b}1m\\u{202e}b\tc\n"
        );
        assert_eq!(visible(text, false), text);
    }
}
