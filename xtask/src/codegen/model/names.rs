//! Conversions of names: constants, and names without acronyms.

use itertools::Itertools;
use mcp_bindgen::code::names::snake;
use std::cmp::Reverse;

/// Returns the name of a constant, such as `TOOLS_CALL` for `tools/call`.
pub(crate) fn screaming(text: &str) -> String {
    snake(text).to_uppercase()
}

/// Replaces acronyms in capitals: `JSONRPCError` becomes `JsonRpcError`.
pub(crate) fn without_acronyms<'a>(
    name: &str,
    acronyms: impl IntoIterator<Item = (&'a str, &'a str)>,
) -> String {
    // One acronym may be a prefix of another.
    let acronyms = acronyms.into_iter();
    let longest_first = acronyms.sorted_by_key(|(capitals, _)| Reverse(capitals.len()));
    longest_first.fold(name.to_owned(), |name, (capitals, word)| {
        name.replace(capitals, word)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_follow_the_words() {
        assert_eq!(
            screaming("notifications/list_changed"),
            "NOTIFICATIONS_LIST_CHANGED"
        );
        assert_eq!(
            without_acronyms("ElicitURLParams", [("URL", "Url")]),
            "ElicitUrlParams"
        );
    }
}
