//! A parser for the `WWW-Authenticate` header.

use super::Challenge;

/// The unparsed rest of a header value. A method that returns `None` consumes nothing.
#[derive(Clone, Copy)]
pub(super) struct Rest<'a>(pub(super) &'a str);

impl<'a> Rest<'a> {
    pub(super) fn challenge(&mut self) -> Option<Challenge> {
        let mut rest = *self;
        let mut challenge = Challenge::of_scheme(rest.token()?);
        let spaces = rest.take_while(|it| it == ' ');
        if !rest.is_at_end_of_element() {
            if spaces.is_empty() {
                return None;
            }
            if let Some(first) = rest.parameter() {
                challenge.parameters.push(first);
            } else {
                challenge.token68 = Some(rest.token68()?);
            }
        }
        *self = rest;
        if challenge.token68.is_none() {
            self.more_parameters(&mut challenge.parameters);
        }
        Some(challenge)
    }

    /// Consumes parameters as long as each follows a comma, and skips invalid parts.
    fn more_parameters(&mut self, parameters: &mut Vec<(String, String)>) {
        loop {
            self.skip_whitespace();
            if !self.is_at_end_of_element() {
                self.skip_element();
            }
            let mut rest = *self;
            rest.skip_separators();
            let Some(next) = rest.parameter() else {
                return;
            };
            // Parameters can't follow a challenge without parameters.
            if parameters.is_empty() {
                return;
            }
            parameters.push(next);
            *self = rest;
        }
    }

    fn parameter(&mut self) -> Option<(String, String)> {
        let mut rest = *self;
        let name = rest.token()?;
        rest.skip_whitespace();
        rest.0 = rest.0.strip_prefix('=')?;
        rest.skip_whitespace();
        let value = match rest.0.strip_prefix('"') {
            Some(quoted) => {
                rest.0 = quoted;
                rest.quoted()
            }
            None => {
                let value = rest.take_while(|it| !matches!(it, ',' | ' ' | '\t'));
                if value.is_empty() || value.starts_with('=') {
                    return None;
                }
                value.to_owned()
            }
        };
        *self = rest;
        Some((name.to_owned(), value))
    }

    /// Consumes the rest of a quoted string. An unclosed string ends with the header.
    fn quoted(&mut self) -> String {
        let mut value = String::new();
        let mut characters = self.0.chars();
        while let Some(next) = characters.next() {
            match next {
                '"' => break,
                '\\' => value.extend(characters.next()),
                other => value.push(other),
            }
        }
        self.0 = characters.as_str();
        value
    }

    fn token68(&mut self) -> Option<String> {
        let mut rest = *self;
        let length = |part: &str| part.len();
        let letters = length(rest.take_while(|it| {
            it.is_ascii_alphanumeric() || matches!(it, '-' | '.' | '_' | '~' | '+' | '/')
        }));
        let padding = length(rest.take_while(|it| it == '='));
        let taken = &self.0[..letters + padding];
        rest.skip_whitespace();
        if letters == 0 || !rest.is_at_end_of_element() {
            return None;
        }
        *self = rest;
        Some(taken.to_owned())
    }

    fn token(&mut self) -> Option<&'a str> {
        let mut rest = *self;
        let token = rest.take_while(is_token_character);
        if token.is_empty() {
            return None;
        }
        *self = rest;
        Some(token)
    }

    /// Skips everything up to the next unquoted comma.
    pub(super) fn skip_element(&mut self) {
        while let Some(next) = self.0.chars().next() {
            if next == ',' {
                return;
            }
            self.0 = &self.0[next.len_utf8()..];
            if next == '"' {
                self.quoted();
            }
        }
    }

    pub(super) fn skip_separators(&mut self) {
        self.take_while(|it| matches!(it, ',' | ' ' | '\t'));
    }

    fn skip_whitespace(&mut self) {
        self.take_while(|it| matches!(it, ' ' | '\t'));
    }

    fn is_at_end_of_element(&self) -> bool {
        self.0.is_empty() || self.0.starts_with(',')
    }

    fn take_while(&mut self, is_taken: impl Fn(char) -> bool) -> &'a str {
        let end = self.0.find(|it| !is_taken(it)).unwrap_or(self.0.len());
        let (taken, rest) = self.0.split_at(end);
        self.0 = rest;
        taken
    }
}

/// A `tchar` (RFC 9110 §5.6.2).
fn is_token_character(it: char) -> bool {
    it.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(it)
}
