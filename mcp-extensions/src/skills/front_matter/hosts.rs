//! Warnings about values that are correct, but that a known host reads differently.
//!
//! FastMCP 4.2 reads YAML 1.1 (PyYAML), without the last line break of the front matter. The
//! TypeScript SDK 2.4 reads a part of YAML 1.2. Both refuse what they do not understand.

use std::sync::LazyLock;

use granit_parser::{ScalarStyle, Span};
use regex_lite::Regex;
use serde_json::Value;

const YAML_1_1: &str = "FastMCP reads this by YAML 1.1: write a string in double quotes, or a \
                        number as in `644` or `1.0e+3`";
const BREAK: &str = "FastMCP drops the line break at the end of the last field: use `|-` or `>-`";
const TAB: &str = "FastMCP refuses tabs around values: write spaces";
const SPECIAL: &str = "FastMCP refuses a character here, or ends the line: write it as `\\u….`";
const STRING: &str = "TypeScript's SDK wants a string in quotes on one line: use a block (`>-`)";
const NUMBER: &str = "TypeScript's SDK refuses a number after `|` or `>`: use double quotes";
const KEY: &str = "TypeScript's SDK refuses this key: use no `?` and write `:` directly after it";
const EMPTY: &str = "TypeScript's SDK refuses an empty value in braces: write `null`";
pub(super) const LINES: &str = "TypeScript's SDK wants brackets and braces on one line: close them \
                                there, or write each item on a line without them";
pub(super) const BRACES: &str = "TypeScript's SDK refuses this mapping: write each field on a line";

/// Strings that are something else in YAML 1.1.
static OTHER_IN_1_1: LazyLock<Regex> = LazyLock::new(|| {
    let integer = r"0b[01_]+|0[0-7_]+|[1-9][\d_]*(:[0-5]?\d)*|0x[\da-fA-F_]+";
    let float = r"\d[\d_]*\.[\d_]*([eE][-+]\d+)?|\d[\d_]*(:[0-5]?\d)+\.[\d_]*";
    let zone = r"[ \t]*(Z|[-+]\d\d?(:\d\d)?)";
    let time = format!(r"([Tt]|[ \t]+)\d\d?:\d\d:\d\d(\.\d*)?({zone})?");
    let date = format!(r"\d{{4}}-\d\d-\d\d|\d{{4}}-\d\d?-\d\d?{time}");
    let word = "yes|Yes|YES|no|No|NO|on|On|ON|off|Off|OFF|<<|=";
    regex(&format!(
        r"[-+]?({integer}|{float})|\.\d[\d_]*([eE][-+]\d+)?|{date}|{word}"
    ))
});

/// Numbers that are the same numbers in YAML 1.1.
static SAME_IN_1_1: LazyLock<Regex> =
    LazyLock::new(|| regex(r"[-+]?(0|[1-9]\d*)|0x[\da-fA-F]+|([-+]?\d+\.\d*|\.\d+)([eE][-+]\d+)?"));

/// The line before a block that has a number for its indentation.
static INDENTED: LazyLock<Regex> = LazyLock::new(|| regex(r".*[|>][-+]?[1-9][-+]?( +#.*)?"));

#[expect(clippy::unwrap_used, reason = "the expressions are constant")]
fn regex(text: &str) -> Regex {
    Regex::new(&format!("^({text})$")).unwrap()
}

/// Returns true for a character that FastMCP refuses or reads as the end of a line.
pub(super) fn is_special(character: char) -> bool {
    matches!(
        character,
        '\u{7f}'..='\u{9f}' | '\u{2028}' | '\u{2029}' | '\u{fffe}' | '\u{ffff}'
    )
}

/// Returns what hosts read differently in the key or value at `span` of `text`, with its line.
pub(super) fn differences(
    text: &str,
    span: &Span,
    style: ScalarStyle,
    value: &Value,
    is_flow: bool,
) -> impl Iterator<Item = (usize, &'static str)> {
    let (start, end) = (span.start.byte_offset(), span.end.byte_offset());
    let (until, after) = text.split_at(end.unwrap_or_default());
    let (before, source) = until.split_at(start.unwrap_or_default());
    let start = before.trim_end_matches([' ', '\t']);
    let is_plain = style == ScalarStyle::Plain;
    let is_block = matches!(style, ScalarStyle::Literal | ScalarStyle::Folded);
    let is_quoted = !is_plain && !is_block;
    let gap = after.split(|it| !" \t\r\n:,[]{}-?".contains(it)).next();
    let has_tab = gap.is_some_and(|it| it.contains('\t')) || is_plain && source.contains('\t');
    let rest = after.trim_start_matches([' ', '\t']);
    let is_apart = is_quoted && rest.starts_with(':') && rest.len() < after.len();
    let (until_header, blank) = before.split_at(before.trim_end().len());
    let header = until_header.rsplit('\n').next().unwrap_or_default();
    let line = span.start.line() - usize::from(is_block) * blank.matches('\n').count();
    [
        (is_plain && differs_in_1_1(value, source, is_flow), YAML_1_1),
        (is_block && is_cut(value, text, after), BREAK),
        (has_tab, TAB),
        (source.contains(is_special), SPECIAL),
        (is_quoted && source.contains('\n'), STRING),
        (is_block && INDENTED.is_match(header), NUMBER),
        (!is_flow && (is_apart || start.ends_with('?')), KEY),
        (is_flow && source.is_empty(), EMPTY),
    ]
    .into_iter()
    .filter_map(move |(differs, text)| differs.then_some((line, text)))
}

fn differs_in_1_1(value: &Value, source: &str, is_flow: bool) -> bool {
    match value {
        _ if is_flow && source.starts_with(['?', ':']) => true,
        Value::String(text) => OTHER_IN_1_1.is_match(text),
        Value::Number(_) => !SAME_IN_1_1.is_match(source),
        _ => false,
    }
}

/// Returns true if `value` is a block that ends with the last line break of `text`.
fn is_cut(value: &Value, text: &str, after: &str) -> bool {
    let value = value.as_str().unwrap_or_default();
    let is_last = after.trim_start().is_empty() && value.ends_with('\n');
    let last = text.lines().next_back().unwrap_or_default();
    is_last && (value.ends_with("\n\n") || !last.trim().is_empty())
}
