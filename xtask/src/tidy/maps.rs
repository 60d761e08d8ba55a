//! A `mod.rs` is a map: what is here, and where to find it.

use super::names::is_test_only;
use super::violation::{Rule, Violation};
use super::workspace::Workspace;
use syn::spanned::Spanned;
use syn::{Item, ItemMod};

const MAP: Rule = Rule {
    name: "mod.rs is a map",
    mend: "move the item to a file of its own and re-export it",
};

pub(super) fn check(workspace: &Workspace, violations: &mut Vec<Violation>) {
    let maps = workspace.sources().filter(|file| file.name() == "mod.rs");
    for file in maps {
        for item in file.items().iter().filter(|item| !belongs(item)) {
            let line = item.span().start().line;
            violations.push(MAP.broken(file, line, "more than `mod` and `use`"));
        }
    }
}

fn belongs(item: &Item) -> bool {
    match item {
        Item::Use(_) => true,
        Item::Mod(ItemMod { content, attrs, .. }) => content.is_none() || is_test_only(attrs),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::places;
    use super::check;

    #[test]
    fn a_map_has_modules_and_uses_only() {
        let map = "//! Doc.\n\nmod a;\npub mod b;\npub use a::A;\n#[cfg(test)]\nmod tests {}\n";
        assert!(places(check, &[("x/src/y/mod.rs", map)]).is_empty());
        let more = "mod a;\n\nfn f() {}\nmod b { fn g() {} }\n";
        assert_eq!(
            places(check, &[("x/src/y/mod.rs", more), ("x/src/lib.rs", more)]),
            ["x/src/y/mod.rs:3", "x/src/y/mod.rs:4"]
        );
    }
}
