//! Modules in, one file out.

use super::error::Error;
use super::support::Support;
use std::collections::BTreeSet;
use std::fmt::Write;
use syn::Item;

/// A module of the file to be.
pub(super) struct Module {
    pub(super) name: String,
    pub(super) syntax: syn::File,
    /// Whether users of the file see it as a module.
    pub(super) is_public: bool,
}

impl Module {
    pub(super) fn new(name: &str, syntax: syn::File) -> Self {
        Self {
            name: name.to_owned(),
            syntax,
            is_public: false,
        }
    }

    /// Parses a generated file.
    pub(super) fn parse(path: &str, text: &str) -> Result<Self, Error> {
        let file = path.rsplit('/').next().unwrap_or(path);
        Ok(Self::new(file.trim_end_matches(".rs"), parsed(path, text)?))
    }

    /// Names that follow `crate::`.
    pub(super) fn needs(&self) -> BTreeSet<String> {
        let text = prettyplease::unparse(&self.syntax);
        let mut needs = BTreeSet::new();
        for (index, mark) in text.match_indices("crate::") {
            let rest = &text[index + mark.len()..];
            match rest.strip_prefix('{') {
                Some(group) => {
                    let group = group.split('}').next().unwrap_or_default();
                    needs.extend(group.split(',').map(first_word));
                }
                None => {
                    needs.insert(first_word(rest));
                }
            }
        }
        needs.remove("");
        needs
    }

    /// Drops the inner modules that `keep` refuses.
    pub(super) fn keep_modules(&mut self, keep: impl Fn(&str) -> bool) {
        self.syntax
            .items
            .retain(|item| !matches!(item, Item::Mod(it) if !keep(&it.ident.to_string())));
    }
}

fn first_word(text: &str) -> String {
    let text = text.trim_start();
    let end = text.find(|it: char| !it.is_alphanumeric() && it != '_');
    text[..end.unwrap_or(text.len())].to_owned()
}

/// The whole file.
pub(super) fn print(
    revision: &str,
    generated: &[Module],
    support: &Support,
) -> Result<String, Error> {
    let mut body = String::new();
    for module in generated {
        let keyword = if shows_items(module) {
            "mod"
        } else {
            "pub mod"
        };
        let _ = writeln!(body, "{keyword} {} {{ {} }}", module.name, inner(module, 1));
        if shows_items(module) {
            let _ = writeln!(body, "pub use {}::*;", module.name);
        }
    }
    for (name, module) in &support.modules {
        let keyword = if module.is_public {
            "pub mod"
        } else {
            "pub(crate) mod"
        };
        let _ = writeln!(body, "{keyword} {name} {{ {} }}", inner(module, 1));
    }
    for (module, names) in &support.shown {
        let _ = writeln!(body, "pub use {module}::{{{}}};", names.join(", "));
    }
    let body = prettyplease::unparse(&parsed("bindings", &body)?);
    Ok(format!("{}\n{}", header(revision), tidied(&body)))
}

/// Types are shown at the root; constants stay behind their module's name.
fn shows_items(module: &Module) -> bool {
    let mut items = module.syntax.items.iter();
    items.any(|item| !matches!(item, Item::Const(_) | Item::Use(_)))
}

/// The content of a module that stands `depth` levels below the file's root.
fn inner(module: &Module, depth: usize) -> String {
    let mut syntax = syn::File {
        shebang: None,
        frontmatter: None,
        attrs: module.syntax.attrs.clone(),
        items: Vec::new(),
    };
    let mut nested = String::new();
    for item in &module.syntax.items {
        match item {
            Item::Mod(inner_module) => {
                let content = inner_module.content.as_ref();
                let file = syn::File {
                    shebang: None,
                    frontmatter: None,
                    attrs: inner_attributes(&inner_module.attrs),
                    items: content.map_or_else(Vec::new, |(_, items)| items.clone()),
                };
                let name = inner_module.ident.to_string();
                let visibility = &inner_module.vis;
                let visibility = quote::quote!(#visibility);
                let text = inner(&Module::new(&name, file), depth + 1);
                let _ = writeln!(nested, "{visibility} mod {name} {{ {text} }}");
            }
            item => syntax.items.push(item.clone()),
        }
    }
    let text = prettyplease::unparse(&syntax);
    let root = "super::".repeat(depth);
    format!("{}\n{nested}", text.replace("crate::", &root))
}

/// The attributes of a module that can stand inside its braces.
fn inner_attributes(attributes: &[syn::Attribute]) -> Vec<syn::Attribute> {
    let is_inner = |it: &&syn::Attribute| matches!(it.style, syn::AttrStyle::Inner(_));
    attributes.iter().filter(is_inner).cloned().collect()
}

/// Documentation without examples, which name the crate they come from, and
/// without revisions, of which there is one.
fn tidied(code: &str) -> String {
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
        // An empty line of a comment has nothing to part any more.
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

fn header(revision: &str) -> String {
    format!(
        "\
// @generated by `cargo xtask bindings {revision}`; do not edit.

//! Types of the Model Context Protocol, revision {revision}.
//!
//! This file stands alone. It needs Rust's edition 2024, `serde` with `derive`,
//! `serde_json` with `raw_value` (and `float_roundtrip`, if long fractions
//! matter), `indexmap` with `serde`, and `memchr`.

#![allow(dead_code, unused_imports)]
"
    )
}

fn parsed(place: &str, text: &str) -> Result<syn::File, Error> {
    syn::parse_file(text).map_err(|source| Error::Syntax {
        place: place.to_owned(),
        source,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn module(text: &str) -> Module {
        Module::parse("x/part.rs", text).unwrap()
    }

    #[test]
    fn needs_are_what_follows_crate() {
        let text =
            "use crate::{A, b::C};\nuse crate::d::E;\n#[serde(with = \"crate::f::g\")]\nstruct S;";
        let needs: Vec<_> = module(text).needs().into_iter().collect();
        assert_eq!(needs, ["A", "b", "d", "f"]);
    }

    #[test]
    fn paths_lead_to_the_files_root_from_any_depth() {
        let text = inner(
            &module("use crate::a;\npub(crate) mod b { use crate::c; }"),
            1,
        );
        assert!(text.contains("use super::a;"), "{text}");
        assert!(
            text.contains("pub (crate) mod b { use super::super::c;"),
            "{text}"
        );
    }

    #[test]
    fn examples_and_revisions_are_left_out() {
        let code = "/// Doc.\n///\n/// ```\n/// use x;\n/// ```\nstruct A;\n/// Two.\n///\n/// Revisions: all.\nstruct B;";
        assert_eq!(tidied(code), "/// Doc.\nstruct A;\n/// Two.\nstruct B;\n");
    }
}
