//! Removes code that a single revision does not need.

use syn::{ImplItem, Item, ItemImpl, TraitItem};

/// The constant about `InputRequiredResult`, which few revisions have.
const INPUT: &str = "MAY_REQUIRE_INPUT";

/// Removes setters, which are not needed for structs in the user's own crate, and items that only other
/// revisions need.
pub(super) fn trim(items: &mut [Item]) {
    let has_input = items
        .iter()
        .any(|item| matches!(item, Item::Struct(it) if it.ident == "InputRequiredResult"));
    for item in items {
        match item {
            Item::Impl(item) => trim_impl(item, has_input),
            Item::Trait(item) => item.items.retain(|it| match it {
                TraitItem::Const(it) => has_input || it.ident != INPUT,
                _ => true,
            }),
            Item::Struct(item) => item.attrs.retain(is_kept),
            Item::Enum(item) => item.attrs.retain(is_kept),
            _ => {}
        }
    }
}

/// Returns false for `non_exhaustive`: a published revision does not change, so its types are exhaustive.
fn is_kept(attribute: &syn::Attribute) -> bool {
    !attribute.path().is_ident("non_exhaustive")
}

fn trim_impl(item: &mut ItemImpl, has_input: bool) {
    let is_inherent = item.trait_.is_none();
    item.items.retain(|it| match it {
        ImplItem::Fn(it) => !is_inherent || !it.sig.ident.to_string().starts_with("with_"),
        ImplItem::Const(it) => has_input || it.ident != INPUT,
        _ => true,
    });
}

/// Removes examples, which name the original crate, and lists of revisions from the docs of a file.
pub(super) fn trim_docs(code: &str) -> String {
    let mut lines: Vec<&str> = Vec::new();
    let mut in_example = false;
    for line in code.lines() {
        let text = line.trim_start();
        let comment = text
            .strip_prefix("///")
            .or_else(|| text.strip_prefix("//!"));
        let fence = comment.is_some_and(|it| it.trim_start().starts_with("```"));
        in_example ^= fence;
        let example = fence || in_example && comment.is_some();
        let revisions = comment.is_some_and(|it| it.starts_with(" Revisions: "));
        if example || revisions {
            continue;
        }
        // Remove empty lines at the end of a comment.
        while comment.is_none_or(str::is_empty) && lines.last().is_some_and(|it| is_blank_doc(it)) {
            lines.pop();
        }
        lines.push(line);
    }
    let text = lines.join("\n").replace("; revisions: all.", ".");
    text + "\n"
}

fn is_blank_doc(line: &str) -> bool {
    matches!(line.trim_start(), "///" | "//!")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn setters_and_constants_of_other_revisions_are_left_out() {
        let mut file: syn::File = syn::parse_quote! {
            #[non_exhaustive]
            struct A;
            impl A { fn new() {} fn with_b(self) {} }
            impl B for A { const MAY_REQUIRE_INPUT: bool = false; fn with_c() {} }
        };
        trim(&mut file.items);
        assert_eq!(
            prettyplease::unparse(&file),
            "struct A;\nimpl A {\n    fn new() {}\n}\nimpl B for A {\n    fn with_c() {}\n}\n"
        );
    }

    #[test]
    fn examples_and_revisions_are_left_out() {
        let code = "/// Doc.\n///\n/// ```\n/// use x;\n/// ```\nstruct A;\n/// Two.\n///\n/// Revisions: all.\nstruct B;";
        assert_eq!(
            trim_docs(code),
            "/// Doc.\nstruct A;\n/// Two.\nstruct B;\n"
        );
    }
}
