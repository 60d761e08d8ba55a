//! Generates random values that a schema allows.

use proptest::prelude::Rng;
use proptest::test_runner::{RngAlgorithm, TestRng};
use serde_json::{Map, Value, json};

pub(crate) struct Source<'a> {
    defs: &'a Value,
    rng: TestRng,
}

/// Marks a `null` that is equivalent to an absent member.
const NULL_OR_ABSENT: &str = "\u{0}";

/// Returns the value as a peer sends it, with the marked `null`s, and as the model encodes it, without
/// them.
pub(crate) fn sent_and_read(json: &Value) -> (Value, Value) {
    (without_marks(json, true), without_marks(json, false))
}

fn without_marks(json: &Value, with_null: bool) -> Value {
    match json {
        Value::Array(items) => items
            .iter()
            .map(|it| without_marks(it, with_null))
            .collect(),
        Value::Object(members) => members
            .iter()
            .filter_map(|(name, member)| match member.as_str() {
                Some(NULL_OR_ABSENT) => with_null.then(|| (name.clone(), Value::Null)),
                _ => Some((name.clone(), without_marks(member, with_null))),
            })
            .collect(),
        other => other.clone(),
    }
}

/// Maximum depth of generated values, because recursive schemas have no limit.
const DEPTH: usize = 12;

impl<'a> Source<'a> {
    /// Creates a source. `defs` has the definitions that the schema may refer to.
    pub(crate) fn new(defs: &'a Value, seed: [u8; 32]) -> Self {
        let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &seed);
        Self { defs, rng }
    }

    pub(crate) fn value(&mut self, schema: &Value, depth: usize) -> Value {
        if let Some(target) = schema["$ref"].as_str() {
            let defs = self.defs;
            return match target.trim_start_matches("#/$defs/") {
                "RequestId" | "ProgressToken" => self.id(),
                target => self.value(&defs[target], depth),
            };
        }
        let alternatives = schema.get("anyOf").or_else(|| schema.get("oneOf"));
        if let Some(alternatives) = alternatives.and_then(Value::as_array) {
            // The last alternative ends a recursion.
            let index = if depth > DEPTH {
                alternatives.len() - 1
            } else {
                self.below(alternatives.len())
            };
            return self.value(&alternatives[index], depth);
        }
        if let Some(value) = schema.get("const") {
            return value.clone();
        }
        if let Some(values) = schema["enum"].as_array() {
            return values[self.below(values.len())].clone();
        }
        match &schema["type"] {
            Value::Array(kinds) => {
                let kind = kinds[self.below(kinds.len())].clone();
                self.kind(kind.as_str().unwrap(), schema, depth)
            }
            Value::String(kind) => self.kind(kind, schema, depth),
            _ => self.anything(),
        }
    }

    fn kind(&mut self, kind: &str, schema: &Value, depth: usize) -> Value {
        match kind {
            "null" => Value::Null,
            "boolean" => json!(self.below(2) == 1),
            "string" => json!(["", "a", "file:///x", "é\"\\\n"][self.below(4)]),
            "integer" => self.integer(schema["minimum"].is_number()),
            "number" if schema["maximum"].is_number() => json!([0.0, 0.25, 1.0][self.below(3)]),
            "number" => self.one_of([json!(-7), json!(0.5), json!(12.0), json!(1e40)]),
            "array" => {
                let length = if depth > DEPTH { 0 } else { self.below(3) };
                (0..length)
                    .map(|_| self.value(&schema["items"], depth + 1))
                    .collect()
            }
            "object" => self.object(schema, depth),
            _ => panic!("unknown type {kind}"),
        }
    }

    /// Generates an integer, which is sometimes written with a fraction.
    fn integer(&mut self, from_zero: bool) -> Value {
        let small = self.below(1000);
        let positive = [json!(small), json!(small as f64), json!(u64::MAX)];
        if from_zero {
            self.one_of(positive)
        } else {
            let all = [json!(-7), json!(-7.0), json!(i64::MIN), json!(1e20)];
            let positive = self.one_of(positive);
            let other = self.one_of(all);
            self.one_of([positive, other])
        }
    }

    /// Generates an id: an integer of 64 bits or a string.
    fn id(&mut self) -> Value {
        self.one_of([json!(-7), json!(7.0), json!(i64::MAX), json!("a\"b")])
    }

    fn object(&mut self, schema: &Value, depth: usize) -> Value {
        let mut object = Map::new();
        let required = schema["required"].as_array().map_or(&[][..], Vec::as_slice);
        for (name, property) in schema["properties"].as_object().into_iter().flatten() {
            let required = required.iter().any(|one| one == name);
            if required || depth <= DEPTH && self.below(3) == 0 {
                let value = self.value(property, depth + 1);
                let is_absent = !required && value.is_null() && names_null(property);
                let value = if is_absent {
                    json!(NULL_OR_ABSENT)
                } else {
                    value
                };
                object.insert(name.clone(), value);
            }
        }
        let more = match &schema["additionalProperties"] {
            Value::Null if schema.get("properties").is_none() => &json!({}),
            Value::Object(_) => &schema["additionalProperties"],
            _ => return Value::Object(object),
        };
        if depth <= DEPTH {
            for n in 0..self.below(3) {
                object.insert(format!("x{n}"), self.value(more, depth + 1));
            }
        }
        Value::Object(object)
    }

    fn anything(&mut self) -> Value {
        self.one_of([
            json!(1),
            json!(null),
            json!("b"),
            json!([true]),
            json!({"c": {"d": 0.5}}),
        ])
    }

    fn one_of<const N: usize>(&mut self, values: [Value; N]) -> Value {
        values[self.below(N)].clone()
    }

    fn below(&mut self, end: usize) -> usize {
        self.rng.next_u32() as usize % end
    }
}

/// Returns true if a schema explicitly allows `null`.
fn names_null(schema: &Value) -> bool {
    let alternatives = ["type", "anyOf", "oneOf"].map(|keyword| &schema[keyword]);
    let mut alternatives = alternatives.into_iter().flat_map(Value::as_array).flatten();
    alternatives.any(|it| it == "null" || it["type"] == "null")
}

#[test]
fn null_comes_back_unless_the_member_may_be_absent() {
    let nullable = json!({"type": ["integer", "null"]});
    let schema = json!({
        "type": "object",
        "properties": {"a": nullable, "b": {"oneOf": [nullable, {"type": "null"}]}},
        "required": ["a"],
    });
    let sources = (0..100).map(|seed| Source::new(&Value::Null, [seed; 32]));
    let values = sources.map(|mut source| sent_and_read(&source.value(&schema, 0)));
    let mut nulls = [0; 4];
    for (sent, read) in values {
        let found = [sent.get("a"), read.get("a"), sent.get("b"), read.get("b")];
        for (count, member) in nulls.iter_mut().zip(found) {
            *count += usize::from(member.is_some_and(Value::is_null));
        }
    }
    let [sent, read, optional, kept] = nulls;
    assert!(
        sent == read && sent > 0 && optional > 0 && kept == 0,
        "{nulls:?}"
    );
}
