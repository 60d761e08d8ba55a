//! Rust names for the protocol's names, made of the words that typify finds in them.

use heck::{ToSnakeCase, ToUpperCamelCase};
use itertools::Itertools;
use std::cmp::Reverse;

/// `resource_link`, `tools/list`, `include-context` as a type or variant.
///
/// ```text
/// ref/prompt -> RefPrompt    inputSchema -> InputSchema
/// ```
pub(crate) fn pascal(text: &str) -> String {
    words(text).to_upper_camel_case()
}

/// `inputSchema` as a field, function or module: `input_schema`.
pub(crate) fn snake(text: &str) -> String {
    words(text).to_snake_case()
}

/// The text without what is neither letter nor digit of ASCII.
fn words(text: &str) -> String {
    text.replace(|c: char| !c.is_ascii_alphanumeric(), " ")
}

/// `tools/call` as a constant: `TOOLS_CALL`.
pub(crate) fn screaming(text: &str) -> String {
    snake(text).to_uppercase()
}

/// The name without acronyms in capitals: `JSONRPCError` becomes `JsonRpcError`.
pub(crate) fn without_acronyms<'a>(
    name: &str,
    acronyms: impl IntoIterator<Item = (&'a str, &'a str)>,
) -> String {
    // An acronym may begin with another one.
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
        assert_eq!(pascal("resource_link"), "ResourceLink");
        assert_eq!(pascal("inputSchema"), "InputSchema");
        assert_eq!(snake("inputSchema"), "input_schema");
        assert_eq!(snake("$schema"), "schema");
        assert_eq!(
            snake("resources/templates/list"),
            "resources_templates_list"
        );
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
