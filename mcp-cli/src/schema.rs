//! JSON Schema, as far as the command line needs it: texts are turned into JSON by it, and values are
//! checked before they are sent.

use std::iter;

use serde_json::{Map, Value};

/// References that are followed one after the other.
const MAX_REFERENCES: usize = 16;
/// Schemas inside one another, as one may refer to itself. Deeper ones leave everything open.
const MAX_DEPTH: usize = 12;

/// The path of a value, and what is wrong with it.
pub(crate) type Fault = (String, String);

/// A schema inside a document, to which its references refer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Schema<'a> {
    root: &'a Value,
    schema: &'a Value,
    depth: usize,
}

impl<'a> Schema<'a> {
    /// The schema that is all of a document.
    pub(crate) fn new(root: &'a Value) -> Self {
        let nothing = Self {
            root,
            schema: root,
            depth: 0,
        };
        nothing.at(root)
    }

    /// A schema inside this one, or the one to which it refers.
    fn at(self, mut schema: &'a Value) -> Self {
        let (root, depth) = (self.root, self.depth + 1);
        let target = |schema: &Value| {
            let reference = schema.get("$ref")?.as_str()?;
            root.pointer(reference.strip_prefix('#')?)
        };
        for _ in 0..MAX_REFERENCES {
            schema = target(schema).unwrap_or(schema);
        }
        if depth > MAX_DEPTH {
            schema = &Value::Null;
        }
        Self {
            root,
            schema,
            depth,
        }
    }

    /// The schema alone, without the rest of the document.
    pub(crate) fn document(self) -> Value {
        self.schema.clone()
    }

    /// The value of a keyword.
    pub(crate) fn get(self, keyword: &str) -> Option<&'a Value> {
        self.schema.get(keyword)
    }

    fn elements(self, keyword: &str) -> impl Iterator<Item = &'a Value> {
        let list = self.get(keyword).and_then(Value::as_array);
        list.into_iter().flatten()
    }

    fn list(self, keyword: &str) -> impl Iterator<Item = Self> {
        self.elements(keyword).map(move |it| self.at(it))
    }

    fn properties(self) -> impl Iterator<Item = (&'a String, &'a Value)> {
        let properties = self.get("properties").and_then(Value::as_object);
        properties.into_iter().flatten()
    }

    /// The schema of a member.
    pub(crate) fn member(self, name: &str) -> Option<Self> {
        let own = self.get("properties").and_then(|it| it.get(name));
        let inherited = || self.list("allOf").find_map(|it| it.member(name));
        let other = self.get("additionalProperties").filter(|it| it.is_object());
        let at = |schema| self.at(schema);
        own.map(at).or_else(inherited).or_else(|| other.map(at))
    }

    /// The schema of a list's elements.
    pub(crate) fn items(self) -> Option<Self> {
        self.get("items").map(|schema| self.at(schema))
    }

    /// The names of the members that have a schema.
    pub(crate) fn names(self) -> Vec<&'a str> {
        let own = self.properties().map(|(name, _)| name.as_str());
        let inherited = self.list("allOf").flat_map(Self::names);
        own.chain(inherited).collect()
    }

    /// The names of the members that an object must have.
    pub(crate) fn required(self) -> impl Iterator<Item = &'a str> {
        self.elements("required").filter_map(Value::as_str)
    }

    /// The only values that are possible, with their titles; none if others are.
    pub(crate) fn choices(self) -> Vec<(&'a Value, Option<&'a str>)> {
        let names = self.elements("enumNames").map(Value::as_str);
        let values = self.elements("enum").chain(self.get("const"));
        let plain: Vec<_> = values.zip(names.chain(iter::repeat(None))).collect();
        if !plain.is_empty() {
            return plain;
        }
        let union = self.list("oneOf").chain(self.list("anyOf"));
        let title = |it: Self| it.get("title").and_then(Value::as_str);
        let titled = union.map(|it| Some((it.get("const")?, title(it))));
        titled.collect::<Option<_>>().unwrap_or_default()
    }

    /// The kinds of JSON that fit; none if the schema does not tell.
    pub(crate) fn kinds(self) -> Vec<&'a str> {
        let one_or_several = self.get("type").into_iter().chain(self.elements("type"));
        let mut kinds: Vec<_> = one_or_several.filter_map(Value::as_str).collect();
        if kinds.is_empty() {
            kinds.extend(self.choices().iter().map(|it| kind_of(it.0)));
        }
        if kinds.is_empty() {
            let union = self.list("anyOf").chain(self.list("oneOf"));
            let all: Vec<_> = union.map(Self::kinds).collect();
            // One that does not tell leaves everything open.
            if all.iter().all(|it| !it.is_empty()) {
                kinds = all.concat();
            }
        }
        if kinds.is_empty() && self.properties().next().is_some() {
            kinds.push("object");
        }
        if kinds.is_empty() {
            let mut parts = self.list("allOf").map(Self::kinds);
            kinds = parts.find(|it| !it.is_empty()).unwrap_or_default();
        }
        kinds.sort_unstable();
        kinds.dedup();
        kinds
    }

    /// Turns a text into a value that fits.
    ///
    /// # Errors
    ///
    /// What was expected.
    pub(crate) fn read(self, text: &str) -> Result<Value, String> {
        let mut kinds = self.kinds();
        kinds.retain(|it| *it != "null" || text == "null");
        let json = serde_json::from_str::<Value>(text).ok();
        match (&kinds[..], json) {
            (["string"], _) => Ok(text.into()),
            (["array"], Some(list @ Value::Array(_))) => Ok(list),
            // One element, unless it is a whole list.
            (["array"], _) => Ok(vec![self.read_item(text)?].into()),
            ([kind @ ("integer" | "number" | "boolean" | "object" | "null")], json) => {
                let fits = json.filter(|it| is_kind(it, kind));
                fits.ok_or_else(|| format!("must be {}, not `{text}`", article(kind)))
            }
            (_, json) => Ok(json.unwrap_or_else(|| text.into())),
        }
    }

    /// Turns a text into an element of a list.
    ///
    /// # Errors
    ///
    /// As [`read`](Self::read).
    pub(crate) fn read_item(self, text: &str) -> Result<Value, String> {
        match self.items() {
            Some(items) => items.read(text),
            None => Ok(text.into()),
        }
    }

    /// Turns a text into a value, and checks it.
    ///
    /// # Errors
    ///
    /// What is wrong with it.
    pub(crate) fn accept(self, text: &str) -> Result<Value, String> {
        let value = self.read(text)?;
        match self.check(&value, "").pop() {
            Some((_, fault)) => Err(fault),
            None => Ok(value),
        }
    }

    /// Returns all that is wrong with a value at a path.
    pub(crate) fn check(self, value: &Value, path: &str) -> Vec<Fault> {
        let mut faults = Vec::new();
        self.check_at(value, path, &mut faults);
        faults.dedup();
        faults
    }

    fn check_at(self, value: &Value, path: &str, faults: &mut Vec<Fault>) {
        let (kinds, choices) = (self.kinds(), self.choices());
        let expected = if !kinds.is_empty() && !kinds.iter().any(|kind| is_kind(value, kind)) {
            let kinds: Vec<_> = kinds.into_iter().map(article).collect();
            Some(format!("must be {}, not", kinds.join(" or ")))
        } else if !choices.is_empty() && !choices.iter().any(|it| it.0 == value) {
            let choices: Vec<_> = choices.iter().map(|it| it.0.to_string()).collect();
            Some(format!("must be one of {}, not", choices.join(", ")))
        } else {
            self.broken_limit(value)
        };
        if let Some(expected) = expected {
            faults.push((path.to_owned(), format!("{expected} {value}")));
            return;
        }
        match (value, self.items()) {
            (Value::Object(members), _) => self.check_members(members, path, faults),
            (Value::Array(list), Some(items)) => {
                for (index, element) in list.iter().enumerate() {
                    items.check_at(element, &format!("{path}[{index}]"), faults);
                }
            }
            _ => {}
        }
    }

    /// The limit of a number, of a text's length or of a list's that a value does not keep.
    fn broken_limit(self, value: &Value) -> Option<String> {
        let (least, most, size, unit) = match value {
            Value::Number(it) => ("minimum", "maximum", it.as_f64()?, ""),
            Value::String(it) => {
                let length = it.chars().count() as f64;
                ("minLength", "maxLength", length, " characters")
            }
            Value::Array(it) => ("minItems", "maxItems", it.len() as f64, " elements"),
            _ => return None,
        };
        let limit = |keyword| self.get(keyword).and_then(Value::as_f64);
        let (word, limit) = match (limit(least), limit(most)) {
            (Some(least), _) if size < least => ("least", least),
            (_, Some(most)) if size > most => ("most", most),
            _ => return None,
        };
        Some(format!("must be at {word} {limit}{unit}, and is"))
    }

    fn check_members(self, members: &Map<String, Value>, path: &str, faults: &mut Vec<Fault>) {
        let below = |name: &str| match path {
            "" => name.to_owned(),
            path => format!("{path}.{name}"),
        };
        for name in self.required().filter(|it| !members.contains_key(*it)) {
            faults.push((below(name), "is missing".to_owned()));
        }
        for (name, value) in members {
            if let Some(schema) = self.member(name) {
                schema.check_at(value, &below(name), faults);
            } else if self.get("additionalProperties") == Some(&Value::Bool(false)) {
                faults.push((below(name), "is not known".to_owned()));
            }
        }
        for part in self.list("allOf") {
            part.check_members(members, path, faults);
        }
    }

    /// Returns true if an object may have members without a schema: if it says so, or names none.
    pub(crate) fn is_open(self) -> bool {
        match self.get("additionalProperties") {
            Some(schema) => *schema != Value::Bool(false),
            None => self.names().is_empty(),
        }
    }
}

fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

fn is_kind(value: &Value, kind: &str) -> bool {
    match (kind, kind_of(value)) {
        ("number", "integer") => true,
        // `2.0` is an integer of JSON Schema.
        ("integer", "number") => value.as_f64().is_some_and(|it| it.fract() == 0.0),
        (kind, found) => kind == found,
    }
}

fn article(kind: &str) -> String {
    match kind {
        "null" => "null".to_owned(),
        "integer" => "a whole number".to_owned(),
        "array" => "a list".to_owned(),
        "object" => "an object".to_owned(),
        kind => format!("a {kind}"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn faults(schema: &Value, value: &Value) -> Vec<String> {
        let faults = Schema::new(schema).check(value, "");
        faults
            .iter()
            .map(|(path, fault)| format!("`{path}` {fault}"))
            .collect()
    }

    #[test]
    fn the_type_decides_how_a_text_is_read() {
        let read = |schema: Value, text: &str| Schema::new(&schema).read(text);
        assert_eq!(read(json!({"type": "string"}), "3"), Ok(json!("3")));
        assert_eq!(read(json!({"type": "integer"}), "3"), Ok(json!(3)));
        assert!(read(json!({"type": "integer"}), "3.5").is_err());
        assert_eq!(read(json!({"type": "number"}), "3"), Ok(json!(3)));
        assert_eq!(
            read(json!({"type": ["boolean", "null"]}), "true"),
            Ok(json!(true))
        );
        assert_eq!(
            read(json!({"type": ["string", "null"]}), "null"),
            Ok(Value::Null)
        );
        assert_eq!(read(json!({}), "[1]"), Ok(json!([1])));
        assert_eq!(
            read(json!({"type": ["integer", "string"]}), "x"),
            Ok(json!("x"))
        );
        let list = json!({"type": "array", "items": {"$ref": "#/$defs/n"}, "$defs": {"n": {"type": "integer"}}});
        assert_eq!(read(list.clone(), "3"), Ok(json!([3])));
        assert_eq!(read(list, "[3,4]"), Ok(json!([3, 4])));
        let choice = json!({"anyOf": [{"enum": ["a", "b"]}, {"type": "null"}]});
        assert_eq!(read(choice, "a"), Ok(json!("a")));
    }

    #[test]
    fn all_faults_are_found_with_their_paths() {
        let schema = json!({
            "type": "object",
            "properties": {
                "place": {"$ref": "#/$defs/place"},
                "unit": {"enum": ["c", "f"]},
                "days": {"type": "array", "items": {"type": "integer"}},
            },
            "required": ["place", "name"],
            "$defs": {"place": {"type": "object", "properties": {"city": {"type": "string"}}, "additionalProperties": false}},
        });
        let value = json!({"place": {"city": 1, "x": 2}, "unit": "k", "days": [1, "2"]});
        let faults = faults(&schema, &value);
        let expected = [
            "`name` is missing",
            "`place.city` must be a string, not 1",
            "`place.x` is not known",
            "`unit` must be one of \"c\", \"f\", not \"k\"",
            "`days[1]` must be a whole number, not \"2\"",
        ];
        assert_eq!(faults, expected);
    }

    #[test]
    fn limits_are_checked() {
        let schema = json!({"properties": {
            "n": {"type": "integer", "minimum": 1, "maximum": 9},
            "s": {"type": "string", "maxLength": 2},
            "l": {"type": "array", "minItems": 1},
        }});
        let broken = faults(&schema, &json!({"n": 12, "s": "abc", "l": []}));
        let expected = [
            "`n` must be at most 9, and is 12",
            "`s` must be at most 2 characters, and is \"abc\"",
            "`l` must be at least 1 elements, and is []",
        ];
        assert_eq!(broken, expected);
        assert!(faults(&schema, &json!({"n": 9, "s": "ab", "l": [1]})).is_empty());
    }

    #[test]
    fn a_schema_that_refers_to_itself_ends() {
        for keyword in ["anyOf", "oneOf", "allOf"] {
            let schema = json!({keyword: [{"$ref": "#"}], "properties": {"a": {"$ref": "#"}}});
            assert!(faults(&schema, &json!({"a": {"a": 1}})).len() <= 1);
            assert_eq!(Schema::new(&schema).read("{}"), Ok(json!({})));
            assert!(Schema::new(&schema).member("b").is_none());
        }
        assert!(Schema::new(&json!({"$ref": "#"})).kinds().is_empty());
    }
}
