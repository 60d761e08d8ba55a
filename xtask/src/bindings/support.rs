//! Which hand-written modules of `mcp-types` generated code leans on.
//!
//! Nobody lists them: whatever a module names after `crate::` comes along, and
//! what that names, too.

use super::error::Error;
use super::print::Module;
use super::timeless::{forget, is_left_out};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use syn::{Item, UseTree, Visibility};

/// Modules that bindings take from `mcp-types` besides generated code.
pub(super) struct Support {
    /// The modules, by name.
    pub(super) modules: BTreeMap<String, Module>,
    /// Their re-exports at the root: the module, and the names.
    pub(super) shown: BTreeMap<String, Vec<String>>,
}

impl Support {
    /// Reads what `generated` needs below `root`.
    pub(super) fn read(root: &Path, generated: &[Module]) -> Result<Self, Error> {
        let source = root.join("mcp-types/src");
        let library = read(&source.join("lib.rs"))?;
        let shown = shown(&library);
        let left_out = shown.iter().filter(|(module, _)| is_left_out(module));
        let forgotten = left_out
            .flat_map(|(_, names)| names.iter().cloned())
            .collect();
        let mut modules = BTreeMap::new();
        let mut wanted: Vec<String> = generated.iter().flat_map(Module::needs).collect();
        while let Some(name) = wanted.pop() {
            let origin = shown.iter().find(|(_, names)| names.contains(&name));
            let module = origin.map_or(name, |(module, _)| module.clone());
            if modules.contains_key(&module) || is_left_out(&module) || !declares(&library, &module)
            {
                continue;
            }
            let mut loaded = load(&source, &module)?;
            loaded.is_public = is_public(&library, &module);
            if module == "support" {
                loaded.keep_modules(|part| generated.iter().any(|it| it.name == part));
            }
            forget(&mut loaded.syntax, &forgotten);
            wanted.extend(loaded.needs());
            modules.insert(module, loaded);
        }
        let shown = shown
            .into_iter()
            .filter(|(module, _)| modules.contains_key(module))
            .collect();
        Ok(Self { modules, shown })
    }
}

/// `pub use module::{names}` of a library.
fn shown(library: &syn::File) -> BTreeMap<String, Vec<String>> {
    let mut shown: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for item in &library.items {
        let Item::Use(item) = item else {
            continue;
        };
        if let UseTree::Path(path) = &item.tree {
            let names = shown.entry(path.ident.to_string()).or_default();
            leaves(&path.tree, names);
        }
    }
    shown
}

fn leaves(tree: &UseTree, names: &mut Vec<String>) {
    match tree {
        UseTree::Name(name) => names.push(name.ident.to_string()),
        UseTree::Group(group) => group.items.iter().for_each(|item| leaves(item, names)),
        UseTree::Path(path) => leaves(&path.tree, names),
        UseTree::Rename(_) | UseTree::Glob(_) => {}
    }
}

/// True for a hand-written module of the library.
fn declares(library: &syn::File, name: &str) -> bool {
    let mut items = library.items.iter();
    name != "generated" && items.any(|item| matches!(item, Item::Mod(it) if it.ident == name))
}

fn is_public(library: &syn::File, name: &str) -> bool {
    library.items.iter().any(|item| match item {
        Item::Mod(module) => module.ident == name && matches!(module.vis, Visibility::Public(_)),
        _ => false,
    })
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
    items.retain(
        |item| !matches!(item, Item::Mod(module) if crate::tidy::is_test_only(&module.attrs)),
    );
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

fn read(file: &PathBuf) -> Result<syn::File, Error> {
    let text = std::fs::read_to_string(file).map_err(|source| Error::Io {
        file: file.clone(),
        source,
    })?;
    syn::parse_file(&text).map_err(|source| Error::Syntax {
        place: file.display().to_string(),
        source,
    })
}
