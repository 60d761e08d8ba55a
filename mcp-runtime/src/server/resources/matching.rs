//! Finds the values of a template's variables in a URI.

use super::template::{Part, Style};
use crate::server::handler::text::Texts;

/// The longest URI that is tried; the work grows with the square of the length.
const LONGEST: usize = 4096;

/// The values, or `None` if `uri` does not match.
pub(super) fn matches(parts: &[Part], uri: &str) -> Option<Texts> {
    if uri.len() > LONGEST {
        return None;
    }
    let mut search = Search {
        uri,
        failed: vec![false; (parts.len() + 1) * (uri.len() + 1)],
        values: Vec::new(),
    };
    if !search.run(parts, 0) {
        return None;
    }
    let values = search.values.into_iter();
    values
        .map(|(name, value)| Some((name.to_owned(), decode(value)?)))
        .collect()
}

struct Search<'a> {
    uri: &'a str,
    /// By how many parts are left and where: known not to match. It keeps the search from trying
    /// the same thing twice.
    failed: Vec<bool>,
    values: Vec<(&'a str, &'a str)>,
}

impl<'a> Search<'a> {
    /// Matches `parts` with what stands from `at` on.
    fn run(&mut self, parts: &'a [Part], at: usize) -> bool {
        let Some((part, others)) = parts.split_first() else {
            return at == self.uri.len();
        };
        let seen = parts.len() * (self.uri.len() + 1) + at;
        if self.failed[seen] {
            return false;
        }
        let before = self.values.len();
        let found = match part {
            Part::Literal(text) => {
                let rest = self.uri.get(at..).unwrap_or_default();
                rest.starts_with(text.as_str()) && self.run(others, at + text.len())
            }
            Part::Variable { name, reserved } => self.variable(name, *reserved, others, at),
            Part::Named { names, style } => self.named(names, *style, others, at),
        };
        if !found {
            self.values.truncate(before);
            self.failed[seen] = true;
        }
        found
    }

    /// Tries the longest value first.
    fn variable(&mut self, name: &'a str, reserved: bool, others: &'a [Part], at: usize) -> bool {
        let rest = self.uri.get(at..).unwrap_or_default();
        let end = rest.find(|letter| !reserved && "/?#&,;=".contains(letter));
        let longest = end.unwrap_or(rest.len());
        for length in (1..=longest)
            .rev()
            .filter(|length| rest.is_char_boundary(*length))
        {
            let before = self.values.len();
            self.values.push((name, &rest[..length]));
            if self.run(others, at + length) {
                return true;
            }
            self.values.truncate(before);
        }
        false
    }

    /// Takes what there is of `names`; names that are not asked for are skipped.
    fn named(&mut self, names: &'a [String], style: Style, others: &'a [Part], at: usize) -> bool {
        let rest = self.uri.get(at..).unwrap_or_default();
        let Some(pairs) = rest.strip_prefix(style.first) else {
            return self.run(others, at);
        };
        let length = pairs.find(['#', '/', '?']).unwrap_or(pairs.len());
        for pair in pairs[..length].split(style.separator) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            if let Some(name) = names.iter().find(|known| *known == name) {
                self.values.push((name, value));
            }
        }
        self.run(others, at + style.first.len_utf8() + length)
    }
}

/// Decodes `%` escapes (RFC 3986, section 2.1); `None` if they are none, or no UTF-8.
fn decode(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        if first == b'%' {
            let digit = |index: usize| char::from(*after.get(index)?).to_digit(16);
            let byte = digit(0)? * 16 + digit(1)?;
            bytes.push(u8::try_from(byte).ok()?);
            rest = after.get(2..)?;
        } else {
            bytes.push(first);
            rest = after;
        }
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use crate::server::resources::UriTemplate;

    fn found(template: &str, uri: &str) -> Option<Vec<(String, String)>> {
        let values = UriTemplate::parse(template).unwrap().matches(uri)?;
        Some(values.into_iter().collect())
    }

    #[track_caller]
    fn check(template: &str, uri: &str, expected: &[(&str, &str)]) {
        let expected = expected
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect();
        assert_eq!(found(template, uri), Some(expected), "{template} {uri}");
    }

    #[test]
    fn each_operator_is_read_back() {
        check("book://{isbn}", "book://978", &[("isbn", "978")]);
        check("file:///{+path}", "file:///a/b.txt", &[("path", "a/b.txt")]);
        check("x:y{#part}", "x:y#a/b", &[("part", "a/b")]);
        check(
            "x:{name}{.kind}",
            "x:a.b.txt",
            &[("kind", "txt"), ("name", "a.b")],
        );
        check("x:{/a,b}", "x:/1/2", &[("a", "1"), ("b", "2")]);
        check("x:y{;a,b}", "x:y;b=2;a=1", &[("a", "1"), ("b", "2")]);
        check("x:y{?a,b}", "x:y?b=2&z=0", &[("b", "2")]);
        check("x:y{?a,b}", "x:y", &[]);
        check("x:y?z=1{&a}", "x:y?z=1&a=2", &[("a", "2")]);
        check("x:{a,b}", "x:1,2", &[("a", "1"), ("b", "2")]);
    }

    #[test]
    fn escapes_are_decoded() {
        check("x:{a}", "x:caf%C3%A9%2Fnoir", &[("a", "café/noir")]);
        assert_eq!(found("x:{a}", "x:%C3"), None);
        assert_eq!(found("x:{a}", "x:%4"), None);
        assert_eq!(found("x:{a}", "x:%zz"), None);
    }

    #[test]
    fn what_does_not_match_is_nothing() {
        assert_eq!(found("book://{isbn}", "book://"), None);
        assert_eq!(found("book://{isbn}", "book://a/b"), None);
        assert_eq!(found("book://{isbn}/x", "book://a"), None);
        assert_eq!(
            found("book://{isbn}", &format!("book://{}", "a".repeat(5000))),
            None
        );
    }

    #[test]
    fn a_hostile_uri_is_given_up_soon() {
        let template = "x:{+a}-{+b}-{+c}-{+d}-{+e}!";
        assert_eq!(found(template, &format!("x:{}", "-".repeat(4000))), None);
    }

    #[test]
    fn what_is_no_template_is_refused() {
        for text in [
            "x:{", "x:}", "x:{a", "x:a}b", "x:{}", "x:{a b}", "x:{a*}", "x:{a:3}", "x:{a}{b}",
        ] {
            assert!(UriTemplate::parse(text).is_err(), "{text}");
        }
    }
}
