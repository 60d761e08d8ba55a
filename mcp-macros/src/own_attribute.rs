//! The attributes of this crate among those of an item.

use syn::Attribute;

/// The attributes of parameters.
pub(crate) const SETTINGS: [&str; 2] = ["arg", "elicit"];

/// Whether the attribute is one of ours, on a parameter.
pub(crate) fn is_setting(attribute: &Attribute) -> bool {
    SETTINGS.iter().any(|name| is_ours(attribute, name))
}

/// Takes the attribute called `name` off `attributes` and returns what it encloses.
pub(crate) fn take_attribute(attributes: &mut Vec<Attribute>, name: &str) -> Option<Attribute> {
    let at = attributes
        .iter()
        .position(|attribute| is_ours(attribute, name))?;
    Some(attributes.remove(at))
}

/// `#[tool]`, also as `#[mcp_runtime::tool]`.
pub(crate) fn is_ours(attribute: &Attribute, name: &str) -> bool {
    let last = attribute.path().segments.last();
    last.is_some_and(|last| last.ident == name)
}
