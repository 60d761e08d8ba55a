//! Converts names on the wire to Rust names.

use heck::{ToSnakeCase, ToUpperCamelCase};
use proc_macro2::{Ident, Span};

/// Converts a name such as `tools/list` or `include-context` to the name of a type or variant.
///
/// ```
/// use mcp_bindgen::code::names::pascal;
///
/// assert_eq!(pascal("ref/prompt"), "RefPrompt");
/// assert_eq!(pascal("inputSchema"), "InputSchema");
/// ```
#[must_use]
pub fn pascal(text: &str) -> String {
    words(text).to_upper_camel_case()
}

/// Converts a name such as `inputSchema` to the name of a field, function or module.
#[must_use]
pub fn snake(text: &str) -> String {
    words(text).to_snake_case()
}

/// Replaces everything except ASCII letters and digits with spaces.
fn words(text: &str) -> String {
    text.replace(|c: char| !c.is_ascii_alphanumeric(), " ")
}

/// Returns whether `name` is a valid identifier, possibly a raw one.
#[must_use]
pub fn is_identifier(name: &str) -> bool {
    syn::parse_str::<Ident>(&format!("r#{name}")).is_ok()
}

/// Converts `name` to an identifier, which is raw if the name is a keyword.
///
/// A name that can't be an identifier gets a leading underscore (`_self`, `_2d`).
#[must_use]
pub fn ident(name: &str) -> Ident {
    let plain = syn::parse_str(name).ok().filter(|name| name != "gen");
    let raw = || syn::parse_str(&format!("r#{name}")).ok();
    let plain = plain.or_else(raw);
    plain.unwrap_or_else(|| Ident::new(&format!("_{}", snake(name)), Span::call_site()))
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
    }

    #[test]
    fn every_name_becomes_an_identifier() {
        for (name, expected) in [
            ("city", "city"),
            ("type", "r#type"),
            ("gen", "r#gen"),
            ("self", "_self"),
            ("2d", "_2d"),
            ("", "_"),
        ] {
            assert_eq!(ident(name).to_string(), expected);
        }
    }
}
