//! Finds phrases that make readers read a sentence twice, in comments and in Markdown pages. The phrases
//! are listed in `phrases.txt`.

use std::sync::LazyLock;

use itertools::Itertools;

use super::Violation;
use super::comments::{Paragraph, Word, paragraphs};
use super::workspace::Workspace;

/// The most words that `...` skips.
const MAX_GAP: usize = 8;

/// A phrase that suggests a compressed sentence.
struct Phrase {
    /// The words of the phrase, each with its alternatives.
    parts: Vec<Vec<&'static str>>,
    /// The better form, as an instruction.
    better: &'static str,
}

static PHRASES: LazyLock<Vec<Phrase>> = LazyLock::new(|| {
    let lines = include_str!("phrases.txt").lines();
    let phrases = lines.filter_map(|line| line.split_once(" => "));
    let phrases = phrases.map(|(phrase, better)| Phrase {
        parts: phrase
            .split(' ')
            .map(|it| it.split('|').collect())
            .collect(),
        better,
    });
    phrases.collect()
});

pub(super) fn check(workspace: &Workspace, violations: &mut Vec<Violation>) {
    for file in workspace.files.values() {
        for paragraph in paragraphs(file) {
            for start in 0..paragraph.len() {
                for phrase in &*PHRASES {
                    if let Some(end) = find(&phrase.parts, &paragraph, start, start) {
                        let words = paragraph[start..end].iter().map(|it| &it.text);
                        let found = format!("\"{}\"", words.format(" "));
                        let line = paragraph[start].line;
                        violations.push(Violation::new(file, line, found, phrase.better));
                    }
                }
            }
        }
    }
}

/// Returns the end of a phrase that begins at word `start`, if `parts` match the words from `at` on.
fn find(parts: &[Vec<&str>], words: &Paragraph, start: usize, at: usize) -> Option<usize> {
    let Some((part, rest)) = parts.split_first() else {
        return Some(at);
    };
    let is = |at: usize, text: &str| words.get(at).is_some_and(|it| it.text == text);
    let next = match part[0] {
        "^^" if at == 0 => at,
        "^" if begins_statement(words, at) => at,
        "." if ends_clause(words, at - 1) => at,
        "^^" | "^" | "." => return None,
        "..." => {
            let clause = (at..words.len()).take(MAX_GAP);
            let length = clause.take_while(|at| !ends_clause(words, *at)).count();
            return (at..=at + length).find_map(|at| find(rest, words, start, at));
        }
        first => match first.strip_prefix('!') {
            Some(first) => {
                let before = usize::from(at == start);
                let neighbor = at.checked_sub(before);
                let mut excluded = std::iter::once(first).chain(part[1..].iter().copied());
                let is_excluded = neighbor.is_some_and(|at| excluded.any(|text| is(at, text)));
                (!is_excluded).then_some(at)?
            }
            None => {
                let is_adjacent = at == start || words[at - 1].after.is_empty();
                let is_word = is_adjacent && part.iter().any(|text| is(at, text));
                is_word.then_some(at + 1)?
            }
        },
    };
    find(rest, words, start, next)
}

/// Returns true if a sentence that is not a question begins with word `at`.
fn begins_statement(words: &[Word], at: usize) -> bool {
    let ends = |word: &Word| word.after.contains(['.', '!', '?']);
    let is_first = at == 0 || ends(&words[at - 1]);
    let last = words[at..].iter().find(|word| ends(word));
    let is_question = last.is_some_and(|word| word.after.contains('?'));
    is_first && words[at].is_capitalized && !is_question
}

fn ends_clause(words: &[Word], at: usize) -> bool {
    at + 1 == words.len()
        || words[at]
            .after
            .contains(['.', ',', ';', ':', ')', '!', '?', '|'])
}

#[cfg(test)]
mod tests {
    use super::super::testing::places;
    use super::*;

    fn found(text: &str) -> Vec<String> {
        let file = super::super::File::new("a/src/b.rs".to_owned(), format!("// {text}\n"));
        let workspace = Workspace::new(vec![file]);
        let mut violations = Vec::new();
        check(&workspace, &mut violations);
        violations.into_iter().map(|it| it.found).collect()
    }

    #[test]
    fn phrases_are_found_with_their_alternatives() {
        assert_eq!(found("The value is no string."), ["\"is no\""]);
        assert_eq!(found("They are no strings."), ["\"are no\""]);
        assert_eq!(found("The file is written anew."), ["\"anew\""]);
    }

    #[test]
    fn excluded_neighbors_are_free() {
        assert!(found("There is no string.").is_empty());
        assert!(found("The string is no longer used.").is_empty());
        assert!(found("It is. No string is used.").is_empty());
    }

    #[test]
    fn a_gap_ends_with_its_clause() {
        assert_eq!(
            found("Cached so that the keys need not be fetched."),
            ["\"so that the keys need not\""]
        );
        assert!(found("Cached so that keys are at hand, not elsewhere.").is_empty());
        assert!(found("So that one two three four five six seven eight nine not.").is_empty());
    }

    #[test]
    fn beginnings_of_statements_and_ends_of_clauses_differ_from_the_middle() {
        assert_eq!(found("Sent. What is left is kept."), ["\"what\""]);
        assert!(found("What is left? See what is kept.").is_empty());
        assert_eq!(found("Its name."), ["\"its\""]);
        assert!(found("A file. Its name is free.").is_empty());
        assert_eq!(found("Clients send tokens, too."), ["\"too\""]);
        assert!(found("The token is too long.").is_empty());
    }

    #[test]
    fn every_phrase_finds_its_first_alternatives() {
        for phrase in &*PHRASES {
            let words = phrase.parts.iter().map(|it| match it[0] {
                "^" | "^^" => "",
                "..." => "they",
                "." => ";",
                word if word.starts_with('!') => "neighbor",
                word => word,
            });
            let mut text = words.collect::<Vec<_>>().join(" ").trim().to_owned();
            if phrase.parts[0][0].starts_with('^') {
                text = text[..1].to_uppercase() + &text[1..];
            }
            assert!(!found(&text).is_empty(), "{:?}: {text}", phrase.parts);
        }
    }

    #[test]
    fn pages_are_checked_and_lines_are_named() {
        let page = "# What is new\n\nA file is\nno folder.\n\n```\nis no\n```\n\n| `a` | is no |\n";
        let files = [("docs/a.md", page), ("docs/a.txt", page)];
        assert_eq!(places(check, &files), ["docs/a.md:3", "docs/a.md:10"]);
    }
}
