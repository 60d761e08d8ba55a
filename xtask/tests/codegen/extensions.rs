//! Tests that schemas of extensions are imported and generated as separate modules that use the
//! protocol's types.

use crate::workspace::{Workspace, root};
use serde_json::{Value, json};
use std::fs;

const FILE: &str = "mcp-types/src/generated/extensions/melting.rs";

const DOCS: &str = r#"
"MeltRequestParams" = "Parameters of `melting/melt`."
"MeltRequestParams.maker" = "Maker of the thing to melt."
"MeltRequestParams.heat" = "Heat."
"MeltRequestParams.furnace" = "Furnace to use."
"Furnace" = "A furnace."
"Furnace.size" = "Litres."
"Heat" = "A heat."
"Heat::High" = "High."
"Heat::Low" = "Low."
"MeltResult" = "Answer to `melting/melt`."
"MeltResult.melted" = "Whether it melted."
"#;

/// Creates a schema that repeats definitions of the protocol, one of which `edit` changes.
fn published(edit: impl FnOnce(&mut Value)) -> Value {
    let newest = root().join("schema/2026-07-28.json");
    let newest: Value = serde_json::from_str(&fs::read_to_string(newest).unwrap()).unwrap();
    let mut defs = json!({
        "Icon": newest["$defs"]["Icon"],
        "Implementation": newest["$defs"]["Implementation"],
        "MeltRequest": {
            "type": "object",
            "properties": {
                "jsonrpc": { "const": "2.0" },
                "id": { "type": ["string", "integer"] },
                "method": { "const": "melting/melt" },
                "params": {
                    "type": "object",
                    "properties": {
                        "maker": { "$ref": "#/$defs/Implementation" },
                        "heat": { "$ref": "#/$defs/Heat" },
                        "furnace": { "$ref": "#/$defs/Furnace" },
                    },
                    "required": ["furnace", "maker"],
                },
            },
            "required": ["id", "jsonrpc", "method", "params"],
        },
        "MeltResult": {
            "type": "object",
            "properties": { "melted": { "type": "boolean" } },
            "required": ["melted"],
        },
        "Heat": { "anyOf": [{ "const": "low" }, { "const": "high" }] },
        "Furnace": { "type": "object", "properties": { "size": { "type": "integer", "minimum": 0 } } },
    });
    edit(&mut defs);
    json!({ "$defs": defs })
}

/// Imports the schema, and writes its overlay and docs.
fn workspace(schema: &Value, docs: &str) -> Workspace {
    let workspace = Workspace::new();
    let file = workspace.path().join("2031-02-03.json");
    fs::write(&file, schema.to_string()).unwrap();
    let file = file.display().to_string();
    let arguments = ["schema", "import", "--extension", "melting", &file];
    workspace.xtask(&arguments).unwrap();
    let folder = workspace.path().join("schema/extensions/melting");
    fs::write(folder.join("docs.toml"), docs).unwrap();
    workspace
}

fn read(workspace: &Workspace, file: &str) -> String {
    fs::read_to_string(workspace.path().join(file)).unwrap()
}

#[test]
fn an_extension_gets_a_module_on_the_types_of_the_protocol() {
    let workspace = workspace(&published(|_| {}), DOCS);
    workspace.xtask(&["codegen"]).unwrap();
    let code = read(&workspace, FILE);
    for part in [
        "//! Types of the extension `melting`.",
        "pub const MELTING_MELT: &str = \"melting/melt\";",
        "pub maker: Implementation,",
        "pub heat: Option<Heat>,",
        "pub furnace: Furnace,",
        "pub enum Heat {",
        "pub struct Furnace {",
        "/// Litres.",
        "pub struct MeltResult {",
    ] {
        assert!(code.contains(part), "{part}: {code}");
    }
    assert!(
        !code.contains("struct Implementation") && !code.contains("struct Icon"),
        "{code}"
    );
    let module = read(&workspace, "mcp-types/src/generated/extensions/mod.rs");
    assert!(module.contains("pub mod melting;"), "{module}");
    let root = read(&workspace, "mcp-types/src/generated/mod.rs");
    assert!(root.contains("pub mod extensions;"), "{root}");
}

#[test]
fn a_definition_that_differs_from_the_protocols_is_the_extensions_own() {
    let schema = published(|defs| {
        defs["Icon"]["properties"]["glow"] = json!({ "type": "boolean" });
    });
    let error = workspace(&schema, DOCS).xtask(&["codegen"]).unwrap_err();
    let file = "\nschema/extensions/melting/docs.toml: these entries are missing";
    assert!(
        error.contains(file) && error.contains("\"Icon.glow\" = \"\""),
        "{error}"
    );
    // Definitions that refer to a changed definition also differ from the protocol's definitions.
    assert!(
        error.contains("\"Implementation.version\" = \"\""),
        "{error}"
    );
}

#[test]
fn what_the_protocol_and_an_extension_leave_open_is_listed_at_once() {
    let schema = published(|defs| {
        defs["Furnace"]["properties"]["inner"] = json!({ "$ref": "#/$defs/Furnace" });
        defs["Furnace"]["properties"]["lid"] = json!({ "pattern": "^a$" });
    });
    let workspace = workspace(&schema, DOCS);
    workspace.append("schema/docs.toml", "\"Tool.nope\" = \"Nope.\"\n");
    let folder = "schema/extensions/melting";
    workspace.append(
        &format!("{folder}/overlay.toml"),
        "[[keep]]\nname = \"Nope\"\nreason = \"none\"\n",
    );
    let parts = [
        "schema/docs.toml: these entries document nothing, remove them:\nTool.nope\n".to_owned(),
        format!("\n{folder}/overlay.toml: one decision is to be made; add an entry for each\n"),
        format!("\n{folder}/2031-02-03.json: at /$defs/Furnace/properties/lid: "),
        format!("\n{folder}/docs.toml: these entries are missing or empty"),
        format!(
            "\n{folder}/overlay.toml: these entries match nothing, correct or remove them:\nkeep: Nope\n"
        ),
    ];
    let adopted = workspace.output(&["schema", "adopt"]).stdout;
    let adopted = String::from_utf8(adopted).unwrap();
    for text in [workspace.xtask(&["codegen"]).unwrap_err(), adopted] {
        for part in &parts {
            assert!(text.contains(part), "{part}\n{text}");
        }
    }
}

#[test]
fn without_extensions_there_is_no_module() {
    let workspace = Workspace::new();
    workspace.xtask(&["codegen"]).unwrap();
    let root = read(&workspace, "mcp-types/src/generated/mod.rs");
    assert!(!root.contains("extensions"), "{root}");
}
