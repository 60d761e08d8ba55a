//! Finds the values of a template's variables in a URI.

use super::uri_template::{Part, Style};
use crate::limits::MAX_URI_BYTES;
use crate::server::handler::text::Texts;

/// The values, or `None` if `uri` does not match.
///
/// From the last part to the first, it is worked out for each place of the URI where the part's
/// piece would end so that all later parts match too. The work grows with the length of the URI
/// only, whatever the template.
pub(super) fn matches(parts: &[Part], uri: &str) -> Option<Texts> {
    if uri.len() > MAX_URI_BYTES {
        return None;
    }
    let mut ends: Vec<Vec<Option<usize>>> = Vec::with_capacity(parts.len());
    let mut next: Vec<bool> = vec![false; uri.len() + 1];
    next[uri.len()] = true;
    for part in parts.iter().rev() {
        let found = part.ends(uri, &next);
        next = found.iter().map(Option::is_some).collect();
        ends.push(found);
    }
    let mut at = 0;
    let mut values = Texts::new();
    for (part, ends) in parts.iter().zip(ends.iter().rev()) {
        let end = ends[at]?;
        part.values(uri.get(at..end)?, &mut values)?;
        at = end;
    }
    Some(values)
}

impl Part {
    /// Where this part's piece would end, by where it begins; the longest piece is taken.
    ///
    /// `next` says from where on the later parts match.
    fn ends(&self, uri: &str, next: &[bool]) -> Vec<Option<usize>> {
        let mut ends = vec![None; uri.len() + 1];
        match self {
            Self::Literal(text) => {
                for (at, _) in uri.char_indices() {
                    let end = at + text.len();
                    let matches = uri[at..].starts_with(text.as_str()) && next[end];
                    ends[at] = matches.then_some(end);
                }
            }
            Self::Variable {
                reserved, until, ..
            } => {
                let mut furthest = None;
                for (at, letter) in uri.char_indices().rev() {
                    let after = at + letter.len_utf8();
                    furthest = furthest.or_else(|| Some(after).filter(|end| next[*end]));
                    let allowed = *reserved || !"/?#&,;=".contains(letter);
                    furthest = furthest.filter(|_| allowed && *until != Some(letter));
                    ends[at] = furthest;
                }
            }
            Self::Named { style, .. } => {
                for at in (0..=uri.len()).filter(|at| uri.is_char_boundary(*at)) {
                    let end = at + style.length(&uri[at..]);
                    ends[at] = Some(end).filter(|end| next[*end]);
                }
            }
        }
        ends
    }

    /// Takes the values out of this part's piece.
    fn values(&self, piece: &str, values: &mut Texts) -> Option<()> {
        match self {
            Self::Literal(_) => {}
            Self::Variable { name, .. } => {
                values.insert(name.clone(), decode(piece)?);
            }
            Self::Named { names, style } => {
                let pairs = piece.strip_prefix(style.first).unwrap_or_default();
                for pair in pairs.split(style.separator) {
                    let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
                    if names.iter().any(|known| known == name) {
                        values.insert(name.to_owned(), decode(value)?);
                    }
                }
            }
        }
        Some(())
    }
}

impl Style {
    /// How much of `rest` are names and values; nothing, if it does not begin with them.
    fn length(self, rest: &str) -> usize {
        match rest.strip_prefix(self.first) {
            Some(pairs) => {
                self.first.len_utf8() + pairs.find(['#', '/', '?']).unwrap_or(pairs.len())
            }
            None => 0,
        }
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
            &[("name", "a.b"), ("kind", "txt")],
        );
        check("x:{/a,b}", "x:/1/2", &[("a", "1"), ("b", "2")]);
        check("x:y{;a,b}", "x:y;b=2;a=1", &[("b", "2"), ("a", "1")]);
        check("x:y{?a,b}", "x:y?b=2&z=0", &[("b", "2")]);
        check("x:y{?a,b}", "x:y", &[]);
        check("x:{+y}{?a}{&b}", "x:y/z?b=1", &[("y", "y/z"), ("b", "1")]);
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
            found("book://{isbn}", &format!("book://{}", "a".repeat(9000))),
            None
        );
    }

    #[test]
    fn the_longest_value_is_taken_first() {
        check("x:{+a}-{+b}", "x:1-2-3", &[("a", "1-2"), ("b", "3")]);
        check("x:{+a}-{+b}", "x:é-é", &[("a", "é"), ("b", "é")]);
        check("x:{+a}--{+b}", "x:1---2", &[("a", "1-"), ("b", "2")]);
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
