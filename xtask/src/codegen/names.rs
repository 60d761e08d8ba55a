//! Rust names for the protocol's names.

/// `resource_link`, `tools/list`, `include-context` as a type or variant.
///
/// ```text
/// ref/prompt -> RefPrompt    inputSchema -> InputSchema
/// ```
pub(crate) fn pascal(text: &str) -> String {
    let mut out = String::new();
    let mut upper = true;
    for c in text.chars() {
        if !c.is_ascii_alphanumeric() {
            upper = true;
        } else if upper {
            out.extend(c.to_uppercase());
            upper = false;
        } else {
            out.push(c);
        }
    }
    out
}

/// `inputSchema` as a field, function or module: `input_schema`.
pub(crate) fn snake(text: &str) -> String {
    let mut out = String::new();
    let mut boundary = false;
    for c in text.chars() {
        if !c.is_ascii_alphanumeric() {
            boundary = !out.is_empty();
            continue;
        }
        if (boundary || c.is_ascii_uppercase()) && !out.is_empty() && !out.ends_with('_') {
            out.push('_');
        }
        boundary = false;
        out.push(c.to_ascii_lowercase());
    }
    out
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
    let mut name = name.to_owned();
    let mut acronyms: Vec<_> = acronyms.into_iter().collect();
    // An acronym may begin with another one.
    acronyms.sort_by_key(|(capitals, _)| std::cmp::Reverse(capitals.len()));
    for (capitals, word) in acronyms {
        name = name.replace(capitals, word);
    }
    name
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
