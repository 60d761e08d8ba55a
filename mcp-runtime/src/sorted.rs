//! Sorting by text, in one place: a sort is a lot of code for each type that is sorted.

/// `items` in the order of what `text` finds in them; what has the same text stays as it stood.
pub(crate) fn sorted<T>(items: Vec<T>, text: impl Fn(&T) -> &str) -> Vec<T> {
    let places = places(items.iter().map(text).collect());
    let mut items: Vec<_> = items.into_iter().map(Some).collect();
    let next = places.into_iter().filter_map(|place| items[place].take());
    next.collect()
}

/// Where to find the first of `texts` in their order, the second, and so on.
pub(crate) fn places(texts: Vec<&str>) -> Vec<usize> {
    let mut texts: Vec<_> = texts.into_iter().zip(0..).collect();
    texts.sort_unstable();
    texts.into_iter().map(|(_, place)| place).collect()
}

#[cfg(test)]
mod tests {
    use super::sorted;

    #[test]
    fn what_has_the_same_text_stays_as_it_stood() {
        let items = vec![("b", 1), ("a", 2), ("b", 0), ("", 3)];
        let sorted = sorted(items, |(text, _)| text);
        assert_eq!(sorted, [("", 3), ("a", 2), ("b", 1), ("b", 0)]);
    }
}
