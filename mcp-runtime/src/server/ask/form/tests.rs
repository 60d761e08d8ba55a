//! Which types are forms, and what is taken for an answer.

use std::collections::BTreeSet;

use serde_json::json;

use super::*;

fn form_of<T: JsonSchema>() -> Value {
    serde_json::to_value(schema::<T>().unwrap()).unwrap()
}

fn refusal<T: JsonSchema>() -> String {
    match schema::<T>() {
        Err(AskError::Question(reason)) => reason,
        other => panic!("{other:?}"),
    }
}

#[derive(Debug, Deserialize, JsonSchema, PartialEq, PartialOrd, Ord, Eq)]
#[serde(rename_all = "lowercase")]
enum Plain {
    Red,
    Green,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Titled {
    /// As blood.
    Red,
    #[schemars(title = "Go")]
    Green,
    Blue,
}

#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "only described")]
struct Everything {
    #[schemars(title = "Name", length(min = 1, max = 9))]
    name: String,
    #[schemars(extend("format" = "email"))]
    mail: Option<String>,
    #[serde(default = "seven")]
    count: u32,
    #[schemars(range(min = 0.5))]
    share: f64,
    sure: bool,
    plain: Plain,
    again: Option<Plain>,
    titled: Titled,
    #[schemars(length(max = 2))]
    several: Vec<Plain>,
    set: BTreeSet<Plain>,
    some: Option<Vec<Titled>>,
}

fn seven() -> u32 {
    7
}

#[test]
fn a_struct_is_a_form() {
    let titled = json!([
        {"const": "blue", "title": "blue"},
        {"const": "red", "title": "As blood."},
        {"const": "green", "title": "Go"},
    ]);
    assert_eq!(
        form_of::<Everything>(),
        json!({
            "type": "object",
            "properties": {
                "name": {"type": "string", "title": "Name", "minLength": 1, "maxLength": 9},
                "mail": {"type": "string", "format": "email"},
                "count": {"type": "integer", "default": 7, "minimum": 0},
                "share": {"type": "number", "minimum": 0.5},
                "sure": {"type": "boolean"},
                "plain": {"type": "string", "enum": ["red", "green"]},
                "again": {"type": "string", "enum": ["red", "green"]},
                "titled": {"type": "string", "oneOf": titled},
                "several": {
                    "type": "array",
                    "maxItems": 2,
                    "items": {"type": "string", "enum": ["red", "green"]},
                },
                "set": {
                    "type": "array",
                    "items": {"type": "string", "enum": ["red", "green"]},
                },
                "some": {"type": "array", "items": {"anyOf": titled}},
            },
            "required": [
                "name", "share", "sure", "plain", "titled", "several", "set",
            ],
        })
    );
}

#[test]
fn a_field_makes_a_form_of_its_own() {
    let form = form_of::<bool>();
    assert_eq!(
        form,
        json!({
            "type": "object",
            "properties": {"answer": {"type": "boolean"}},
            "required": ["answer"],
        })
    );
    let content = RawJson::from(json!({"answer": "green"}));
    assert_eq!(read::<Plain>(Some(&content)).unwrap(), Plain::Green);
}

#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "only described")]
struct Nested {
    inner: Everything,
}

#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "only described")]
struct Listed {
    names: Vec<String>,
}

#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "only described")]
struct Patterned {
    #[schemars(regex(pattern = "^a"))]
    code: String,
}

#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "only described")]
struct Formatted {
    #[schemars(extend("format" = "ipv4"))]
    address: String,
}

#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "only described")]
enum Loaded {
    Some(u8),
    None,
}

#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "only described")]
struct Anything {
    value: Value,
}

#[test]
fn what_is_no_form_is_refused_by_the_name_of_the_field() {
    assert!(
        refusal::<Nested>().contains("`inner`"),
        "{}",
        refusal::<Nested>()
    );
    assert!(
        refusal::<Listed>().contains("`names`"),
        "{}",
        refusal::<Listed>()
    );
    assert!(
        refusal::<Patterned>().contains("`pattern`"),
        "{}",
        refusal::<Patterned>()
    );
    assert!(
        refusal::<Formatted>().contains("`ipv4`"),
        "{}",
        refusal::<Formatted>()
    );
    assert!(
        refusal::<Loaded>().contains("variants"),
        "{}",
        refusal::<Loaded>()
    );
    assert!(
        refusal::<Anything>().contains("`value`"),
        "{}",
        refusal::<Anything>()
    );
    assert!(
        refusal::<Vec<u8>>().contains("list"),
        "{}",
        refusal::<Vec<u8>>()
    );
}

#[test]
fn what_was_filled_in_has_to_fit() {
    let fault = |content: Value| {
        let content = RawJson::from(content);
        match read::<Plain>(Some(&content)) {
            Err(AskError::Answer(reason)) => reason,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(fault(json!({})), "`answer` is missing");
    assert_eq!(
        fault(json!({"answer": "blue"})),
        "`answer` must be one of the choices"
    );
}

#[test]
fn the_fields_stand_in_the_order_in_which_they_are_declared() {
    let form = in_order::<Everything>().unwrap();
    assert_eq!(
        form.properties.keys().collect::<Vec<_>>(),
        [
            "name", "mail", "count", "share", "sure", "plain", "again", "titled", "several", "set",
            "some",
        ]
    );
}
