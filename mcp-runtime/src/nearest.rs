//! Finds the known name that a misspelled name most likely means. This module is not part of the
//! public API, and changes without notice.

/// Returns the `known` name that is most similar to `name`, or `None` if no name is similar.
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let letters = |text: &str| text.to_lowercase().chars().collect::<Vec<_>>();
    let name = letters(name);
    let limit = (1 + name.len() / 3).min(name.len() / 2);
    // The distance is at least the difference of the lengths, so skip names of very different
    // length without computing it.
    let is_near = |it: &&str| it.chars().count().abs_diff(name.len()) <= limit;
    let known = known.into_iter().filter(is_near);
    let (distance, nearest) = known.map(|it| (distance(&name, &letters(it)), it)).min()?;
    (distance <= limit).then_some(nearest)
}

/// Returns how many letters must be added, removed, replaced or swapped to turn `a` into `b`.
fn distance(a: &[char], b: &[char]) -> usize {
    let mut rows: Vec<Vec<usize>> = vec![(0..=b.len()).collect()];
    for i in 0..a.len() {
        let mut row = vec![i + 1];
        for j in 0..b.len() {
            let replaced = rows[i][j] + usize::from(a[i] != b[j]);
            let mut least = replaced.min(rows[i][j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j] {
                least = least.min(rows[i - 1][j - 1] + 1);
            }
            row.push(least);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn misspelt_names_are_recognised_and_others_are_not() {
        let known = ["id", "limit", "query", "filesystem"];
        for (name, found) in [
            ("limti", Some("limit")),
            ("Limit", Some("limit")),
            ("di", Some("id")),
            ("file_systm", Some("filesystem")),
            ("x", None),
            ("colour", None),
        ] {
            assert_eq!(nearest(name, known), found, "{name}");
        }
    }
}
