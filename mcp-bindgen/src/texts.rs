//! Makes strings from servers harmless for the documentation of a Rust item.
//!
//! Lines, lists, emphasis and code are kept. Code in fences is marked as `text`. Everything that
//! could otherwise become a doctest, a link to an item, HTML or a table is escaped.

use serde_json::Value;

/// The documentation of a member: its description, followed by its limits and its default.
pub(crate) fn of(schema: &Value) -> String {
    let description = schema.get("description").and_then(Value::as_str);
    let mut doc = markdown(description.unwrap_or_default());
    let limits = limits(schema);
    if !limits.is_empty() {
        let gap = if doc.is_empty() { "" } else { "\n\n" };
        doc = format!("{doc}{gap}{}", limits.join(" "));
    }
    doc
}

/// Describes the limits of a schema. For a nullable schema, describes the alternative to `null`.
fn limits(schema: &Value) -> Vec<String> {
    let mut sentences = Vec::new();
    let alternatives = schema.get("anyOf").and_then(Value::as_array);
    let is_null = |it: &&Value| it.get("type").and_then(Value::as_str) != Some("null");
    let inner: Vec<_> = alternatives.into_iter().flatten().filter(is_null).collect();
    let value = match inner[..] {
        [inner] => inner,
        _ => schema,
    };
    let number = |name: &str| match value.get(name) {
        Some(Value::Number(number)) => Some(number.to_string()),
        _ => None,
    };
    let mut range = |low: &str, high: &str, unit: &str| match (number(low), number(high)) {
        (Some(low), None) if low == "1" && !unit.is_empty() => {
            sentences.push(format!("At least 1{}.", unit.trim_end_matches('s')));
        }
        (Some(low), Some(high)) if low == high => sentences.push(format!("Exactly {low}{unit}.")),
        (Some(low), Some(high)) => sentences.push(format!("{low} to {high}{unit}.")),
        (Some(low), None) => sentences.push(format!("At least {low}{unit}.")),
        (None, Some(high)) => sentences.push(format!("At most {high}{unit}.")),
        (None, None) => {}
    };
    range("minimum", "maximum", "");
    range("minLength", "maxLength", " characters");
    range("minItems", "maxItems", " items");
    for (name, words) in [
        ("exclusiveMinimum", "More than"),
        ("exclusiveMaximum", "Less than"),
        ("multipleOf", "A multiple of"),
    ] {
        sentences.extend(number(name).map(|number| format!("{words} {number}.")));
    }
    for (name, word) in [("format", "Format"), ("pattern", "Pattern")] {
        let text = value.get(name).and_then(Value::as_str);
        sentences.extend(text.map(|text| format!("{word}: {}.", code(text))));
    }
    let default = schema
        .get("default")
        .filter(|it| !matches!(it, Value::Null));
    if let Some(default) = default {
        let value = code(&default.to_string());
        sentences.push(format!("The default is {value}."));
    }
    sentences
}

/// Formats `text` as code on one line, cut to 200 characters.
pub(crate) fn code(text: &str) -> String {
    let text = printable(text).replace('\n', " ");
    let mut text: String = text.chars().take(200).collect();
    text = text.trim().to_owned();
    if text.contains('`') || text.is_empty() {
        escaped(&text)
    } else {
        format!("`{text}`")
    }
}

/// Escapes Markdown from a server for use in documentation.
pub(crate) fn markdown(text: &str) -> String {
    let text = printable(text);
    let mut lines: Vec<String> = Vec::new();
    let mut rest = text.trim().lines();
    while let Some(line) = rest.next() {
        let line = line.trim_end();
        let start = line.trim_start();
        let mark = start.chars().next().unwrap_or_default();
        let count = start.chars().take_while(|c| *c == mark).count();
        let is_fence = matches!(mark, '`' | '~') && count >= 3 && !start[count..].contains('`');
        if !is_fence {
            lines.push(line_of(line));
            continue;
        }
        let ends = |line: &&str| {
            let line = line.trim();
            line.len() < count || line.chars().any(|c| c != mark)
        };
        let code: Vec<_> = rest.by_ref().take_while(ends).collect();
        let longest = code.iter().map(|line| longest_run(line)).max().unwrap_or(0);
        let fence = "`".repeat(3.max(longest + 1));
        lines.push(format!("{fence}text"));
        lines.extend(code.iter().map(|line| line.trim_end().to_owned()));
        lines.push(fence);
    }
    lines.join("\n")
}

/// Removes control characters, and characters that change the direction of text.
fn printable(text: &str) -> String {
    let text = text
        .replace("\r\n", "\n")
        .replace(['\r', '\u{2028}', '\u{2029}'], "\n");
    let text = text.replace('\t', "    ");
    let is_kept = |c: &char| {
        let changes_direction = matches!(*c,
            '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        *c == '\n' || !c.is_control() && !changes_direction
    };
    text.chars().filter(is_kept).collect()
}

fn longest_run(line: &str) -> usize {
    let runs = line.split(|c| c != '`');
    runs.map(str::len).max().unwrap_or(0)
}

/// Formats a line outside code. More than three spaces of indentation would turn it into code.
fn line_of(line: &str) -> String {
    let indentation = (line.len() - line.trim_start().len()).min(3);
    let words = line.split_whitespace().collect::<Vec<_>>().join(" ");
    format!("{}{}", " ".repeat(indentation), inline(&words))
}

/// Escapes a line, except for code between single backticks.
fn inline(line: &str) -> String {
    let parts: Vec<_> = line.split('`').collect();
    let is_code = |index: usize| index % 2 == 1;
    let is_paired = parts.len() % 2 == 1 && !line.contains("``");
    let parts = parts.iter().enumerate();
    let parts = parts.map(|(index, part)| {
        if is_code(index) {
            format!("`{part}`")
        } else {
            escaped(part)
        }
    });
    if is_paired {
        parts.collect()
    } else {
        escaped(line)
    }
}

/// Escapes characters that could mean a link, HTML, code or a table. Addresses become links.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let address = ["https://", "http://"]
            .into_iter()
            .find(|it| rest.starts_with(it));
        if let Some(scheme) = address {
            let end = rest.find(|c: char| c.is_whitespace() || "<>\"'\\|{}[]()".contains(c));
            let address = rest[..end.unwrap_or(rest.len())]
                .trim_end_matches([',', '.', ';', ':', '!', '?', '*', '_']);
            if address.len() > scheme.len() {
                out += &format!("<{address}>");
                rest = &rest[address.len()..];
                continue;
            }
        }
        if matches!(first, '\\' | '`' | '[' | ']' | '<' | '|') || rest.starts_with("~~~") {
            out.push('\\');
        }
        out.push(first);
        rest = &rest[first.len_utf8()..];
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_becomes_a_doctest_a_link_or_html() {
        for (text, expected) in [
            (
                "Plain `code` and *emphasis*.",
                "Plain `code` and *emphasis*.",
            ),
            ("```rust\npanic!()\n```\nend", "```text\npanic!()\n```\nend"),
            ("```\nnever closed", "```text\nnever closed\n```"),
            ("~~~\n```\n~~~", "````text\n```\n````"),
            ("- ```rust", "- \\`\\`\\`rust"),
            ("a\n\n        code()", "a\n\n   code()"),
            ("-      code()", "- code()"),
            (
                "[Weather] <b> a|b \\",
                "\\[Weather\\] \\<b\\> a\\|b \\\\"
                    .replace("\\>", ">")
                    .leak(),
            ),
            ("`` a ` b `` [c]", "\\`\\` a \\` b \\`\\` \\[c\\]"),
            ("a ` b [c]", "a \\` b \\[c\\]"),
            ("see https://a.b/c_(d).", "see <https://a.b/c>_(d)."),
            ("\u{202e}evil\u{2066}\0", "evil"),
        ] {
            assert_eq!(markdown(text), expected, "{text:?}");
        }
    }
}
