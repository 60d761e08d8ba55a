//! Links of rustdoc to items, which lead nowhere outside of the documentation: their text stays.

use std::borrow::Cow;

/// `text`, a doc comment, without its links to items of Rust.
///
/// `` [`Store::get`] `` becomes `` `Store::get` ``, `[text](rust::path)` and `[text][rust::path]`
/// become `text`, and lines such as `[text]: rust::path` are dropped. URLs, blocks of code and other
/// brackets stay as they are.
#[must_use]
pub fn without_links(text: &str) -> Cow<'_, str> {
    if !text.contains('[') {
        return Cow::Borrowed(text);
    }
    let prose = lines(text).filter(|(_, is_code)| !is_code);
    let definitions: Vec<(&str, bool)> = prose.filter_map(|(line, _)| definition(line)).collect();
    let mut plain = String::new();
    let mut prose = String::new();
    for (line, is_code) in lines(text) {
        if is_code {
            push_prose(&mut plain, &prose, &definitions);
            prose.clear();
            plain.push_str(line);
        } else if !definition(line).is_some_and(|(_, is_item)| is_item) {
            prose.push_str(line);
        }
    }
    push_prose(&mut plain, &prose, &definitions);
    plain.truncate(plain.trim_end_matches('\n').len());
    Cow::Owned(plain)
}

/// The lines of `text` with their ends, and whether each belongs to a block of code.
fn lines(text: &str) -> impl Iterator<Item = (&str, bool)> {
    let mut fence: Option<&str> = None;
    let mut may_indent = true;
    text.split_inclusive('\n').map(move |line| {
        let start = line.trim_start();
        let found = ["```", "~~~"].into_iter().find(|it| start.starts_with(it));
        let is_indented = line.starts_with("    ") || line.starts_with('\t');
        let is_code = match fence {
            Some(open) => {
                fence = fence.filter(|_| found != Some(open));
                true
            }
            None => {
                fence = found;
                found.is_some() || (may_indent && is_indented && !start.is_empty())
            }
        };
        may_indent = start.is_empty() || (is_code && found.is_none());
        (line, is_code)
    })
}

/// The label that a line such as `[label]: target` defines, and whether the target is an item.
fn definition(line: &str) -> Option<(&str, bool)> {
    let (label, target) = line.trim().strip_prefix('[')?.split_once("]:")?;
    (!label.is_empty() && !label.contains(['[', ']'])).then(|| (label, is_item(target)))
}

/// Adds `prose` to `plain`, without its links to items.
fn push_prose(plain: &mut String, prose: &str, definitions: &[(&str, bool)]) {
    let mut rest = prose;
    while let Some(at) = rest.find(['\\', '`', '[']) {
        let (before, from) = rest.split_at(at);
        plain.push_str(before);
        let is_open = from.starts_with('[') && !before.ends_with('!');
        let link = is_open.then(|| link(from, definitions)).flatten();
        let length = if let Some((text, length)) = link {
            push_prose(plain, text, definitions);
            length
        } else {
            let length = opaque(from);
            plain.push_str(&from[..length]);
            length
        };
        rest = &from[length..];
    }
    plain.push_str(rest);
}

/// The text of the link to an item that `from` begins with, and how much of `from` it takes.
fn link<'a>(from: &'a str, definitions: &[(&str, bool)]) -> Option<(&'a str, usize)> {
    let end = closing(from, ']')? + 1;
    let text = &from[1..end - 1];
    let rest = &from[end..];
    let known = |label: &str| {
        let mut known = definitions.iter();
        known.find_map(|(it, is_item)| it.eq_ignore_ascii_case(label).then_some(*is_item))
    };
    let (is_link, length) = match rest.chars().next() {
        Some('(') => {
            let closed = closing(rest, ')')?;
            let target = rest[1..closed].split_whitespace().next()?;
            (is_item(target), end + closed + 1)
        }
        Some('[') if !rest.starts_with("[]") => {
            let closed = closing(rest, ']')?;
            let label = &rest[1..closed];
            (known(label).unwrap_or(is_linked(label)), end + closed + 1)
        }
        Some('[') => (known(text).unwrap_or(is_item(text)), end + 2),
        _ => (known(text).unwrap_or(is_linked(text)), end),
    };
    is_link.then_some((text, length))
}

/// Whether `label`, in brackets and defined nowhere, is the path of an item. A word need not be:
/// `[name]`, `[NOTE]`.
fn is_linked(label: &str) -> bool {
    let is_type = label.starts_with(char::is_uppercase) && label.contains(char::is_lowercase);
    (is_type || label.contains(['`', ':', '(', '!', '@'])) && is_item(label)
}

/// Where the bracket that `from` begins with is closed, in the same paragraph.
fn closing(from: &str, close: char) -> Option<usize> {
    let open = from.chars().next()?;
    let mut depth = 0_usize;
    let mut at = 0;
    while let Some(letter) = from[at..].chars().next() {
        depth += usize::from(letter == open);
        depth -= usize::from(letter == close);
        if depth == 0 {
            return Some(at);
        }
        if from[at..].starts_with("\n\n") {
            return None;
        }
        at += match letter {
            '\\' | '`' => opaque(&from[at..]),
            other => other.len_utf8(),
        };
    }
    None
}

/// The length of what begins `from`: code between backticks, an escaped letter or a letter.
fn opaque(from: &str) -> usize {
    let ticks = from.len() - from.trim_start_matches('`').len();
    if ticks == 0 {
        let letters = from.chars().take(1 + usize::from(from.starts_with('\\')));
        return letters.map(char::len_utf8).sum();
    }
    let closed = from[ticks..].find(&from[..ticks]);
    closed.map_or(ticks, |length| length + 2 * ticks)
}

/// Whether `target` is the path of an item, as rustdoc writes it.
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
        check("[a `Vec` [0, 1]](Vec \"A list\")", "a `Vec` [0, 1]");
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
            "![Store](crate::Store)",
            "[open\n\n[`a`, `b`]",
            "```\nlet a = [Store];\n[x]: Store\n```\n~~~\n```\n[Store]\n~~~",
            "Code:\n\n    [Store]\n\n    [Store::get]",
            "[page](#part) [file](README.md) [folder](docs/x)",
        ] {
            check(text, text);
        }
    }

    /// All short texts of the letters that matter are read without a fault, and lose only brackets
    /// and what links lead to.
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
