//! Rules for generated code.

use super::violation::Violation;
use super::workspace::Workspace;
use quote::quote;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};
use syn::{Field, Ident, Item};

const NUMBERED: &str = "generated names mean something: \
                        name it after what distinguishes it, in the generator or in schema/overlay.toml";
const TWICE: &str = "no type stands there twice: give both places one name in schema/overlay.toml";

/// Fewer fields, or variants, do not tell types apart.
const TELLING: usize = 2;

/// The specification itself has types that agree field by field, such as the params of
/// `resources/subscribe` and `resources/unsubscribe`, or an image and a sound. Those keep their names.
/// A type that only the generator named must not repeat another. One field in common, such as
/// `listChanged`, is taken for chance; from two on, it is the same type.
pub(super) fn check(workspace: &Workspace, violations: &mut Vec<Violation>) {
    let specified = specified_names(workspace);
    let is_specified = |name: &Ident| specified.contains(&name.to_string().to_lowercase());
    let mut seen: BTreeMap<Vec<String>, &Ident> = BTreeMap::new();
    for file in workspace.rust().filter(|file| file.is_generated()) {
        let mut object = |name: &Ident, found: String, rule| {
            violations.push(Violation::new(file, name.span().start().line, found, rule));
        };
        for item in &file.items {
            for name in names(item).into_iter().filter(|name| is_numbered(name)) {
                object(name, format!("`{name}`"), NUMBERED);
            }
            let Some((name, shape)) = shape(item) else {
                continue;
            };
            let other = *seen.entry(shape).or_insert(name);
            if other != name && !(is_specified(name) && is_specified(other)) {
                object(name, format!("`{name}` is `{other}` again"), TWICE);
            }
        }
    }
}

/// Names of all stored definitions, and of their messages' params, in lower
/// case.
fn specified_names(workspace: &Workspace) -> BTreeSet<String> {
    let files = workspace.files.iter();
    let stored = files.filter(|it| it.path.starts_with("schema/") && it.path.ends_with(".json"));
    let documents = stored.filter_map(|it| serde_json::from_str::<Value>(&it.text).ok());
    let mut names = BTreeSet::new();
    for document in documents {
        let definitions = document["$defs"].as_object();
        for name in definitions.into_iter().flat_map(Map::keys) {
            names.extend([name.to_lowercase(), format!("{name}Params").to_lowercase()]);
        }
    }
    names
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
fn is_numbered(name: &Ident) -> bool {
    let name = name.to_string();
    let stem = name.trim_end_matches(|it: char| it.is_ascii_digit());
    stem.len() < name.len() && stem.ends_with(char::is_alphabetic)
}

/// Name of a type, and its fields or variants in an order that is equal for equal types. Types with
/// a lifetime are views of others, and not compared.
fn shape(item: &Item) -> Option<(&Ident, Vec<String>)> {
    let (name, generics, mut parts): (_, _, Vec<_>) = match item {
        Item::Struct(it) => (
            &it.ident,
            &it.generics,
            it.fields.iter().map(text).collect(),
        ),
        Item::Enum(it) => {
            let variants = it.variants.iter().map(|variant| {
                let fields: Vec<_> = variant.fields.iter().map(text).collect();
                format!("{} {fields:?}", variant.ident)
            });
            (&it.ident, &it.generics, variants.collect())
        }
        _ => return None,
    };
    parts.sort();
    (parts.len() >= TELLING && generics.params.is_empty()).then_some((name, parts))
}

fn text(Field { ident, ty, .. }: &Field) -> String {
    quote!(#ident: #ty).to_string()
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
