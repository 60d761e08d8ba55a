//! Standard output: data only, made harmless on a terminal.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::{self, IsTerminal, Write};

use anstream::{AutoStream, ColorChoice};
use anstyle::{Effects, Style};
use serde::Serialize;
use tracing::level_filters::LevelFilter;

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
        self.line(&json::pretty(value)?)
    }

    /// Writes a document on one line.
    ///
    /// # Errors
    ///
    /// As [`line`](Self::line).
    pub(crate) fn compact(&self, value: &impl Serialize) -> Result<(), Failure> {
        self.line(&serde_json::to_string(value).map_err(io::Error::from)?)
    }

    /// Writes a remark to standard error.
    pub(crate) fn note(&self, text: &str) {
        let mut stderr = io::stderr().lock();
        let text = visible(text, stderr.is_terminal());
        // Nobody is left to be told of an error here.
        let _ = writeln!(stderr, "{text}");
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
    if !is_terminal || !text.contains(is_hidden) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        if is_hidden(letter) {
            let _ = write!(escaped, "{}", letter.escape_unicode());
        } else {
            escaped.push(letter);
        }
    }
    Cow::Owned(escaped)
}

fn is_hidden(letter: char) -> bool {
    let is_direction = matches!(letter, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    is_direction || (letter.is_control() && letter != '\n' && letter != '\t')
}

/// Writes the log to standard error: nothing, what servers and this program log, or all of it.
pub(crate) fn log(verbosity: u8) {
    let level = match verbosity {
        0 => LevelFilter::OFF,
        1 => LevelFilter::INFO,
        _ => LevelFilter::DEBUG,
    };
    tracing_subscriber::fmt()
        .with_writer(io::stderr)
        .with_ansi(!matches!(
            AutoStream::choice(&io::stderr()),
            ColorChoice::Never
        ))
        .with_max_level(level)
        .without_time()
        .with_target(false)
        .init();
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
