//! Tests of schemas that `schema import` refuses with an explanation, or stores in another form.

use crate::workspace::Workspace;
use std::fs;

/// Imports `text`. Returns the error, or the stored definitions and the output.
fn import(text: impl AsRef<[u8]>) -> Result<(String, String), String> {
    let workspace = Workspace::new();
    let file = workspace.path().join("2031-02-03.json");
    fs::write(&file, text).unwrap();
    let stored = workspace.path().join("schema/2031-02-03.json");
    let file = file.display().to_string();
    match workspace.xtask(&["schema", "import", &file]) {
        Ok(printed) => Ok((fs::read_to_string(stored).unwrap(), printed)),
        Err(message) => {
            assert!(!stored.exists(), "stored all the same: {message}");
            assert!(message.contains("2031-02-03"), "no file named: {message}");
            Err(message)
        }
    }
}

/// Creates a document with the definition `A`.
fn defined(schema: &str) -> String {
    format!(r##"{{"$defs":{{"A":{schema},"B":{{"type":"string"}}}}}}"##)
}

fn refuses(rows: &[(&str, String, &str)]) {
    for (name, text, expected) in rows {
        let message = import(text).expect_err(name);
        assert!(message.contains(expected), "{name}: {message}");
    }
}

/// Tests that all faults of each schema are reported, and that nothing is stored.
fn is_not_read(rows: &[(&str, &str, &[&str])]) {
    for (name, schema, expected) in rows {
        let message = import(defined(schema)).expect_err(name);
        for expected in *expected {
            let expected = format!("schema/2031-02-03.json: at {expected}");
            assert!(message.contains(&expected), "{name}: {message}");
        }
    }
}

#[test]
fn documents_that_are_not_a_schema_of_a_protocol() {
    refuses(&[
        (
            "no definitions",
            "{}".into(),
            "at $: neither `$defs` nor `definitions`",
        ),
        (
            "zero definitions",
            r#"{"$defs":{}}"#.into(),
            "at $.$defs: expected at least one definition",
        ),
        (
            "a list",
            "[]".into(),
            "at $: neither `$defs` nor `definitions`",
        ),
        (
            "both words",
            r#"{"$defs":{"A":{}},"definitions":{"B":{}}}"#.into(),
            "at $: both `$defs` and `definitions`; move all into `$defs`",
        ),
        (
            "a schema of the whole document",
            r##"{"$defs":{"A":{}},"anyOf":[{"$ref":"#/$defs/A"}]}"##.into(),
            "at $.anyOf: only definitions are read at the root; give this a definition of its own",
        ),
        (
            "a name twice",
            "{\"$defs\":{\n\"A\":{\"type\":\"string\"},\n\"A\":{\"type\":\"object\"}}}".into(),
            "`A` is here twice at line 3 column 3; remove one of them",
        ),
        (
            "a byte order mark",
            "\u{feff}{\"$defs\":{\"A\":{}}}".into(),
            "begins with a byte order mark; save it as UTF-8 without one",
        ),
        (
            "deep nesting",
            defined(&format!(
                "{}{{}}{}",
                r#"{"items":"#.repeat(200),
                "}".repeat(200)
            )),
            "more than 127 levels of nesting",
        ),
        (
            "endless nesting",
            defined(&"[".repeat(1_000_000)),
            "more than 127 levels of nesting",
        ),
        ("no JSON", r#"{"$defs":"#.into(), "not JSON: EOF"),
    ]);
}

#[test]
fn keywords_without_a_rust_form() {
    is_not_read(&[
        (
            "prefixItems",
            r#"{"prefixItems":[{}]}"#,
            &[
                "/$defs/A: no step reads `prefixItems` beside this `type`; to do without it, \
                 add a [[repair]] that sets it to null",
            ],
        ),
        (
            "items as a list",
            r#"{"items":[{}],"type":"array"}"#,
            &["/$defs/A/items: expected a schema: an object or `true`"],
        ),
        (
            "patternProperties",
            r#"{"properties":{"a":{}},"patternProperties":{"^x":{}},"type":"object"}"#,
            &["/$defs/A: no step reads `patternProperties`"],
        ),
        (
            "contains",
            r#"{"contains":{},"type":"array"}"#,
            &["/$defs/A: no step reads `contains`"],
        ),
        (
            "not",
            r#"{"not":{"type":"string"}}"#,
            &["/$defs/A: no step reads `not`"],
        ),
        (
            "if and then",
            r#"{"properties":{"x":{"if":{},"then":{}}},"type":"object"}"#,
            &[
                "/$defs/A/properties/x: no step reads `if`",
                "/$defs/A/properties/x: no step reads `then`",
            ],
        ),
        (
            "propertyNames",
            r#"{"propertyNames":{"pattern":"^x"},"type":"object"}"#,
            &["/$defs/A: no step reads `propertyNames`"],
        ),
        (
            "dependentRequired",
            r#"{"dependentRequired":{},"type":"object"}"#,
            &["/$defs/A: no step reads `dependentRequired`"],
        ),
        (
            "nested definitions",
            r#"{"$defs":{"C":{}},"type":"object"}"#,
            &["/$defs/A: no step reads `$defs`"],
        ),
        (
            "unknown",
            r#"{"x-go-type":"A","nullable":true,"type":"string"}"#,
            &[
                "/$defs/A: no step reads `x-go-type`",
                "/$defs/A: no step reads `nullable`",
            ],
        ),
        (
            "structure beside a reference",
            r##"{"$ref":"#/$defs/B","properties":{}}"##,
            &["/$defs/A: no step reads `properties` beside $ref"],
        ),
        (
            "no schema",
            r#"{"anyOf":[{},1]}"#,
            &["/$defs/A/anyOf/1: expected a schema: an object or `true`"],
        ),
        (
            "required fields without names",
            r#"{"required":[1],"type":"object"}"#,
            &["/$defs/A: `required` is not a list of names"],
        ),
    ]);
}

#[test]
fn references_and_requirements_that_lead_nowhere() {
    is_not_read(&[
        (
            "required but not declared",
            r#"{"properties":{"a":{}},"required":["b"],"type":"object"}"#,
            &["/$defs/A: `b` is required, but `properties` has no schema for it; add one"],
        ),
        (
            "dangling reference",
            r##"{"items":{"$ref":"#/definitions/C"},"type":"array"}"##,
            &["/$defs/A/items: `$ref` leads nowhere: no definition is called `C`"],
        ),
        (
            "foreign reference",
            r#"{"$ref":"other.json"}"#,
            &["/$defs/A: `$ref` is not `#/$defs/` and the name of a definition"],
        ),
    ]);
}

#[test]
fn a_repair_settles_a_keyword_without_a_rust_form() {
    let workspace = Workspace::new();
    let file = workspace.path().join("2031-02-03.json");
    let newest = fs::read_to_string(workspace.path().join("schema/2026-07-28.json")).unwrap();
    let mut schema: serde_json::Value = serde_json::from_str(&newest).unwrap();
    schema["$defs"]["Tool"]["if"] = serde_json::json!({});
    fs::write(&file, schema.to_string()).unwrap();
    let file = file.display().to_string();
    let import = ["schema", "import", &file];
    let message = workspace.xtask(&import).unwrap_err();
    assert!(
        message.contains("at /$defs/Tool: no step reads `if`"),
        "{message}"
    );
    let entry = "\n[[repair]]\nat = \"/Tool\"\nrevisions = [\"2031-02-03\"]\n\
                 set = '{\"if\": null}'\nreason = \"none\"\n";
    workspace.append("schema/overlay.toml", entry);
    workspace.xtask(&import).unwrap();
    let message = workspace.xtask(&["codegen"]).err().unwrap_or_default();
    assert!(!message.contains("no step reads"), "{message}");
}

#[test]
fn odd_forms_that_are_stored() {
    for (name, schema, expected) in [
        (
            "prose beside a reference",
            r##"{"$ref":"#/$defs/B","description":"x"}"##,
            r##"{"$ref":"#/$defs/B"}"##,
        ),
        (
            "a default beside a reference",
            r##"{"default":1,"$ref":"#/$defs/B"}"##,
            r##"{"$ref":"#/$defs/B","default":1}"##,
        ),
        (
            "nullable",
            r#"{"anyOf":[{"type":"null"},{"type":"string"}]}"#,
            r#"{"anyOf":[{"type":"null"},{"type":"string"}]}"#,
        ),
        (
            "a constant that is no string",
            r#"{"const":1}"#,
            r#"{"const":1}"#,
        ),
        (
            "strings one by one",
            r#"{"anyOf":[{"const":"b","type":"string"},{"const":"a","title":"A"}]}"#,
            r#"{"enum":["a","b"],"type":"string"}"#,
        ),
        (
            "the integers of JavaScript",
            r#"{"type":"integer","minimum":-9007199254740991,"maximum":9007199254740991}"#,
            r#"{"type":"integer"}"#,
        ),
        (
            "never",
            r#"{"additionalProperties":{"not":{}},"type":"object"}"#,
            r#"{"additionalProperties":false,"type":"object"}"#,
        ),
        (
            "names that are strings",
            r#"{"propertyNames":{"type":"string"},"type":"object"}"#,
            r#"{"type":"object"}"#,
        ),
        (
            "a reference as a value",
            r##"{"const":{"$ref":"#/$defs/C"}}"##,
            r##"{"const":{"$ref":"#/$defs/C"}}"##,
        ),
    ] {
        let (stored, _) = import(defined(schema)).expect(name);
        let stored: serde_json::Value = serde_json::from_str(&stored).unwrap();
        assert_eq!(stored["$defs"]["A"].to_string(), expected, "{name}");
    }
}

#[test]
fn a_stored_revision_is_overwritten_only_on_demand() {
    let workspace = Workspace::new();
    let stored = workspace.path().join("schema/2025-06-18.json");
    let before = fs::read(&stored).unwrap();
    let file = workspace.path().join("2025-06-18.json");
    let name = file.display().to_string();
    fs::write(&file, &before).unwrap();
    workspace.xtask(&["schema", "import", &name]).unwrap();
    let mut other: serde_json::Value = serde_json::from_slice(&before).unwrap();
    other["$defs"]["Other"] = serde_json::json!({ "type": "string" });
    fs::write(&file, other.to_string()).unwrap();
    let message = workspace.xtask(&["schema", "import", &name]).unwrap_err();
    assert!(
        message.contains("another schema is stored") && message.contains("--replace"),
        "{message}"
    );
    assert_eq!(fs::read(&stored).unwrap(), before);
    workspace
        .xtask(&["schema", "import", "--replace", &name])
        .unwrap();
    assert_ne!(fs::read(&stored).unwrap(), before);
}
