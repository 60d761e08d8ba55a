//! URI templates (RFC 6570): matching a URI to get the values of the variables, and expansion.

use std::{fmt, slice};

use mcp_types::OrderedMap;

use super::uri::{decode, encode, normalize, normalize_escapes};
use crate::limits::MAX_URI_BYTES;
use crate::protocol::Namespace;

/// A URI template, such as `book://{isbn}` or `file:///{+path}{?line}`.
///
/// All operators of RFC 6570 are supported. The modifiers `:n` and `*` are not supported, because
/// they shorten or join values, so that the values can't be recovered from the URI.
///
/// ```
/// use mcp_runtime::resources::UriTemplate;
///
/// let template = UriTemplate::parse("book://{isbn}/pages{?from,to}").unwrap();
/// let values = template.matches("book://978-0/pages?to=9").unwrap();
/// assert_eq!(values["isbn"], "978-0");
/// assert_eq!(values["to"], "9");
/// assert!(template.matches("book://").is_none());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UriTemplate {
    text: String,
    parts: Vec<Part>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Literal(String),
    Variable {
        name: String,
        reserved: bool,
        /// The operator of the next part, which ends the value.
        until: Option<char>,
    },
    /// Variables in the form `name=value`, in any order. Variables may be missing. The operator
    /// precedes the first variable.
    Named {
        names: Vec<String>,
        operator: char,
    },
}

/// An error in a URI template.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TemplateError {
    /// A brace has no counterpart.
    #[error("a brace has no counterpart")]
    Brace,
    /// The name of a variable is empty, or contains a character that is not allowed.
    #[error("`{0}` is not a variable name")]
    Name(String),
    /// A variable has a modifier, so its value can't be recovered from a URI.
    #[error("the modifier of `{0}` can't be read back from a URI")]
    Modifier(String),
    /// There is no literal text between two variables.
    #[error("nothing separates `{0}` from the variable before it")]
    Adjacent(String),
}

impl UriTemplate {
    /// Parses a template.
    ///
    /// # Errors
    ///
    /// Fails if the text is not a template, or if URIs can't be matched against it.
    pub fn parse(text: &str) -> Result<Self, TemplateError> {
        let mut parts = Vec::new();
        let mut rest = text;
        while let Some((literal, after)) = rest.split_once('{') {
            push_literal(&mut parts, literal)?;
            let (expression, after) = after.split_once('}').ok_or(TemplateError::Brace)?;
            push_expression(&mut parts, expression)?;
            rest = after;
        }
        push_literal(&mut parts, rest)?;
        Ok(Self {
            text: text.to_owned(),
            parts,
        })
    }

    /// Creates a template without variables, in which all of `text` is literal.
    pub(super) fn literal(text: &str) -> Self {
        Self {
            text: text.to_owned(),
            parts: vec![Part::Literal(text.to_owned())],
        }
    }

    pub(crate) fn is_literal(&self) -> bool {
        self.parts.iter().all(|part| part.names().is_empty())
    }

    /// Returns the template with the prefix of `namespace`.
    pub(in crate::server) fn prefixed(&self, namespace: &Namespace) -> Self {
        let text = namespace.uri(&self.text);
        match Self::parse(&text) {
            Ok(template) if !self.is_literal() => template,
            _ => Self::literal(&text),
        }
    }

    pub(super) fn variables(&self) -> Vec<&str> {
        let names = self.parts.iter().flat_map(Part::names);
        names.map(String::as_str).collect()
    }

    /// The template as a string.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Matches `uri` against the template. Returns the decoded values of the variables, or `None` if
    /// the URI does not match.
    ///
    /// Literal text matches all spellings that are equivalent by RFC 3986, section 6.2.2. URIs over
    /// 8192 bytes never match.
    #[must_use]
    pub fn matches(&self, uri: &str) -> Option<OrderedMap<String>> {
        self.matches_normalized(&normalize(uri))
    }

    /// Like [`matches`](Self::matches), for a URI that is already normalized.
    ///
    /// Parts are matched from the last to the first. For each position in the URI, this computes
    /// where a part that begins at the position must end so that all later parts match. There is no
    /// backtracking, so the time is linear in the length of the URI.
    pub(super) fn matches_normalized(&self, uri: &str) -> Option<OrderedMap<String>> {
        if uri.len() > MAX_URI_BYTES {
            return None;
        }
        let mut ends = vec![vec![None; uri.len() + 1]];
        ends[0][uri.len()] = Some(uri.len());
        for part in self.parts.iter().rev() {
            ends.push(part.ends(uri, &ends[ends.len() - 1]));
        }
        let mut at = 0;
        let mut values = OrderedMap::new();
        for (part, ends) in self.parts.iter().zip(ends.iter().rev()) {
            let end = ends[at]?;
            part.values(uri.get(at..end)?, &mut values)?;
            at = end;
        }
        Some(values)
    }

    /// Returns true if the normalized `uri` would match if each `{variable}` were a `{+variable}`,
    /// whose value may contain slashes.
    pub(super) fn matches_reserved(&self, uri: &str) -> bool {
        let mut template = self.clone();
        for part in &mut template.parts {
            if let Part::Variable { reserved, .. } = part {
                *reserved = true;
            }
        }
        template.matches_normalized(uri).is_some()
    }

    /// Expands the template with these values into a normalized URI (RFC 6570, section 3).
    ///
    /// Matching the URI returns the same values, unless it can be split in several ways.
    pub(super) fn expand(&self, values: &OrderedMap<String>) -> String {
        let mut uri = String::new();
        for part in &self.parts {
            match part {
                Part::Literal(text) => uri.push_str(text),
                Part::Variable { name, reserved, .. } => {
                    let value = values.get(name).map_or("", String::as_str);
                    uri.push_str(&encode(value, *reserved));
                }
                Part::Named { names, operator } => {
                    let mut before = *operator;
                    for (name, value) in names.iter().filter_map(|it| values.get_key_value(it)) {
                        uri.extend([&*before.to_string(), name, "=", &encode(value, false)]);
                        before = separator(*operator);
                    }
                }
            }
        }
        uri
    }
}

impl fmt::Display for UriTemplate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

fn push_literal(parts: &mut Vec<Part>, text: &str) -> Result<(), TemplateError> {
    match parts.last_mut() {
        _ if text.is_empty() => {}
        _ if text.contains('}') => return Err(TemplateError::Brace),
        Some(Part::Literal(last)) => last.push_str(&normalize_escapes(text)),
        Some(_) => parts.push(Part::Literal(normalize_escapes(text))),
        None => parts.push(Part::Literal(normalize(text))),
    }
    Ok(())
}

fn push_expression(parts: &mut Vec<Part>, expression: &str) -> Result<(), TemplateError> {
    let names = expression.trim_start_matches(['+', '#', '.', '/', ';', '?', '&']);
    let operator = &expression[..expression.len() - names.len()];
    let names = names.split(',').map(name).collect::<Result<Vec<_>, _>>()?;
    if let Ok(operator @ (';' | '?' | '&')) = operator.parse() {
        push_named(parts, names, operator);
        return Ok(());
    }
    let (first, separator) = match operator {
        "" | "+" => ("", ","),
        "#" => ("#", ","),
        "." | "/" => (operator, operator),
        _ => return Err(TemplateError::Name(expression.to_owned())),
    };
    for (index, name) in names.into_iter().enumerate() {
        push_literal(parts, if index == 0 { first } else { separator })?;
        if let Some(Part::Variable { .. }) = parts.last() {
            return Err(TemplateError::Adjacent(name));
        }
        parts.push(Part::Variable {
            name,
            reserved: matches!(operator, "+" | "#"),
            until: None,
        });
    }
    Ok(())
}

fn push_named(parts: &mut Vec<Part>, mut added: Vec<String>, operator: char) {
    match parts.last_mut() {
        // `{?a}{&b}` forms a single query.
        Some(Part::Named {
            names,
            operator: last,
        }) if separator(*last) == separator(operator) => {
            names.append(&mut added);
            return;
        }
        Some(Part::Variable { until, .. }) => *until = Some(operator),
        _ => {}
    }
    parts.push(Part::Named {
        names: added,
        operator,
    });
}

fn separator(operator: char) -> char {
    if operator == ';' { ';' } else { '&' }
}

fn name(text: &str) -> Result<String, TemplateError> {
    if text.ends_with('*') || text.contains(':') {
        return Err(TemplateError::Modifier(text.to_owned()));
    }
    let allowed = |letter: char| letter.is_ascii_alphanumeric() || "_.%".contains(letter);
    if text.is_empty() || !text.chars().all(allowed) {
        return Err(TemplateError::Name(text.to_owned()));
    }
    Ok(text.to_owned())
}

impl Part {
    fn names(&self) -> &[String] {
        match self {
            Self::Literal(_) => &[],
            Self::Variable { name, .. } => slice::from_ref(name),
            Self::Named { names, .. } => names,
        }
    }

    /// For each position in `uri`, computes where this part ends if it begins there. Prefers the
    /// longest piece.
    ///
    /// `next` is the result for the next part, which must match at the end of this part.
    fn ends(&self, uri: &str, next: &[Option<usize>]) -> Vec<Option<usize>> {
        let mut ends = vec![None; uri.len() + 1];
        // The end of a list of named variables that begins at `at`.
        let mut end_of_pairs = uri.len();
        for at in (0..=uri.len()).rev() {
            let Some(rest) = uri.get(at..) else {
                continue;
            };
            let letter = rest.chars().next();
            let end = match self {
                Self::Literal(text) => rest.starts_with(text.as_str()).then(|| at + text.len()),
                Self::Variable {
                    reserved, until, ..
                } => letter
                    .filter(|it| (*reserved || !"/?#&,;=".contains(*it)) && *until != Some(*it))
                    .map(|it| at + it.len_utf8())
                    .and_then(|after| ends[after].or(Some(after))),
                Self::Named { operator, .. } => Some(if letter == Some(*operator) {
                    end_of_pairs
                } else {
                    at
                }),
            };
            ends[at] = end.filter(|end| next[*end].is_some());
            if matches!(letter, Some('#' | '/' | '?')) {
                end_of_pairs = at;
            }
        }
        ends
    }

    /// Adds the values of this part's variables, which are in `piece` of the URI.
    fn values(&self, piece: &str, values: &mut OrderedMap<String>) -> Option<()> {
        match self {
            Self::Literal(_) => {}
            Self::Variable { name, .. } => {
                values.insert(name.clone(), decode(piece)?);
            }
            Self::Named { names, operator } => {
                let pairs = piece.strip_prefix(*operator).unwrap_or_default();
                for pair in pairs.split(separator(*operator)) {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_read_is_expanded_to_one_spelling() {
        for (template, uri, canonical) in [
            (
                "file:///{+path}",
                "file:///%70rivate%2Fs.txt",
                "file:///private/s.txt",
            ),
            (
                "file:///{+path}",
                "FILE:///a%2541%5Bb%5d",
                "file:///a%2541%5Bb%5D",
            ),
            (
                "memory://entity/{name}",
                "memory://entity/h%69dden",
                "memory://entity/hidden",
            ),
            ("x:{a}", "x:b(c)", "x:b%28c%29"),
            ("X:{a,b}é{/c}{.d}", "x:1,2%c3%a9/3.4", "x:1,2%C3%A9/3.4"),
            (
                "x:y{?a,b}{#c}",
                "x:y?z=0&b=%62&%61=1#%70/q",
                "x:y?a=1&b=b#p/q",
            ),
            ("x:y{;a,b}", "x:y;b=2", "x:y;b=2"),
            ("x:y?z=1{&a}", "x:y?z=1&a=", "x:y?z=1&a="),
        ] {
            let template = UriTemplate::parse(template).unwrap();
            let values = template.matches(uri).unwrap();
            let expanded = template.expand(&values);
            assert_eq!(expanded, canonical, "{uri}");
            let mut read_back = template.matches(&expanded).unwrap();
            assert_eq!(template.expand(&read_back), expanded);
            for (name, value) in values {
                assert_eq!(read_back.shift_remove(&name), Some(value), "{expanded}");
            }
        }
    }

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
    fn braces_in_literal_text_stay_literal_under_a_prefix() {
        let parsed = |text| UriTemplate::parse(text).unwrap();
        let literal = UriTemplate::literal;
        for (prefix, own, prefixed) in [
            ("GH", parsed("x:{a}"), parsed("GH+x:{a}")),
            ("GH", parsed("ui://{+a}"), parsed("ui://gh/{+a}")),
            ("GH", literal("x:{a}"), literal("GH+x:{a}")),
            ("", literal("x:{a}"), literal("x:{a}")),
            ("", parsed("{+a}"), parsed("{+a}")),
        ] {
            assert_eq!(own.prefixed(&Namespace::new(prefix)), prefixed);
        }
    }

    #[test]
    fn what_is_not_a_template_is_refused() {
        for text in [
            "x:{", "x:}", "x:{a", "x:a}b", "x:{}", "x:{a b}", "x:{a*}", "x:{a:3}", "x:{a}{b}",
        ] {
            assert!(UriTemplate::parse(text).is_err(), "{text}");
        }
    }
}
