//! JSON text read over, and found valid or not.
//!
//! It accepts what serde_json accepts, without an allocation, and in a third of the instructions.
//! What is wrong with text that it refuses is found out by reading it again with serde_json.

use std::borrow::Cow;

use super::skip;
use super::unescape::unescape;

/// A place in JSON text.
///
/// Each method moves on behind what it has read; `None` means that the text is not valid there.
#[derive(Clone)]
pub(crate) struct Scanner<'a> {
    text: &'a str,
    at: usize,
    /// Whether the whole text is known to be valid.
    valid: bool,
}

/// A string, between its quotation marks.
#[derive(Clone, Copy)]
pub(crate) struct Quoted<'a> {
    /// The text as it stands there.
    pub(crate) inner: &'a str,
    /// Whether it has escapes.
    pub(crate) escaped: bool,
}

impl<'a> Quoted<'a> {
    /// What the string says.
    #[inline]
    pub(crate) fn text(self) -> Cow<'a, str> {
        if self.escaped {
            self.unescaped()
        } else {
            Cow::Borrowed(self.inner)
        }
    }

    /// Half of a surrogate pair means nothing by itself; a string with one stays as it is written.
    #[cold]
    fn unescaped(self) -> Cow<'a, str> {
        let said = unescape(self.inner, 0);
        said.map_or(Cow::Borrowed(self.inner), |(said, _)| Cow::Owned(said))
    }
}

impl<'a> Scanner<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        let (at, valid) = (0, false);
        Self { text, at, valid }
    }

    /// The beginning of text that is known to be valid.
    pub(crate) fn of_valid(text: &'a str) -> Self {
        let (at, valid) = (0, true);
        Self { text, at, valid }
    }

    /// The whole text.
    #[inline]
    pub(crate) fn text(&self) -> &'a str {
        self.text
    }

    /// Whether the whole text is known to be valid.
    #[inline]
    pub(crate) fn is_valid(&self) -> bool {
        self.valid
    }

    /// How many bytes have been read.
    #[inline]
    pub(crate) fn place(&self) -> usize {
        self.at
    }

    /// Goes to a place where it has been.
    #[inline]
    pub(crate) fn go(&mut self, place: usize) {
        self.at = place;
    }

    /// The first byte that is not white space; it is not read over.
    #[inline]
    pub(crate) fn peek(&mut self) -> Option<u8> {
        match self.bytes().get(self.at) {
            Some(byte) if *byte > b' ' => Some(*byte),
            _ => self.peek_behind_space(),
        }
    }

    #[inline(never)]
    fn peek_behind_space(&mut self) -> Option<u8> {
        self.at = skip::space(self.bytes(), self.at);
        self.bytes().get(self.at).copied()
    }

    /// Whether that byte comes next, without white space before it.
    #[inline]
    pub(crate) fn is_next(&self, byte: u8) -> bool {
        self.bytes().get(self.at) == Some(&byte)
    }

    /// Reads over that byte, if it comes next.
    #[inline]
    pub(crate) fn eat(&mut self, byte: u8) -> bool {
        let found = self.is_next(byte) || self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    /// Whether there is nothing more than white space.
    #[inline]
    pub(crate) fn is_at_end(&mut self) -> bool {
        self.peek().is_none()
    }

    /// Reads over a string.
    #[inline]
    pub(crate) fn string(&mut self) -> Option<Quoted<'a>> {
        match self.plain_string() {
            Some(inner) => Some(Quoted {
                inner,
                escaped: false,
            }),
            None => self.any_string(),
        }
    }

    /// Reads over a string that comes next and has no escapes: most are such.
    #[inline(never)]
    pub(super) fn plain_string(&mut self) -> Option<&'a str> {
        let bytes = self.bytes();
        if bytes.get(self.at) != Some(&b'"') {
            return None;
        }
        let start = self.at + 1;
        let end = skip::plain(bytes, start);
        if bytes.get(end) != Some(&b'"') {
            return None;
        }
        let inner = between(self.text, start, end)?;
        self.at = end + 1;
        Some(inner)
    }

    /// Reads over a name with the colon behind it, and over the byte before it if there is one.
    ///
    /// Does nothing if they are not there, or written in any other way than most names are: on
    /// their own, short, and without an escape.
    #[inline(always)]
    pub(crate) fn usual_name(&mut self, before: Option<u8>) -> Option<&'a str> {
        let bytes = self.bytes();
        let mut at = self.at;
        if let Some(before) = before {
            if bytes.get(at) != Some(&before) {
                return None;
            }
            at += 1;
        }
        if bytes.get(at) != Some(&b'"') {
            return None;
        }
        let end = skip::short_plain(bytes, at + 1)?;
        if bytes.get(end) != Some(&b'"') || bytes.get(end + 1) != Some(&b':') {
            return None;
        }
        let name = between(self.text, at + 1, end)?;
        self.at = end + 2;
        Some(name)
    }

    #[inline(never)]
    fn any_string(&mut self) -> Option<Quoted<'a>> {
        if self.peek() != Some(b'"') {
            return None;
        }
        let start = self.at + 1;
        let plain = skip::plain(self.bytes(), start);
        let escaped = self.bytes().get(plain) != Some(&b'"');
        let end = match escaped {
            true => skip::escaped(self.bytes(), plain)? - 1,
            false => plain,
        };
        self.at = end + 1;
        let inner = self.text.get(start..end)?;
        Some(Quoted { inner, escaped })
    }

    /// Reads over an object that nests up to `limit` levels, and shows each member.
    #[inline]
    pub(crate) fn members(
        &mut self,
        limit: usize,
        mut show: impl FnMut(Quoted<'a>, &'a str),
    ) -> Option<()> {
        let inner = limit.checked_sub(1).filter(|_| self.eat(b'{'))?;
        if self.eat(b'}') {
            return Some(());
        }
        loop {
            let name = self.string().filter(|_| self.eat(b':'))?;
            show(name, self.value(inner)?);
            if !self.eat(b',') {
                return self.eat(b'}').then_some(());
            }
        }
    }

    /// Goes into an object, to the value of the first member of that name.
    pub(crate) fn find(&mut self, wanted: &str) -> bool {
        if !self.eat(b'{') {
            return false;
        }
        while let Some(name) = self.string().filter(|_| self.eat(b':')) {
            if name.text() == wanted {
                return true;
            }
            if self.value(usize::MAX).is_none() || !self.eat(b',') {
                return false;
            }
        }
        false
    }

    /// Reads over an array that nests up to `limit` levels, and shows each element.
    pub(crate) fn elements(&mut self, limit: usize, mut show: impl FnMut(&'a str)) -> Option<()> {
        let inner = limit.checked_sub(1).filter(|_| self.eat(b'['))?;
        if self.eat(b']') {
            return Some(());
        }
        loop {
            show(self.value(inner)?);
            if !self.eat(b',') {
                return self.eat(b']').then_some(());
            }
        }
    }

    /// Reads over a value in which arrays and objects nest up to `limit` levels.
    #[inline]
    pub(crate) fn value(&mut self, limit: usize) -> Option<&'a str> {
        let start = self.skip(limit)?;
        self.text.get(start..self.at)
    }

    /// [`Scanner::value`] for a value that nobody wants to see; where it begins.
    #[inline]
    pub(crate) fn skip(&mut self, limit: usize) -> Option<usize> {
        let first = self.peek()?;
        let start = self.at;
        self.at = match first {
            b'"' => skip::string(self.bytes(), start + 1)?,
            _ if self.valid => skip::valid_value(self.bytes(), start)?,
            _ => skip::value(self.bytes(), start, limit)?,
        };
        Some(start)
    }

    /// Reads over a number or a word that comes next.
    pub(super) fn scalar(&mut self) -> Option<&'a str> {
        let start = self.at;
        self.at = skip::scalar(self.bytes(), start)?;
        self.text.get(start..self.at)
    }

    /// Reads over that word.
    pub(crate) fn word(&mut self, word: &str) -> Option<()> {
        self.at = skip::word(self.bytes(), self.at, word.as_bytes())?;
        Some(())
    }

    #[inline]
    fn bytes(&self) -> &'a [u8] {
        self.text.as_bytes()
    }
}

/// The text between two places. Unlike `str::get` it is compiled into its callers, which know what
/// stands at the second one.
#[inline(always)]
fn between(text: &str, start: usize, end: usize) -> Option<&str> {
    let (before, _) = text.split_at_checked(end)?;
    before.split_at_checked(start).map(|(_, text)| text)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde::de::IgnoredAny;

    use super::*;

    fn accepts(text: &str) -> bool {
        let mut scanner = Scanner::new(text);
        scanner.value(usize::MAX).is_some() && scanner.is_at_end()
    }

    fn agrees(text: &str) -> Result<(), TestCaseError> {
        let expected = serde_json::from_str::<IgnoredAny>(text).is_ok();
        prop_assert_eq!(accepts(text), expected, "{:?}", text);
        Ok(())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4096))]

        #[test]
        fn serde_json_accepts_the_same_soup_of_tokens(
            text in proptest::collection::vec(
                prop_oneof![
                    Just("{"), Just("}"), Just("["), Just("]"), Just(","), Just(":"),
                    Just("\"a\""), Just("\"\\u00e9\""), Just("0"), Just("-1.5e+3"), Just("null"),
                    Just("true"), Just("false"), Just(" "), Just("\n"),
                ],
                0..12,
            ).prop_map(|tokens| tokens.concat())
        ) {
            agrees(&text)?;
        }

        #[test]
        fn serde_json_accepts_the_same_numbers(text in "[-+.eE0-9]{1,8}") {
            agrees(&text)?;
        }

        #[test]
        fn serde_json_accepts_the_same_strings(text in r#""([ -~é\n\x00]|\\["\\/bfnrtux0-9a-fA-F]){0,12}"?"#) {
            agrees(&text)?;
        }

        #[test]
        fn serde_json_accepts_the_same_text_with_a_fault(
            at in 0_usize..61, byte in "[ -~]", cut in 0_usize..61
        ) {
            let valid = r#"{"a":[1,-2.5e3,"x\u0041\n",{}],"b":{"c":[[],null]},"d":true} "#;
            let mut text = valid.to_owned();
            text.replace_range(at..=at, &byte);
            agrees(&text)?;
            agrees(&valid[..cut])?;
        }
    }

    #[test]
    fn a_value_ends_where_it_ends() {
        let mut scanner = Scanner::new(r#" {"a":[1]} , "b\"" x"#);
        assert_eq!(scanner.value(9), Some(r#"{"a":[1]}"#));
        assert!(scanner.eat(b','));
        assert_eq!(scanner.value(9), Some(r#""b\"""#));
        assert_eq!(scanner.value(9), None);
    }

    #[test]
    fn values_of_valid_text_end_where_they_end() {
        let text = r#"{"a":[1,{"}":"]\""}],"b":-1.5e3,"c":true,"d":[]}"#;
        let mut values = vec![];
        let all = Scanner::of_valid(text).members(9, |_, value| values.push(value));
        assert!(all.is_some());
        assert_eq!(values, [r#"[1,{"}":"]\""}]"#, "-1.5e3", "true", "[]"]);
        assert!(Scanner::of_valid(text).find("d"));
        assert!(!Scanner::of_valid(text).find("e"));
    }

    #[test]
    fn nesting_is_limited() {
        let nested = format!("{}{}", "[".repeat(200), "]".repeat(200));
        assert!(Scanner::new(&nested).value(200).is_some());
        assert!(Scanner::new(&nested).value(199).is_none());
        assert!(Scanner::new("1").value(0).is_some());
    }
}
