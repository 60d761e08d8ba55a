//! Removes rustdoc's links to items from doc comments, because they lead nowhere outside the
//! documentation.

use std::borrow::Cow;

/// Removes the links to Rust items from a doc comment, and keeps their text.
///
/// `` [`Store::get`] `` becomes `` `Store::get` ``, `[text](rust::path)` and `[text][rust::path]`
/// become `text`, and lines such as `[text]: rust::path` are dropped. URLs, code and other brackets
/// stay as they are.
#[must_use]
pub fn without_links(text: &str) -> Cow<'_, str> {
    if !text.contains('[') {
        return Cow::Borrowed(text);
    }
    let mut plain = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(['\\', '`', '[']) {
        let (before, from) = rest.split_at(at);
        plain.push_str(before);
        let (kept, length) = link(text, from).unwrap_or_else(|| {
            let length = token(from);
            (&from[..length], length)
        });
        plain.push_str(kept);
        rest = &from[length..];
    }
    plain.push_str(rest);
    plain.truncate(plain.trim_end_matches('\n').len());
    Cow::Owned(plain)
}

/// Parses the link to an item at the beginning of `from`, which is the end of `document`. Returns
/// the text of the link and the length of its source. A line that only defines a link has no text.
fn link<'a>(document: &str, from: &'a str) -> Option<(&'a str, usize)> {
    let text = enclosed(from, '[', ']')?;
    let length = text.len() + 2;
    let rest = &from[length..];
    if let Some(target) = definition(rest)
        && matches!(
            document.as_bytes()[..document.len() - from.len()],
            [] | [.., b'\n']
        )
    {
        let line = from.split_inclusive('\n').next()?;
        return is_item(target).then_some(("", line.len()));
    }
    let is_known = |label: &str| {
        let target = document.lines().find_map(|line| {
            let defined = enclosed(line, '[', ']')?;
            let target = definition(&line[defined.len() + 2..])?;
            defined.eq_ignore_ascii_case(label).then_some(target)
        });
        target.map_or_else(|| is_linked(label), is_item)
    };
    let (is_link, more) = if let Some(target) = enclosed(rest, '(', ')') {
        (is_item(target.split_whitespace().next()?), target.len() + 2)
    } else if let Some(label) = enclosed(rest, '[', ']') {
        let is_link = is_known(label) || (label.is_empty() && is_known(text));
        (is_link, label.len() + 2)
    } else {
        (is_known(text), 0)
    };
    is_link.then_some((text, length + more))
}

/// Returns the target of a link definition; `rest` follows its label.
fn definition(rest: &str) -> Option<&str> {
    rest.strip_prefix(':')?.lines().next()
}

/// Returns the text between the brackets at the beginning of `from`.
fn enclosed(from: &str, open: char, close: char) -> Option<&str> {
    let inner = from.strip_prefix(open)?;
    let mut end = 0;
    while !inner[end..].starts_with(close) {
        let rest = inner.get(end..).filter(|rest| !rest.is_empty())?;
        end += token(rest);
    }
    Some(&inner[..end])
}

/// The length of the first token of `from`: code between backticks, an escaped character, or one
/// character.
fn token(from: &str) -> usize {
    let ticks = from.len() - from.trim_start_matches('`').len();
    if ticks == 0 {
        let letters = from.chars().take(1 + usize::from(from.starts_with('\\')));
        return letters.map(char::len_utf8).sum();
    }
    let closed = from[ticks..].find(&from[..ticks]);
    closed.map_or(ticks, |length| length + 2 * ticks)
}

/// Returns true if `label`, which no definition resolves, is the path of an item. Plain words in
/// brackets usually are not: `[name]`, `[NOTE]`.
fn is_linked(label: &str) -> bool {
    let is_type = label.starts_with(char::is_uppercase) && label.contains(char::is_lowercase);
    (is_type || label.contains(['`', ':', '(', '!', '@'])) && is_item(label)
}

/// Returns true if `target` is the path of an item in rustdoc's syntax.
fn is_item(target: &str) -> bool {
    let target = target.trim().trim_matches(['`', '<']).trim_end_matches('>');
    let (_, path) = target.split_once('@').unwrap_or(("", target));
    let path = path.split(['#', '<', '(', '!']).next().unwrap_or_default();
    let mut segments = path.trim_end_matches("::").split("::");
    segments.all(|segment| {
        let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
        segment.chars().all(is_part) && segment.starts_with(|it: char| !it.is_numeric())
    })
}

#[cfg(test)]
mod tests {
    use super::without_links;

    #[track_caller]
    fn check(text: &str, plain: &str) {
        assert_eq!(without_links(text), plain);
        assert_eq!(without_links(plain), plain, "a second time");
    }

    #[test]
    fn links_to_items_become_their_text() {
        check("As [`Store::get`] does.", "As `Store::get` does.");
        check(
            "[`get`], [Store] and [Store::get()]",
            "`get`, Store and Store::get()",
        );
        check("[`Vec<T>`][] and [`fn@add`]", "`Vec<T>` and `fn@add`");
        check(
            "[the store](crate::Store), [it](Self::get#errors)",
            "the store, it",
        );
        check("[a `[u8]`](Vec \"A list\")", "a `[u8]`");
        check("[the\nstore](super::Store)", "the\nstore");
    }

    #[test]
    fn lines_that_only_define_links_are_dropped() {
        check(
            "The [store] and [its key][key].\n\n[store]: crate::Store\n[key]: `Store::key`\n",
            "The store and its key.",
        );
    }

    #[test]
    fn everything_else_stays() {
        for text in [
            "[docs](https://example.com/a_(b)) and <https://example.com>",
            "[docs], [them][docs]\n\n[docs]: https://example.com",
            "[`Docs`], [text][Docs]\n\n[docs]: https://example.com\n[`Docs`]: https://example.com",
            "between [0, 1], [name], [first_name], [NOTE], a[i][j], [x] done, [^1]",
            "`[Store]` and ``a ` [Store]`` and \\[Store]",
            "[open\n\n[`a`, `b`]",
            "```\nlet a = [Store];\n[x]: Store\n```",
            "[page](#part) [file](README.md) [folder](docs/x)",
        ] {
            check(text, text);
        }
    }

    /// No short string of the significant characters causes a panic, and each loses only brackets
    /// and link targets.
    #[test]
    fn no_text_is_read_wrong() {
        let letters = ["[", "]", "(", ")", "`", ":", "\\", "\n", "A", "é"];
        let mut texts = vec![String::new()];
        for _ in 0..5 {
            let longer = |text: &String| letters.map(|letter| format!("{text}{letter}"));
            texts = texts.iter().flat_map(longer).collect();
            for text in &texts {
                let mut left = text.chars();
                let plain = without_links(text);
                assert!(
                    plain.chars().all(|it| left.any(|letter| letter == it)),
                    "{text:?}"
                );
            }
        }
    }
}
