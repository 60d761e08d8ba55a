//! Tests that an invented revision can be adopted with two commands and a few entries.

use crate::package;
use crate::workspace::Workspace;
use serde_json::{Value, json};

const REVISION: &str = "2099-01-01";

/// Creates a schema with one change of each kind from the newest revision.
fn schema(workspace: &Workspace) -> Value {
    let file = workspace.path().join("schema/2026-07-28.json");
    let mut schema: Value = serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
    let defs = &mut schema["$defs"];
    // An optional field.
    defs["Tool"]["properties"]["flavour"] = json!({"type": "string"});
    // A method with params and a result.
    defs["TasteToolRequest"] = json!({
        "type": "object",
        "properties": {
            "id": {"$ref": "#/$defs/RequestId"},
            "jsonrpc": {"const": "2.0", "type": "string"},
            "method": {"const": "tools/taste", "type": "string"},
            "params": {"$ref": "#/$defs/TasteToolRequestParams"},
        },
        "required": ["id", "jsonrpc", "method", "params"],
    });
    defs["TasteToolRequestParams"] = json!({
        "type": "object",
        "properties": {
            "_meta": {"$ref": "#/$defs/RequestMetaObject"},
            "name": {"type": "string"},
        },
        "required": ["_meta", "name"],
    });
    defs["TasteToolResult"] = json!({
        "type": "object",
        "properties": {
            "_meta": {"$ref": "#/$defs/ResultMetaObject"},
            "resultType": {"type": "string"},
            "sweet": {"type": "boolean"},
        },
        "required": ["resultType", "sweet"],
    });
    let requests = defs["ClientRequest"]["anyOf"].as_array_mut().unwrap();
    requests.push(json!({"$ref": "#/$defs/TasteToolRequest"}));
    // A new value of an enum.
    defs["Role"]["enum"]
        .as_array_mut()
        .unwrap()
        .push(json!("narrator"));
    // A new variant of a union.
    defs["HologramContent"] = json!({
        "type": "object",
        "properties": {
            "type": {"const": "hologram", "type": "string"},
            "voxels": {"type": "string"},
        },
        "required": ["type", "voxels"],
    });
    let blocks = defs["ContentBlock"]["anyOf"].as_array_mut().unwrap();
    blocks.push(json!({"$ref": "#/$defs/HologramContent"}));
    // A removed type.
    blocks.retain(|block| block["$ref"] != "#/$defs/AudioContent");
    schema
}

/// A program that uses the generated code.
const USER: &str = r##"
use mcp_types::*;

#[test]
fn the_invented_revision_works() {
    assert_eq!(Revision::LATEST.as_str(), "2099-01-01");
    assert_eq!(TasteToolRequest::METHOD, "tools/taste");
    assert!(Revision::LATEST.allows(methods::TOOLS_TASTE, Side::Client));
    assert!(!Revision::V2026_07_28.allows(methods::TOOLS_TASTE, Side::Client));
    assert_eq!(TasteToolResult::new(true).sweet, true);
    assert_eq!(Role::from("narrator"), Role::Narrator);

    let mut tool = Tool::new("t", RawJson::empty_object()).with_flavour("salty");
    tool.conform(Revision::V2099_01_01);
    assert_eq!(tool.flavour.as_deref(), Some("salty"));
    tool.conform(Revision::V2026_07_28);
    assert_eq!(tool.flavour, None);

    let mut block: ContentBlock = HologramContent::new("...").into();
    block.conform(Revision::V2099_01_01);
    assert!(matches!(block, ContentBlock::Hologram(_)));
    block.conform(Revision::V2026_07_28);
    assert!(matches!(block, ContentBlock::Text(_)));

    let mut audio: ContentBlock = AudioContent::new("AA==", "audio/wav").into();
    audio.conform(Revision::V2099_01_01);
    assert!(matches!(audio, ContentBlock::Text(_)));
}
"##;

#[test]
fn a_new_revision_needs_words_and_entries_and_no_code() {
    let workspace = Workspace::fixed("invented");
    let published = workspace.path().join(format!("{REVISION}.json"));
    std::fs::write(&published, schema(&workspace).to_string()).unwrap();
    workspace
        .xtask(&["schema", "import", published.to_str().unwrap()])
        .unwrap();

    let missing = workspace.xtask(&["codegen"]).unwrap_err();
    let capability = "tools/taste: no schema names the capability that it needs";
    assert!(missing.contains("one decision is to be made"), "{missing}");
    assert!(missing.contains(capability), "{missing}");
    let keys: Vec<_> = missing
        .lines()
        .filter(|line| line.starts_with('"'))
        .collect();
    let expected = [
        "ClientRequest::TasteTool",
        "ContentBlock::Hologram",
        "HologramContent",
        "HologramContent.voxels",
        "Revision::V2099_01_01",
        "Role::Narrator",
        "TasteToolRequestParams",
        "TasteToolRequestParams.name",
        "TasteToolResult",
        "TasteToolResult.sweet",
        "Tool.flavour",
    ];
    let names = keys.iter().map(|line| line.split('"').nth(1).unwrap());
    assert_eq!(names.collect::<Vec<_>>(), expected, "{missing}");

    let words = keys
        .iter()
        .map(|line| line.replace("\"\"", "\"Invented.\"") + "\n");
    workspace.append("schema/docs.toml", &words.collect::<String>());
    workspace.paste(&missing);
    workspace.xtask(&["codegen"]).unwrap();
    package::complete(&workspace, USER);
    package::test(&workspace);
}
