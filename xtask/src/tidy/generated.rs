//! Rules for generated code.

use super::violation::Violation;
use super::workspace::Workspace;
use quote::ToTokens;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use syn::{Field, Fields, Ident, Item};

const NUMBERED: &str = "generated names mean something: \
                        name it after what distinguishes it, in the generator or in schema/overlay.toml";
const TWICE: &str = "no type stands there twice: give both places one name in schema/overlay.toml";

pub(super) fn check(workspace: &Workspace, violations: &mut Vec<Violation>) {
    check_duplicates(workspace, violations);
    for file in workspace.rust().filter(|file| file.is_generated()) {
        for name in file.items.iter().flat_map(names) {
            if is_numbered(&name.to_string()) {
                let line = name.span().start().line;
                violations.push(Violation::new(file, line, format!("`{name}`"), NUMBERED));
            }
        }
    }
}

/// The names of a type and of its variants.
fn names(item: &Item) -> Vec<&Ident> {
    match item {
        Item::Struct(item) => vec![&item.ident],
        Item::Enum(item) => {
            let variants = item.variants.iter().map(|variant| &variant.ident);
            std::iter::once(&item.ident).chain(variants).collect()
        }
        _ => Vec::new(),
    }
}

/// A capitalised name that was made unique by a number.
fn is_numbered(name: &str) -> bool {
    let stem = name.trim_end_matches(|it: char| it.is_ascii_digit());
    stem.len() < name.len() && stem.ends_with(char::is_alphabetic)
}

/// The name on the wire: the one in `serde(rename)`, else the field's own.
fn wire_name(field: &Field) -> String {
    let mut name = field
        .ident
        .as_ref()
        .map(ToString::to_string)
        .unwrap_or_default();
    for attribute in field.attrs.iter().filter(|it| it.path().is_ident("serde")) {
        let text = attribute.meta.to_token_stream().to_string();
        if let Some((_, rest)) = text.split_once("rename = \"") {
            name = rest.split('"').next().unwrap_or_default().to_owned();
        }
    }
    name.trim_start_matches("r#").to_owned()
}

/// The stored schemas.
fn schemas(workspace: &Workspace) -> impl Iterator<Item = Value> {
    let stored = workspace.files.iter();
    let stored = stored.filter(|it| it.path.starts_with("schema/") && it.path.ends_with(".json"));
    stored.filter_map(|it| serde_json::from_str(&it.text).ok())
}

/// The specification itself has types that agree field by field, such as the params of
/// `resources/subscribe` and `resources/unsubscribe`, or an image and a sound. Those keep their names.
/// A type that only the generator named must not repeat another. One field in common, such as
/// `listChanged`, is taken for chance; from two on, it is the same type.
fn check_duplicates(workspace: &Workspace, violations: &mut Vec<Violation>) {
    let specified = specified_names(workspace);
    let mut seen: BTreeMap<String, String> = BTreeMap::new();
    for file in workspace.rust().filter(|file| file.is_generated()) {
        for item in &file.items {
            let Some((name, shape)) = shape(item) else {
                continue;
            };
            let text = name.to_string();
            let Some(other) = seen.get(&shape) else {
                seen.insert(shape, text);
                continue;
            };
            let is_specified = |name: &str| specified.contains(&name.to_lowercase());
            if !is_specified(&text) || !is_specified(other) {
                let found = format!("`{text}` is `{other}` again");
                let line = name.span().start().line;
                violations.push(Violation::new(file, line, found, TWICE));
            }
        }
    }
}

/// Names of all stored definitions, and of their messages' params, in lower
/// case.
fn specified_names(workspace: &Workspace) -> BTreeSet<String> {
    schemas(workspace)
        .flat_map(|document| {
            let names = document["$defs"]
                .as_object()
                .map(|it| it.keys().cloned().collect());
            names.unwrap_or_else(Vec::new)
        })
        .flat_map(|name| [name.to_lowercase(), format!("{name}Params").to_lowercase()])
        .collect()
}

/// Fewer fields, or variants, do not tell types apart.
const TELLING: usize = 2;

/// Name of a type, and a text that is equal for equal types. Types with a
/// lifetime are views of others, and not compared.
fn shape(item: &Item) -> Option<(&syn::Ident, String)> {
    match item {
        Item::Struct(item) if item.fields.len() >= TELLING && item.generics.params.is_empty() => {
            Some((&item.ident, format!("struct {}", fields(&item.fields))))
        }
        Item::Enum(item) if item.variants.len() >= TELLING && item.generics.params.is_empty() => {
            let mut variants: Vec<_> = item
                .variants
                .iter()
                .map(|it| format!("{} {}", it.ident, fields(&it.fields)))
                .collect();
            variants.sort();
            Some((&item.ident, format!("enum {}", variants.join(", "))))
        }
        _ => None,
    }
}

fn fields(fields: &Fields) -> String {
    let text = |it| format!("{}: {}", wire_name(it), it.ty.to_token_stream());
    let mut texts: Vec<_> = fields.iter().map(text).collect();
    if matches!(fields, Fields::Named(_)) {
        texts.sort();
    }
    format!("({})", texts.join(", "))
}

#[cfg(test)]
mod tests {
    use super::super::testing::places;
    use super::check;

    const PATH: &str = "mcp-types/src/generated/model.rs";
    #[test]
    fn numbered_names_are_refused() {
        let source = "struct Subtype0;\nenum E {\n    Variant1,\n    V2031_02_03,\n}\n";
        let expected = [1, 3].map(|line| format!("{PATH}:{line}"));
        assert_eq!(places(check, &[(PATH, source)]), expected);
    }

    const SPECIFIED: &str = r#"{ "$defs": { "Image": {}, "Sound": {} } }"#;

    fn twins(source: &str) -> Vec<String> {
        let files = [(PATH, source), ("schema/2031-02-03.json", SPECIFIED)];
        places(check, &files)
    }

    #[test]
    fn a_type_that_the_generator_repeats_is_refused() {
        let structs = "struct Image { data: String, size: Option<u64> }\n\
            struct ImageAgain { size: Option<u64>, data: String }\n";
        assert_eq!(twins(structs), [format!("{PATH}:2")]);
        let enums = "enum A { X, Y(String) }\nenum B { Y(String), X }\n";
        assert_eq!(twins(enums), [format!("{PATH}:2")]);
    }

    #[test]
    fn different_types_views_marks_and_the_specifications_own_are_kept() {
        let source = "struct Image { data: String, x: u8 }\nstruct Sound { data: String, x: u8 }\n\
            struct Other { data: Option<String>, x: u8 }\n\
            struct One { x: u8 }\nstruct Chance { x: u8 }\nenum Mark {}\nenum Also {}\n\
            struct Ref<'a> { x: &'a str, y: u8 }\nstruct Again<'a> { x: &'a str, y: u8 }\n";
        assert_eq!(twins(source), Vec::<String>::new());
    }
}
