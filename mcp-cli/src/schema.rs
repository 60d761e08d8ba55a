//! JSON Schema, as far as the command line needs it: texts are turned into JSON by it, and arguments
//! are checked before they are sent.

use serde_json::{Map, Value};

/// References that are followed one after the other.
const MAX_REFERENCES: usize = 16;
/// Nesting to which values are checked.
const MAX_DEPTH: usize = 64;

/// A schema inside a document, to which its references refer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Schema<'a> {
    root: &'a Value,
    schema: &'a Value,
}

impl<'a> Schema<'a> {
    /// The schema that is all of a document.
    pub(crate) fn new(root: &'a Value) -> Self {
        Self { root, schema: root }.resolved()
    }

    fn at(self, schema: &'a Value) -> Self {
        let root = self.root;
        Self { root, schema }.resolved()
    }

    /// Follows references within the document.
    fn resolved(mut self) -> Self {
        for _ in 0..MAX_REFERENCES {
            let reference = self.schema.get("$ref").and_then(Value::as_str);
            let Some(path) = reference.and_then(|it| it.strip_prefix('#')) else {
                break;
            };
            let Some(schema) = self.root.pointer(path) else {
                break;
            };
            self.schema = schema;
        }
        self
    }

    fn get(self, keyword: &str) -> Option<&'a Value> {
        self.schema.get(keyword)
    }

    fn list(self, keyword: &str) -> impl Iterator<Item = Self> {
        let list = self.get(keyword).and_then(Value::as_array);
        list.into_iter().flatten().map(move |it| self.at(it))
    }

    fn properties(self) -> Option<&'a Map<String, Value>> {
        self.get("properties").and_then(Value::as_object)
    }

    /// The schema of a member.
    pub(crate) fn member(self, name: &str) -> Option<Self> {
        let own = self.properties().and_then(|it| it.get(name));
        let own = own.map(|schema| self.at(schema));
        let inherited = || self.list("allOf").find_map(|it| it.member(name));
        let other = || {
            let schema = self.get("additionalProperties").filter(|it| it.is_object());
            schema.map(|schema| self.at(schema))
        };
        own.or_else(inherited).or_else(other)
    }

    /// The schema of a list's elements.
    pub(crate) fn items(self) -> Option<Self> {
        self.get("items").map(|schema| self.at(schema))
    }

    /// The names of the members that have a schema.
    pub(crate) fn names(self) -> Vec<&'a str> {
        let own = self.properties().into_iter().flat_map(Map::keys);
        let own = own.map(String::as_str);
        own.chain(self.list("allOf").flat_map(Self::names))
            .collect()
    }

    /// The values of an `enum` or a `const`; none if others are possible.
    fn values(self) -> Option<Vec<&'a Value>> {
        let list = self.get("enum").and_then(Value::as_array);
        let list = list.map(|it| it.iter().collect());
        let constant = || self.get("const").map(|it| vec![it]);
        // A choice whose values have titles.
        let titled = || {
            let all: Option<Vec<_>> = ["oneOf", "anyOf"]
                .into_iter()
                .flat_map(|keyword| self.list(keyword))
                .map(|it| it.get("const"))
                .collect();
            all.filter(|it| !it.is_empty())
        };
        list.or_else(constant).or_else(titled)
    }

    /// The kinds of JSON that fit; none if the schema does not tell.
    pub(crate) fn kinds(self) -> Vec<&'a str> {
        if let Some(kind) = self.get("type") {
            let kinds = kind
                .as_array()
                .map_or(std::slice::from_ref(kind), Vec::as_slice);
            return kinds.iter().filter_map(Value::as_str).collect();
        }
        if let Some(values) = self.values() {
            return distinct(values.into_iter().map(kind_of));
        }
        let union = self.list("anyOf").chain(self.list("oneOf"));
        let kinds: Vec<_> = union.map(Self::kinds).collect();
        // One that does not tell leaves everything open.
        if !kinds.is_empty() && kinds.iter().all(|it| !it.is_empty()) {
            return distinct(kinds.into_iter().flatten());
        }
        if self.properties().is_some() {
            return vec!["object"];
        }
        self.list("allOf")
            .map(Self::kinds)
            .find(|it| !it.is_empty())
            .unwrap_or_default()
    }

    /// Turns a text into a value that fits.
    ///
    /// # Errors
    ///
    /// What was expected.
    pub(crate) fn read(self, text: &str) -> Result<Value, String> {
        let mut kinds = self.kinds();
        kinds.retain(|it| *it != "null" || text == "null");
        match kinds[..] {
            ["string"] => Ok(Value::from(text)),
            ["integer" | "number" | "boolean" | "object" | "null"] => {
                let value: Option<Value> = serde_json::from_str(text).ok();
                let value = value.filter(|it| is_kind(it, kinds[0]));
                value.ok_or_else(|| format!("must be {}, not `{text}`", article(kinds[0])))
            }
            // One element, unless it is a whole list.
            ["array"] => match serde_json::from_str(text) {
                Ok(list @ Value::Array(_)) => Ok(list),
                _ => Ok(Value::Array(vec![self.read_item(text)?])),
            },
            _ => Ok(serde_json::from_str(text).unwrap_or_else(|_| Value::from(text))),
        }
    }

    /// Turns a text into an element of a list.
    ///
    /// # Errors
    ///
    /// What was expected.
    pub(crate) fn read_item(self, text: &str) -> Result<Value, String> {
        match self.items() {
            Some(items) => items.read(text),
            None => Ok(Value::from(text)),
        }
    }

    /// Checks a value, and adds what is wrong, with the path.
    pub(crate) fn check(self, value: &Value, path: &str, faults: &mut Vec<String>) {
        self.check_at(value, path, faults, 0);
    }

    fn check_at(self, value: &Value, path: &str, faults: &mut Vec<String>, depth: usize) {
        let kinds = self.kinds();
        if !kinds.is_empty() && !kinds.iter().any(|kind| is_kind(value, kind)) {
            let kinds: Vec<_> = kinds.iter().map(|kind| article(kind)).collect();
            faults.push(format!(
                "`{path}` must be {}, not {value}",
                kinds.join(" or ")
            ));
            return;
        }
        if let Some(values) = self.values()
            && !values.contains(&value)
        {
            let values: Vec<_> = values.iter().map(ToString::to_string).collect();
            faults.push(format!(
                "`{path}` must be one of {}, not {value}",
                values.join(", ")
            ));
            return;
        }
        if let Some(limit) = self.broken_limit(value) {
            faults.push(format!("`{path}` {limit}, and is {value}"));
            return;
        }
        if depth == MAX_DEPTH {
            return;
        }
        match value {
            Value::Object(members) => self.check_members(members, path, faults, depth),
            Value::Array(list) => {
                for (index, element) in list.iter().enumerate() {
                    if let Some(items) = self.items() {
                        items.check_at(element, &format!("{path}[{index}]"), faults, depth + 1);
                    }
                }
            }
            _ => {}
        }
    }

    /// The limit of a number, of a text's length or of a list's that a value does not keep.
    fn broken_limit(self, value: &Value) -> Option<String> {
        let (least, most, size, unit) = match value {
            Value::Number(number) => ("minimum", "maximum", number.as_f64()?, ""),
            Value::String(text) => {
                let length = text.chars().count() as f64;
                ("minLength", "maxLength", length, " characters")
            }
            Value::Array(list) => ("minItems", "maxItems", list.len() as f64, " elements"),
            _ => return None,
        };
        let limit = |keyword| self.get(keyword).and_then(Value::as_f64);
        let too_small = limit(least).filter(|limit| size < *limit);
        let too_large = limit(most).filter(|limit| size > *limit);
        let least = too_small.map(|limit| format!("must be at least {limit}{unit}"));
        least.or_else(|| too_large.map(|limit| format!("must be at most {limit}{unit}")))
    }

    fn check_members(
        self,
        members: &Map<String, Value>,
        path: &str,
        faults: &mut Vec<String>,
        depth: usize,
    ) {
        let below = |name: &str| match path {
            "" => name.to_owned(),
            path => format!("{path}.{name}"),
        };
        let required = self.get("required").and_then(Value::as_array);
        for name in required.into_iter().flatten().filter_map(Value::as_str) {
            if !members.contains_key(name) {
                faults.push(format!("`{}` is missing", below(name)));
            }
        }
        for (name, value) in members {
            if let Some(schema) = self.member(name) {
                schema.check_at(value, &below(name), faults, depth + 1);
            } else if self.get("additionalProperties") == Some(&Value::Bool(false)) {
                faults.push(format!("`{}` is not known", below(name)));
            }
        }
        for part in self.list("allOf") {
            part.check_members(members, path, faults, depth + 1);
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

fn distinct<'a>(kinds: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut found = Vec::new();
    for kind in kinds {
        if !found.contains(&kind) {
            found.push(kind);
        }
    }
    found
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
    let found = kind_of(value);
    match (kind, found) {
        ("number", "integer") => true,
        // `2.0` is an integer of JSON Schema.
        ("integer", "number") => value.as_f64().is_some_and(|it| it.fract() == 0.0),
        _ => kind == found,
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
        let mut faults = Vec::new();
        Schema::new(&schema).check(&value, "", &mut faults);
        let expected = [
            "`name` is missing",
            "`days[1]` must be a whole number, not \"2\"",
            "`place.city` must be a string, not 1",
            "`place.x` is not known",
            "`unit` must be one of \"c\", \"f\", not \"k\"",
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
        let mut faults = Vec::new();
        Schema::new(&schema).check(&json!({"n": 12, "s": "abc", "l": []}), "", &mut faults);
        let expected = [
            "`l` must be at least 1 elements, and is []",
            "`n` must be at most 9, and is 12",
            "`s` must be at most 2 characters, and is \"abc\"",
        ];
        assert_eq!(faults, expected);
        faults.clear();
        Schema::new(&schema).check(&json!({"n": 9, "s": "ab", "l": [1]}), "", &mut faults);
        assert!(faults.is_empty());
    }

    #[test]
    fn a_schema_that_refers_to_itself_ends() {
        let schema = json!({"$ref": "#"});
        assert!(Schema::new(&schema).kinds().is_empty());
        let schema = json!({"anyOf": [{"$ref": "#"}]});
        let _ = Schema::new(&schema);
    }
}
