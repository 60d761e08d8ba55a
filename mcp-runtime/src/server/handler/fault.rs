//! What is wrong with a call's arguments, in words that a model can act upon.

use std::fmt::{self, Write as _};

use super::decode::{Scanner, skip};

/// At most this many faults are listed; nobody mends more at a time.
const MOST_FAULTS: usize = 16;

/// At most this many bytes of one message are shown; it may quote the caller's whole value.
const LONGEST_MESSAGE: usize = 240;

/// One value that does not fit.
#[derive(Debug)]
pub struct Fault {
    path: String,
    message: String,
}

impl Fault {
    /// A fault of the argument at `path`.
    pub(crate) fn new(path: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            path: path.into(),
            message: shorten(message.into()),
        }
    }

    /// A fault somewhere inside `value`, at the place that `error` names.
    pub(crate) fn in_value(argument: &str, value: &str, error: &serde_json::Error) -> Self {
        let text = error.to_string();
        let message = match text.rfind(" at line ") {
            Some(end) => &text[..end],
            None => &text,
        };
        let mut path = argument.to_owned();
        if let Some(offset) = offset(value, error) {
            descend(value, offset, &mut path);
        }
        Self::new(path, message)
    }
}

/// All faults of one call.
#[derive(Debug, Default)]
pub(crate) struct Faults(Vec<Fault>);

impl Faults {
    pub(crate) fn push(&mut self, fault: Fault) {
        self.0.push(fault);
    }

    /// Whether something is wrong with the argument, or inside it.
    pub(crate) fn are_of(&self, argument: &str) -> bool {
        let rest = |fault: &Fault| {
            fault
                .path
                .strip_prefix(argument)
                .map(|rest| rest.chars().next())
        };
        let mut rests = self.0.iter().filter_map(rest);
        rests.any(|next| matches!(next, None | Some('.' | '[')))
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn into_result(self) -> Result<(), Self> {
        if self.0.is_empty() { Ok(()) } else { Err(self) }
    }
}

impl fmt::Display for Faults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("The arguments do not fit:")?;
        for Fault { path, message } in self.0.iter().take(MOST_FAULTS) {
            write!(f, "\n- `{path}`: {message}")?;
        }
        match self.0.len().saturating_sub(MOST_FAULTS) {
            0 => Ok(()),
            more => write!(f, "\n- and {more} more"),
        }
    }
}

fn shorten(mut message: String) -> String {
    if message.len() > LONGEST_MESSAGE {
        message.truncate(message.floor_char_boundary(LONGEST_MESSAGE));
        message.push('…');
    }
    message
}

/// How many bytes of `text` had been read when `error` arose.
fn offset(text: &str, error: &serde_json::Error) -> Option<usize> {
    let line = error.line().checked_sub(1)?;
    let before: usize = text.split_inclusive('\n').take(line).map(str::len).sum();
    Some(before + error.column())
}

/// Appends to `path` the way to the innermost member or element of `text` at `offset`.
///
/// The decoder says where it stopped but not inside what; this finds out, and only when it must.
fn descend(text: &str, offset: usize, path: &mut String) {
    let mut scanner = Scanner { text, at: 0 };
    let is_object = scanner.eat(b'{').is_some();
    if !is_object && scanner.eat(b'[').is_none() {
        return;
    }
    for index in 0.. {
        let name = if is_object { scanner.string() } else { None };
        if is_object && (name.is_none() || scanner.eat(b':').is_none()) {
            return;
        }
        let value = scanner.rest();
        let start = scanner.at;
        let Some(taken) = skip(value) else {
            return;
        };
        scanner.at += taken;
        if (start..=scanner.at).contains(&offset) {
            match name {
                Some(name) => _ = write!(path, ".{name}"),
                None => _ = write!(path, "[{index}]"),
            }
            return descend(value, offset - start, path);
        }
        if scanner.eat(b',').is_none() {
            return;
        }
    }
}
