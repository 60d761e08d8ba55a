//! Sorting by text, in one place: a sort is a lot of code for each type that is sorted.

/// `items` in the order of what `text` finds in them; what has the same text stays as it stood.
pub(crate) fn sorted<T>(mut items: Vec<T>, text: impl Fn(&T) -> &str) -> Vec<T> {
    let mut texts = Vec::new();
    for item in &items {
        texts.push(text(item));
    }
    for (one, other) in swaps(texts) {
        items.swap(one, other);
    }
    items
}

/// What has to be exchanged, one after the other, so that `texts` are in order.
fn swaps(texts: Vec<&str>) -> Vec<(usize, usize)> {
    let mut targets = vec![0; texts.len()];
    for (target, place) in places(texts).into_iter().enumerate() {
        targets[place] = target;
    }
    let mut swaps = Vec::new();
    for place in 0..targets.len() {
        while targets[place] != place {
            let target = targets[place];
            targets.swap(place, target);
            swaps.push((place, target));
        }
    }
    swaps
}

/// Where to find the first of `texts` in their order, the second, and so on.
fn places(texts: Vec<&str>) -> Vec<usize> {
    let mut placed = Vec::new();
    for (place, text) in texts.into_iter().enumerate() {
        placed.push((text, place));
    }
    placed.sort_unstable();
    let mut places = Vec::new();
    for (_, place) in placed {
        places.push(place);
    }
    places
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

    #[test]
    fn every_order_becomes_the_same() {
        for mut number in 0..720 {
            let mut left = vec!["a", "b", "c", "d", "e", "f"];
            let mut items = Vec::new();
            while !left.is_empty() {
                items.push(left.remove(number % left.len()));
                number /= left.len() + 1;
            }
            assert!(sorted(items.clone(), |text| text).is_sorted(), "{items:?}");
        }
    }
}
