//! No generated type stands there twice under two names.
//!
//! The specification itself has types that agree field by field, such as the
//! params of `resources/subscribe` and `resources/unsubscribe`, or an image and
//! a sound. Those keep their names. A type that only the generator named must
//! not repeat another. One field in common, such as `listChanged`, is taken for
//! chance; from two on, it is the same type.

use super::generated::wire_name;
use super::violation::{Rule, Violation};
use super::workspace::Workspace;
use quote::ToTokens;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use syn::{Fields, Item};

const TWICE: Rule = Rule {
    name: "no type stands there twice",
    mend: "give both places one name in schema/overlay.toml",
};

pub(super) fn check(workspace: &Workspace, violations: &mut Vec<Violation>) {
    let specified = specified_names(workspace);
    let mut seen: BTreeMap<String, String> = BTreeMap::new();
    for file in workspace.rust().filter(|file| file.is_generated()) {
        let items = file.syntax().into_iter().flat_map(|syntax| &syntax.items);
        for item in items {
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
                violations.push(TWICE.broken(file, name.span().start().line, found));
            }
        }
    }
}

/// Names of all stored definitions, and of their messages' params, in lower
/// case.
fn specified_names(workspace: &Workspace) -> BTreeSet<String> {
    let stored = workspace.files().iter();
    let stored = stored.filter(|it| it.folder() == "schema" && it.has_extension("json"));
    let documents = stored.filter_map(|it| serde_json::from_str::<Value>(&it.text).ok());
    documents
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
    const SCHEMA: &str = r#"{ "$defs": { "Image": {}, "Sound": {} } }"#;

    fn objections(source: &str) -> Vec<String> {
        let files = [(PATH, source), ("schema/2031-02-03.json", SCHEMA)];
        places(check, &files)
    }

    #[test]
    fn a_type_that_the_generator_repeats_is_refused() {
        let structs = "struct Image { data: String, size: Option<u64> }\n\
            struct ImageAgain { size: Option<u64>, data: String }\n";
        assert_eq!(objections(structs), [format!("{PATH}:2")]);
        let enums = "enum A { X, Y(String) }\nenum B { Y(String), X }\n";
        assert_eq!(objections(enums), [format!("{PATH}:2")]);
    }

    #[test]
    fn different_types_views_marks_and_the_specifications_own_are_kept() {
        let source = "struct Image { data: String, x: u8 }\nstruct Sound { data: String, x: u8 }\n\
            struct Other { data: Option<String>, x: u8 }\n\
            struct One { x: u8 }\nstruct Chance { x: u8 }\nenum Mark {}\nenum Also {}\n\
            struct Ref<'a> { x: &'a str, y: u8 }\nstruct Again<'a> { x: &'a str, y: u8 }\n";
        assert_eq!(objections(source), Vec::<String>::new());
    }
}
