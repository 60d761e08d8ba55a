//! Which hand-written modules of `mcp-types` generated code needs.
//!
//! Nobody lists them: what a module names after `crate::` comes along, and what that names, too.

use super::error::Error;
use super::print::{Module, parsed};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use syn::{Item, UseTree, Visibility};

/// Names by the path that they are imported from.
pub(super) type Imports = BTreeMap<String, BTreeSet<String>>;

/// Modules that bindings take from `mcp-types` besides generated code.
pub(super) struct Support {
    /// The modules, by name.
    pub(super) modules: BTreeMap<String, Module>,
    /// Their re-exports at the root.
    pub(super) shown: Imports,
}

impl Support {
    /// Reads the modules of `root` that `code` names.
    pub(super) fn read(root: &Path, code: &str) -> Result<Self, Error> {
        let source = root.join("mcp-types/src");
        let library = read(&source.join("lib.rs"))?;
        let mut shown = imports(&library.items, |vis| matches!(vis, Visibility::Public(_)));
        let mut modules = BTreeMap::new();
        let mut wanted = words_after_crate(code);
        while let Some(name) = wanted.pop() {
            let origin = shown.iter().find(|(_, names)| names.contains(&name));
            let module = origin.map_or(&name, |(module, _)| module).clone();
            if modules.contains_key(&module) || !declares(&library, &module) {
                continue;
            }
            let loaded = load(&source, &module)?;
            wanted.extend(words_after_crate(&loaded.text()));
            modules.insert(module, loaded);
        }
        let all: String = modules.values().map(Module::text).collect();
        for module in modules.values_mut() {
            module.syntax.items.retain(|item| match item {
                Item::Fn(it) => is_used(&it.sig.ident, code, &all),
                Item::Mod(it) => is_used(&it.ident, code, &all),
                _ => true,
            });
        }
        shown.retain(|module, _| modules.contains_key(module));
        Ok(Self { modules, shown })
    }
}

/// What the support of generated modules brings into their scope.
pub(super) fn scope(root: &Path, generated: &[Module]) -> Result<Imports, Error> {
    let support = read(&root.join("mcp-types/src/support.rs"))?;
    let mut all = Imports::new();
    for item in support.items {
        if let Item::Mod(module) = item
            && generated.iter().any(|it| module.ident == it.name)
            && let Some((_, items)) = module.content
        {
            for (path, names) in imports(&items, |_| true) {
                all.entry(path).or_default().extend(names);
            }
        }
    }
    Ok(all)
}

/// The names that `use` items of some visibility bring into scope.
pub(super) fn imports(items: &[Item], is_meant: impl Fn(&Visibility) -> bool) -> Imports {
    let mut imports = Imports::new();
    for item in items {
        if let Item::Use(item) = item
            && is_meant(&item.vis)
        {
            leaves(&item.tree, "", &mut imports);
        }
    }
    imports
}

fn leaves(tree: &UseTree, path: &str, imports: &mut Imports) {
    match tree {
        UseTree::Name(name) => {
            let names = imports.entry(path.to_owned()).or_default();
            names.insert(name.ident.to_string());
        }
        UseTree::Group(group) => group.items.iter().for_each(|it| leaves(it, path, imports)),
        UseTree::Path(inner) if path.is_empty() => {
            leaves(&inner.tree, &inner.ident.to_string(), imports);
        }
        UseTree::Path(inner) => leaves(&inner.tree, &format!("{path}::{}", inner.ident), imports),
        _ => {}
    }
}

/// The first word of each path after `crate::`.
fn words_after_crate(code: &str) -> Vec<String> {
    let mut found = Vec::new();
    for rest in code.split("crate::").skip(1) {
        match rest
            .strip_prefix('{')
            .and_then(|group| group.split_once('}'))
        {
            Some((group, _)) => found.extend(group.split(',').map(first_word)),
            None => found.push(first_word(rest)),
        }
    }
    found
}

fn first_word(text: &str) -> String {
    let text = text.trim_start();
    let end = text.find(is_no_part_of_a_word);
    text[..end.unwrap_or(text.len())].to_owned()
}

/// Whether `code` or `support` names an item of `support`.
fn is_used(item: &syn::Ident, code: &str, support: &str) -> bool {
    let texts = code.split(is_no_part_of_a_word);
    let words = texts.chain(support.split(is_no_part_of_a_word));
    words.filter(|word| item == word).count() > 1
}

/// Every word of `code`.
pub(super) fn words(code: &str) -> BTreeSet<&str> {
    code.split(is_no_part_of_a_word).collect()
}

fn is_no_part_of_a_word(c: char) -> bool {
    !c.is_alphanumeric() && c != '_'
}

/// True for a hand-written module of the library.
fn declares(library: &syn::File, name: &str) -> bool {
    let mut items = library.items.iter();
    name != "generated" && items.any(|item| matches!(item, Item::Mod(it) if it.ident == name))
}

/// Reads a module with all modules below it.
fn load(folder: &Path, name: &str) -> Result<Module, Error> {
    let inner = folder.join(name);
    let flat = folder.join(format!("{name}.rs"));
    let file = if flat.exists() {
        flat
    } else {
        inner.join("mod.rs")
    };
    let mut syntax = read(&file)?;
    fill(&mut syntax.items, &inner)?;
    Ok(Module::new(name, syntax))
}

/// Puts the files of declared modules in their place, and drops tests.
fn fill(items: &mut Vec<Item>, folder: &Path) -> Result<(), Error> {
    items.retain(|item| !crate::tidy::is_test_module(item));
    for item in items {
        let Item::Mod(module) = item else {
            continue;
        };
        if module.content.is_none() {
            let loaded = load(folder, &module.ident.to_string())?;
            module.attrs.extend(loaded.syntax.attrs);
            module.content = Some((syn::token::Brace::default(), loaded.syntax.items));
            module.semi = None;
        }
    }
    Ok(())
}

fn read(file: &Path) -> Result<syn::File, Error> {
    let text = std::fs::read_to_string(file).map_err(|source| Error::Io {
        file: file.to_owned(),
        source,
    })?;
    parsed(&file.display().to_string(), &text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_are_what_follows_crate() {
        let code =
            "use crate::{A, b::C};\nuse crate::d::E;\n#[serde(with = \"crate::f::g\")]\nstruct S;";
        assert_eq!(words_after_crate(code), ["A", "b", "d", "f"]);
    }

    #[test]
    fn imports_are_grouped_by_path() {
        let file: syn::File = syn::parse_quote!(
            use a::{
                self,
                b::{C, D},
            };
            use a::B;
            pub use e::F;
        );
        let imports = imports(&file.items, |vis| matches!(vis, Visibility::Inherited));
        let paths: Vec<_> = imports
            .iter()
            .map(|(path, names)| (path.as_str(), names.len()))
            .collect();
        assert_eq!(paths, [("a", 2), ("a::b", 2)]);
    }
}
