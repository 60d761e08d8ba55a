//! Tests of names that are not valid in Rust: the questions about them, and the effect of the answers.

use crate::package;
use crate::workspace::Workspace;
use serde_json::{Value, json};

fn complaint(edit: impl FnOnce(&mut Value)) -> String {
    let workspace = Workspace::new();
    workspace.edit_schema("2026-07-28", edit);
    workspace.xtask(&["codegen"]).unwrap_err()
}

fn field(defs: &mut Value, name: &str, schema: Value) {
    defs["Tool"]["properties"][name] = schema;
}

/// Adds a definition, and a field of `Tool` with this type.
fn definition(defs: &mut Value, name: &str, schema: Value) {
    defs[name] = schema;
    let reference = json!({"$ref": format!("#/$defs/{name}")});
    defs["Tool"]["properties"]["odd"] = reference;
}

fn object() -> Value {
    json!({"type": "object", "properties": {"a": {"type": "string"}}})
}

/// Defines a test for each unusual schema: the change, and parts of the error.
macro_rules! odd {
    ($($test:ident: |$defs:ident| $edit:expr, $parts:expr;)*) => {
        $(
            #[test]
            fn $test() {
                let complaint = complaint(|$defs| $edit);
                for part in $parts {
                    assert!(complaint.contains(part), "no `{part}` in:\n{complaint}");
                }
                assert!(!complaint.contains("panicked"), "{complaint}");
            }
        )*
    };
}

odd! {
    fields_that_differ_by_their_case_only: |defs| {
        field(defs, "fooBar", json!({"type": "string"}));
        field(defs, "foo_bar", json!({"type": "string"}));
    }, [
        "Tool.foo_bar: would be `foo_bar` in Rust, as `Tool.fooBar` would",
        "(2026-07-28 at /$defs/Tool/properties/fooBar)",
        "[[identifier]]\n    at = \"Tool.foo_bar\"\n    name = \"mcp_foo_bar\"\n    reason = \"\"",
    ];
    fields_that_differ_by_punctuation_only: |defs| {
        field(defs, "a-b", json!({"type": "string"}));
        field(defs, "a.b", json!({"type": "string"}));
        field(defs, "a/b", json!({"type": "string"}));
        field(defs, "b", json!({"type": "string"}));
    }, ["Tool.a.b: would be `a_b`", "at = \"Tool.a.b\"", "Tool.b: would be `b` in Rust, as `Tool.a/b`"];
    fields_without_letters: |defs| {
        field(defs, "", json!({"type": "string"}));
        field(defs, "$", json!({"type": "string"}));
        field(defs, "_", json!({"type": "string"}));
        field(defs, "名前", json!({"type": "string"}));
    }, ["Tool.: would be ``", "Tool.$: would be ``", "Tool._: would be ``", "Tool.名前: would be ``",
        "name = \"mcp_\"", "name = \"mcp_mcp_\""];
    a_field_that_begins_with_a_digit: |defs| field(defs, "2fa", json!({"type": "string"})),
        ["Tool.2fa: would be `2fa` in Rust, which is not a valid name", "name = \"mcp_2fa\""];
    fields_that_no_raw_identifier_can_be: |defs| {
        field(defs, "self", json!({"type": "string"}));
        field(defs, "Self", json!({"type": "string"}));
        field(defs, "super", json!({"type": "string"}));
        field(defs, "crate", json!({"type": "string"}));
    }, ["Tool.self:", "Tool.Self:", "Tool.super:", "Tool.crate:", "name = \"mcp_crate\""];
    extra_in_an_open_object: |defs| {
        field(defs, "extra", json!({"type": "string"}));
        defs["Tool"]["additionalProperties"] = json!({});
    }, ["Tool.extra: would be `extra` in Rust, which generated code needs for something else"];
    values_that_differ_by_case_or_punctuation_only: |defs| {
        field(defs, "odd", json!({"type": "string", "enum": ["foo", "Foo", "a-b", "a_b"]}));
    }, ["ToolOdd::foo: would be `Foo` in Rust, as `ToolOdd::Foo`", "at = \"ToolOdd::foo\"", "ToolOdd::a_b:"];
    values_that_are_no_names: |defs| {
        field(defs, "odd", json!({"type": "string", "enum": ["", "*", "2", "self", "unknown", "é"]}));
    }, ["ToolOdd:::", "ToolOdd::*:", "ToolOdd::2:", "ToolOdd::self:", "ToolOdd::unknown:", "ToolOdd::é:",
        "name = \"McpUnknown\""];
    definitions_that_are_no_names: |defs| definition(defs, "foo-bar", object()),
        ["foo-bar: would be `foo-bar`", "[[rename]]\n    from = \"foo-bar\"\n    to = \"FooBar\""];
    definitions_in_lower_case: |defs| definition(defs, "foo", object()),
        ["from = \"foo\"\n    to = \"Foo\""];
    a_definition_of_the_prelude: |defs| definition(defs, "Option", object()),
        ["Option: would be `Option` in Rust, which generated code needs", "to = \"McpOption\""];
    a_definition_of_the_crate: |defs| definition(defs, "RawJson", object()), ["to = \"McpRawJson\""];
    a_definition_of_the_macros: |defs| definition(defs, "Serialize", object()), ["to = \"McpSerialize\""];
    a_definition_called_revision: |defs| definition(defs, "Revision", object()), ["to = \"McpRevision\""];
    a_definition_called_self: |defs| definition(defs, "Self", object()), ["to = \"McpSelf\""];
    an_inline_type_whose_name_is_not_an_identifier: |defs| field(defs, "名前", json!({"type": "array", "items": {
        "type": "object", "properties": {"é": {"type": "object", "properties": {"a": {"type": "string"}}}},
    }})), ["Tool.名前: would be ``"];
    a_message_that_is_a_field: |defs| field(defs, "odd", json!({"$ref": "#/$defs/ListToolsRequest"})),
        ["ListToolsRequest: would be", "[[support]]\n    name = \"ListToolsRequest\"\n    as = \"json\""];
    methods_that_differ_by_punctuation_only: |defs| {
        let mut request = defs["CallToolRequest"].clone();
        request["properties"]["method"]["const"] = json!("tools_call");
        defs["CallToolAgainRequest"] = request;
        let requests = defs["ClientRequest"]["anyOf"].as_array_mut().unwrap();
        requests.push(json!({"$ref": "#/$defs/CallToolAgainRequest"}));
        defs["CallToolAgainResult"] = defs["CallToolResult"].clone();
    }, ["methods::tools_call: would be `TOOLS_CALL` in Rust, as `methods::tools/call`",
        "at = \"methods::tools_call\""];
    meta_keys_of_two_vendors: |defs| {
        let keys = &mut defs["RequestMetaObject"]["properties"];
        keys["org.example.a/read"] = json!({"type": "string"});
        keys["org.example.b/read"] = json!({"type": "string"});
    }, ["RequestMetaObject.org.example.b/read:", "at = \"meta_keys::org.example.b/read\"",
        "name = \"MCP_READ\""];
    a_union_of_objects_alike: |defs| {
        definition(defs, "Odd", json!({"anyOf": [{"$ref": "#/$defs/A"}, {"$ref": "#/$defs/B"}]}));
        (defs["A"], defs["B"]) = (object(), object());
    }, ["Odd: nothing tells its members `A` and `B` apart (2026-07-28 at /$defs/Odd)",
        "[[support]]\n    name = \"Odd\"\n    as = \"json\""];
    a_union_of_strings: |defs| definition(defs, "Odd", json!({"anyOf": [
        {"$ref": "#/$defs/Role"}, {"$ref": "#/$defs/LoggingLevel"},
    ]})), ["Odd: nothing tells its members `Role` and `LoggingLevel` apart"];
    an_inline_union_of_objects: |defs| field(defs, "odd", json!({"anyOf": [
        {"type": "object", "additionalProperties": {"type": "string"}}, {"$ref": "#/$defs/Annotations"},
    ]})), ["ToolOdd: nothing tells its members `Object` and `Annotations` apart",
        "[[raw]]\n    at = \"Tool.odd\""];
    two_constants: |defs| definition(defs, "Odd", json!({
        "type": "object",
        "properties": {"a": {"type": "string", "const": "x"}, "b": {"type": "string", "const": "y"}},
        "required": ["a", "b"],
    })), ["Odd.b: always \"y\"", "[[values]]\n    at = \"Odd.b\"\n    name = \"OddB\"\n    values = [\"y\"]"];
    a_constant_that_older_revisions_lack: |defs| {
        defs["Annotations"]["properties"]["type"] = json!({"type": "string", "const": "x"});
        defs["Annotations"]["required"] = json!(["type"]);
    }, ["Annotations.type: always \"x\"", "at = \"Annotations.type\""];
    a_list_in_one_revision_only: |defs| defs["Resource"]["properties"]["mimeType"] = json!({"anyOf": [
        {"type": "string"}, {"type": "array", "items": {"anyOf": [{"type": "string"}]}},
    ]}), ["Resource.mimeType: ", "[[raw]]\n    at = \"Resource.mimeType\""];
    error_codes_without_a_name: |defs| defs["名Error"] = json!({
        "type": "object", "properties": {"code": {"const": -1, "type": "integer"}},
    }), ["error_codes::-1: would be ``", "at = \"error_codes::-1\""];
}

#[test]
fn a_file_that_is_not_a_date_is_named() {
    let workspace = Workspace::new();
    let folder = workspace.path().join("schema");
    std::fs::copy(
        folder.join("2026-07-28.json"),
        folder.join("next draft.json"),
    )
    .unwrap();
    let error = workspace.xtask(&["codegen"]).unwrap_err();
    assert!(
        error.contains("schema/next draft.json") && error.contains("date"),
        "{error}"
    );
}

fn all_odd(defs: &mut Value) {
    let names = [
        "fooBar",
        "foo_bar",
        "foo-bar",
        "a/b",
        "b",
        "2fa",
        "",
        "$",
        "_",
        "名前",
        "naïve",
        "self",
        "Self",
        "super",
        "crate",
        "type",
        "async",
        "gen",
        "extra",
        "new",
        "revision",
        "value",
        "text",
        "json",
        "with_value",
        "string",
        "none",
        "fn",
    ];
    let all = |schema: Value| {
        let fields = names
            .iter()
            .map(|name| ((*name).to_owned(), schema.clone()));
        Value::Object(fields.collect())
    };
    defs["Odd"] = json!({
        "type": "object",
        "properties": all(json!({"type": "string"})),
        "additionalProperties": {},
    });
    defs["OddToo"] = json!({
        "type": "object",
        "properties": all(json!({"type": "string"})),
        "required": names,
    });
    let types = [
        "Option",
        "String",
        "Vec",
        "Box",
        "Result",
        "Some",
        "Serialize",
        "Deserializer",
        "RawJson",
        "OneOrMany",
        "Revision",
        "Era",
        "Self",
        "Unknown",
        "Type",
        "Gen",
        "Text",
        "List",
        "Map",
        "Flag",
        "Case",
        "Cases",
        "Just",
        "Number",
        "foo",
        "foo-bar",
        "FooBar",
        "2D",
    ];
    for (index, name) in types.iter().enumerate() {
        defs[*name] = json!({"type": "object", "properties": {"a": {"type": "string"}}});
        defs["Odd"]["properties"][format!("type{index}")] =
            json!({"$ref": format!("#/$defs/{name}")});
    }
    defs["Odd"]["properties"]["values"] = json!({"type": "array", "items": {"type": "string", "enum":
        ["", "*", "self", "Self", "unknown", "Unknown", "a-b", "a_b", "AB", "é", "2", "none", "String"],
    }});
    defs["Odd"]["properties"]["either"] = json!({"anyOf": [
        {"$ref": "#/$defs/Option"}, {"$ref": "#/$defs/Role"}, {"type": "boolean"},
        {"type": "array", "items": {"$ref": "#/$defs/Vec"}},
    ]});
    defs["Odd"]["properties"]["maps"] = json!({"type": "object", "additionalProperties": {
        "type": "object", "additionalProperties": {"type": "array", "items": {"$ref": "#/$defs/Box"}},
    }});
    field(defs, "odd", json!({"$ref": "#/$defs/Odd"}));
    field(defs, "oddToo", json!({"$ref": "#/$defs/OddToo"}));
    for (name, method) in [("OddA", "odd/do"), ("OddB", "odd_do"), ("OddC", "odd.do")] {
        let mut request = defs["CallToolRequest"].clone();
        request["properties"]["method"]["const"] = json!(method);
        defs[format!("{name}Request")] = request;
        let requests = defs["ClientRequest"]["anyOf"].as_array_mut().unwrap();
        requests.push(json!({"$ref": format!("#/$defs/{name}Request")}));
        defs[format!("{name}Result")] = defs["CallToolResult"].clone();
    }
    let keys = &mut defs["RequestMetaObject"]["properties"];
    for key in [
        "org.example.a/read",
        "org.example.b/read",
        "org.example/",
        "2",
    ] {
        keys[key] = json!({"type": "string"});
    }
}

const USER: &str = r##"
use mcp_types::*;

fn through<T: serde::Serialize + serde::de::DeserializeOwned>(json: &str) {
    let value: T = serde_json::from_str(json).unwrap();
    let out = serde_json::to_value(&value).unwrap();
    assert_eq!(out, serde_json::from_str::<serde_json::Value>(json).unwrap());
}

#[test]
fn odd_names_are_the_same_on_the_wire() {
    through::<Odd>(
        r#"{"fooBar":"1","foo_bar":"2","foo-bar":"3","a/b":"4","b":"5","2fa":"6","":"7","$":"8",
        "_":"9","self":"10","Self":"11","extra":"12","unnamed":"13","gen":"14","type0":{"a":"15"},
        "values":["","self","Unknown","a-b","a_b","AB","else"],"either":{"a":"16"},
        "maps":{"x":{"y":[{"a":"17"}]}}}"#,
    );
    through::<Odd>(r#"{"either":[{"a":"1"}]}"#);
    through::<Odd>(r#"{"either":"user"}"#);
    through::<Odd>(r#"{"either":true}"#);
    through::<Odd>(r#"{"either":1.5}"#);
    for method in ["odd/do", "odd_do", "odd.do"] {
        assert!(Revision::method(method).is_some());
    }
}
"##;

#[test]
fn answers_that_are_pasted_settle_all_names() {
    let workspace = Workspace::fixed("odd");
    workspace.edit_schema("2026-07-28", all_odd);
    // Each answer may lead to another question: code generation asks for names before docs.
    for _ in 0..4 {
        let Err(open) = workspace.xtask(&["codegen"]) else {
            break;
        };
        if open.contains("decision") {
            workspace.paste(&open);
            continue;
        }
        let keys = open.lines().filter(|line| line.starts_with('"'));
        let words = keys.map(|line| line.replace("\"\"", "\"Odd.\"") + "\n");
        workspace.append("schema/docs.toml", &words.collect::<String>());
    }
    workspace.xtask(&["codegen"]).unwrap();
    package::complete(&workspace, USER);
    package::test(&workspace);
}
