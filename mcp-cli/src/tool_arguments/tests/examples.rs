//! Checks that the example of a call is accepted as it stands.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Map, json};

use super::round_trip::arguments;
use super::*;
use crate::example::of_tool;

/// Schemas of strings, numbers and lists with rules that examples have to follow.
fn limited() -> impl Strategy<Value = Value> {
    let format = select(vec![
        "date",
        "date-time",
        "email",
        "uri",
        "uuid",
        "ipv4",
        "duration",
        "x",
    ]);
    let pattern = select(vec!["^[a-z]", "^[A-Z_0-9]+$"]);
    let leaf = prop_oneof![
        (-50..50_i64, 0..9_i64)
            .prop_map(|(it, more)| json!({"type": "integer", "minimum": it, "maximum": it + more})),
        (-50..50_i64).prop_map(
            |it| json!({"type": "number", "exclusiveMinimum": it, "exclusiveMaximum": it + 1})
        ),
        (-50..50_i64).prop_map(|it| json!({"type": "integer", "maximum": it})),
        (1..9_i64, 0..50_i64)
            .prop_map(|(it, least)| json!({"type": "integer", "multipleOf": it, "minimum": least})),
        (0..40_u64, 0..40_u64).prop_map(
            |(it, more)| json!({"type": "string", "minLength": it, "maxLength": it + more})
        ),
        format.prop_map(|it| json!({"type": "string", "format": it})),
        pattern.prop_map(|it| json!({"type": "string", "pattern": it})),
        any::<i32>().prop_map(|it| json!({"type": "integer", "default": it})),
        any::<bool>().prop_map(|it| json!({"type": ["null", "boolean"], "examples": [it]})),
        Just(json!({"type": "string", "enum": ["@file", "a b", "it's", "", "[1]", "5"]})),
        Just(json!({"enum": [null, 8]})),
        // A default that the schema itself does not accept.
        Just(json!({"type": "string", "minLength": 3, "default": "a"})),
    ];
    let leaf = leaf.boxed();
    let list = (leaf.clone(), 0..4_u64)
        .prop_map(|(it, least)| json!({"type": "array", "items": it, "minItems": least}));
    prop_oneof![3 => leaf, 1 => list]
}

fn limited_arguments() -> impl Strategy<Value = Value> {
    vec(limited(), 0..5).prop_map(|members| {
        let names = (0..).map(|it| format!("argument_{it}"));
        let members: Map<_, _> = names.zip(members).collect();
        let required: Vec<_> = members.keys().collect();
        json!({"type": "object", "required": required, "properties": members})
    })
}

fn is_accepted(schema: &Value) -> Result<(), TestCaseError> {
    let tool = Tool::new("t", schema.clone());
    let words = of_tool(&tool);
    let words = words.ok_or_else(|| TestCaseError::fail("no example"))?;
    let read = read(&tool, &words, None);
    let read = read.map_err(|failure| TestCaseError::fail(failure.message))?;
    for name in schema["required"].as_array().into_iter().flatten() {
        let name = name.as_str().unwrap();
        prop_assert!(read.as_raw().member(name).is_some(), "{name} in {words:?}");
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 192,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]
    #[test]
    fn an_example_is_accepted_for_any_shape(case in arguments()) {
        let (mut schema, definitions) = case.schema();
        schema["$defs"] = Value::Object(definitions);
        is_accepted(&schema)?;
    }

    #[test]
    fn an_example_follows_rules(schema in limited_arguments()) {
        is_accepted(&schema)?;
    }
}

fn example(schema: Value) -> Option<String> {
    Some(of_tool(&Tool::new("t", schema))?.join(" "))
}

#[test]
fn an_example_has_the_required_arguments_with_telling_values() {
    let member = |schema: Value| json!({"properties": {"city": schema}, "required": ["city"]});
    for (schema, expected) in [
        (json!({"type": "string"}), "city=CITY"),
        (
            json!({"type": "string", "format": "date"}),
            "city=2026-01-31",
        ),
        (json!({"type": "string", "default": "Oslo"}), "city=Oslo"),
        (
            json!({"type": "string", "examples": ["Rome"], "default": "Oslo"}),
            "city=Rome",
        ),
        (json!({"enum": ["Oslo", "Rome"]}), "city=Oslo"),
        (
            json!({"anyOf": [{"type": "null"}, {"const": "Oslo"}]}),
            "city=Oslo",
        ),
        (json!({"type": "string", "maxLength": 3}), "city=CIT"),
        (
            json!({"type": "string", "default": "@home"}),
            "city:=\"@home\"",
        ),
        (json!({"type": "integer", "minimum": 5}), "city=5"),
        (
            json!({"type": "array", "items": {"type": "string"}, "minItems": 2}),
            "city=CITY city=CITY2",
        ),
        (
            json!({"type": "array", "items": {"type": "string"}, "maxItems": 0}),
            "city=[]",
        ),
        (
            json!({"properties": {"name": {}}, "required": ["name"]}),
            "city.name=NAME",
        ),
        (
            json!({"prefixItems": [{"type": "integer"}, {"type": "string"}]}),
            "city=1 city=CITY2",
        ),
    ] {
        assert_eq!(
            example(member(schema.clone())).as_deref(),
            Some(expected),
            "{schema}"
        );
    }
    assert_eq!(
        example(json!({"properties": {"city": {}}})).as_deref(),
        Some("")
    );
}

#[test]
fn there_is_no_example_that_a_server_would_refuse() {
    let member = |schema: Value| json!({"properties": {"a": schema}, "required": ["a"]});
    for schema in [
        json!({"type": "string", "pattern": "^qwertz$"}),
        json!({"type": "integer", "minimum": 2, "maximum": 1}),
        json!({"$ref": "#"}),
    ] {
        assert_eq!(example(member(schema.clone())), None, "{schema}");
    }
    // The number of values that are tried is limited.
    let wide: Map<_, _> = (0..100)
        .map(|it| (it.to_string(), json!({"$ref": "#"})))
        .collect();
    let names: Vec<_> = wide.keys().collect();
    assert_eq!(
        example(json!({"required": names, "properties": wide})),
        None
    );
}
