//! Schemas that `schema import` refuses, each with the reason and what to do, or stores on terms.

use crate::workspace::Workspace;
use std::fs;

/// Imports `text`; the message, or the stored definitions and what was printed.
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

/// A document with the definition `A`.
fn defined(schema: &str) -> String {
    format!(r##"{{"$defs":{{"A":{schema},"B":{{"type":"string"}}}}}}"##)
}

fn refuses(rows: &[(&str, String, &str)]) {
    for (name, text, expected) in rows {
        let message = import(text).expect_err(name);
        assert!(message.contains(expected), "{name}: {message}");
    }
}

#[test]
fn documents_that_are_no_schema_of_a_protocol() {
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
    let row = |name, schema: &str, expected| (name, defined(schema), expected);
    refuses(&[
        row(
            "prefixItems",
            r#"{"prefixItems":[{}]}"#,
            "at $.$defs.A.prefixItems: a list typed by position has no Rust form; import a copy without it, or teach",
        ),
        row(
            "items as a list",
            r#"{"items":[{}]}"#,
            "at $.$defs.A.items: a list typed by position",
        ),
        row(
            "patternProperties",
            r#"{"properties":{"a":{}},"patternProperties":{"^x":{}}}"#,
            "at $.$defs.A.patternProperties: fields typed by the form of their names",
        ),
        row(
            "contains",
            r#"{"contains":{}}"#,
            "at $.$defs.A.contains: a list of which",
        ),
        row(
            "not",
            r#"{"not":{"type":"string"}}"#,
            "at $.$defs.A.not: a condition",
        ),
        row(
            "if",
            r#"{"properties":{"x":{"if":{}}}}"#,
            "at $.$defs.A.properties.x.if: a condition",
        ),
        row(
            "propertyNames",
            r#"{"propertyNames":{"pattern":"^x"}}"#,
            "at $.$defs.A.propertyNames: fields typed by the form of their names",
        ),
        row(
            "dependentRequired",
            r#"{"dependentRequired":{}}"#,
            "a field typed by another",
        ),
        row(
            "nested definitions",
            r#"{"$defs":{"C":{}}}"#,
            "at $.$defs.A.$defs: a definition inside another",
        ),
        row(
            "unknown",
            r#"{"x-go-type":"A"}"#,
            "at $.$defs.A.x-go-type: an unknown keyword",
        ),
        row(
            "structure beside a reference",
            r##"{"$ref":"#/$defs/B","properties":{}}"##,
            "at $.$defs.A.properties: the `$ref` beside it hides it; put both into an `allOf`",
        ),
    ]);
}

#[test]
fn references_and_requirements_that_lead_nowhere() {
    let row = |name, schema: &str, expected| (name, defined(schema), expected);
    refuses(&[
        row(
            "required but not declared",
            r#"{"properties":{"a":{}},"required":["b"]}"#,
            r#"at $.$defs.A.required: "b" is no property; declare it, as `{}` if it is any JSON"#,
        ),
        row(
            "dangling reference",
            r##"{"$ref":"#/$defs/C"}"##,
            "at $.$defs.A.$ref: no definition is called `C`",
        ),
        row(
            "foreign reference",
            r#"{"$ref":"other.json"}"#,
            "at $.$defs.A.$ref: expected a reference to one of",
        ),
    ]);
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
            r#"{"additionalProperties":{"not":{}}}"#,
            r#"{"additionalProperties":false}"#,
        ),
        (
            "names that are strings",
            r#"{"propertyNames":{"type":"string"}}"#,
            "{}",
        ),
        (
            "a field of another part",
            r##"{"allOf":[{"$ref":"#/$defs/B"},{"required":["x"]}]}"##,
            r##"{"allOf":[{"$ref":"#/$defs/B"},{"required":["x"]}]}"##,
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
    fs::write(&file, r#"{"$defs":{"A":{}}}"#).unwrap();
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
