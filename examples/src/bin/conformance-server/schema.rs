//! A tool whose schema uses rare keywords. It must be listed exactly as it is written here.

use mcp_runtime::server::Reply;
use mcp_runtime::server::tools::ToolEntry;
use mcp_runtime::types::{CallToolResult, RawJson, RawJsonRef, Tool};

const SCHEMA: &str = r##"{
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {
        "address": {
            "$anchor": "addressDef",
            "type": "object",
            "properties": {"street": {"type": "string"}, "city": {"type": "string"}}
        }
    },
    "properties": {
        "name": {"type": "string"},
        "address": {"$ref": "#/$defs/address"},
        "contactMethod": {"type": "string", "enum": ["phone", "email"]},
        "phone": {"type": "string"},
        "email": {"type": "string"}
    },
    "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
    "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
    "then": {"required": ["phone"]},
    "else": {"required": ["email"]},
    "additionalProperties": false
}"##;

pub(crate) fn tool() -> ToolEntry {
    let schema = RawJson::from_text(SCHEMA).expect("the schema above is JSON");
    let tool = Tool::new("json_schema_2020_12_tool", schema)
        .with_description("Takes arguments that an elaborate schema describes.");
    ToolEntry::new(tool, |call| {
        let arguments = call.arguments.map_or("{}", RawJsonRef::get);
        let result = CallToolResult::text(arguments);
        Reply::Ready(Ok(result))
    })
}
