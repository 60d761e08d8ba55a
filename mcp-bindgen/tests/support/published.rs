//! Tools with unusual schemas, as published servers list them. `.ci/bindings/published` finds such
//! schemas. All names and strings are invented, and nothing is copied from a server.

use serde_json::json;

use super::{member, tool};

type Case = (&'static str, String, &'static str);

pub(super) fn tools() -> Vec<Case> {
    [arguments(), values(), unions(), keywords(), results()].concat()
}

/// Schemas of all arguments of a tool.
fn arguments() -> Vec<Case> {
    vec![
        ("no properties", tool(json!({"type": "object"})), ""),
        (
            "no properties, and no others",
            tool(json!({"type": "object", "properties": {}, "additionalProperties": false})),
            "",
        ),
        ("an empty schema", tool(json!({})), ""),
        (
            "the dialect of an older draft",
            tool(json!({
                "$schema": "http://json-schema.org/draft-07/schema#", "type": "object",
                "properties": {"a": {"type": "string"}}, "required": ["a"],
            })),
            "",
        ),
        (
            "a union at the root",
            tool(json!({"type": "object", "anyOf": [
                {"properties": {"by_name": {"type": "string"}}, "required": ["by_name"]},
                {"properties": {"by_number": {"type": "integer"}}, "required": ["by_number"]},
            ]})),
            "no constant member tells apart",
        ),
        (
            "required alternatives at the root",
            tool(json!({
                "type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}},
                "oneOf": [{"required": ["a"]}, {"required": ["b"]}],
            })),
            "",
        ),
        (
            "required is empty",
            tool(
                json!({"type": "object", "properties": {"a": {"type": "string"}}, "required": []}),
            ),
            "",
        ),
        (
            "names of a query string",
            tool(json!({"type": "object", "properties": {
                "page[size]": {"type": "integer"}, "$filter": {"type": "string"}, "@id": {"type": "string"},
                "Content-Type": {"type": "string"}, "a.b": {"type": "string"}, "2fa": {"type": "boolean"},
            }, "required": ["$filter", "page[size]"]})),
            "",
        ),
        (
            "names that differ in case alone",
            tool(json!({"type": "object", "properties": {
                "userId": {"type": "string"}, "user_id": {"type": "string"}, "UserID": {"type": "string"},
            }})),
            "",
        ),
    ]
}

fn values() -> Vec<Case> {
    vec![
        (
            "null in a list of types",
            member(json!({"type": ["string", "null"]})),
            "",
        ),
        (
            "several types",
            member(json!({"type": ["string", "number", "boolean", "null"]})),
            "",
        ),
        (
            "nullable",
            member(json!({"type": "string", "nullable": true})),
            "",
        ),
        (
            "an enum with null",
            member(json!({"enum": ["up", "down", null]})),
            "",
        ),
        (
            "an enum of numbers",
            member(json!({"type": "integer", "enum": [1, 7, 30]})),
            "",
        ),
        (
            "an enum of one boolean",
            member(json!({"type": "boolean", "enum": [true]})),
            "",
        ),
        (
            "an enum with an empty text",
            member(json!({"type": "string", "enum": ["", "a", "A"]})),
            "",
        ),
        (
            "limits of an older draft",
            member(json!({"type": "number", "minimum": 0, "exclusiveMinimum": true})),
            "",
        ),
        (
            "a limit beyond i64",
            member(json!({"type": "integer", "maximum": 9007199254740991_i64, "minimum": -1e300})),
            "",
        ),
        (
            "a default of another type",
            member(json!({"type": "integer", "default": "10"})),
            "",
        ),
        ("a list of anything", member(json!({"type": "array"})), ""),
        (
            "items that are true",
            member(json!({"type": "array", "items": true})),
            "",
        ),
        (
            "items that are empty",
            member(json!({"type": "array", "items": {}})),
            "",
        ),
        (
            "items of an older draft",
            member(json!({"type": "array", "items": [{"type": "number"}, {"type": "number"}]})),
            "there may be more or fewer; it stays JSON",
        ),
        (
            "a closed tuple",
            member(json!({
                "type": "array", "prefixItems": [{"type": "string"}, {"type": "number"}], "items": false,
                "minItems": 2,
            })),
            "",
        ),
        (
            "lists of lists",
            member(json!({
                "type": "array", "items": {"type": "array", "items": {"type": "array", "items": {"type": "string"}}},
            })),
            "",
        ),
        (
            "a map of lists",
            member(json!({
                "type": "object", "additionalProperties": {"type": "array", "items": {"type": "string"}},
            })),
            "",
        ),
        (
            "a map with names of a form",
            member(json!({
                "type": "object", "propertyNames": {"type": "string", "pattern": "^[a-z]+$"}, "additionalProperties": {},
            })),
            "",
        ),
        (
            "members and others",
            member(json!({
                "type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": {"type": "number"},
            })),
            "",
        ),
        (
            "bytes",
            member(json!({"type": "string", "format": "byte", "contentEncoding": "base64"})),
            "",
        ),
        (
            "a format of numbers",
            member(json!({"type": "integer", "format": "int32"})),
            "",
        ),
        (
            "a description alone",
            member(json!({"description": "Whatever fits."})),
            "",
        ),
    ]
}

fn unions() -> Vec<Case> {
    vec![
        ("one or many", member(json!({"anyOf": [
            {"type": "string"}, {"type": "array", "items": {"type": "string"}},
        ]})), ""),
        ("left out, as some libraries write it", member(json!({"anyOf": [{"not": {}}, {"type": "string"}]})), ""),
        ("a union of one", member(json!({"anyOf": [{"type": "integer"}]})), ""),
        ("a type next to a union", member(json!({"type": "string", "anyOf": [{"format": "uri"}, {"maxLength": 0}]})), ""),
        ("constants", member(json!({"anyOf": [{"const": "a"}, {"const": "b"}, {"type": "null"}]})), ""),
        ("constants with a type and a title", member(json!({"oneOf": [
            {"type": "string", "const": "a", "title": "First"}, {"type": "string", "const": "b", "title": "Second"},
        ]})), ""),
        ("tagged, with the tag as an enum", member(json!({"oneOf": [
            {"type": "object", "properties": {"kind": {"type": "string", "enum": ["move"]}, "to": {"type": "string"}},
             "required": ["kind", "to"]},
            {"type": "object", "properties": {"kind": {"type": "string", "enum": ["stop"]}}, "required": ["kind"]},
        ]})), ""),
        ("tagged by OpenAPI", member(json!({
            "oneOf": [{"$ref": "#/$defs/Cat"}, {"$ref": "#/$defs/Dog"}],
            "discriminator": {"propertyName": "pet", "mapping": {"cat": "#/$defs/Cat"}},
        })).replace("\"properties\":{\"m\"", "\"$defs\":{\"Cat\":{\"type\":\"object\",\"properties\":{\"pet\":{\"const\":\"cat\"}},\"required\":[\"pet\"]},\
            \"Dog\":{\"type\":\"object\",\"properties\":{\"pet\":{\"const\":\"dog\"}},\"required\":[\"pet\"]}},\"properties\":{\"m\""), ""),
        ("an object or null", member(json!({"anyOf": [
            {"type": "object", "properties": {"a": {"type": "string"}}}, {"type": "null"},
        ]})), ""),
        ("all of one reference, to describe it", tool(json!({
            "type": "object", "properties": {"m": {"allOf": [{"$ref": "#/$defs/Place"}], "description": "Where."}},
            "$defs": {"Place": {"type": "object", "properties": {"city": {"type": "string"}}}},
        })), ""),
        ("all of two objects", member(json!({"allOf": [
            {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]},
            {"type": "object", "properties": {"b": {"type": "string"}}},
        ]})), ""),
    ]
}

fn keywords() -> Vec<Case> {
    vec![
        (
            "keywords of other languages",
            member(json!({
                "type": "string", "x-order": 3, "example": "a", "examples": ["b"], "deprecated": true, "readOnly": true,
            })),
            "",
        ),
        (
            "a condition",
            tool(json!({
                "type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}},
                "if": {"properties": {"a": {"const": "x"}}}, "then": {"required": ["b"]},
            })),
            "",
        ),
        (
            "dependent members",
            tool(json!({
                "type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}},
                "dependentRequired": {"a": ["b"]}, "minProperties": 1,
            })),
            "",
        ),
        (
            "a reference to another member",
            tool(json!({
                "type": "object", "properties": {
                    "from": {"type": "object", "properties": {"at": {"type": "string"}}},
                    "to": {"$ref": "#/properties/from"},
                    "list": {"type": "array", "items": {"$ref": "#/properties/from/properties/at"}},
                },
            })),
            "",
        ),
        (
            "definitions of an older draft",
            tool(json!({
                "type": "object", "properties": {"m": {"$ref": "#/definitions/a~1b"}},
                "definitions": {"a/b": {"type": "string"}},
            })),
            "",
        ),
        (
            "an anchor",
            tool(json!({
                "type": "object", "properties": {"m": {"$ref": "#place"}},
                "$defs": {"Place": {"$anchor": "place", "type": "string"}},
            })),
            "refers to nothing",
        ),
        (
            "a tree",
            tool(json!({
                "type": "object", "properties": {"node": {"$ref": "#/$defs/Node"}},
                "$defs": {"Node": {"type": "object", "properties": {
                    "name": {"type": "string"}, "children": {"type": "array", "items": {"$ref": "#/$defs/Node"}},
                }}},
            })),
            "",
        ),
        (
            "an identifier of the schema",
            tool(json!({
                "$id": "https://example.com/tools/t", "type": "object", "properties": {"m": {"type": "string"}},
            })),
            "",
        ),
    ]
}

fn results() -> Vec<Case> {
    let output = |schema| {
        json!({"name": "t", "inputSchema": {"type": "object"}, "outputSchema": schema}).to_string()
    };
    vec![
        (
            "a wrapped result",
            output(json!({
                "type": "object", "properties": {"result": {"type": "string"}}, "required": ["result"],
                "x-fastmcp-wrap-result": true,
            })),
            "",
        ),
        (
            "a result without members",
            output(json!({"type": "object", "additionalProperties": true})),
            "",
        ),
        (
            "a result that may be anything",
            output(json!({"type": "object", "properties": {"data": {}}})),
            "",
        ),
        (
            "a result with members of one name",
            output(json!({
                "type": "object", "properties": {"data": {"type": "object", "properties": {"data": {"type": "array", "items": {
                    "type": "object", "properties": {"data": {"type": "string"}}}}}}},
            })),
            "",
        ),
        (
            "a result that is a list",
            output(json!({"type": "array", "items": {"type": "string"}})),
            "",
        ),
    ]
}
