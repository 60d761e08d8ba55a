//! Splits comments and Markdown pages into paragraphs and words.

use std::mem;

use proc_macro2::{TokenStream, TokenTree};

use super::links;
use super::workspace::File;

/// Words that belong together: a sentence may continue on the next line.
pub(super) type Paragraph = [Word];

/// A word, or code between backticks.
pub(super) struct Word {
    /// The word in lower case.
    pub(super) text: String,
    pub(super) is_capitalized: bool,
    /// Punctuation that follows the word.
    pub(super) after: String,
    /// Line number, from 1.
    pub(super) line: usize,
}

/// Returns the paragraphs of the comments in a Rust file, or of a Markdown page, without code blocks and
/// headings.
pub(super) fn paragraphs(file: &File) -> Vec<Vec<Word>> {
    let mut collected = Paragraphs::default();
    if file.path.ends_with(".md") {
        for (number, line) in links::prose(&file.text) {
            collected.add(number, "", line);
        }
    } else if file.path.ends_with(".rs") {
        let mut in_code = false;
        for (number, line) in (1..).zip(without_strings(&file.text).lines()) {
            let (marker, text) = comment(line).unwrap_or_default();
            let is_fence = text.starts_with("```");
            in_code = !marker.is_empty() && in_code ^ is_fence;
            let text = if in_code || is_fence { "" } else { text };
            collected.add(number, marker, text);
        }
    }
    collected.finish()
}

fn comment(line: &str) -> Option<(&str, &str)> {
    let (code, comment) = line.split_once("//")?;
    let text = comment.trim_start_matches(['/', '!']);
    let marker = if code.trim().is_empty() {
        &comment[..comment.len() - text.len()]
    } else {
        "code"
    };
    Some((if marker.is_empty() { "//" } else { marker }, text.trim()))
}

/// Replaces literals, which may contain `//`, by spaces.
fn without_strings(source: &str) -> String {
    let mut bytes = source.as_bytes().to_vec();
    if let Ok(tokens) = source.parse() {
        blank_literals(tokens, &mut bytes);
    }
    String::from_utf8(bytes).unwrap_or_else(|_| source.to_owned())
}

fn blank_literals(tokens: TokenStream, source: &mut [u8]) {
    for token in tokens {
        match token {
            TokenTree::Group(group) => blank_literals(group.stream(), source),
            TokenTree::Literal(literal) => {
                let literal = &mut source[literal.span().byte_range()];
                // A doc comment is parsed as an attribute with a literal at the place of the comment.
                if !literal.starts_with(b"/") {
                    let within = literal.iter_mut().filter(|it| **it != b'\n');
                    within.for_each(|byte| *byte = b' ');
                }
            }
            _ => {}
        }
    }
}

#[derive(Default)]
struct Paragraphs {
    done: Vec<Vec<Word>>,
    current: Vec<Word>,
    /// The marker of the lines in `current`.
    marker: String,
}

impl Paragraphs {
    fn add(&mut self, number: usize, marker: &str, text: &str) {
        let text = text.trim();
        let is_heading = text.starts_with('#');
        let item = text.trim_start_matches(|it: char| it.is_ascii_digit() || it == '.');
        let begins = text.is_empty()
            || is_heading
            || text.starts_with('|')
            || item.starts_with("- ")
            || item.starts_with("* ")
            || (item.starts_with(' ') && item.len() < text.len())
            || marker != self.marker
            || marker == "code";
        if begins {
            self.done.push(mem::take(&mut self.current));
            marker.clone_into(&mut self.marker);
        }
        if !is_heading {
            self.current.extend(words(number, text));
        }
    }

    fn finish(mut self) -> Vec<Vec<Word>> {
        self.done.push(self.current);
        self.done.retain(|it| !it.is_empty());
        self.done
    }
}

fn words(line: usize, text: &str) -> Vec<Word> {
    let mut words: Vec<Word> = Vec::new();
    let mut in_code = false;
    let mut in_word = false;
    for it in text.chars() {
        let is_backtick = it == '`';
        let belongs =
            in_code || is_backtick || it.is_alphanumeric() || matches!(it, '\'' | '_' | '-');
        in_code ^= is_backtick;
        match words.last_mut() {
            Some(word) if belongs && in_word => word.text.extend(it.to_lowercase()),
            _ if belongs => words.push(Word {
                text: it.to_lowercase().collect(),
                is_capitalized: it.is_uppercase(),
                after: String::new(),
                line,
            }),
            Some(word) if !it.is_whitespace() => word.after.push(it),
            _ => {}
        }
        in_word = belongs;
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the paragraphs of a file, as `line: words`.
    fn of(path: &str, text: &str) -> Vec<String> {
        let paragraphs = paragraphs(&File::new(path.to_owned(), text.to_owned()));
        let joined = paragraphs.iter().map(|words| {
            let text: Vec<_> = words.iter().map(|it| it.text.as_str()).collect();
            format!("{}: {}", words[0].line, text.join(" "))
        });
        joined.collect()
    }

    #[test]
    fn comments_are_found_outside_of_strings() {
        let source = "//! A file.\n\n/// A function\n/// with two lines.\n// Why.\nfn f() {\n    \
                      g(\"// no\", '\"'); // The end.\n    let a = r#\"\n// no\n\"#;\n}\n";
        assert_eq!(
            of("a/src/b.rs", source),
            [
                "1: a file",
                "3: a function with two lines",
                "5: why",
                "7: the end"
            ]
        );
    }

    #[test]
    fn code_blocks_headings_and_rules_of_lists_split_a_text() {
        let source = "/// One:\n///\n/// ```\n/// // no\n/// ```\n/// - two\n/// - three\n/// # Errors\n/// Four.\n";
        assert_eq!(
            of("a/src/b.rs", source),
            ["1: one", "6: - two", "7: - three", "9: four"]
        );
        let page = "# Title\nOne `is no`\n1. two\n\n| three |\n| four |\n";
        assert_eq!(
            of("README.md", page),
            ["2: one `is no`", "3: 1 two", "5: three", "6: four"]
        );
    }

    #[test]
    fn words_know_their_punctuation() {
        let words = words(1, "(That's a `b.c d`), e.g. Here.");
        let texts: Vec<_> = words
            .iter()
            .map(|it| (it.text.as_str(), it.after.as_str()))
            .collect();
        assert_eq!(
            texts,
            [
                ("that's", ""),
                ("a", ""),
                ("`b.c d`", "),"),
                ("e", "."),
                ("g", "."),
                ("here", ".")
            ]
        );
        assert!(words[0].is_capitalized && !words[1].is_capitalized);
    }
}
