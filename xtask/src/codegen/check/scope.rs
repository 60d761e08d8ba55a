//! Names in the scope of the generated code, which no type may hide.

use std::collections::BTreeSet;
use syn::visit::{Visit, visit_file};

/// The files whose imports and exports are in scope of generated code.
const FILES: [&str; 2] = [
    include_str!("../../../../mcp-types/src/lib.rs"),
    include_str!("../../../../mcp-types/src/support.rs"),
];

/// Names of Rust's prelude, of derived traits, and of the only generated type that is in no schema.
const PRELUDE: &str = "AsMut AsRef AsyncFn AsyncFnMut AsyncFnOnce Box Clone Copy Debug Default \
    DoubleEndedIterator Drop Eq Err ExactSizeIterator Extend Fn FnMut FnOnce From FromIterator \
    Future Hash Into IntoFuture IntoIterator Iterator None Ok Option Ord PartialEq PartialOrd \
    Result Send Sized Some String Sync ToOwned ToString TryFrom TryInto Unpin Vec Revision";

/// Returns all names in the scope of generated code.
pub(crate) fn names() -> BTreeSet<String> {
    let mut names = Names(PRELUDE.split_whitespace().map(str::to_owned).collect());
    let files = FILES.iter().filter_map(|text| syn::parse_file(text).ok());
    files.for_each(|file| visit_file(&mut names, &file));
    names.0
}

/// Returns the names that a `use` item imports, without modules imported as `self`.
pub(crate) fn imported(item: &syn::Item) -> BTreeSet<String> {
    let mut names = Names(BTreeSet::new());
    names.visit_item(item);
    names.0.remove("self");
    names.0
}

struct Names(BTreeSet<String>);

impl Visit<'_> for Names {
    fn visit_use_name(&mut self, name: &syn::UseName) {
        self.0.insert(name.ident.to_string());
    }

    fn visit_use_rename(&mut self, name: &syn::UseRename) {
        self.0.insert(name.rename.to_string());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn imports_exports_and_the_prelude_are_taken() {
        let names = names();
        for name in [
            "Option",
            "RawJson",
            "Serializer",
            "ByField",
            "Era",
            "fit",
            "Revision",
        ] {
            assert!(names.contains(name), "{name}");
        }
        assert!(!names.contains("Tool"));
    }
}
