//! Reading the values of a file.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use jsonc_parser::{ParseOptions, parse_to_serde_value};
use serde_json::Value;

/// The largest file that is read, in bytes: 8 MiB. Claude Code keeps much else in its own.
const MAX_BYTES: u64 = 8 << 20;

/// Why a file can't be read: line and column, where they are known, and a text without values of the
/// file, which may be secret.
pub(crate) type Fault = (Option<(usize, usize)>, String);

/// The text of a file.
pub(crate) fn text(path: &Path) -> Result<String, Fault> {
    let mut bytes = Vec::new();
    let file = File::open(path).map(|it| it.take(MAX_BYTES + 1));
    let read = file.and_then(|mut it| it.read_to_end(&mut bytes));
    read.map_err(|error| (None, error.to_string()))?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err((None, "it is larger than 8 MiB".to_owned()));
    }
    let text = String::from_utf8_lossy(&bytes);
    if let Err(error) = std::str::from_utf8(&bytes) {
        let place = position(&text, error.valid_up_to());
        return Err((Some(place), "it is not valid UTF-8".to_owned()));
    }
    Ok(text.trim_start_matches('\u{feff}').to_owned())
}

/// Parses the text of a file in the language that its name tells: TOML, YAML, or JSON, in which
/// comments and trailing commas are accepted. An empty one is null.
///
/// Limits: 512 levels of nesting in JSON, 80 in TOML, 64 in YAML, whose aliases may not become more
/// than 100,000 values.
pub(crate) fn parse(text: &str, path: &Path) -> Result<Value, Fault> {
    match path.extension().and_then(|it| it.to_str()) {
        Some("toml") => toml::from_str(text).map_err(|error| {
            let place = error.span().map(|it| position(text, it.start));
            (place, error.message().to_owned())
        }),
        Some("yaml" | "yml") => {
            let mut options = serde_saphyr::Options::default();
            options.alias_limits.max_total_replayed_events = 100_000;
            serde_saphyr::from_str_with_options(text, options).map_err(|error| {
                let place = error
                    .location()
                    .map(|it| (it.line() as usize, it.column() as usize));
                let text = error.without_snippet().to_string();
                let text = text
                    .rsplit_once(" at line ")
                    .map_or(&*text, |(text, _)| text);
                (place, text.to_owned())
            })
        }
        _ => {
            let options = ParseOptions {
                allow_missing_commas: false,
                ..ParseOptions::default()
            };
            parse_to_serde_value(text, &options).map_err(|error| {
                let place = (error.line_display(), error.column_display());
                (Some(place), error.kind().to_string())
            })
        }
    }
}

/// The place where a text defines the entry `name` of `member`: the first of its name after that of
/// the member that is a key.
pub(crate) fn position_of(text: &str, member: &str, name: &str) -> Option<(usize, usize)> {
    let start = text.find(member)? + member.len();
    let mut found = text[start..].match_indices(name);
    let (offset, _) = found.find(|(at, _)| {
        let after = text[start + at + name.len()..].trim_start_matches(['"', '\'', ' ']);
        after.starts_with([':', ']', '.', '='])
    })?;
    Some(position(text, start + offset))
}

/// The line and the column of an offset in bytes, both from 1.
fn position(text: &str, offset: usize) -> (usize, usize) {
    let before = &text[..text.floor_char_boundary(offset)];
    let line = before.rfind('\n').map_or(0, |end| end + 1);
    let column = before[line..].chars().count();
    (before.matches('\n').count() + 1, column + 1)
}
