//! Suggests known words for misspelt ones.

/// The known word that `name` is most likely a misspelling of.
pub(crate) fn nearest<'a>(name: &str, known: &[&'a str]) -> Option<&'a str> {
    let plain = |word: &str| word.replace(['_', '-'], "").to_lowercase();
    known
        .iter()
        .map(|word| (distance(&plain(name), &plain(word)), *word))
        .filter(|(distance, word)| *distance * 3 <= word.len().max(3))
        .min()
        .map(|(_, word)| word)
}

/// The Levenshtein distance: how many letters must be added, removed or replaced to turn `a` into
/// `b`.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, to) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(from != *to);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::nearest;
    use crate::grammar::TOOL;

    #[test]
    fn a_misspelt_entry_is_recognised() {
        for misspelt in ["readonly", "read-only", "readOnly", "raed_only"] {
            assert_eq!(
                nearest(misspelt, TOOL.known),
                Some("read_only"),
                "{misspelt}"
            );
        }
    }

    #[test]
    fn a_foreign_word_is_not() {
        assert_eq!(nearest("colour", TOOL.known), None);
    }
}
