//! Tests of the generator with unusual schemas: the errors, or the generated code.

use crate::workspace::Workspace;
use serde_json::{Value, json};

/// The revision that the tests change.
const REVISION: &str = "2026-07-28";

/// Adds a type with `field` as its only field to the parameters of a request.
fn with_field(defs: &mut Value, field: Value, required: &[&str]) {
    defs["Odd"] = json!({
        "type": "object",
        "properties": { "field": field },
        "required": required,
    });
    defs["CallToolRequestParams"]["properties"]["odd"] = json!({ "$ref": "#/$defs/Odd" });
}

fn codegen(edit: impl FnOnce(&mut Value)) -> (Workspace, Result<String, String>) {
    let workspace = Workspace::new();
    workspace.edit_schema(REVISION, edit);
    let result = workspace.xtask(&["codegen"]);
    (workspace, result)
}

pub(super) fn failure(edit: impl FnOnce(&mut Value)) -> String {
    let error = codegen(edit).1.unwrap_err();
    assert!(
        !error.contains("panicked") && !error.contains("overflow"),
        "{error}"
    );
    error
}

/// Returns a generated module for a changed schema, after docs and the requested entries were added.
pub(super) fn generated(module: &str, edit: impl FnOnce(&mut Value)) -> String {
    let (workspace, result) = codegen(edit);
    let missing = result.unwrap_err();
    let asked = missing.split("for information").next().unwrap();
    let keys = asked.lines().filter(|line| line.starts_with('"'));
    let words = keys.map(|line| line.replace("\"\"", "\"Odd.\"") + "\n");
    workspace.append("schema/docs.toml", &words.collect::<String>());
    workspace.paste(asked);
    if let Err(error) = workspace.xtask(&["codegen"]) {
        panic!("{missing}{error}");
    }
    let file = format!("mcp-types/src/generated/{module}.rs");
    std::fs::read_to_string(workspace.path().join(file)).unwrap()
}

/// Tests that a schema is refused, or that a question about it is asked, with these words.
macro_rules! refused {
    ($($name:ident: $edit:expr => [$($words:expr),+ $(,)?];)+) => {$(
        #[test]
        fn $name() {
            let error = failure($edit);
            for words in [$($words),+] {
                assert!(error.contains(words), "not in it: {words}\n{error}");
            }
        }
    )+};
}

/// Tests that a required or optional field has this type in Rust.
macro_rules! fields {
    ($($name:ident: $field:tt, $required:expr => $line:literal;)+) => {$(
        #[test]
        fn $name() {
            let model = generated("model", |defs| with_field(defs, json!($field), &$required));
            assert!(model.contains($line), "{}", odd(&model));
        }
    )+};
}

fn odd(model: &str) -> &str {
    let start = model.find("pub struct Odd {").unwrap();
    &model[start..start + model[start..].find("\n}").unwrap()]
}

/// Sets the schema of the field of `Odd`.
fn field(field: Value) -> impl FnOnce(&mut Value) {
    move |defs| with_field(defs, field, &[])
}

// Keywords.
refused! {
    a_keyword_that_no_step_reads: field(json!({"type": "string", "not": {}})) => [
        "schema/2026-07-28.json: at /$defs/Odd/properties/field: no step reads `not`",
        "[[repair]]",
    ];
    patterns_beside_properties: field(json!({
        "type": "object", "properties": {"a": {}}, "patternProperties": {"^x": {}},
    })) => ["at /$defs/Odd/properties/field: no step reads `patternProperties`"];
    a_tuple: field(json!({"type": "array", "prefixItems": [{}]})) => [
        "no step reads `prefixItems`",
    ];
    a_tuple_of_an_older_dialect: field(json!({"type": "array", "items": [{}]})) => [
        "at /$defs/Odd/properties/field/items: expected a schema",
    ];
    a_list_that_contains: field(json!({"type": "array", "contains": {}})) => [
        "no step reads `contains`",
    ];
    a_condition: field(json!({"type": "string", "if": {}, "then": {}})) => [
        "no step reads `if`", "no step reads `then`",
    ];
    properties_beside_a_reference: field(json!({"$ref": "#/$defs/Role", "properties": {}})) => [
        "no step reads `properties` beside $ref",
    ];
    properties_beside_alternatives: field(json!({
        "type": "object", "properties": {"a": {}}, "anyOf": [{"$ref": "#/$defs/Tool"}],
    })) => ["no step reads `properties` beside anyOf", "no step reads `type` beside anyOf"];
    two_forms_at_once: field(json!({"anyOf": [{}], "oneOf": [{}]})) => [
        "no step reads `oneOf` beside anyOf",
    ];
    properties_without_a_type: field(json!({"properties": {"a": {}}})) => [
        "no step reads `properties`",
    ];
    prose: field(json!({"type": "string", "description": "Read by people."})) => [
        "no step reads `description`",
    ];
    nothing_is_valid: field(json!(false)) => [
        "at /$defs/Odd/properties/field: expected a schema",
    ];
    a_type_that_does_not_exist: field(json!({"type": "text"})) => [
        "`type` is of a type that does not exist",
    ];
    a_list_without_types: field(json!({"type": []})) => ["`type` is not a type"];
    an_enum_without_values: field(json!({"enum": []})) => ["`enum` is not a list of values"];
    alternatives_without_members: field(json!({"anyOf": []})) => ["`anyOf` is not a list"];
    a_constant_of_another_type: field(json!({"const": 1, "type": "string"})) => [
        "`const` is not of the `type` beside it",
    ];
    values_of_another_type: field(json!({"enum": ["a", 1], "type": "string"})) => [
        "`enum` has values that are not of the `type` beside it",
    ];
    a_reference_to_nowhere: field(json!({"$ref": "#/$defs/Nobody"})) => [
        "at /$defs/Odd/properties/field: `$ref` leads nowhere: no definition is called `Nobody`",
    ];
    a_reference_out_of_the_file: field(json!({"$ref": "other.json"})) => [
        "`$ref` is not `#/$defs/` and the name of a definition",
    ];
    a_required_field_without_schema: |defs| with_field(defs, json!({}), &["other"]) => [
        "at /$defs/Odd: `other` is required, but `properties` has no schema for it",
    ];
    a_slash_in_a_name: |defs| {
        defs["Tool"]["properties"]["a/b~c"] = json!({"type": "string", "not": {}});
    } => ["at /$defs/Tool/properties/a~1b~0c: no step reads"];
    all_faults_of_all_revisions: |defs| {
        defs["Odd"] = json!({"not": {}, "if": {}});
        defs["Odder"] = json!({"$ref": "#/$defs/Nobody"});
    } => ["no step reads `not`", "no step reads `if`", "called `Nobody`"];
}

// Limits and constants, which lead to questions.
refused! {
    a_limit_of_a_string: field(json!({"type": "string", "minLength": 3})) => [
        "schema/2026-07-28.json: at /$defs/Odd/properties/field",
        "`minLength`, which is 3",
        "[[repair]]\n    revisions = [\"2026-07-28\"]\n    at = \"/Odd/properties/field\"",
        "{\"minLength\":null}",
    ];
    a_default: field(json!({"type": "string", "default": "x"})) => ["`default`, which is \"x\""];
    an_integer_with_a_maximum: field(json!({"type": "integer", "maximum": 9})) => [
        "{\"maximum\":null}",
    ];
    an_integer_from_one: field(json!({"type": "integer", "minimum": 1})) => ["{\"minimum\":0}"];
    an_integer_from_minus_one: field(json!({"type": "integer", "minimum": -1})) => [
        "{\"minimum\":null}",
    ];
    a_limit_of_items: field(json!({
        "type": "array", "items": {"type": "number", "maximum": 1},
    })) => ["at /$defs/Odd/properties/field/items", "{\"maximum\":null}"];
    fields_of_one_type_beside_properties: field(json!({
        "type": "object", "properties": {"a": {}}, "additionalProperties": {"type": "string"},
    })) => ["{\"additionalProperties\":{}}"];
    a_constant_number: field(json!({"const": 5})) => [
        "the constant 5", "{\"const\":null,\"type\":\"integer\"}",
    ];
    a_constant_boolean: field(json!({"const": true, "type": "boolean"})) => [
        "{\"const\":null,\"type\":\"boolean\"}",
    ];
    a_constant_object: field(json!({"const": {"a": 1}})) => [
        "{\"const\":null,\"type\":\"object\"}",
    ];
    an_enum_of_numbers: field(json!({"enum": [1, 2.5]})) => [
        "{\"enum\":null,\"type\":[\"integer\",\"number\"]}",
    ];
    always_null: field(json!({"type": "null"})) => ["always null", "[[raw]]\n    at = \"Odd.field\""];
    a_constant_null: field(json!({"const": null})) => ["[[raw]]\n    at = \"Odd.field\""];
    nullable_choices_in_a_list: field(json!({
        "type": "array", "items": {"anyOf": [{"$ref": "#/$defs/Role"}, {"type": "null"}]},
    })) => ["[[raw]]\n    at = \"Odd.field[]\""];
}

// Null and choices.
fields! {
    items_or_null: {"type": "array", "items": {"type": ["null", "string"]}}, ["field"]
        => "pub field: Vec<Option<String>>";
    values_or_null: {"type": "object", "additionalProperties": {"type": ["integer", "null"]}}, ["field"]
        => "pub field: OrderedMap<Option<i128>>";
    structs_or_null: {
        "type": "array", "items": {"oneOf": [{"$ref": "#/$defs/Tool"}, {"type": "null"}]},
    }, ["field"] => "pub field: Vec<Option<Tool>>";
    a_required_choice_or_null: {"anyOf": [{"$ref": "#/$defs/Role"}, {"type": "null"}]}, ["field"]
        => "pub field: Option<Role>";
    an_optional_choice_or_null: {"oneOf": [{"type": "null"}, {"$ref": "#/$defs/Role"}]}, []
        => "pub field: Option<Role>";
    an_object_or_null: {"type": ["null", "object"], "additionalProperties": {}}, ["field"]
        => "pub field: Option<JsonObject>";
    an_enum_with_null: {"enum": ["a", null]}, ["field"] => "pub field: Option<OddField>";
    null_twice: {
        "anyOf": [{"type": "null"}, {"type": ["null", "string"]}],
    }, ["field"] => "pub field: Option<String>";
    whatever_is_true: true, ["field"] => "pub field: RawJson";
    an_open_object: {"type": "object", "additionalProperties": true}, ["field"]
        => "pub field: JsonObject";
    a_closed_object: {"type": "object", "additionalProperties": false}, ["field"]
        => "pub field: JsonObject";
    one_alternative: {"anyOf": [{"type": "string"}]}, ["field"] => "pub field: String";
    numbers_of_two_kinds: {"type": ["integer", "number"]}, ["field"] => "pub field: f64";
    integers_of_two_kinds: {
        "anyOf": [{"type": "integer", "minimum": 0}, {"type": "integer"}],
    }, ["field"] => "pub field: i128";
    an_integer_from_zero_with_a_fraction: {"type": "integer", "minimum": 0.0}, ["field"]
        => "pub field: u64";
    constants_as_alternatives: {
        "anyOf": [{"const": "a"}, {"const": "b"}],
    }, ["field"] => "pub field: OddField";
    any_json_as_an_alternative: {"anyOf": [{"type": "string"}, {}]}, ["field"]
        => "pub field: RawJson";
    an_object_or_a_string: {"anyOf": [{"$ref": "#/$defs/Annotations"}, {"type": "string"}]}, ["field"]
        => "pub field: OddField";
    an_all_of_one: {"allOf": [{"$ref": "#/$defs/Tool"}]}, ["field"] => "pub field: Tool";
    one_or_many: {
        "oneOf": [{"$ref": "#/$defs/Tool"}, {"type": "array", "items": {"$ref": "#/$defs/Tool"}}],
    }, ["field"] => "pub field: OneOrMany<Tool>";
}
refused! {
    messages_and_others: field(json!({
        "anyOf": [{"$ref": "#/$defs/ListToolsRequest"}, {"$ref": "#/$defs/Tool"}],
    })) => ["only some are messages", "[[raw]]\n    at = \"Odd.field\""];
    two_lists: field(json!({
        "anyOf": [
            {"type": "array", "items": {"type": "string"}},
            {"type": "array", "items": {"type": "integer"}},
        ],
    })) => ["OddField: nothing tells its members", "at = \"Odd.field\""];
    an_inline_alternative: field(json!({
        "anyOf": [
            {"$ref": "#/$defs/Tool"},
            {"type": "object", "properties": {"x": {"type": "string"}}},
        ],
    })) => ["[[name]]\n    at = \"Odd.field|anyOf/1\""];
}

// Recursive definitions.
refused! {
    references_in_a_circle: |defs| {
        defs["A"] = json!({"$ref": "#/$defs/B"});
        defs["B"] = json!({"$ref": "#/$defs/A"});
    } => ["at /$defs/A: refers to itself: A -> B -> A"];
    a_reference_to_itself: |defs| defs["A"] = json!({"$ref": "#/$defs/A"}) => [
        "at /$defs/A: refers to itself: A -> A",
    ];
    all_of_in_a_circle: |defs| {
        defs["A"] = json!({"allOf": [{"$ref": "#/$defs/B"}, {"type": "object"}]});
        defs["B"] = json!({"allOf": [{"$ref": "#/$defs/A"}, {"type": "object"}]});
    } => ["at /$defs/A: refers to itself: A -> B -> A"];
    a_union_in_itself: |defs| {
        defs["Loop"] = json!({"anyOf": [{"$ref": "#/$defs/Loop"}, {"type": "string"}]});
        with_field(defs, json!({"$ref": "#/$defs/Loop"}), &[]);
    } => ["[[support]]\n    name = \"Loop\"\n    as = \"json\""];
    a_union_with_lists_of_itself: |defs| {
        defs["Loop"] = json!({
            "anyOf": [{"type": "array", "items": {"$ref": "#/$defs/Loop"}}, {"type": "string"}],
        });
        with_field(defs, json!({"$ref": "#/$defs/Loop"}), &[]);
    } => ["[[support]]\n    name = \"Loop\"\n    as = \"json\""];
    a_map_of_itself: |defs| {
        let value = json!({"$ref": "#/$defs/Loop"});
        defs["Loop"] = json!({"type": "object", "additionalProperties": value});
        with_field(defs, json!({"$ref": "#/$defs/Loop"}), &[]);
    } => ["[[support]]\n    name = \"Loop\"\n    as = \"object\""];
    a_struct_that_requires_itself: |defs| {
        with_field(defs, json!({"$ref": "#/$defs/Odd"}), &["field"]);
    } => ["at /$defs/Odd: requires a value of its own type"];
    a_union_reached_in_many_ways: |defs| {
        for index in 0..40 {
            let next = json!({"$ref": format!("#/$defs/U{}", index + 1)});
            defs[format!("U{index}")] = json!({"anyOf": [next, next]});
        }
        defs["U40"] = json!({"type": "object", "properties": {"x": {"type": "string"}}});
        with_field(defs, json!({"$ref": "#/$defs/U0"}), &[]);
    } => ["\"U0::U40\" = \"\""];
    a_long_chain_of_references: |defs| {
        for index in 0..1_000 {
            let next = json!({"$ref": format!("#/$defs/U{}", index + 1)});
            defs[format!("U{index}")] = next;
        }
        defs["U1000"] = json!({"type": "string"});
        with_field(defs, json!({"$ref": "#/$defs/U0"}), &[]);
    } => ["\"Odd.field\" = \"\""];
    types_deep_inside_of_each_other: |defs| {
        for index in 0..2_000 {
            let next = json!({"$ref": format!("#/$defs/U{}", index + 1)});
            defs[format!("U{index}")] = json!({"type": "object", "properties": {"x": next}});
        }
        defs["U2000"] = json!({"type": "string"});
        with_field(defs, json!({"$ref": "#/$defs/U0"}), &[]);
    } => ["\"U1999.x\" = \"\""];
    two_unions_in_each_other: |defs| {
        defs["A"] = json!({"anyOf": [{"$ref": "#/$defs/B"}, {"type": "string"}]});
        defs["B"] = json!({"anyOf": [{"$ref": "#/$defs/A"}, {"type": "boolean"}]});
        with_field(defs, json!({"$ref": "#/$defs/A"}), &[]);
    } => ["[[support]]", "as = \"json\""];
}

#[test]
fn a_struct_may_contain_a_list_of_a_union_of_itself() {
    let model = generated("model", |defs| {
        defs["Filter"] = json!({"anyOf": [{"$ref": "#/$defs/Tool"}, {"$ref": "#/$defs/Odd"}]});
        let field = json!({"type": "array", "items": {"$ref": "#/$defs/Filter"}});
        with_field(defs, field, &["field"]);
    });
    assert!(model.contains("pub field: Vec<Filter>"), "{}", odd(&model));
}

#[test]
fn a_recursive_type_without_its_entry_is_asked_about() {
    let workspace = Workspace::new();
    let file = workspace.path().join("schema/overlay.toml");
    let overlay = std::fs::read_to_string(&file).unwrap();
    let entries = overlay.split("[[support]]\n");
    let is_left = |entry: &&str| !entry.starts_with("name = \"Json");
    let left: Vec<_> = entries.filter(is_left).collect();
    std::fs::write(&file, left.join("[[support]]\n")).unwrap();
    let error = workspace.xtask(&["codegen"]).unwrap_err();
    assert!(
        error.contains("[[support]]\n    name = \"JsonValue\"\n    as = \"json\""),
        "{error}"
    );
    assert!(
        error.contains("[[support]]\n    name = \"JsonObject\"\n    as = \"object\""),
        "{error}"
    );
}

// Parts and names.
refused! {
    all_of_a_string: field(json!({"allOf": [{"type": "object"}, {"type": "string"}]})) => [
        "at /$defs/Odd/properties/field/allOf/1: only objects can be merged",
    ];
    all_of_a_union: field(json!({
        "allOf": [{"type": "object"}, {"$ref": "#/$defs/ContentBlock"}],
    })) => ["field/allOf/1: only objects can be merged"];
    parts_that_disagree: field(json!({"allOf": [
        {"type": "object", "properties": {"a": {"type": "string"}}},
        {"type": "object", "properties": {"a": {"type": "boolean"}}},
    ]})) => ["/allOf/1: another part of the `allOf` has other words for `/a/type`"];
    two_definitions_with_one_name: |defs| {
        defs["OddURL"] = json!({"type": "object", "properties": {"a": {"type": "string"}}});
        defs["OddUrl"] = json!({"type": "object", "properties": {"b": {"type": "string"}}});
    } => ["`OddURL` and `OddUrl` would both be called `OddUrl`", "[[rename]]"];
    two_inline_types_with_one_name: field(json!({
        "type": "object",
        "properties": {
            "one-two": {"enum": ["a", "b"]},
            "one_two": {"enum": ["c", "d"]},
        },
    })) => ["[[name]]\n    at = \"OddField.one_two\""];
    an_inline_type_with_the_name_of_a_definition: |defs| {
        defs["OddField"] = json!({"type": "object", "properties": {"b": {"type": "string"}}});
        with_field(defs, json!({"enum": ["a", "b"]}), &[]);
    } => ["[[name]]\n    at = \"Odd.field\""];
}

#[test]
fn a_part_may_refine_another() {
    let model = generated("model", |defs| {
        let parts = json!([
            {"type": "object", "properties": {"a": {}, "b": {"type": "string"}}},
            {"type": "object", "properties": {"a": {"type": "boolean"}}, "required": ["a", "b"]},
        ]);
        with_field(defs, json!({"allOf": parts}), &[]);
    });
    assert!(model.contains("pub a: bool"), "{model}");
    assert!(model.contains("pub b: String"), "{model}");
}

#[test]
fn an_entry_settles_a_limit() {
    let workspace = Workspace::new();
    workspace.edit_schema(REVISION, |defs| {
        defs["Tool"]["properties"]["title"]["maxLength"] = json!(9);
    });
    let error = workspace.xtask(&["codegen"]).unwrap_err();
    workspace.paste(&error);
    workspace.xtask(&["codegen"]).unwrap();
}
