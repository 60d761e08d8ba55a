//! Tests of the whole generator: its output is deterministic, and a new revision needs no change of code.
#![allow(clippy::unwrap_used)]

mod extensions;
mod invented;
mod odd;
mod package;
mod workspace;

use serde_json::Value;
use std::fmt::Write;
use workspace::{Workspace, generated, root};

#[test]
fn two_runs_give_the_same_bytes() {
    let workspace = Workspace::new();
    workspace.xtask(&["codegen"]).unwrap();
    assert_eq!(generated(workspace.path()), generated(&root()));
    let again = workspace.xtask(&["codegen"]).unwrap();
    assert!(again.contains("up to date"), "{again}");
}

#[test]
fn the_order_of_keys_makes_no_difference() {
    let workspace = Workspace::new();
    for file in workspace.schemas() {
        let schema: Value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
        let mut text = String::new();
        backwards(&schema, &mut text);
        std::fs::write(&file, text).unwrap();
    }
    workspace.xtask(&["codegen"]).unwrap();
    assert_eq!(generated(workspace.path()), generated(&root()));
}

/// Writes JSON with the keys of each object in reverse order.
fn backwards(value: &Value, out: &mut String) {
    match value {
        Value::Object(members) => {
            out.push('{');
            for (index, (key, member)) in members.iter().rev().enumerate() {
                let comma = if index == 0 { "" } else { "," };
                write!(out, "{comma}{}:", Value::from(key.as_str())).unwrap();
                backwards(member, out);
            }
            out.push('}');
        }
        Value::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                out.push_str(if index == 0 { "" } else { "," });
                backwards(item, out);
            }
            out.push(']');
        }
        _ => write!(out, "{value}").unwrap(),
    }
}

#[test]
fn a_stale_file_fails_the_check_and_is_named() {
    let workspace = Workspace::new();
    workspace.xtask(&["codegen"]).unwrap();
    workspace.xtask(&["codegen", "--check"]).unwrap();
    let file = workspace.path().join("mcp-types/src/generated/model.rs");
    std::fs::write(&file, "// by hand").unwrap();
    let error = workspace.xtask(&["codegen", "--check"]).unwrap_err();
    assert!(
        error.contains("mcp-types/src/generated/model.rs"),
        "{error}"
    );
    assert!(error.contains("run `cargo xtask codegen`"), "{error}");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "// by hand");
}

#[test]
fn documentation_of_nothing_is_refused() {
    let workspace = Workspace::new();
    workspace.append("schema/docs.toml", "\"Tool.melt\" = \"Melts.\"\n");
    let error = workspace.xtask(&["codegen"]).unwrap_err();
    assert!(
        error.contains("document nothing") && error.contains("Tool.melt"),
        "{error}"
    );
}

#[test]
fn a_disagreement_between_revisions_is_named() {
    let workspace = Workspace::new();
    workspace.edit_schema("2026-07-28", |defs| {
        defs["Tool"]["properties"]["title"] = serde_json::json!({"type": "boolean"});
    });
    let error = workspace.xtask(&["codegen"]).unwrap_err();
    assert!(
        error.contains("Tool.title") && error.contains("overlay.toml"),
        "{error}"
    );
}

#[test]
fn a_stand_in_that_is_not_a_value_of_its_union_is_named() {
    let workspace = Workspace::new();
    let file = workspace.path().join("schema/overlay.toml");
    let overlay = std::fs::read_to_string(&file).unwrap();
    let broken = overlay.replacen(r#""text": "{}""#, r#""scent": "{}""#, 1);
    assert_ne!(broken, overlay);
    std::fs::write(&file, broken).unwrap();
    let error = workspace.xtask(&["codegen"]).unwrap_err();
    assert!(
        error.contains("ContentBlock") && error.contains("overlay.toml"),
        "{error}"
    );
}
