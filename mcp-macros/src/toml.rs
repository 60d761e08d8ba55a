//! Parses the part of TOML needed to find dependencies: keys, tables and strings.

/// A value, and the keys that lead to it.
#[derive(Debug, PartialEq)]
pub(crate) struct Entry {
    /// Never empty.
    pub(crate) keys: Vec<String>,
    /// A string without its quotes, or any other value as it is written.
    pub(crate) value: String,
}

/// The values in `text` that are not in arrays, up to the first syntax error.
pub(crate) fn entries(text: &str) -> Vec<Entry> {
    let mut reader = Reader {
        rest: text,
        entries: Vec::new(),
    };
    let _ = reader.document();
    reader.entries
}

struct Reader<'a> {
    rest: &'a str,
    entries: Vec<Entry>,
}

impl<'a> Reader<'a> {
    fn document(&mut self) -> Option<()> {
        let mut section = Vec::new();
        loop {
            self.skip_blank();
            if self.rest.is_empty() {
                return Some(());
            }
            if self.eat("[") {
                let is_list = self.eat("[");
                section = self.keys()?;
                (self.eat("]") && (!is_list || self.eat("]"))).then_some(())?;
            } else {
                self.pair(&section)?;
            }
        }
    }

    /// Parses `key = value` in the table `above`.
    fn pair(&mut self, above: &[String]) -> Option<()> {
        let mut keys = above.to_vec();
        keys.extend(self.keys()?);
        self.eat("=").then_some(())?;
        self.skip_spaces();
        self.value(keys)
    }

    fn value(&mut self, keys: Vec<String>) -> Option<()> {
        if self.eat("{") {
            return self.members("}", |reader| reader.pair(&keys));
        }
        if self.eat("[") {
            // Values in arrays are parsed, but dropped.
            let known = self.entries.len();
            self.members("]", |reader| reader.value(Vec::new()))?;
            self.entries.truncate(known);
            return Some(());
        }
        let value = match self.string() {
            Some(text) => text,
            None => self.take_until(|letter| ",}]#\n\r".contains(letter)).trim(),
        };
        let value = value.to_owned();
        self.entries.push(Entry { keys, value });
        Some(())
    }

    /// Parses comma-separated items up to `end`.
    fn members(&mut self, end: &str, one: impl Fn(&mut Self) -> Option<()>) -> Option<()> {
        loop {
            self.skip_blank();
            if self.eat(end) {
                return Some(());
            }
            one(self)?;
            self.skip_blank();
            if !self.eat(",") {
                return self.eat(end).then_some(());
            }
        }
    }

    /// Parses keys separated by dots.
    fn keys(&mut self) -> Option<Vec<String>> {
        let mut keys = Vec::new();
        loop {
            self.skip_spaces();
            let is_bare = |letter: char| letter.is_alphanumeric() || "_-".contains(letter);
            let key = self.string();
            let key = key.unwrap_or_else(|| self.take_until(|letter| !is_bare(letter)));
            keys.push(Some(key).filter(|key| !key.is_empty())?.to_owned());
            self.skip_spaces();
            if !self.eat(".") {
                return Some(keys);
            }
        }
    }

    /// Parses a string in any of the four kinds of quotes. Escapes are not decoded.
    fn string(&mut self) -> Option<&'a str> {
        let quotes = ["\"\"\"", "'''", "\"", "'"];
        let quote = quotes.into_iter().find(|quote| self.eat(quote))?;
        let mut end = 0;
        while !self.rest.get(end..)?.starts_with(quote) {
            let mut letters = self.rest.get(end..)?.chars();
            let letter = letters.next()?;
            end += letter.len_utf8();
            if letter == '\\' && quote.starts_with('"') {
                end += letters.next()?.len_utf8();
            }
        }
        let text = &self.rest[..end];
        self.rest = &self.rest[end + quote.len()..];
        Some(text)
    }

    fn take_until(&mut self, is_end: impl Fn(char) -> bool) -> &'a str {
        let (taken, rest) = self
            .rest
            .split_at(self.rest.find(is_end).unwrap_or(self.rest.len()));
        self.rest = rest;
        taken
    }

    fn eat(&mut self, token: &str) -> bool {
        let rest = self.rest.strip_prefix(token);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn skip_spaces(&mut self) {
        self.rest = self.rest.trim_start_matches([' ', '\t']);
    }

    /// Skips whitespace and comments.
    fn skip_blank(&mut self) {
        loop {
            self.rest = self.rest.trim_start();
            if !self.eat("#") {
                return;
            }
            self.take_until(|letter| letter == '\n');
        }
    }
}
