//! Code for many revisions in, code for one out.
//!
//! With a single revision, nothing asks for it and nothing conforms to it:
//! what concerns revisions stays behind, together with every mention of it.

use std::collections::BTreeSet;
use syn::punctuated::Punctuated;
use syn::visit_mut::{self, VisitMut};
use syn::{File, Item, Token, TypeParamBound, UseTree};

/// Modules of `mcp-types` that are about revisions.
const LEFT_OUT: &[&str] = &["availability", "conform", "revision", "revisions"];

/// True for a module that stays behind.
pub(super) fn is_left_out(module: &str) -> bool {
    LEFT_OUT.contains(&module)
}

/// Removes the imports of `names`, and the bounds that mention them.
pub(super) fn forget(file: &mut File, names: &BTreeSet<String>) {
    Forget { names }.visit_file_mut(file);
}

struct Forget<'a> {
    names: &'a BTreeSet<String>,
}

impl Forget<'_> {
    fn knows(&self, name: &syn::Ident) -> bool {
        let name = name.to_string();
        self.names.contains(&name) || is_left_out(&name)
    }

    fn clean_items(&self, items: &mut Vec<Item>) {
        items.retain_mut(|item| match item {
            Item::Use(item) => match &mut item.tree {
                UseTree::Path(path) if path.ident == "crate" => self.keeps(&mut path.tree),
                _ => true,
            },
            _ => true,
        });
    }

    /// Cleans a tree of imports; false if nothing is left of it.
    fn keeps(&self, tree: &mut UseTree) -> bool {
        match tree {
            UseTree::Name(name) => !self.knows(&name.ident),
            UseTree::Rename(name) => !self.knows(&name.ident),
            UseTree::Path(path) => !self.knows(&path.ident),
            UseTree::Glob(_) => true,
            UseTree::Group(group) => {
                let items = std::mem::take(&mut group.items).into_iter();
                group.items = items
                    .filter_map(|mut it| self.keeps(&mut it).then_some(it))
                    .collect();
                !group.items.is_empty()
            }
        }
    }

    fn clean_bounds(&self, bounds: &mut Punctuated<TypeParamBound, Token![+]>) {
        let keeps = |bound: &TypeParamBound| match bound {
            TypeParamBound::Trait(bound) => {
                let last = bound.path.segments.last();
                !last.is_some_and(|segment| self.knows(&segment.ident))
            }
            _ => true,
        };
        *bounds = std::mem::take(bounds).into_iter().filter(keeps).collect();
    }
}

impl VisitMut for Forget<'_> {
    fn visit_file_mut(&mut self, file: &mut File) {
        self.clean_items(&mut file.items);
        visit_mut::visit_file_mut(self, file);
    }

    fn visit_item_mod_mut(&mut self, module: &mut syn::ItemMod) {
        if let Some((_, items)) = &mut module.content {
            self.clean_items(items);
        }
        visit_mut::visit_item_mod_mut(self, module);
    }

    fn visit_trait_item_type_mut(&mut self, item: &mut syn::TraitItemType) {
        self.clean_bounds(&mut item.bounds);
        visit_mut::visit_trait_item_type_mut(self, item);
    }

    fn visit_item_trait_mut(&mut self, item: &mut syn::ItemTrait) {
        self.clean_bounds(&mut item.supertraits);
        visit_mut::visit_item_trait_mut(self, item);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn imports_and_bounds_are_forgotten() {
        let mut file = syn::parse_str(
            "use crate::Conform;\nuse crate::{A, Conform, revision::Era};\nuse other::Conform;\n\
             trait R: Conform + Sized { type P: Clone + Conform; }",
        )
        .unwrap();
        forget(&mut file, &BTreeSet::from(["Conform".to_owned()]));
        assert_eq!(
            prettyplease::unparse(&file),
            "use crate::A;\nuse other::Conform;\ntrait R: Sized {\n    type P: Clone;\n}\n"
        );
    }
}
