//! Warnings about values that are correct, but that a known host reads differently.
//!
//! FastMCP 4.2 reads YAML 1.1 (PyYAML), without the last line break of the front matter. The
//! TypeScript SDK 2.4 reads a part of YAML 1.2. Both refuse what they do not understand.

use std::sync::LazyLock;

use granit_parser::{ScalarStyle, Span};
use regex_lite::Regex;
use serde_json::Value;

use super::Remark;

const YAML_1_1: &str = "FastMCP reads this by YAML 1.1: write a string in double quotes, or a \
                        number as in `644` or `1.0e+3`";
const BREAK: &str = "FastMCP drops the line break at the end of the last field: use `|-` or `>-`";
const STRING: &str = "TypeScript's SDK wants a string in quotes on one line: use a block (`>-`)";

/// Strings that are something else in YAML 1.1, and numbers that are the same there.
#[expect(clippy::unwrap_used, reason = "the expressions are constant")]
static STRINGS_AND_NUMBERS: LazyLock<[Regex; 2]> = LazyLock::new(|| {
    let number = r"0b[01_]+|0x[\da-f_]+|\.?\d[\d_]*(:[0-5]?\d)*(\.[\d_]*)?(e[-+]\d+)?";
    let date = r"\d{4}-\d\d?-\d\d?([t \t]+[\d:. \t+-]*z?)?";
    let strings = format!(r"yes|no|on|off|<<|=|[-+]?({number})|{date}");
    let numbers = r"[-+]?(0|[1-9]\d*)|0x[\da-f]+|([-+]?\d+\.\d*|\.\d+)(e[-+]\d+)?";
    [&strings, numbers].map(|it| Regex::new(&format!("(?i)^({it})$")).unwrap())
});

/// Returns what a host reads differently in the key or value at `span` of `text`.
pub(super) fn remark(text: &str, span: &Span, style: ScalarStyle, value: &Value) -> Option<Remark> {
    let line = span.start.line();
    let source = span.slice(text)?;
    match (style, value) {
        (ScalarStyle::Plain, _) => {
            let [strings, numbers] = &*STRINGS_AND_NUMBERS;
            let differs = value.is_string() && strings.is_match(source)
                || value.is_number() && !numbers.is_match(source);
            differs.then(|| Remark::new(line, YAML_1_1))
        }
        (ScalarStyle::Literal | ScalarStyle::Folded, Value::String(value)) => {
            let is_last = text[span.end.byte_offset()?..].trim_start().is_empty();
            let has_blank = text.lines().last().is_some_and(|it| it.trim().is_empty());
            let is_cut = value.ends_with("\n\n") || value.ends_with('\n') && !has_blank;
            let header = text[..span.start.byte_offset()?].trim_end();
            (is_last && is_cut).then(|| Remark::new(header.split('\n').count(), BREAK))
        }
        _ => source.contains('\n').then(|| Remark::new(line, STRING)),
    }
}
