//! The steps in order.

use super::error::Error;
use super::print::{Module, print, uses};
use super::support::{Imports, Support, imports, scope, words};
use super::trim::trim;
use crate::codegen;
use std::path::Path;
use syn::{Item, Visibility};

/// Whole messages, as a generated module has its items.
const MESSAGES: &str = include_str!("../../templates/messages.rs");

/// The file for `revision`, made from the workspace at `root`.
pub(crate) fn run(root: &Path, revision: &str) -> Result<String, Error> {
    let mut modules = Vec::new();
    for file in codegen::single(root, revision)? {
        modules.push(Module::parse(&file.path, &file.text)?);
    }
    modules.push(Module::parse("whole_messages.rs", MESSAGES)?);
    let (constants, mut types): (Vec<_>, Vec<_>) =
        modules.into_iter().partition(Module::is_of_constants);
    let mut imports = take_heads(root, &mut types)?;
    trim(types.iter_mut().flat_map(|it| &mut it.syntax.items));
    let code: String = types.iter().map(Module::text).collect();
    keep_used(&mut imports, &code);
    let support = Support::read(root, &(uses("", &imports) + &code))?;
    let code = uses("", &at_root(imports)) + &code;
    print(revision, &code, &constants, &support)
}

/// Removes what modules that are to be one file begin with, and returns their imports.
fn take_heads(root: &Path, types: &mut [Module]) -> Result<Imports, Error> {
    let mut all = scope(root, types)?;
    // The whole messages have traits of their own.
    all.remove("crate::method");
    let is_private = |vis: &Visibility| matches!(vis, Visibility::Inherited);
    for module in types {
        module.syntax.attrs.clear();
        let items = &mut module.syntax.items;
        for (path, names) in imports(items, is_private) {
            all.entry(path).or_default().extend(names);
        }
        items.retain(|item| !matches!(item, Item::Use(it) if is_private(&it.vis)));
    }
    Ok(all)
}

/// Leaves out the imports that `code` does not use.
fn keep_used(imports: &mut Imports, code: &str) {
    let words = words(code);
    imports.retain(|path, names| {
        let module = path.rsplit("::").next().unwrap_or(path);
        names.retain(|name| {
            words.contains(if name == "self" {
                module
            } else {
                name.as_str()
            })
        });
        !names.is_empty()
    });
}

/// The imports of a file that has the modules of `mcp-types` at its root.
fn at_root(imports: Imports) -> Imports {
    let imports = imports.into_iter().filter(|(path, _)| path != "crate");
    let imports = imports.map(|(path, mut names)| match path.strip_prefix("crate::") {
        Some(module) if !module.contains("::") => {
            names.remove("self");
            (module.to_owned(), names)
        }
        Some(module) => (module.to_owned(), names),
        None => (path, names),
    });
    imports.filter(|(_, names)| !names.is_empty()).collect()
}
