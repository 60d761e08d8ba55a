//! Validation of arguments against the schema of their type (JSON Schema 2020-12, "Validation").
//!
//! serde enforces types, but not constraints such as `maximum`. A value that serde has decoded is
//! checked only against the constraints, because some types accept more than their schema says. If
//! serde could not decode a value, this finds all errors in it, while serde stops at the first.

use std::fmt::{self, Write as _};

use serde_json::{Map, Number, Value};

use super::expected::{
    Definitions, bounds, found, integers, is_less, list, one_of, plain, properties,
};
use super::pattern::Patterns;
use crate::limits::{MAX_CHECKED_DEPTH, MAX_CHECKED_VALUES, MAX_FOUND_FAULTS};
use crate::schema::walk;
use crate::server::handler::ArgumentError;

/// The prefixes of the keywords that serde does not enforce.
const CONSTRAINTS: [&str; 4] = ["min", "max", "exclusive", "pattern"];

/// The keywords that allow an object to have members besides its `properties`.
const OPEN: [&str; 5] = [
    "additionalProperties",
    "allOf",
    "anyOf",
    "oneOf",
    "patternProperties",
];

/// The schema of an argument, prepared for validation.
#[derive(Clone, Debug)]
pub(super) struct Validation {
    schema: Value,
    definitions: Definitions,
    patterns: Patterns,
    has_constraints: bool,
}

impl Validation {
    /// Prepares the validation of values by `schema`, which may refer to `definitions`.
    pub(super) fn new(mut schema: Value, mut definitions: Map<String, Value>) -> Self {
        let mut patterns = Patterns::default();
        let mut has_constraints = false;
        for schema in definitions.values_mut().chain([&mut schema]) {
            walk(schema, &mut |schema| {
                remove_bounds_of_type(schema);
                let is_constraint =
                    |it: &String| CONSTRAINTS.iter().any(|start| it.starts_with(start));
                has_constraints |= schema.keys().any(is_constraint);
                if let Some(Value::String(pattern)) = schema.get("pattern") {
                    patterns.add(pattern);
                }
            });
        }
        Self {
            schema,
            definitions: Definitions(definitions),
            patterns,
            has_constraints,
        }
    }

    pub(super) fn expected(&self) -> String {
        self.definitions.expected(&self.schema)
    }

    pub(super) fn violations(
        &self,
        path: &str,
        value: &Value,
        is_decoded: bool,
    ) -> Vec<ArgumentError> {
        let mut validator = Validator {
            validation: self,
            is_decoded,
            left: if is_decoded {
                usize::MAX
            } else {
                MAX_CHECKED_VALUES
            },
            path: path.to_owned(),
            errors: Vec::new(),
        };
        validator.value(&self.schema, value, 0);
        validator.errors
    }

    /// Returns the members of an object, if the schema describes all of them. Returns `None` for
    /// other schemas.
    pub(super) fn all_properties(&self) -> Option<&Map<String, Value>> {
        let schema = self.definitions.resolve(&self.schema);
        let mut open = OPEN.iter().filter_map(|keyword| schema.get(keyword));
        properties(schema).filter(|_| open.next().is_none())
    }

    /// Returns the faults of the JSON `text`, which is at `path`: only violated constraints if it
    /// was decoded, or else all faults.
    pub(super) fn errors(
        &self,
        path: &str,
        text: &str,
        decoded: serde_json::Result<()>,
    ) -> Vec<ArgumentError> {
        let is_decoded = decoded.is_ok();
        if is_decoded && !self.has_constraints {
            return Vec::new();
        }
        // This can fail although `text` was decoded, if the type ignored a member that is not
        // valid.
        let value = serde_json::from_str(text);
        let mut errors = match &value {
            Ok(value) => self.violations(path, value, is_decoded),
            Err(_) => Vec::new(),
        };
        if let Err(error) = decoded.and(value) {
            let error = ArgumentError::from_decoder(path, text, &error);
            if !errors.iter().any(|known| known.overlaps(&error)) {
                errors.push(error);
            }
        }
        errors
    }
}

/// Removes the bounds that an integer has because of its type, since serde enforces them.
fn remove_bounds_of_type(schema: &mut Map<String, Value>) {
    if let Some((least, most)) = integers(schema) {
        for (keyword, bound) in [("minimum", least), ("maximum", most)] {
            let known = schema.get(keyword).and_then(Value::as_number);
            if known.and_then(Number::as_i128) == Some(bound) {
                schema.remove(keyword);
            }
        }
    }
}

/// The state of one pass over a value.
struct Validator<'a> {
    validation: &'a Validation,
    /// True if the value was decoded, so that only its constraints are checked.
    is_decoded: bool,
    /// The number of values that may still be visited.
    left: usize,
    path: String,
    errors: Vec<ArgumentError>,
}

impl<'a> Validator<'a> {
    fn value(&mut self, schema: &'a Value, value: &Value, depth: usize) {
        if depth > MAX_CHECKED_DEPTH || self.is_done() {
            return;
        }
        self.left -= 1;
        let referred = self.validation.definitions.resolve(schema);
        if !std::ptr::eq(referred, schema) {
            self.value(referred, value, depth + 1);
        }
        for part in list(schema, "allOf") {
            self.value(part, value, depth + 1);
        }
        for keyword in ["anyOf", "oneOf"] {
            self.alternatives(list(schema, keyword), value, depth);
        }
        if let Some(problem) = problem(schema, value).filter(|_| !self.is_decoded) {
            let expected = self.validation.definitions.expected(schema);
            return self.mismatch(problem, value, &expected);
        }
        match value {
            Value::Number(number) => self.number(schema, number),
            Value::String(text) => self.string(schema, text),
            Value::Array(items) => {
                self.length(schema, ["minItems", "maxItems"], items.len());
                let first = list(schema, "prefixItems");
                for (index, item) in items.iter().enumerate() {
                    if let Some(each) = first.get(index).or_else(|| schema.get("items")) {
                        self.inside(format_args!("[{index}]"), |it| {
                            it.value(each, item, depth + 1);
                        });
                    }
                }
            }
            Value::Object(members) => {
                self.length(schema, ["minProperties", "maxProperties"], members.len());
                self.object(schema, members, depth);
            }
            Value::Null | Value::Bool(_) => {}
        }
    }

    fn object(&mut self, schema: &'a Value, given: &Map<String, Value>, depth: usize) {
        let known = properties(schema);
        let member = |name: &str| known.and_then(|known| known.get(name));
        let numbered = schema.get("patternProperties").and_then(numbered);
        for (name, value) in given {
            let of_number = numbered.filter(|_| name.parse::<i128>().is_ok());
            let each = member(name).or(of_number);
            let each = each.or_else(|| schema.get("additionalProperties"));
            self.inside(format_args!(".{name}"), |it| match each {
                Some(Value::Bool(false)) if numbered.is_some() && !it.is_decoded => {
                    it.error(format!("the key `{name}` is not an integer"));
                }
                Some(Value::Bool(false)) if !it.is_decoded => {
                    let names = known.into_iter().flat_map(Map::keys);
                    let names = one_of(names.map(|name| format!("`{name}`")));
                    it.error(format!("unknown field `{name}`, expected {names}"));
                }
                Some(each) => it.value(each, value, depth + 1),
                None => {}
            });
        }
        let required = list(schema, "required").iter().filter_map(Value::as_str);
        for name in required {
            if self.is_decoded || given.contains_key(name) {
                continue;
            }
            let schema = member(name).unwrap_or(&Value::Null);
            let expected = self.validation.definitions.expected(schema);
            self.inside(format_args!(".{name}"), |it| {
                it.error(format!("missing, expected {expected}"));
            });
        }
    }

    /// Runs `check` for the part of the value at the relative path `part`, unless the pass is done.
    fn inside(&mut self, part: fmt::Arguments<'_>, check: impl FnOnce(&mut Self)) {
        if self.is_done() {
            return;
        }
        let outer = self.path.len();
        _ = self.path.write_fmt(part);
        check(self);
        self.path.truncate(outer);
    }

    /// Returns true if the pass stops, because it has found enough errors or visited enough values.
    fn is_done(&self) -> bool {
        self.left == 0 || self.errors.len() >= MAX_FOUND_FAULTS
    }

    /// Adds the errors of the alternative that was most likely meant, unless one is valid.
    fn alternatives(&mut self, branches: &'a [Value], value: &Value, depth: usize) {
        if branches.is_empty() {
            return;
        }
        let definitions = &self.validation.definitions;
        let whole = |branch: &'a Value| definitions.resolve(branch);
        let of_type = branches.iter().filter(|it| has_type(whole(it), value));
        let of_type: Vec<_> = of_type.collect();
        let mut meant = of_type.clone();
        meant.retain(|it| has_tag(whole(it), value));
        if self.is_decoded {
            meant.retain(|it| has_required(it, value) && has_required(whole(it), value));
        } else if meant.is_empty() && of_type.len() == 1 {
            meant.clone_from(&of_type);
        }
        let mut fewest: Option<Vec<ArgumentError>> = None;
        for branch in meant {
            let before = std::mem::take(&mut self.errors);
            self.value(branch, value, depth + 1);
            let errors = std::mem::replace(&mut self.errors, before);
            if errors.is_empty() {
                return;
            }
            if fewest.as_ref().is_none_or(|it| errors.len() < it.len()) {
                fewest = Some(errors);
            }
        }
        if let Some(mut errors) = fewest {
            self.errors.append(&mut errors);
        } else if !self.is_decoded {
            let problem = if of_type.is_empty() {
                "invalid type"
            } else {
                "invalid value"
            };
            let expected = definitions.expected_of_all(branches);
            self.mismatch(problem, value, &expected);
        }
    }

    fn number(&mut self, schema: &Value, number: &Number) {
        let bound = |keyword| schema.get(keyword).and_then(Value::as_number);
        if bound("minimum").is_some_and(|it| is_less(number, it))
            || bound("exclusiveMinimum").is_some_and(|it| !is_less(it, number))
            || bound("maximum").is_some_and(|it| is_less(it, number))
            || bound("exclusiveMaximum").is_some_and(|it| !is_less(number, it))
        {
            let found = plain(number);
            let bounds = bounds(schema);
            self.error(format!("out of range: {found}, expected a number {bounds}"));
        }
    }

    fn string(&mut self, schema: &Value, text: &str) {
        let length = text.chars().count();
        self.length(schema, ["minLength", "maxLength"], length);
        let pattern = schema.get("pattern").and_then(Value::as_str);
        let is_missed = |pattern: &&str| self.validation.patterns.is_missed(pattern, text);
        if let Some(pattern) = pattern.filter(is_missed) {
            self.error(format!("does not match the pattern `{pattern}`"));
        }
    }

    fn length(&mut self, schema: &Value, [least, most]: [&str; 2], length: usize) {
        let bound = |keyword| schema.get(keyword).and_then(Value::as_u64);
        let length = length as u64;
        if let Some(least) = bound(least).filter(|least| length < *least) {
            self.error(format!("too short: {length}, expected at least {least}"));
        }
        if let Some(most) = bound(most).filter(|most| length > *most) {
            self.error(format!("too long: {length}, expected at most {most}"));
        }
    }

    fn mismatch(&mut self, problem: &str, value: &Value, expected: &str) {
        self.error(format!("{problem}: {}, expected {expected}", found(value)));
    }

    fn error(&mut self, message: String) {
        self.errors.push(ArgumentError::new(&*self.path, message));
    }
}

/// Returns why a value itself is not valid, regardless of its parts.
fn problem(schema: &Value, value: &Value) -> Option<&'static str> {
    if !has_type(schema, value) {
        return Some("invalid type");
    }
    let range_of_type = schema.as_object().and_then(integers);
    let integer = value.as_number().and_then(Number::as_i128);
    let is_outside = range_of_type
        .zip(integer)
        .is_some_and(|((least, most), integer)| integer < least || integer > most);
    (is_outside || !has_constant(schema, value)).then_some("invalid value")
}

/// Returns the schema of the values of a map with integer keys, as schemars writes it.
fn numbered(patterns: &Value) -> Option<&Value> {
    let patterns = patterns.as_object()?;
    patterns.get(r"^\d+$").or_else(|| patterns.get(r"^-?\d+$"))
}

/// Returns true if a value has the type that a schema names. A whole number is an integer, even if
/// it is written as `2.0`.
fn has_type(schema: &Value, value: &Value) -> bool {
    let is = |kind: &Value| match kind.as_str() {
        Some("null") => value.is_null(),
        Some("boolean") => value.is_boolean(),
        Some("integer") => value.as_f64().is_some_and(|it| it.fract() == 0.0),
        Some("number") => value.is_number(),
        Some("string") => value.is_string(),
        Some("array") => value.is_array(),
        Some("object") => value.is_object(),
        _ => true,
    };
    match schema.get("type") {
        Some(Value::Array(kinds)) => kinds.iter().any(is),
        Some(kind) => is(kind),
        None => true,
    }
}

/// Returns true if the value is one of the constants that the schema names, or if the schema does
/// not name any.
fn has_constant(schema: &Value, value: &Value) -> bool {
    schema.get("const").is_none_or(|known| known == value)
        && (schema.get("enum").is_none() || list(schema, "enum").contains(value))
}

/// Returns true if a value has the tag of an alternative: its constant, its constant members, or
/// its only member.
fn has_tag(schema: &Value, value: &Value) -> bool {
    let has = |(name, member): (&String, &Value)| {
        let constant = member.get("const");
        constant.is_none_or(|constant| value.get(name) == Some(constant))
    };
    let known = properties(schema);
    let only = known.filter(|known| known.len() == 1 && list(schema, "required").len() == 1);
    has_constant(schema, value)
        && known.is_none_or(|known| known.iter().all(has))
        && only.is_none_or(|only| only.keys().all(|name| value.get(name).is_some()))
}

fn has_required(schema: &Value, value: &Value) -> bool {
    let mut required = list(schema, "required").iter().filter_map(Value::as_str);
    required.all(|name| value.get(name).is_some())
}

#[cfg(test)]
mod tests {
    #![allow(dead_code)]

    use std::collections::HashMap;
    use std::time::Instant;

    use schemars::JsonSchema;
    use serde::de::IgnoredAny;

    use super::*;
    use crate::schema::for_input;
    use crate::server::handler::InvalidArguments;

    fn validation<T: JsonSchema>() -> Validation {
        let mut generator = for_input();
        let schema = generator.subschema_for::<T>().to_value();
        Validation::new(schema, generator.take_definitions(true))
    }

    #[derive(JsonSchema)]
    struct Plain {
        small: u8,
        signed: Vec<i16>,
        large: Option<u64>,
        text: String,
    }

    #[derive(JsonSchema)]
    struct Inner {
        #[schemars(range(min = 1))]
        count: u32,
    }

    #[derive(JsonSchema)]
    struct Outer {
        inner: Vec<Inner>,
        plain: Plain,
    }

    #[test]
    fn bounds_of_types_are_not_constraints() {
        assert!(!validation::<u32>().has_constraints);
        assert!(!validation::<Plain>().has_constraints);
        assert!(validation::<Inner>().has_constraints);
        assert!(validation::<Outer>().has_constraints);
    }

    #[derive(JsonSchema)]
    #[schemars(untagged)]
    enum Tree {
        Left { inner: Box<Tree>, left: u8 },
        Right { inner: Box<Tree>, right: u8 },
        Leaf(String),
    }

    #[test]
    fn alternatives_within_alternatives_are_followed_to_a_limit() {
        let validation = validation::<Tree>();
        let text = r#"{"left":1,"right":2,"inner":"#.repeat(18) + "5" + &"}".repeat(18);
        let value = serde_json::from_str(&text).unwrap();
        let mut validator = Validator {
            validation: &validation,
            is_decoded: false,
            left: MAX_CHECKED_VALUES,
            path: "tree".to_owned(),
            errors: Vec::new(),
        };
        validator.value(&validation.schema, &value, 0);
        assert_eq!(validator.left, 0);
    }

    #[test]
    fn long_names_and_many_faults_cost_little() {
        #[derive(JsonSchema)]
        #[schemars(deny_unknown_fields)]
        struct Strict {
            known: u8,
        }

        let decoded = serde_json::from_str::<IgnoredAny>("").map(drop);
        let text = format!(
            r#"{{"{}":[{}"no"]}}"#,
            "a".repeat(1_000_000),
            "0,".repeat(1_000_000)
        );
        let validation_of_lists = validation::<HashMap<String, Vec<u8>>>();
        let start = Instant::now();
        let errors = validation_of_lists.errors("lists", &text, decoded);
        assert!(start.elapsed().as_secs() < 10, "{:?}", start.elapsed());
        assert!(InvalidArguments(errors).to_string().len() < 10_000);

        let members = (0..10_000).map(|index| format!(r#""{index}":0,"#));
        let text = format!(r#"{{{}"known":0}}"#, members.collect::<String>());
        let decoded = serde_json::from_str::<IgnoredAny>("").map(drop);
        let errors = validation::<Strict>().errors("strict", &text, decoded);
        assert!(errors.len() <= MAX_FOUND_FAULTS + 1, "{}", errors.len());
    }

    #[test]
    fn integers_are_compared_exactly() {
        let schema = serde_json::json!({"maximum": 9_007_199_254_740_992_i64});
        let validation = Validation::new(schema, Map::new());
        for (text, errors) in [("9007199254740992", 0), ("9007199254740993", 1)] {
            assert_eq!(validation.errors("n", text, Ok(())).len(), errors, "{text}");
        }
    }
}
