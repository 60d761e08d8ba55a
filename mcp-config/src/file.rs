//! Reads and parses files.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use jsonc_parser::{ParseOptions, parse_to_serde_value};
use serde_json::Value;

/// The maximum size of a user's file, in MiB. Claude Code stores many other things in its file.
pub(crate) const MAX_MIB: u64 = 8;
/// The maximum size of a project's file, in MiB. It contains only settings, and may be a
/// stranger's.
pub(crate) const MAX_PROJECT_MIB: u64 = 1;

/// The characters that delimit a key without quotes.
const DELIMITERS: [char; 10] = ['{', '}', '[', ']', ',', '\n', ':', '.', '=', '"'];
/// A private-use character that replaces `$` while a parser reads the text.
const DOLLAR: &str = "\u{f8ff}";

/// Why a file can't be read: the line and column if they are known, and a message without values of
/// the file, which may be secret.
pub(crate) type Fault = (Option<(usize, usize)>, String);

/// Reads a file of at most `limit` MiB, without a byte order mark.
pub(crate) fn text(path: &Path, limit: u64) -> Result<String, Fault> {
    let mut bytes = Vec::new();
    let file = File::open(path).map(|it| it.take((limit << 20) + 1));
    let read = file.and_then(|mut it| it.read_to_end(&mut bytes));
    read.map_err(|error| (None, error.to_string()))?;
    if bytes.len() as u64 > limit << 20 {
        return Err((None, format!("it is larger than {limit} MiB")));
    }
    let text = String::from_utf8_lossy(&bytes);
    if let Err(error) = std::str::from_utf8(&bytes) {
        let place = position(&text, error.valid_up_to());
        return Err((Some(place), "it is not valid UTF-8".to_owned()));
    }
    Ok(text.trim_start_matches('\u{feff}').to_owned())
}

/// Parses the text of a file in the language of its extension: TOML, YAML or JSON. JSON may have
/// comments and trailing commas. An empty file is null.
///
/// Limits: 512 levels of nesting in JSON, 80 in TOML and 64 in YAML. The aliases of YAML may expand
/// to at most 100,000 values.
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

/// Reads the variables of a dotenv file. If a name is repeated, the last value is used. As in VS
/// Code and Cursor, values can't refer to other variables.
pub(crate) fn variables(path: &Path) -> Result<BTreeMap<String, String>, Fault> {
    // The parser would replace `$NAME` with a variable of this process, except after a backslash.
    let text = text(path, MAX_PROJECT_MIB)?.replace('$', DOLLAR);
    let text = text.replace(&format!("\\{DOLLAR}"), "\\$");
    let mut variables = BTreeMap::new();
    let mut last = None;
    for variable in dotenvy::from_read_iter(text.as_bytes()) {
        // The original error shows the line, which may be secret.
        let (name, value) = variable.map_err(|_| {
            let place = last.map_or_else(String::new, |it| format!(" after `{it}`"));
            let text = format!(
                "a line{place} is not `NAME=VALUE`, or has a value with a space, a quote or a \
                 backslash that must be in single quotes"
            );
            (None, text)
        })?;
        variables.insert(name.clone(), value.replace(DOLLAR, "$"));
        last = Some(name);
    }
    Ok(variables)
}

/// The places of some names that are keys after the first `member`: line and column, both from 1.
///
/// A key is a word or a quoted string before `:`, `]`, `.` or `=`. If several keys have the same
/// name, the first place is returned. The time is linear in the length of the text.
pub(crate) fn places<'a>(
    text: &'a str,
    member: &str,
    names: &HashSet<&str>,
) -> HashMap<&'a str, (usize, usize)> {
    let start = text.find(member).map_or(text.len(), |at| at + member.len());
    let ends = text[start..].match_indices([':', ']', '.', '=']);
    let keys = ends.filter_map(|(end, _)| {
        let before = text[start..start + end].trim_end_matches(' ');
        let (before, key) = match before.strip_suffix(['"', '\'']) {
            Some(inside) => (inside, inside.rsplit(&before[inside.len()..]).next()?),
            None => (before, before.rsplit(DELIMITERS).next()?.trim_start()),
        };
        Some((start + before.len() - key.len(), key))
    });
    let mut keys: Vec<_> = keys.filter(|(_, key)| names.contains(key)).collect();
    keys.sort_unstable();
    let mut places = HashMap::new();
    let mut line = 1;
    let mut column = 1;
    let mut counted = 0;
    for (offset, key) in keys {
        for letter in text[counted..offset].chars() {
            (line, column) = match letter {
                '\n' => (line + 1, 1),
                _ => (line, column + 1),
            };
        }
        counted = offset;
        places.entry(key).or_insert((line, column));
    }
    places
}

/// The line and the column of a byte offset, both from 1.
fn position(text: &str, offset: usize) -> (usize, usize) {
    let before = &text[..(0..=offset)
        .rev()
        .find(|at| text.is_char_boundary(*at))
        .unwrap_or(0)];
    let line = before.rfind('\n').map_or(0, |end| end + 1);
    let column = before[line..].chars().count();
    (before.matches('\n').count() + 1, column + 1)
}
