//! Tests that the comparison of cyclic and other unusual schemas terminates and reports the changes.

use crate::report::{Report, print};
use serde_json::{Value, json};

/// Creates `count` definitions, each by calling `definition` with its name and the next name.
fn ring(count: usize, definition: impl Fn(&str, &str) -> Value) -> Value {
    let name = |index: usize| format!("D{}", index % count);
    let ring = (0..count).map(|index| (name(index), definition(&name(index), &name(index + 1))));
    Value::Object(ring.collect())
}

fn to(name: &str) -> Value {
    json!({ "$ref": format!("#/$defs/{name}") })
}

#[test]
fn references_in_a_circle_end() {
    let older = ring(3, |_, next| to(next));
    let mut newer = older.clone();
    newer["D1"] = json!({ "type": "string" });
    let report = Report::new(&older, &newer);
    assert!(report.mentions("D1", "", "type"), "{}", report.text);
    assert!(print(&older, &older, &[]).contains("no difference"));
}

#[test]
fn a_circle_of_all_of_ends() {
    let part = |next: &str, default: u32| {
        json!({
            "allOf": [to(next), { "properties": { "x": { "allOf": [to(next)], "default": default } } }],
        })
    };
    let older = ring(4, |_, next| part(next, 1));
    let newer = ring(4, |_, next| part(next, 2));
    let report = Report::new(&older, &newer);
    for name in ["D0", "D1", "D2", "D3"] {
        assert!(report.mentions(name, "x", "default"), "{}", report.text);
    }
}

#[test]
fn long_chains_do_not_overflow() {
    let chain = |default: u32| {
        let mut chain = ring(
            1_000,
            |_, next| json!({ "allOf": [to(next)], "default": default }),
        );
        chain["D999"] = json!({ "type": "string", "default": default });
        chain
    };
    let report = Report::new(&chain(1), &chain(2));
    assert!(report.mentions("D0", "", "default"));
    assert!(report.mentions("D999", "", "default"));
}

#[test]
fn unions_of_unions_end() {
    let older = json!({
        "U": { "type": "object", "properties": { "a": {}, "b": { "type": "object", "properties": {} } } },
        "V": { "anyOf": [to("U"), to("W")] },
        "W": { "anyOf": [to("V"), { "type": "string" }] },
    });
    let mut newer = older.clone();
    newer["U"] = json!({ "anyOf": [to("V"), to("U"), { "properties": { "a": {} } }] });
    let report = Report::new(&older, &newer);
    assert!(report.mentions("U", "a", "present"), "{}", report.text);
    assert!(report.mentions("U", "b", "present"), "{}", report.text);
}

#[test]
fn nested_unions_do_not_multiply() {
    let nested = |depth: usize| {
        (0..depth).fold(
            json!({ "type": "string" }),
            |inner, _| json!({ "type": "object", "properties": { "x": inner } }),
        )
    };
    let mut older = json!({ "U": nested(50) });
    let mut newer = json!({ "U": to("A0") });
    for index in 0..20 {
        let parts: Vec<_> = (0..20).map(|other| to(&format!("S{other}"))).collect();
        for definitions in [&mut older, &mut newer] {
            definitions[format!("A{index}")] = json!({ "anyOf": parts });
            definitions[format!("S{index}")] =
                json!({ "type": "object", "properties": { "x": to("A0") } });
        }
    }
    let report = Report::new(&older, &newer);
    assert!(report.mentions("U", "x", "type"), "{}", report.text);
}

#[test]
fn schemas_that_are_booleans_are_compared() {
    let older = json!({ "A": {}, "B": { "properties": { "x": false } }, "C": { "type": "array", "items": {} } });
    let newer = json!({ "A": false, "B": { "properties": { "x": {} } }, "C": { "type": "array", "items": false } });
    let text = print(&older, &newer, &[]);
    assert!(
        text.contains("changed  A\n    was any JSON, is nothing\n"),
        "{text}"
    );
    assert!(
        text.contains("changed  B\n    x: was nothing, is any JSON\n"),
        "{text}"
    );
    assert!(
        text.contains("changed  C\n    was list of any JSON, is list of nothing\n"),
        "{text}"
    );
}

#[test]
fn two_messages_of_one_method_are_both_compared() {
    let message = |field: &str| {
        json!({
            "properties": { "method": { "const": "m" }, "params": { "properties": { field: {} } } },
        })
    };
    let older = json!({ "ARequest": message("a"), "BRequest": message("b") });
    let newer = json!({ "ARequest": message("a"), "BRequest": message("c") });
    let report = Report::new(&older, &newer);
    assert!(
        report.mentions("BRequest", "params.c", "present"),
        "{}",
        report.text
    );
}

#[test]
fn keywords_without_words_of_their_own_are_compared() {
    for (keyword, old, new) in [
        (
            "not",
            json!({ "type": "string" }),
            json!({ "type": "null" }),
        ),
        (
            "prefixItems",
            json!([{ "const": 1 }]),
            json!([{ "const": 2 }]),
        ),
        (
            "patternProperties",
            json!({ "^x": {} }),
            json!({ "^y": {} }),
        ),
        ("uniqueItems", json!(true), json!(false)),
        ("default", json!(1), json!("1")),
        ("contentEncoding", json!("a"), json!("b")),
    ] {
        for base in ["object", "array", "string"] {
            let with = |value: &Value| json!({ "T": { "properties": { "x": { "type": base, keyword: value } } } });
            let report = Report::new(&with(&old), &with(&new));
            assert!(
                report.mentions("T", "x", keyword),
                "{keyword} {}",
                report.text
            );
        }
    }
}
