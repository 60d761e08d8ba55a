//! Prints structs with typify, which generates Rust from JSON Schema.
//!
//! The caller describes its model as a schema. A definition that typify should not print is
//! replaced by a Rust type that already exists.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

use serde_json::{Map, Value, json};

/// Prints definitions as structs, with the help of typify.
pub struct Printer {
    definitions: Map<String, Value>,
    structs: usize,
    settings: typify::TypeSpaceSettings,
    map: &'static str,
}

/// Unexpected output of typify, which is a bug in the generator.
#[derive(Debug, thiserror::Error)]
#[error("typify prints `{name}`: {reason}")]
pub struct PrintError {
    /// The definition, or `all`.
    pub name: String,
    /// The reason for the failure.
    pub reason: String,
}

/// Parts of typify's output, and their replacements in the generated code.
const SHORT: [(&str, &str); 10] = [
    (":: std :: string :: ", ""),
    (":: std :: vec :: ", ""),
    (":: std :: option :: ", ""),
    (":: std :: boxed :: ", ""),
    (":: serde :: ", ""),
    ("\"::std::option::", "\""),
    // In recursive types, typify boxes the `Option`, which serde could not leave out when absent.
    ("Box < Option <", "Option < Box <"),
    ("default)]", "skip_serializing_if = \"Option::is_none\")]"),
    // PHP writes an empty object as an empty list. serde accepts it if every field has a default.
    ("skip_serializing_if", "default , skip_serializing_if"),
    ("deserialize_with = \"Option::deserialize\"", "default"),
];

impl Printer {
    /// Creates a printer without definitions. `map` is the path of the map type; keys are always
    /// `String`.
    #[must_use]
    pub fn new(map: &'static str) -> Self {
        let mut settings = typify::TypeSpaceSettings::default();
        settings.with_derive("PartialEq".to_owned());
        settings.with_map_type(map);
        Self {
            definitions: Map::new(),
            structs: 0,
            settings,
            map,
        }
    }

    /// Defines a struct with the fields `properties`. Fields that are not `required` are optional.
    pub fn define(&mut self, name: &str, properties: Map<String, Value>, required: Vec<&str>) {
        // Without `additionalProperties`, typify would print an object without properties as a map.
        let schema = json!({
            "type": "object",
            "properties": properties,
            "required": required,
            "additionalProperties": false,
        });
        self.structs += 1;
        self.definitions.insert(name.to_owned(), schema);
    }

    /// Replaces the definition `name` with the Rust type at `path`.
    pub fn replace(&mut self, name: &str, path: &str) {
        self.definitions.insert(name.to_owned(), json!({}));
        self.settings
            .with_replacement(name, path, std::iter::empty());
    }

    /// Returns the defined structs by name, with shortened paths.
    ///
    /// # Errors
    ///
    /// Returns an error if typify refuses a definition, panics, or prints other structs than
    /// defined.
    pub fn print(self) -> Result<BTreeMap<String, syn::ItemStruct>, PrintError> {
        let failed = |name: &str, reason: &dyn std::fmt::Display| PrintError {
            name: name.to_owned(),
            reason: reason.to_string(),
        };
        let root = json!({ "definitions": self.definitions });
        let root = serde_json::from_value(root).map_err(|error| failed("all", &error))?;
        let print = AssertUnwindSafe(|| {
            let mut space = typify::TypeSpace::new(&self.settings);
            space.add_root_schema(root)?;
            Ok(space.to_stream().to_string())
        });
        let code = catch_unwind(print).map_err(|_| failed("all", &"it panicked"))?;
        let mut code = code.map_err(|error: typify::Error| failed("all", &error))?;
        // The map type has no parameter for keys, which are always strings.
        let keyed = format!("{} < :: std :: string :: String ,", self.map);
        code = code.replace(&keyed, &format!("{} <", self.map));
        for (long, short) in SHORT {
            code = code.replace(long, short);
        }
        let file = syn::parse_file(&code).map_err(|error| failed("all", &error))?;
        let mut structs = BTreeMap::new();
        for item in file.items {
            if let syn::Item::Struct(item) = item {
                let name = item.ident.to_string();
                let is_asked = self.definitions.contains_key(&name);
                if !is_asked || structs.insert(name.clone(), item).is_some() {
                    return Err(failed(&name, &"twice, or under another name"));
                }
            }
        }
        if structs.len() == self.structs {
            Ok(structs)
        } else {
            Err(failed("all", &"some are missing"))
        }
    }
}
