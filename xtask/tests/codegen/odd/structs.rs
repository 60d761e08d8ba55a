//! Tests of unusual structs: names that typify changes, recursive types, objects without fields.

use crate::package;
use crate::workspace::Workspace;
use serde_json::{Value, json};

const REVISION: &str = "2026-07-28";

/// Creates a workspace with more definitions, and a field of `Tool` with the first of them as its type.
fn with(field: &str, definitions: &Value) -> Workspace {
    let workspace = Workspace::new();
    workspace.edit_schema(REVISION, |defs| {
        let definitions = definitions.as_object().unwrap().clone();
        let (first, _) = definitions.iter().next().unwrap();
        defs["Tool"]["properties"][field] = json!({ "$ref": format!("#/$defs/{first}") });
        defs.as_object_mut().unwrap().extend(definitions);
    });
    workspace
}

fn object(properties: &Value, required: &[&str]) -> Value {
    json!({ "type": "object", "properties": properties, "required": required })
}

#[test]
fn a_type_named_by_an_acronym_asks_for_another_name() {
    let text = json!({ "type": "string" });
    let shapes = [
        object(&json!({ "text": text }), &[]),
        json!({ "type": "string", "enum": ["a", "b"] }),
        json!({ "anyOf": [{ "$ref": "#/$defs/Tool" }, { "$ref": "#/$defs/Prompt" }] }),
    ];
    for shape in shapes {
        let workspace = with("hint", &json!({ "ModelHTTPHint": shape }));
        let error = workspace.xtask(&["codegen"]).unwrap_err();
        let entry = "[[rename]]\nfrom = \"ModelHTTPHint\"\nto = \"ModelHttpHint\"\nreason = \"\"\n";
        assert!(error.replace("\n    ", "\n").contains(entry), "{error}");
        workspace.paste(&error);
        workspace.decide();
        assert!(workspace.model().contains("hint: Option<ModelHttpHint>"));
    }
}

#[test]
fn an_inline_type_gets_a_name_of_words() {
    let inline = object(&json!({ "a": { "type": "string" } }), &[]);
    let list = json!({ "type": "array", "items": inline });
    let workspace = with(
        "hint",
        &json!({ "Hint": object(&json!({ "HTTPCall": list }), &[]) }),
    );
    workspace.decide();
    let model = workspace.model();
    assert!(model.contains("pub http_call: Option<Vec<HintHttpCall>>"));
    assert!(model.contains("pub struct HintHttpCall"));
}

#[test]
fn of_two_types_that_typify_gives_one_name_another_is_asked_for() {
    let text = object(&json!({ "text": { "type": "string" } }), &[]);
    let other = object(&json!({ "other": { "$ref": "#/$defs/Model_Hint" } }), &[]);
    let workspace = with("hint", &json!({ "ModelHint": other, "Model_Hint": text }));
    let error = workspace.xtask(&["codegen"]).unwrap_err();
    assert!(error.contains("from = \"Model_Hint\""), "{error}");
}

/// Creates recursive structs: direct ones, indirect ones, and ones with lists, maps or unions in between.
fn recursive() -> Value {
    let own = |name: &str| json!({ "$ref": format!("#/$defs/{name}") });
    let text = json!({ "type": "string" });
    let list = json!({ "type": "array", "items": own("Tree") });
    let terms = json!({ "type": "array", "items": own("Term") });
    json!({
        "Forest": object(&json!({
            "tree": own("Tree"),
            "first": own("First"),
            "sum": own("Sum"),
        }), &["tree"]),
        "Tree": object(&json!({
            "left": own("Tree"),
            "children": list,
            "byName": { "type": "object", "additionalProperties": own("Tree") },
        }), &["children"]),
        "First": object(&json!({ "second": own("Second"), "label": text }), &["label"]),
        "Second": object(&json!({ "first": own("First"), "second": own("Second") }), &["first"]),
        "Sum": object(&json!({
            "left": own("Term"),
            "right": own("Term"),
            "more": { "anyOf": [own("Leaf"), own("Sum"), terms] },
        }), &["left", "right"]),
        "Leaf": object(&json!({ "leaf": text }), &["leaf"]),
        "Term": { "anyOf": [own("Leaf"), own("Sum")] },
    })
}

/// Creates open and closed objects without fields, and fields that have other names in Rust.
fn names_and_holes() -> Value {
    let text = json!({ "type": "string" });
    let kind = json!({ "kind": { "const": "tagged", "type": "string" } });
    json!({
        "Holes": object(&json!({
            "open": { "$ref": "#/$defs/Open" },
            "tagged": { "$ref": "#/$defs/Tagged" },
            "URLPattern": text,
            "x-y": text,
            "type": text,
            "_z": { "type": ["number", "null"] },
        }), &["x-y", "_z"]),
        "Open": { "type": "object", "properties": kind, "additionalProperties": {} },
        "Tagged": object(&kind, &["kind"]),
    })
}

const USER: &str = r##"
use mcp_types::*;

#[test]
fn recursive_values_are_made_and_read() {
    let tree = Tree::new([Tree::new([])]).with_left(Tree::new([])).with_by_name([("a", Tree::new([]))]);
    let text = serde_json::to_string(&tree).unwrap();
    let empty = r#"{"children":[]}"#;
    assert_eq!(text, format!(r#"{{"byName":{{"a":{empty}}},"children":[{empty}],"left":{empty}}}"#));
    assert_eq!(serde_json::from_str::<Tree>(&text).unwrap(), tree);

    let second = serde_json::to_string(&Second::new(First::new("2"))).unwrap();
    assert_eq!(second, r#"{"first":{"label":"2"}}"#);
    let first = First::new("1");
    let second = Second::new(first).with_second(Second::new(First::new("2")));
    let mut forest = Forest::new(tree).with_first(First::new("3").with_second(second));
    forest.conform(Revision::LATEST);
    assert_eq!(forest.sum, None);

    let sum = Sum::new(Leaf::new("2"), Leaf::new("3")).with_more(Term::from(Leaf::new("4")));
    let sum = Sum::new(Leaf::new("1"), sum);
    let text = serde_json::to_string(&sum).unwrap();
    assert_eq!(text, r#"{"left":{"leaf":"1"},"right":{"left":{"leaf":"2"},"more":{"leaf":"4"},"right":{"leaf":"3"}}}"#);
    assert_eq!(serde_json::from_str::<Sum>(&text).unwrap(), sum);
}

#[test]
fn fields_keep_their_names_on_the_wire() {
    let text = r#"{"_z":null,"open":{"kind":"tagged","a":1},"tagged":{"kind":"tagged"},"type":"t","x-y":"b"}"#;
    let holes: Holes = serde_json::from_str(text).unwrap();
    assert_eq!(serde_json::to_value(&holes).unwrap(), serde_json::from_str::<serde_json::Value>(text).unwrap());
    assert_eq!((holes.x_y.as_str(), holes.z), ("b", None));
    assert_eq!(holes.open.unwrap().extra.len(), 1);
    let holes = Holes::new(Some(1.0), "").with_kind("t").with_url_pattern("u").with_tagged(Tagged::new());
    assert_eq!(serde_json::to_value(&holes).unwrap()["_z"], serde_json::json!(1));
}
"##;

#[test]
fn recursive_structs_and_those_without_fields_compile() {
    let mut definitions = json!({ "Odd": object(&json!({
        "forest": { "$ref": "#/$defs/Forest" },
        "holes": { "$ref": "#/$defs/Holes" },
    }), &[]) });
    for part in [recursive(), names_and_holes()] {
        let definitions = definitions.as_object_mut().unwrap();
        definitions.extend(part.as_object().unwrap().clone());
    }
    let workspace = Workspace::fixed("odd-structs");
    workspace.edit_schema(REVISION, |defs| {
        defs["Tool"]["properties"]["odd"] = json!({ "$ref": "#/$defs/Odd" });
        let definitions = definitions.as_object().unwrap().clone();
        defs.as_object_mut().unwrap().extend(definitions);
    });
    workspace.decide();
    package::complete(&workspace, USER);
    package::test(&workspace);
}
