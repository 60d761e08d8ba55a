//! Values from the wire are decoded by their method or their
//! discriminator, never by trying one shape after another.

use super::names::groups;
use super::violation::{Rule, Violation};
use super::workspace::Workspace;
use proc_macro2::TokenTree;
use quote::ToTokens;

const UNTAGGED: Rule = Rule {
    name: "no decoding by trial",
    mend: "decode by a discriminator, or by which keys are present",
};

/// Crates whose types travel.
const CRATES: &[&str] = &["mcp-macros/src/", "mcp-runtime/src/", "mcp-types/src/"];

pub(super) fn check(workspace: &Workspace, violations: &mut Vec<Violation>) {
    for file in workspace.rust() {
        if CRATES.iter().any(|path| file.path.starts_with(path))
            && let Some(syntax) = file.syntax()
        {
            groups(syntax.to_token_stream(), &mut |before, group| {
                let is_serde = matches!(before, Some(TokenTree::Ident(word)) if word == "serde");
                let found = group.stream().into_iter().find(is_untagged);
                if let Some(word) = found.filter(|_| is_serde) {
                    let line = word.span().start().line;
                    violations.push(UNTAGGED.broken(file, line, "an untagged enum"));
                }
            });
        }
    }
}

fn is_untagged(token: &TokenTree) -> bool {
    matches!(token, TokenTree::Ident(word) if word == "untagged")
}

#[cfg(test)]
mod tests {
    use super::super::testing::places;
    use super::check;

    #[test]
    fn untagged_is_found_in_attributes_and_in_emitted_code() {
        let attribute = "#[derive(Deserialize)]\n#[serde(rename_all = \"x\", untagged)]\nenum E {}";
        let emitted = "fn f() {\n    quote!(#[serde(untagged)] enum E {})\n}";
        let objections = places(
            check,
            &[
                ("mcp-types/src/generated/model.rs", attribute),
                ("mcp-macros/src/expand.rs", emitted),
            ],
        );
        assert_eq!(
            objections,
            [
                "mcp-macros/src/expand.rs:2",
                "mcp-types/src/generated/model.rs:2"
            ]
        );
    }

    #[test]
    fn other_enums_and_other_crates_are_free() {
        let tagged = "/// Not serde(untagged).\n#[serde(tag = \"type\")]\nenum E {}";
        let untagged = "#[serde(untagged)]\nenum E {}";
        let files = [("mcp-types/src/a.rs", tagged), ("xtask/src/b.rs", untagged)];
        assert!(places(check, &files).is_empty());
    }
}
