//! The known name that a misspelt name most likely stands for. No part of the public interface: it
//! changes without notice.

/// The one of the `known` names that is most like `name`; `None` if none is similar.
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let letters = |text: &str| text.to_lowercase().chars().collect::<Vec<_>>();
    let name = letters(name);
    let limit = (1 + name.len() / 3).min(name.len() / 2);
    // The distance is not less than the difference of the lengths, and its cost grows with both.
    let is_near = |it: &&str| it.chars().count().abs_diff(name.len()) <= limit;
    let known = known.into_iter().filter(is_near);
    let (distance, nearest) = known.map(|it| (distance(&name, &letters(it)), it)).min()?;
    (distance <= limit).then_some(nearest)
}

/// The number of letters that must be added, removed, replaced or swapped to make `b` of `a`.
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
