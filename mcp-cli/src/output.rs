//! Writes data to standard output and messages to standard error, both made harmless on a terminal.

use std::io::{self, IsTerminal, Write};

use anstream::{AutoStream, ColorChoice};
use anstyle::{AnsiColor, Style};
use console::Term;
use mcp_runtime::types::{RawJson, RawJsonRef};
use serde::Serialize;
use serde_json::{Serializer, Value};

use crate::failure::Failure;
use crate::limits::{SHOWN_LEVELS, USUAL_COLUMNS};
use crate::screen::Screen;
use crate::visible::{visible, visible_json};

/// Standard output, which receives only data.
pub(crate) struct Output {
    pub(crate) json: bool,
    pub(crate) is_terminal: bool,
    has_styles: bool,
}

impl Output {
    pub(crate) fn new(json: bool) -> Self {
        let stdout = io::stdout();
        Self {
            json,
            is_terminal: stdout.is_terminal(),
            has_styles: AutoStream::choice(&stdout) != ColorChoice::Never,
        }
    }

    /// Writes a line of text. On a terminal, its control characters are escaped.
    ///
    /// # Errors
    ///
    /// Fails if standard output is closed or can't be written.
    pub(crate) fn line(&self, text: &str) -> Result<(), Failure> {
        self.bytes(format!("{}\n", visible(text, self.is_terminal)).as_bytes())
    }

    /// Writes a heading, in bold on a terminal.
    pub(crate) fn heading(&self, text: &str) -> Result<(), Failure> {
        let mut screen = self.screen();
        screen.heading(text);
        self.write(&screen)
    }

    /// An empty screen with the width of the terminal.
    pub(crate) fn screen(&self) -> Screen {
        let size = Term::stdout().size_checked();
        let width = size.map_or(USUAL_COLUMNS, |(_, columns)| columns.into());
        Screen::new(self.is_terminal.then_some(width), self.has_styles)
    }

    pub(crate) fn write(&self, screen: &Screen) -> Result<(), Failure> {
        self.bytes(screen.as_str().as_bytes())
    }

    /// Writes a document, indented by two spaces.
    pub(crate) fn document(&self, value: &impl Serialize) -> Result<(), Failure> {
        self.json_line(&pretty(value)?)
    }

    /// Writes a document with `--json`, else a line.
    pub(crate) fn show(&self, document: &impl Serialize, line: &str) -> Result<(), Failure> {
        if self.json {
            self.document(document)
        } else {
            self.line(line)
        }
    }

    pub(crate) fn compact(&self, value: &impl Serialize) -> Result<(), Failure> {
        self.json_line(&serde_json::to_string(value).map_err(io::Error::from)?)
    }

    fn json_line(&self, text: &str) -> Result<(), Failure> {
        self.bytes(format!("{}\n", visible_json(text, self.is_terminal)).as_bytes())
    }

    pub(crate) fn bytes(&self, bytes: &[u8]) -> Result<(), Failure> {
        let mut stdout = io::stdout().lock();
        stdout.write_all(bytes)?;
        Ok(stdout.flush()?)
    }
}

/// Formats a value, indented by two spaces. Members keep their order, and numbers their digits.
fn pretty(value: &impl Serialize) -> io::Result<String> {
    let mut text = Vec::new();
    let json = RawJson::new(value)?;
    Indented(json.as_raw(), 0).serialize(&mut Serializer::pretty(&mut text))?;
    String::from_utf8(text).map_err(io::Error::other)
}

/// JSON to format, and its depth.
struct Indented<'a>(RawJsonRef<'a>, usize);

impl Serialize for Indented<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let inside = |it| Indented(it, self.1 + 1);
        match (
            self.0.members(),
            self.0.elements(),
            self.0.parse::<String>(),
        ) {
            (.., Ok(text)) => serializer.serialize_str(&text),
            _ if self.1 >= SHOWN_LEVELS => self.0.serialize(serializer),
            (Ok(members), ..) => {
                serializer.collect_map(members.into_iter().map(|it| (it.0, inside(it.1))))
            }
            (_, Ok(elements), _) => serializer.collect_seq(elements.into_iter().map(inside)),
            _ => self.0.serialize(serializer),
        }
    }
}

/// Writes a message to standard error, such as a line of the server's log.
pub(crate) fn note(text: &str) {
    let mut stderr = io::stderr().lock();
    let text = visible(text, stderr.is_terminal());
    // There is no place left to report an error.
    let _ = writeln!(stderr, "{text}");
}

/// Like [`note`], in red if standard error is a terminal.
pub(crate) fn note_bad(text: &str) {
    let mut stderr = io::stderr().lock();
    let text = visible(text, stderr.is_terminal());
    let style = match AutoStream::choice(&stderr) {
        ColorChoice::Never => Style::new(),
        _ => AnsiColor::Red.on_default(),
    };
    // As in `note`, an error can't be reported.
    let _ = writeln!(stderr, "{style}{text}{style:#}");
}

/// The number of columns, if standard error is a terminal.
pub(crate) fn stderr_width() -> Option<usize> {
    Term::stderr().size_checked().map(|it| it.1.into())
}

/// Like [`note`], but writes nothing if standard error is a terminal.
pub(crate) fn note_without_terminal(text: &str) {
    if !io::stderr().is_terminal() {
        note(text);
    }
}

pub(crate) fn note_json(document: &Value) {
    let mut stderr = io::stderr().lock();
    let text = document.to_string();
    // As in `note`, an error can't be reported.
    let _ = writeln!(stderr, "{}", visible_json(&text, stderr.is_terminal()));
}

pub(crate) fn is_interactive() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;

    /// Code that writes to a terminal, and the files that may contain it because they escape what
    /// they show.
    const WAYS: [(&str, &[&str]); 10] = [
        ("io::stdout()", &["output.rs"]),
        ("io::stderr()", &["call.rs", "output.rs"]),
        ("print!(", &[]),
        ("println!(", &[]),
        ("Inherit", &[]),
        ("Term::", &["output.rs", "progress.rs"]),
        ("Select::new", &["prompts.rs"]),
        ("Text::new", &["prompts.rs"]),
        ("Password::new", &["prompts.rs"]),
        (".prompt()", &["prompts.rs"]),
    ];

    fn sources(folder: &Path, found: &mut Vec<(String, String)>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                sources(&path, found);
            } else {
                let text = fs::read_to_string(&path).unwrap();
                let code = text.split("#[cfg(test)]").next().unwrap_or_default();
                let name = path.file_name().unwrap().to_string_lossy();
                found.push((name.into_owned(), code.to_owned()));
            }
        }
    }

    #[test]
    fn few_places_write_to_a_terminal() {
        let mut found = Vec::new();
        sources(
            &Path::new(env!("CARGO_MANIFEST_DIR")).join("src"),
            &mut found,
        );
        found.sort();
        for (way, files) in WAYS {
            let users = found.iter().filter(|(_, code)| code.contains(way));
            let users: Vec<_> = users.map(|(name, _)| name.as_str()).collect();
            assert_eq!(users, files, "{way}");
        }
    }

    #[test]
    fn members_keep_their_order_and_numbers_their_digits() {
        let raw =
            mcp_runtime::types::RawJson::from_text(r#"{"b":[1.50,{}],"a":"\u00e9"}"#).unwrap();
        let expected = "{\n  \"b\": [\n    1.50,\n    {}\n  ],\n  \"a\": \"é\"\n}";
        assert_eq!(pretty(&raw).unwrap(), expected);
    }
}
