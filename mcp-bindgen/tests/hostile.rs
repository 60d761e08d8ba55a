//! Tests schemas that are malformed, extreme, or meant to break generated code.
//!
//! Every tool gets a method, and a note says which values stay JSON.

#![allow(clippy::unwrap_used)]

use mcp_bindgen::{Bindings, Error, Generated, Snapshot};
use serde_json::json;

mod support;

use support::{hostile, whole};

fn generated(tool: &str) -> Generated {
    let snapshot = Snapshot::parse(whole(tool).as_bytes()).unwrap();
    Bindings::new(snapshot).name("Hostile").generate().unwrap()
}

#[test]
fn each_hostile_tool_has_a_method_and_a_line() {
    let cases = hostile();
    assert!(cases.len() >= 40, "{}", cases.len());
    for (case, tool, note) in cases {
        let generated = generated(&tool);
        syn::parse_file(&generated.code).unwrap();
        assert!(generated.code.contains("pub fn "), "{case}");
        let notes: Vec<_> = generated.notes.iter().map(ToString::to_string).collect();
        match note {
            "" => assert!(notes.is_empty(), "{case}: {notes:?}"),
            note => assert!(
                notes.iter().any(|it| it.contains(note)),
                "{case}: {notes:?}"
            ),
        }
        assert!(
            notes.iter().all(|it| !it.contains('\n')),
            "{case}: {notes:?}"
        );
        let again = Bindings::new(generated.snapshot.clone())
            .generate()
            .unwrap();
        assert_eq!(again.code, generated.code, "{case}");
        assert_eq!(
            again.snapshot.to_string(),
            generated.snapshot.to_string(),
            "{case}"
        );
    }
}

#[test]
fn a_schema_that_is_not_understood_takes_and_returns_json() {
    let tool = json!({"name": "t", "inputSchema": false, "outputSchema": 5}).to_string();
    let generated = generated(&tool);
    let code = &generated.code;
    assert!(
        code.contains("arguments: impl Into<Value>) -> TypedCall<Value>"),
        "{code}"
    );
    let notes: Vec<_> = generated.notes.iter().map(ToString::to_string).collect();
    assert_eq!(
        notes,
        [
            "`t`, inputSchema: the schema `false` allows no value; it stays JSON",
            "`t`, outputSchema: the schema is not an object; it stays JSON"
        ]
    );
}

#[test]
fn strict_bindings_fail_where_a_value_stays_untyped() {
    let tool = json!({"name": "t", "inputSchema": false}).to_string();
    let snapshot = Snapshot::parse(whole(&tool).as_bytes()).unwrap();
    let error = Bindings::new(snapshot).strict().generate().unwrap_err();
    assert!(matches!(error, Error::Untyped(_)), "{error}");
    assert!(error.to_string().contains("`t`, inputSchema"), "{error}");
}

#[test]
fn a_tool_listed_twice_is_refused() {
    let tool = json!({"name": "t", "inputSchema": {}}).to_string();
    let twice = whole(&format!("{tool}, {tool}"));
    let error = Snapshot::parse(twice.as_bytes()).unwrap_err();
    assert!(error.to_string().contains("`t` twice"), "{error}");
}

#[test]
fn input_that_is_not_a_snapshot_is_refused() {
    for text in [
        "",
        "null",
        "[]",
        "{}",
        r#"{"tools": 1}"#,
        r#"{"tools": [{}]}"#,
        "\u{0}",
    ] {
        assert!(Snapshot::parse(text.as_bytes()).is_err(), "{text}");
    }
}

#[test]
fn tools_that_run_as_tasks_only_are_left_out() {
    let tool = json!({"name": "t", "inputSchema": {}, "execution": {"taskSupport": "required"}});
    let generated = generated(&tool.to_string());
    assert!(!generated.code.contains("pub fn t("));
    assert_eq!(
        generated.notes[0].to_string(),
        "`t`, execution/taskSupport: it runs as a task only; it is left out"
    );
}
