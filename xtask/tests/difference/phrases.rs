//! Tests of the wording and order of the report.

use crate::report::{print, stored};
use serde_json::{Value, json};

fn text(older: &Value, newer: &Value) -> String {
    let text = print(older, newer, &[]);
    text.split_once("\n\n").unwrap().1.to_owned()
}

#[test]
fn fields_appear_vanish_and_change() {
    let older = json!({ "Tool": {
        "type": "object",
        "required": ["a", "b"],
        "properties": {
            "a": { "type": "string" },
            "b": { "type": "string" },
            "c": { "type": "array", "items": { "$ref": "#/$defs/X" } },
            "gone": { "const": "x" },
        },
    } });
    let newer = json!({ "Tool": {
        "type": "object",
        "required": ["a", "c"],
        "properties": {
            "a": { "type": "integer", "minimum": 0 },
            "b": { "type": "string" },
            "c": { "type": "array", "items": { "$ref": "#/$defs/X" } },
            "new": { "type": "object", "properties": { "deep": {} } },
        },
    } });
    assert_eq!(
        text(&older, &newer),
        "Types\n  changed  Tool
    a: was string, is integer (minimum 0)
    b became optional
    c became required
    added optional new: object
    added optional new.deep: any JSON
    removed optional gone: always x\n"
    );
}

#[test]
fn places_inside_are_named_by_path() {
    let with = |a: Value, b: Value, c: Value| {
        json!({ "T": { "type": "object", "properties": {
        "a": { "type": "object", "properties": { "x": a } },
        "b": { "type": "array", "items": b },
        "c": { "type": "object", "additionalProperties": c },
    } } })
    };
    let older = with(
        json!({}),
        json!({ "type": "string" }),
        json!({ "type": "string" }),
    );
    let newer = with(
        json!({ "type": "object" }),
        json!({ "type": "string", "default": "5" }),
        json!({ "anyOf": [{ "type": "string" }, { "type": "null" }] }),
    );
    assert_eq!(
        text(&older, &newer),
        "Types\n  changed  T
    a.x: was any JSON, is object
    b[]: was string, is string (default \"5\")
    c{}: was string, is null | string\n"
    );
}

#[test]
fn openness_is_stated() {
    let of = |object: Value| json!({ "T": object });
    let older = of(json!({ "type": "object", "additionalProperties": {} }));
    let newer = of(json!({ "type": "object", "additionalProperties": false }));
    assert_eq!(
        text(&older, &newer),
        "Types\n  changed  T\n    was open object, is closed object\n"
    );
    let newer = of(json!({ "type": "object", "additionalProperties": { "type": "string" } }));
    assert_eq!(
        text(&older, &newer),
        "Types\n  changed  T\n    was open object, is map of string\n"
    );
}

#[test]
fn a_type_beside_which_others_are_added_stays() {
    let with = |content: Value| json!({ "T": { "properties": { "content": content } } });
    let text_only = json!({ "$ref": "#/$defs/Text" });
    let older = with(text_only.clone());
    let newer = with(json!({ "anyOf": [text_only, { "type": "null" }] }));
    assert_eq!(
        text(&older, &newer),
        "Types\n  changed  T\n    content: added null\n"
    );
}

#[test]
fn values_and_alternatives_are_listed_one_by_one() {
    let older = json!({
        "Level": { "enum": ["low", "high"] },
        "Block": { "anyOf": [{ "$ref": "#/$defs/Text" }] },
    });
    let newer = json!({
        "Level": { "enum": ["low", "mid"] },
        "Block": { "anyOf": [{ "$ref": "#/$defs/Text" }, { "$ref": "#/$defs/Audio" }] },
    });
    assert_eq!(
        text(&older, &newer),
        "Types
  changed  Block
    added Audio
  changed  Level
    added mid
    removed high\n"
    );
}

#[test]
fn an_object_that_becomes_a_union_tells_of_its_fields() {
    let older = json!({ "Params": {
        "type": "object",
        "required": ["message", "schema"],
        "properties": { "message": { "type": "string" }, "schema": {} },
    } });
    let newer = json!({
        "Params": { "anyOf": [{ "$ref": "#/$defs/Form" }, { "$ref": "#/$defs/Url" }] },
        "Form": older["Params"],
        "Url": {
            "type": "object",
            "required": ["url"],
            "properties": { "message": { "type": "string" }, "url": { "type": "string" } },
        },
    });
    let split = "  changed  Params
    was object, is Form | Url
    as Form: the same fields
    as Url: message became optional; added required url: string; removed required schema: any JSON\n";
    assert!(
        text(&older, &newer).ends_with(split),
        "{}",
        text(&older, &newer)
    );
    let joined = "  changed  Params
    was Form | Url, is object
    from Form: the same fields
    from Url: message became required; added required schema: any JSON; removed required url: string\n";
    assert!(
        text(&newer, &older).ends_with(joined),
        "{}",
        text(&newer, &older)
    );
}

fn request(method: &str, params: Value) -> Value {
    json!({ "type": "object", "properties": { "method": { "const": method }, "params": params } })
}

#[test]
fn methods_have_senders_results_and_params() {
    let older = json!({
        "ClientRequest": { "anyOf": [{ "$ref": "#/$defs/CallRequest" }] },
        "ServerRequest": { "anyOf": [{ "$ref": "#/$defs/AskRequest" }] },
        "AskRequest": request("ask", json!({})),
        "CallRequest": request("call", json!({ "type": "object", "properties": { "name": {} } })),
        "CallResult": { "type": "object" },
    });
    let newer = json!({
        "ClientRequest": {
            "anyOf": [{ "$ref": "#/$defs/CallRequest" }, { "$ref": "#/$defs/NewRequest" }],
        },
        "Question": { "anyOf": [{ "$ref": "#/$defs/AskRequest" }] },
        "AskRequest": request("ask", json!({})),
        "CallRequestParams": { "type": "object", "properties": { "name": {}, "more": {} } },
        "CallRequest": request("call", json!({ "$ref": "#/$defs/CallRequestParams" })),
        "CallResult": { "type": "object" },
        "CallResultResponse": { "type": "object", "properties": { "result": {
            "anyOf": [{ "$ref": "#/$defs/CallResult" }, { "$ref": "#/$defs/Later" }],
        } } },
        "Later": { "type": "object" },
        "NewRequest": request("new", json!({})),
        "NewResult": { "type": "object" },
    });
    assert_eq!(
        text(&older, &newer),
        "Methods
  added    new (declared by NewRequest, sent by client, with result NewResult)
  changed  ask
    now part of Question
    no longer sent by server
  changed  call
    now with params in a definition of their own
    now with result Later
    added optional params.more: any JSON

Results
  added    CallResultResponse: object {result?: CallResult | Later}
  added    NewResult: object

Types
  added    Later: object
  added    Question: AskRequest
  removed  ServerRequest: one of several\n"
    );
}

#[test]
fn a_change_that_many_share_is_told_once() {
    let types = |meta: Value| {
        let name = |index: usize| format!("T{index}");
        let types = (0..40).map(|index| {
            (
                name(index),
                json!({ "type": "object", "properties": { "_meta": meta } }),
            )
        });
        Value::Object(types.collect())
    };
    let mut newer = types(json!({ "type": "object", "properties": { "key": {} } }));
    newer["T7"]["properties"]["own"] = json!({});
    let text = text(&types(json!({ "type": "object" })), &newer);
    assert_eq!(text.matches("_meta.key").count(), 1, "{text}");
    assert!(text.contains("T0, T1, T10, "), "{text}");
    assert!(
        text.contains("  changed  T7\n    added optional own: any JSON\n"),
        "{text}"
    );
}

#[test]
fn errors_have_codes() {
    let error = |code: i32, data: Value| {
        json!({ "type": "object", "properties": { "error": { "allOf": [
        { "$ref": "#/$defs/Error" },
        { "type": "object", "properties": { "code": { "const": code, "type": "integer" }, "data": data } },
    ] } } })
    };
    let base = json!({ "type": "object", "properties": { "code": { "type": "integer" } } });
    let older =
        json!({ "Error": base, "Moved": error(-1, json!({})), "Gone": error(-2, json!({})) });
    let newer = json!({
        "Error": base,
        "Moved": error(-3, json!({ "type": "string" })),
        "New": error(-4, json!({})),
    });
    let text = text(&older, &newer);
    for phrase in [
        "Errors\n  added    New (code -4)",
        "removed  Gone (code -2)",
        "now code -3\n    no longer code -1",
        "error.code: was always -1, is always -3",
        "error.data: was any JSON, is string",
    ] {
        assert!(text.contains(phrase), "{phrase}\n{text}");
    }
}

#[test]
fn sections_come_in_the_order_of_the_changelogs() {
    let text = text(&stored("2025-11-25"), &stored("2026-07-28"));
    let titles = text
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with(' '));
    assert_eq!(
        titles.collect::<Vec<_>>(),
        ["Methods", "Capabilities", "Results", "Errors", "Types"]
    );
}

#[test]
fn capabilities_and_meta_keys_are_named_by_path() {
    let text_of = |from, to| text(&stored(from), &stored(to));
    let text = text_of("2025-06-18", "2025-11-25");
    for path in [
        "elicitation.form",
        "elicitation.url",
        "tasks.list",
        "sampling.tools",
    ] {
        assert!(
            text.contains(&format!("added optional {path}: ")),
            "{path}\n{text}"
        );
    }
    let text = text_of("2025-11-25", "2026-07-28");
    assert!(
        text.contains("removed optional roots.listChanged: boolean"),
        "{text}"
    );
    for key in [
        "protocolVersion",
        "clientCapabilities",
        "clientInfo",
        "logLevel",
        "subscriptionId",
        "serverInfo",
    ] {
        let count = text
            .matches(&format!("_meta.io.modelcontextprotocol/{key}: "))
            .count();
        assert!((1..=4).contains(&count), "{key}: {count}\n{text}");
    }
}

#[test]
fn equal_revisions_have_no_difference() {
    let definitions = stored("2026-07-28");
    assert_eq!(text(&definitions, &definitions), "no difference\n");
}
