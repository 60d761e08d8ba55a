//! Structs printed by typify, which reads JSON Schema.
//!
//! The caller writes its model as a schema. A definition that typify is not to print is replaced by the
//! Rust type of its name.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

use serde_json::{Map, Value, json};

/// Definitions that typify is to print as structs, and those it is not to.
pub struct Printer {
    definitions: Map<String, Value>,
    structs: usize,
    settings: typify::TypeSpaceSettings,
    map: &'static str,
}

/// A struct that typify did not print as asked: a bug of the generator.
#[derive(Debug, thiserror::Error)]
#[error("typify prints `{name}`: {reason}")]
pub struct PrintError {
    /// The definition, or `all`.
    pub name: String,
    /// What is wrong with it.
    pub reason: String,
}

/// Parts of typify's output, and what the generated code has instead.
const SHORT: [(&str, &str); 10] = [
    (":: std :: string :: ", ""),
    (":: std :: vec :: ", ""),
    (":: std :: option :: ", ""),
    (":: std :: boxed :: ", ""),
    (":: serde :: ", ""),
    ("\"::std::option::", "\""),
    // A recursive field where it is met from outside; it would not be left out when absent.
    ("Box < Option <", "Option < Box <"),
    ("default)]", "skip_serializing_if = \"Option::is_none\")]"),
    // PHP writes an empty object as an empty list, which is read if each field has a default.
    ("skip_serializing_if", "default , skip_serializing_if"),
    ("deserialize_with = \"Option::deserialize\"", "default"),
];

impl Printer {
    /// A printer without definitions. `map` is the path of the map type; keys are always `String`.
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

    /// Defines a struct whose fields are `properties`, of which some are `required`.
    pub fn define(&mut self, name: &str, properties: Map<String, Value>, required: Vec<&str>) {
        // An object of which nothing is known would be a map.
        let schema = json!({
            "type": "object",
            "properties": properties,
            "required": required,
            "additionalProperties": false,
        });
        self.structs += 1;
        self.definitions.insert(name.to_owned(), schema);
    }

    /// Defines `name` to stand for the Rust type `path`.
    pub fn replace(&mut self, name: &str, path: &str) {
        self.definitions.insert(name.to_owned(), json!({}));
        self.settings
            .with_replacement(name, path, std::iter::empty());
    }

    /// Returns each defined struct by its name, with short paths.
    ///
    /// # Errors
    ///
    /// When typify refuses a definition, panics, or prints another set of structs.
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
        // All keys of maps are strings.
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
