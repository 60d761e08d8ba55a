//! Rules for generated code.

use std::collections::{BTreeMap, BTreeSet};

use itertools::Itertools;
use quote::quote;
use serde_json::Value;
use syn::{Field, Ident, Item};

use super::Violation;
use super::workspace::Workspace;

const TWICE: &str = "types are not repeated: give both places one name in schema/overlay.toml";

/// Types with fewer fields or variants are not compared.
const TELLING: usize = 2;

/// Types of the specification may have the same fields, such as the params of `resources/subscribe` and
/// `resources/unsubscribe`, or images and audio. They keep their names. A type that the generator has
/// named must not repeat another type. A single common field, such as `listChanged`, is allowed as a
/// coincidence.
pub(super) fn check(workspace: &Workspace, violations: &mut Vec<Violation>) {
    let specified = specified_names(workspace);
    let is_specified = |name: &Ident| specified.contains(&name.to_string().to_lowercase());
    let mut seen: BTreeMap<Vec<String>, &Ident> = BTreeMap::new();
    for file in workspace.rust().filter(|file| file.is_generated()) {
        for (name, shape) in file.items.iter().filter_map(shape) {
            let other = *seen.entry(shape).or_insert(name);
            if other != name && !(is_specified(name) && is_specified(other)) {
                let line = name.span().start().line;
                let found = format!("`{name}` is `{other}` again");
                violations.push(Violation::new(file, line, found, TWICE));
            }
        }
    }
}

/// Returns the names of all stored definitions, and of the params of messages, in lower case.
fn specified_names(workspace: &Workspace) -> BTreeSet<String> {
    let files = workspace.files.values();
    let stored = files.filter(|it| it.path.starts_with("schema/") && it.path.ends_with(".json"));
    let documents = stored.filter_map(|it| serde_json::from_str::<Value>(&it.text).ok());
    let mut names = BTreeSet::new();
    for document in documents {
        for (name, _) in document["$defs"].as_object().into_iter().flatten() {
            names.extend([name.to_lowercase(), format!("{name}Params").to_lowercase()]);
        }
    }
    names
}

/// Returns the name of a type, and its sorted fields or variants. Types with a lifetime are views of
/// other types, and are not compared.
fn shape(item: &Item) -> Option<(&Ident, Vec<String>)> {
    let (name, generics, mut parts): (_, _, Vec<_>) = match item {
        Item::Struct(it) => {
            let fields = it.fields.iter().map(text);
            (&it.ident, &it.generics, fields.collect())
        }
        Item::Enum(it) => {
            let variants = it.variants.iter().map(|variant| {
                let fields = variant.fields.iter().map(text);
                format!("{} {:?}", variant.ident, fields.format(","))
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
