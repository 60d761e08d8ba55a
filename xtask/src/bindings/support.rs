//! The imports of the file, and the hand-written modules of `mcp-types` that generated code needs.

use super::print::{parsed, text};
use crate::codegen::imported;
use anyhow::{Context, Result};
use itertools::Itertools;
use std::collections::HashMap;
use std::path::Path;
use syn::{Ident, Item, Visibility};

/// Imports and modules that are added to the items of a revision.
pub(super) struct Support {
    imports: Vec<Item>,
    modules: Vec<Item>,
}

impl Support {
    /// Takes imports and modules out of `items`; `folder` has the files of the modules.
    pub(super) fn take(items: &mut Vec<Item>, folder: &Path) -> Result<Self> {
        let imports = items.extract_if(.., |item| matches!(item, Item::Use(_)));
        let imports = imports.collect();
        let modules = items.extract_if(.., |item| matches!(item, Item::Mod(_)));
        let mut modules = modules.collect();
        fill(&mut modules, folder)?;
        Ok(Self { imports, modules })
    }

    /// Adds the imports and the used modules to `items`.
    pub(super) fn around(mut self, items: Vec<Item>) -> Vec<Item> {
        let used = words(&items);
        self.imports.retain(|import| {
            let names = imported(import);
            names.iter().any(|name| used.contains_key(name))
        });
        let mut all = [self.imports, items, self.modules].concat();
        let mut used = HashMap::new();
        while used != words(&all) {
            used = words(&all);
            retain_used(&mut all, &used);
        }
        all
    }
}

/// Removes private modules and functions that no code names.
fn retain_used(items: &mut Vec<Item>, used: &HashMap<String, usize>) {
    let is_used = |name: &Ident| used.get(&name.to_string()).is_some_and(|count| *count > 1);
    items.retain_mut(|item| match item {
        Item::Fn(item) => is_used(&item.sig.ident),
        Item::Mod(item) => {
            if let Some((_, items)) = &mut item.content {
                retain_used(items, used);
            }
            matches!(item.vis, Visibility::Public(_)) || is_used(&item.ident)
        }
        _ => true,
    });
}

fn words(items: &[Item]) -> HashMap<String, usize> {
    let text = text(items.to_vec());
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
    words.map(str::to_owned).counts()
}

/// Inlines the files of declared modules, and removes tests.
fn fill(items: &mut Vec<Item>, folder: &Path) -> Result<()> {
    items.retain(|item| !crate::tidy::is_test_module(item));
    for item in items {
        if let Item::Mod(module) = item
            && module.content.is_none()
        {
            let name = module.ident.to_string();
            let file = folder.join(format!("{name}.rs"));
            let place = file.display().to_string();
            let text = std::fs::read_to_string(file).with_context(|| place.clone())?;
            let mut file = parsed(&place, &text)?;
            fill(&mut file.items, &folder.join(name))?;
            module.attrs.extend(file.attrs);
            module.content = Some((syn::token::Brace::default(), file.items));
            module.semi = None;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_code_names_is_left_out() {
        let items = |file: syn::File| file.items;
        let support = Support {
            imports: items(syn::parse_quote!(
                use a::A;
                use b::{self, B};
            )),
            modules: items(syn::parse_quote!(
                mod a {
                    pub struct A;
                }
                mod b {
                    pub struct B(C);
                    const C: () = used();
                    fn used() {}
                    fn unused() {
                        used_there()
                    }
                    fn used_there() {}
                }
            )),
        };
        let all = support.around(items(syn::parse_quote!(
            struct C(B);
        )));
        let expected: syn::File = syn::parse_quote!(
            use b::{self, B};
            struct C(B);
            mod b {
                pub struct B(C);
                const C: () = used();
                fn used() {}
            }
        );
        assert_eq!(text(all), text(expected.items));
    }
}
