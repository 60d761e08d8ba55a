//! Tests that the generator asks about everything that the schemas leave open, proposes an entry for each
//! question, and refuses unused entries.

use crate::workspace::Workspace;
use serde_json::json;
use toml::{Table, Value};

fn overlay(workspace: &Workspace) -> Table {
    let text = std::fs::read_to_string(workspace.path().join("schema/overlay.toml")).unwrap();
    text.parse().unwrap()
}

fn write(workspace: &Workspace, overlay: &Table) {
    let file = workspace.path().join("schema/overlay.toml");
    std::fs::write(file, overlay.to_string()).unwrap();
}

fn take(overlay: &mut Table, kind: &str) -> Vec<Value> {
    let Some(Value::Array(entries)) = overlay.remove(kind) else {
        panic!("no `{kind}`");
    };
    entries
}

/// Runs the generator without the entries of one kind.
fn without(kind: &str) -> (Vec<Value>, String) {
    let workspace = Workspace::new();
    let mut overlay = overlay(&workspace);
    let entries = take(&mut overlay, kind);
    write(&workspace, &overlay);
    (entries, workspace.xtask(&["codegen"]).unwrap_err())
}

#[test]
fn a_text_to_fill_in_is_proposed_by_nobody() {
    let (_, asked) = without("fill");
    let place = "at = \"RequestMetaObject.io.modelcontextprotocol/protocolVersion\"";
    let entry = format!("    {place}\n    value = \"\"\n");
    assert!(asked.contains(&entry), "{asked}");

    let workspace = Workspace::new();
    let mut unwritten = overlay(&workspace);
    for fill in unwritten["fill"].as_array_mut().unwrap() {
        fill["value"] = "".into();
    }
    write(&workspace, &unwritten);
    let error = workspace.xtask(&["codegen"]).unwrap_err();
    assert!(error.contains("the fill is not JSON"), "{error}");
}

/// The generator can't ask for other kinds: `name`, `field`, `acronyms` and `identifier` replace default
/// names, `raw` avoids decoding, and `repair`, `values`, `from_zero`, `meta_key` and `deprecated` have
/// information that is only in the text or the TypeScript source of the specification.
#[test]
fn each_entry_is_asked_for_when_it_is_missing() {
    for (kind, key) in [
        ("capability", "method"),
        ("nearest", "type"),
        ("keep", "name"),
        ("drop", "name"),
        ("order", "type"),
        ("fill", "at"),
    ] {
        let (entries, asked) = without(kind);
        let asked_as = match kind {
            "keep" | "drop" => "keep]] # or [[drop",
            kind => kind,
        };
        for entry in entries {
            let line = format!("    {key} = {}", entry[key]);
            let entry = format!("    [[{asked_as}]]\n{line}\n");
            assert!(asked.contains(&entry), "{entry} in {asked}");
        }
    }
}

#[test]
fn a_definition_under_another_name_is_asked_for_and_can_be_told_apart() {
    let workspace = Workspace::new();
    let mut overlay = overlay(&workspace);
    let renames = overlay["rename"].as_array_mut().unwrap();
    renames.retain(|entry| entry["from"].as_str() == Some("Result"));
    write(&workspace, &overlay);
    let error = workspace.xtask(&["codegen"]).unwrap_err();
    for expected in [
        "2 decisions are to be made",
        "CompletionReference: ResourceReference until 2025-03-26; ResourceTemplateReference since",
        "PrimitiveSchemaDefinition: EnumSchema in 2025-06-18; LegacyTitledEnumSchema since",
    ] {
        assert!(error.contains(expected), "{expected} in {error}");
    }
    workspace.paste(&error.replace("to = \"LegacyTitledEnumSchema\"", "to = \"EnumSchema\""));
    let error = workspace.xtask(&["codegen"]).unwrap_err();
    assert!(
        error.contains("\"EnumSchema\" = \"\" # 2025-06-18 only"),
        "{error}"
    );
    assert!(!error.contains("to be made"), "{error}");
}

#[test]
fn codes_of_json_rpc_itself_are_asked_for() {
    let workspace = Workspace::new();
    let mut overlay = overlay(&workspace);
    let entries = overlay["support"].as_array_mut().unwrap();
    entries.retain(|entry| !entry["name"].as_str().unwrap().ends_with("Error"));
    write(&workspace, &overlay);
    let asked = workspace.xtask(&["codegen"]).unwrap_err();
    for name in [
        "ParseError",
        "InvalidRequestError",
        "MethodNotFoundError",
        "InvalidParamsError",
        "InternalError",
    ] {
        let entry = format!("    [[support]]\n    name = \"{name}\"\n    as = \"type\"\n");
        assert!(asked.contains(&entry), "{entry} in {asked}");
    }
    workspace.paste(&asked);
    workspace.xtask(&["codegen"]).unwrap();
}

#[test]
fn words_that_order_arguments_of_one_type_are_asked_for() {
    let workspace = Workspace::new();
    let mut overlay = overlay(&workspace);
    overlay.remove("first");
    write(&workspace, &overlay);
    let error = workspace.xtask(&["codegen"]).unwrap_err();
    for (name, fields) in [
        ("ImageContent", "[\"data\", \"mimeType\"]"),
        ("Resource", "[\"name\", \"uri\"]"),
        ("ResourceTemplate", "[\"name\", \"uriTemplate\"]"),
        ("Task", "[\"createdAt\", \"lastUpdatedAt\", \"taskId\"]"),
        ("ToolUseContent", "[\"id\", \"name\"]"),
    ] {
        let entry = format!("    [[order]]\n    type = \"{name}\"\n    fields = {fields}\n");
        assert!(error.contains(&entry), "{entry} in {error}");
    }
}

#[test]
fn a_disagreement_names_the_types_of_each_revision_and_its_entry_settles_it() {
    let workspace = Workspace::new();
    workspace.edit_schema("2026-07-28", |defs| {
        defs["Tool"]["properties"]["title"] = json!({"type": "array", "items": {"type": "string"}});
        defs["Prompt"]["properties"]["title"] = json!({"type": "boolean"});
    });
    let error = workspace.xtask(&["codegen"]).unwrap_err();
    for expected in [
        "2 decisions are to be made",
        "Tool.title: string in 2025-06-18 to 2025-11-25; array of string since 2026-07-28\n",
        "Prompt.title: string in 2025-06-18 to 2025-11-25; boolean since 2026-07-28\n",
    ] {
        assert!(error.contains(expected), "{expected} in {error}");
    }
    workspace.paste(&error);
    workspace.xtask(&["codegen"]).unwrap();
}

#[test]
fn a_struct_that_becomes_an_enum_gets_a_name_of_its_own() {
    let workspace = Workspace::new();
    workspace.edit_schema("2026-07-28", |defs| {
        defs["Annotations"] = json!({"type": "string", "enum": ["user", "assistant"]});
    });
    let error = workspace.xtask(&["codegen"]).unwrap_err();
    assert!(
        error.contains(
            "Annotations: an object until 2025-11-25; one of several strings since 2026-07-28"
        ),
        "{error}"
    );
    assert!(
        error.contains("from = \"Annotations\"\n    to = \"LegacyAnnotations\""),
        "{error}"
    );
}

#[test]
fn a_string_that_lists_its_values_no_longer_keeps_them() {
    let workspace = Workspace::new();
    workspace.edit_schema("2026-07-28", |defs| {
        defs["Icon"]["properties"]["theme"] = json!({"type": "string"});
    });
    let error = workspace.xtask(&["codegen"]).unwrap_err();
    assert!(
        error.contains("Icon.theme: IconTheme in 2025-11-25; string since 2026-07-28"),
        "{error}"
    );
    assert!(error.contains("values = [\"dark\", \"light\"]"), "{error}");
    workspace.paste(&error);
    let error = workspace.xtask(&["codegen"]).unwrap_err();
    assert!(
        error.contains("match nothing") && error.contains("nearest: IconTheme"),
        "{error}"
    );
}

#[test]
fn an_error_code_under_another_name_is_asked_for() {
    let workspace = Workspace::new();
    workspace.edit_schema("2025-11-25", |defs| {
        defs["MismatchError"] = json!({
            "type": "object",
            "properties": {"code": {"type": "integer", "const": -32020}},
            "required": ["code"],
        });
    });
    let error = workspace.xtask(&["codegen"]).unwrap_err();
    let expected =
        "error -32020: MismatchError in 2025-11-25; HeaderMismatchError since 2026-07-28";
    assert!(error.contains(expected), "{error}");
}

#[test]
fn a_required_value_cannot_be_left_out() {
    let workspace = Workspace::new();
    let mut overlay = overlay(&workspace);
    for entry in overlay["nearest"].as_array_mut().unwrap() {
        if entry["type"].as_str() == Some("Role") {
            entry.as_table_mut().unwrap().remove("value");
            entry
                .as_table_mut()
                .unwrap()
                .insert("drop".into(), true.into());
        }
    }
    write(&workspace, &overlay);
    let error = workspace.xtask(&["codegen"]).unwrap_err();
    assert!(
        error.contains("Role: `drop` is for optional fields and lists, required at"),
        "{error}"
    );
}

#[test]
fn entries_that_match_nothing_are_refused_all_at_once() {
    let workspace = Workspace::new();
    let mut overlay = overlay(&workspace);
    let mut expected = Vec::new();
    let entries = [
        ("order", "type = 'Nope'\nfields = []"),
        ("rename", "from = 'Nope'\nto = 'Yes'"),
        ("repair", "at = '/Nope'\nset = '{}'"),
        ("support", "name = 'Nope'\nas = 'json'"),
        ("name", "at = 'Nope.nope'\nname = 'Yes'"),
        ("raw", "at = 'Nope.nope'"),
        ("from_zero", "at = 'Tool.name'"),
        ("values", "at = '*.nope'\nname = 'Yes'\nvalues = []"),
        ("keep", "name = 'Tool'"),
        ("drop", "name = 'Tool'"),
        ("fill", "at = 'Tool.title'\nvalue = '\"\"'"),
        ("nearest", "type = 'Tool'\nvalue = 'x'"),
        ("capability", "method = 'tools/nope'\nnone = true"),
        ("identifier", "at = 'Tool.nope'\nname = 'yes'"),
        ("alias", "old = 'Nope'\nnew = 'Yes'\nsince = '1.0.0'"),
        (
            "deprecated",
            "part = 'nope'\nsince = '2026-07-28'\nproposal = ''\nremoval = ''\ninstead = ''\nitems = []",
        ),
    ];
    for (kind, entry) in entries {
        let reason = match kind {
            "alias" | "deprecated" => "",
            "capability" => "source = 'none'",
            _ => "reason = 'none'",
        };
        let entry: Table = format!("{entry}\n{reason}").parse().unwrap();
        let key = entry.iter().find(|(key, _)| {
            ![
                "fields",
                "to",
                "set",
                "as",
                "values",
                "value",
                "none",
                "revisions",
                "reason",
                "source",
                "new",
                "since",
                "proposal",
                "removal",
                "instead",
                "items",
            ]
            .contains(&key.as_str())
        });
        let key = key.unwrap().1.as_str().unwrap();
        expected.push(format!("\n{kind}: {key}\n"));
        let kind = overlay
            .entry(kind)
            .or_insert_with(|| Value::Array(Vec::new()));
        kind.as_array_mut().unwrap().push(entry.into());
    }
    for kind in ["acronyms", "field"] {
        overlay[kind]
            .as_table_mut()
            .unwrap()
            .insert("NOPE".into(), "Nope".into());
        expected.push(format!("\n{kind}: NOPE\n"));
    }
    overlay["first"].as_array_mut().unwrap().push("nope".into());
    expected.push("\nfirst: nope\n".into());
    write(&workspace, &overlay);
    let error = workspace.xtask(&["codegen"]).unwrap_err();
    for line in expected {
        assert!(error.contains(&line), "{line} in {error}");
    }
}

/// Adds an entry for a deprecated part with these items.
fn deprecate(workspace: &Workspace, items: &[&str]) {
    let entry = format!(
        r#"
[[deprecated]]
part = "mending"
since = "2026-07-28"
proposal = "SEP-1"
removal = "at any time"
instead = "replace the tool"
items = {items:?}
"#
    );
    workspace.append("schema/overlay.toml", &entry);
}

#[test]
fn docs_of_deprecated_items_say_what_to_use_instead() {
    let workspace = Workspace::new();
    let items = [
        "Role::User",
        "TaskStatus",
        "ListToolsRequest",
        "Tool",
        "Tool.title",
        "ContentBlock",
    ];
    deprecate(&workspace, &items);
    workspace.xtask(&["codegen"]).unwrap();
    let docs = "Deprecated since 2026-07-28 (SEP-1). The specification may remove mending at any time. \
                Instead, replace the tool. Revisions: ";
    for (module, count) in [("enums", 2), ("messages", 1), ("model", 2), ("unions", 1)] {
        let file = format!("mcp-types/src/generated/{module}.rs");
        let code = std::fs::read_to_string(workspace.path().join(file)).unwrap();
        // Lines of docs are wrapped.
        let words: Vec<_> = code
            .split_whitespace()
            .filter(|word| *word != "///")
            .collect();
        let found = words.join(" ").matches(docs).count();
        assert_eq!(found, count, "{module}");
    }
}

#[test]
fn a_deprecated_item_that_does_not_exist_is_named() {
    let workspace = Workspace::new();
    deprecate(&workspace, &["Tool", "Nope", "Tool.nope", "Role::Nope"]);
    let error = workspace.xtask(&["codegen"]).unwrap_err();
    for item in ["Nope", "Tool.nope", "Role::Nope"] {
        let line = format!("\ndeprecated: mending: {item}\n");
        assert!(error.contains(&line), "{line} in {error}");
    }
    assert!(!error.contains("mending: Tool\n"), "{error}");
}

#[test]
fn a_name_that_is_gone_is_said_and_can_be_kept() {
    let workspace = Workspace::new();
    workspace.xtask(&["codegen"]).unwrap();
    let mut overlay = overlay(&workspace);
    for entry in overlay["name"].as_array_mut().unwrap() {
        if entry["at"].as_str() == Some("ElicitResult.action") {
            entry["name"] = "ElicitDecision".into();
        }
    }
    for entry in overlay["nearest"].as_array_mut().unwrap() {
        if entry["type"].as_str() == Some("ElicitAction") {
            entry["type"] = "ElicitDecision".into();
        }
    }
    write(&workspace, &overlay);
    let file = workspace.path().join("schema/docs.toml");
    let docs = std::fs::read_to_string(&file).unwrap();
    std::fs::write(file, docs.replace("\"ElicitAction", "\"ElicitDecision")).unwrap();

    workspace.append(
        "schema/overlay.toml",
        "[[alias]]\nold = \"ElicitAction\"\nnew = \"ElicitDecision\"\nsince = \"2.0.0\"\n",
    );
    let kept = workspace.xtask(&["codegen"]).unwrap();
    assert!(!kept.contains("no longer public"), "{kept}");
    let model = workspace.path().join("mcp-types/src/generated/model.rs");
    let model = std::fs::read_to_string(model).unwrap();
    assert!(model.contains("pub type ElicitAction = ElicitDecision;"));

    write(&workspace, &overlay);
    let gone = workspace.xtask(&["codegen"]).unwrap();
    assert!(
        gone.contains("`ElicitAction` is no longer public"),
        "{gone}"
    );
}

#[test]
fn an_entry_without_words_documents_nothing() {
    let workspace = Workspace::new();
    let file = workspace.path().join("schema/docs.toml");
    let docs = std::fs::read_to_string(&file).unwrap();
    let mut docs: Table = docs.parse().unwrap();
    docs["Tool.name"] = "".into();
    std::fs::write(file, docs.to_string()).unwrap();
    let error = workspace.xtask(&["codegen"]).unwrap_err();
    assert!(error.contains("\n\"Tool.name\" = \"\""), "{error}");
}
