//! Rules for generated code.

use super::violation::{Rule, Violation};
use super::workspace::{File, Workspace};
use quote::ToTokens;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use syn::visit::{self, Visit};
use syn::{Field, Fields, Ident, Item, ItemStruct};

const HEADER: Rule = Rule {
    name: "generated files say so",
    mend: "run `cargo xtask codegen`, which begins each file with its header",
};

const NUMBERED: Rule = Rule {
    name: "generated names mean something",
    mend: "name it after what distinguishes it, in the generator or in schema/overlay.toml",
};

const FIXED: Rule = Rule {
    name: "fixed strings are not stored",
    mend: "let the generator write the constant when encoding",
};

const EMBEDDED: Rule = Rule {
    name: "comments embed no schema",
    mend: "say it in words in schema/docs.toml",
};

const TWICE: Rule = Rule {
    name: "no type stands there twice",
    mend: "give both places one name in schema/overlay.toml",
};

/// Parts of a header: who made the file, and by which command.
const HEADER_WORDS: &[&str] = &["@generated", "cargo xtask codegen"];

/// Marks of a schema, or of a code block that holds one, in a comment.
const SCHEMA_MARKS: &[&str] = &[
    "```json",
    "<details>",
    "\"$ref\"",
    "\"properties\":",
    "\"type\":",
];

pub(super) fn check(workspace: &Workspace, violations: &mut Vec<Violation>) {
    check_duplicates(workspace, violations);
    let fixed = fixed_fields(workspace);
    for file in workspace.rust().filter(|file| file.is_generated()) {
        let mut head = file.text.lines().take(5);
        let is_header = |line: &str| HEADER_WORDS.iter().all(|word| line.contains(word));
        if !head.any(is_header) {
            violations.push(HEADER.broken(file, 1, "no header"));
        }
        check_comments(file, violations);
        if let Some(syntax) = file.syntax() {
            let mut search = Search {
                file,
                fixed: &fixed,
                violations: &mut *violations,
            };
            search.visit_file(syntax);
        }
    }
}

fn check_comments(file: &File, violations: &mut Vec<Violation>) {
    for (index, line) in file.text.lines().enumerate() {
        let text = line.trim_start();
        let is_comment = text.starts_with("//") || text.starts_with("#[doc");
        let text = text.replace("\\\"", "\"");
        if is_comment && SCHEMA_MARKS.iter().any(|mark| text.contains(mark)) {
            violations.push(EMBEDDED.broken(file, index + 1, "part of a schema"));
        }
    }
}

struct Search<'a> {
    file: &'a File,
    fixed: &'a BTreeSet<(String, String)>,
    violations: &'a mut Vec<Violation>,
}

impl Search<'_> {
    fn check_name(&mut self, name: &Ident) {
        if is_numbered(&name.to_string()) {
            let line = name.span().start().line;
            self.violations
                .push(NUMBERED.broken(self.file, line, format!("`{name}`")));
        }
    }
}

impl<'ast> Visit<'ast> for Search<'_> {
    fn visit_item_enum(&mut self, item: &'ast syn::ItemEnum) {
        self.check_name(&item.ident);
        for variant in &item.variants {
            self.check_name(&variant.ident);
        }
        visit::visit_item_enum(self, item);
    }

    fn visit_item_struct(&mut self, item: &'ast ItemStruct) {
        self.check_name(&item.ident);
        for field in &item.fields {
            let Some(name) = &field.ident else {
                continue;
            };
            let wire = wire_name(field);
            let known = (folded(&item.ident.to_string()), folded(&wire));
            let framing = matches!(wire.as_str(), "jsonrpc" | "method");
            if stores_text(field) && (framing || self.fixed.contains(&known)) {
                let found = format!("`{}.{wire}`", item.ident);
                let line = name.span().start().line;
                self.violations.push(FIXED.broken(self.file, line, found));
            }
        }
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

fn stores_text(field: &Field) -> bool {
    let ty = field.ty.to_token_stream().to_string();
    let mut words = ty.split(|it: char| !it.is_alphanumeric());
    words.any(|word| matches!(word, "String" | "str"))
}

/// Spelling without case and underscores, the same for wire and Rust names.
fn folded(name: &str) -> String {
    name.replace('_', "").to_lowercase()
}

/// The stored schemas.
fn schemas(workspace: &Workspace) -> impl Iterator<Item = Value> {
    let stored = workspace.files().iter();
    let stored = stored.filter(|it| it.path.starts_with("schema/") && it.has_extension("json"));
    stored.filter_map(|it| serde_json::from_str(&it.text).ok())
}

/// Type and field wherever every stored revision that has the field gives it
/// one and the same string.
fn fixed_fields(workspace: &Workspace) -> BTreeSet<(String, String)> {
    let mut values: BTreeMap<(String, String), BTreeSet<Option<String>>> = BTreeMap::new();
    for document in schemas(workspace) {
        for (name, definition) in document["$defs"].as_object().into_iter().flatten() {
            let properties = definition["properties"].as_object();
            for (property, schema) in properties.into_iter().flatten() {
                let value = schema["const"].as_str().map(str::to_owned);
                let key = (folded(name), folded(property));
                values.entry(key).or_default().insert(value);
            }
        }
    }
    let is_fixed =
        |values: &BTreeSet<Option<String>>| values.len() == 1 && values.iter().all(Option::is_some);
    values.retain(|_, values| is_fixed(values));
    values.into_keys().collect()
}

/// The specification itself has types that agree field by field, such as the params of
/// `resources/subscribe` and `resources/unsubscribe`, or an image and a sound. Those keep their names.
/// A type that only the generator named must not repeat another. One field in common, such as
/// `listChanged`, is taken for chance; from two on, it is the same type.
fn check_duplicates(workspace: &Workspace, violations: &mut Vec<Violation>) {
    let specified = specified_names(workspace);
    let mut seen: BTreeMap<String, String> = BTreeMap::new();
    for file in workspace.rust().filter(|file| file.is_generated()) {
        for item in file.items() {
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
    const HEADER: &str = "// @generated by `cargo xtask codegen`; do not edit.\n";
    const SCHEMA: &str = r#"{ "$defs": { "Text": { "properties": {
        "type": { "const": "text" }, "text": { "type": "string" }
    } }, "Other": { "properties": { "type": { "const": "a" } } } } }"#;

    /// Another revision, where one of the strings is another.
    const OTHER: &str = r#"{ "$defs": { "Text": { "properties": {
        "type": { "const": "text" }
    } }, "Other": { "properties": { "type": { "const": "b" } } } } }"#;

    fn objections(source: &str) -> Vec<String> {
        let files = [
            (PATH, source),
            ("schema/2031-02-03.json", SCHEMA),
            ("schema/2031-04-05.json", OTHER),
        ];
        let places = places(check, &files).into_iter();
        places.map(|it| it.replace(PATH, "")).collect()
    }

    #[test]
    fn the_header_is_required() {
        assert_eq!(objections("struct A;\n"), [":1"]);
        assert!(objections(HEADER).is_empty());
    }

    #[test]
    fn numbered_names_are_refused() {
        let source =
            format!("{HEADER}struct Subtype0;\nenum E {{\n    Variant1,\n    V2031_02_03,\n}}\n");
        assert_eq!(objections(&source), [":2", ":4"]);
    }

    #[test]
    fn fixed_strings_are_refused_and_others_are_not() {
        let stored = format!(
            "{HEADER}struct Text {{\n    #[serde(rename = \"type\")]\n    kind: String,\n    text: String,\n}}\n\
             struct Call {{\n    method: Option<Box<str>>,\n}}\n"
        );
        assert_eq!(objections(&stored), [":4", ":8"]);
        let kept = format!("{HEADER}struct Other {{ r#type: String, method: Method }}\n");
        assert!(objections(&kept).is_empty());
    }

    #[test]
    fn schemas_in_comments_are_refused() {
        let source = format!(
            "{HEADER}/// Text.\n///\n/// ```json\n/// {{}}\n/// ```\nstruct A;\n#[doc = \" \\\"type\\\": 1\"]\nstruct B;\n"
        );
        assert_eq!(objections(&source), [":4", ":8"]);
    }

    const SPECIFIED: &str = r#"{ "$defs": { "Image": {}, "Sound": {} } }"#;

    fn twins(source: &str) -> Vec<String> {
        let source = format!("{HEADER}{source}");
        let files = [
            (PATH, source.as_str()),
            ("schema/2031-02-03.json", SPECIFIED),
        ];
        places(check, &files)
    }

    #[test]
    fn a_type_that_the_generator_repeats_is_refused() {
        let structs = "struct Image { data: String, size: Option<u64> }\n\
            struct ImageAgain { size: Option<u64>, data: String }\n";
        assert_eq!(twins(structs), [format!("{PATH}:3")]);
        let enums = "enum A { X, Y(String) }\nenum B { Y(String), X }\n";
        assert_eq!(twins(enums), [format!("{PATH}:3")]);
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
