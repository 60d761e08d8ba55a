//! Compiles generated bindings. This takes long, so plain `cargo test` skips it: run
//! `cargo test --test compiled`.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use mcp_bindgen::{Bindings, Format, Snapshot};
use proc_macro2::{TokenStream, TokenTree};
use serde_json::{Value, json};

mod support;

use support::edits::{EDITS, SERVER, before, edited};
use support::scratch::Scratch;
use support::{SHAPES, hostile, whole};

const USER: &str = include_str!("support/user.rs");

#[test]
fn code_compiles_after_an_edit_that_adds() {
    let before = before().snapshot;
    let scratch = Scratch::new("edits", "2024");
    for (index, edit) in EDITS.iter().enumerate() {
        let after = Bindings::new(edited(edit).with_names_of(&before))
            .generate()
            .unwrap();
        let folder = scratch.path().join(format!("src/bin/edit{index}"));
        write(&folder.join("weather.rs"), &after.code);
        write(&folder.join("main.rs"), USER);
    }
    let failed = scratch.failed(&["check", "--bins", "--keep-going"]);
    for (index, (name, .., compiles, _)) in EDITS.iter().enumerate() {
        let has_failed = failed.contains(&format!("edit{index}"));
        assert_eq!(!has_failed, *compiles, "{name}, edit{index}");
    }
}

fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

#[test]
fn strings_of_formats_are_types_of_other_crates() {
    let scratch = Scratch::new("formats", "2024");
    let snapshot = Snapshot::parse(include_bytes!("support/formats.json")).unwrap();
    let formats = [Format::Chrono, Format::Uuid, Format::Url];
    let generated = Bindings::new(snapshot).formats(formats).generate().unwrap();
    write(&scratch.path().join("src/calendar.rs"), &generated.code);
    write(
        &scratch.path().join("src/main.rs"),
        include_str!("support/formats.rs"),
    );
    assert!(scratch.failed(&["run"]).is_empty());
}

#[test]
fn bindings_of_hostile_tools_raise_no_lint() {
    for edition in ["2021", "2024"] {
        let scratch = Scratch::new("hostile", edition);
        let mut modules = String::from("//! Bindings.\n#![warn(missing_docs)]\n");
        for (index, (_, tool, _)) in hostile().into_iter().enumerate() {
            let module = scratch.path().join(format!("src/hostile{index}.rs"));
            let snapshot = Snapshot::parse(whole(&tool).as_bytes()).unwrap();
            let generated = Bindings::new(snapshot).name("Hostile").generate();
            fs::write(module, generated.unwrap().code).unwrap();
            modules += &format!("/// A case.\npub mod hostile{index};\n");
        }
        fs::write(scratch.path().join("src/lib.rs"), modules).unwrap();
        let commands: [&[&str]; 3] = [
            &["clippy", "--", "-W", "clippy::pedantic"],
            &["doc", "--no-deps"],
            &["test", "--doc"],
        ];
        // Only rustdoc reads what documentation has between backticks, in both editions alike.
        let commands = &commands[..if edition == "2024" { 3 } else { 2 }];
        for command in commands {
            assert!(scratch.failed(command).is_empty(), "{edition}: {command:?}");
        }
    }
}

#[test]
fn values_of_odd_shapes_come_back_as_they_were() {
    let scratch = Scratch::new("shapes", "2024");
    let snapshot = Snapshot::parse(SHAPES.as_bytes()).unwrap();
    let generated = Bindings::new(snapshot).generate().unwrap();
    write(&scratch.path().join("src/budget.rs"), &generated.code);
    write(
        &scratch.path().join("src/main.rs"),
        include_str!("support/shapes.rs"),
    );
    assert!(scratch.failed(&["run"]).is_empty());
}

/// The capitalized names in the modules of both servers: types, traits, variants and generic
/// parameters.
fn names() -> BTreeSet<String> {
    fn collect(code: TokenStream, names: &mut BTreeSet<String>) {
        for token in code {
            match token {
                TokenTree::Ident(it) if it.to_string().starts_with(char::is_uppercase) => {
                    names.insert(it.to_string());
                }
                TokenTree::Group(group) => collect(group.stream(), names),
                _ => {}
            }
        }
    }

    let mut names = BTreeSet::new();
    for snapshot in [SHAPES.as_bytes(), SERVER.as_bytes()] {
        let snapshot = Snapshot::parse(snapshot).unwrap();
        let code = Bindings::new(snapshot).generate().unwrap().code;
        collect(code.parse().unwrap(), &mut names);
    }
    names
}

#[test]
fn any_name_that_generated_code_uses_can_be_that_of_a_server_and_a_type() {
    let names = names();
    for name in [
        "BTreeMap",
        "Client",
        "D",
        "Eq",
        "IntoIterator",
        "S",
        "T",
        "Value",
    ] {
        assert!(names.contains(name), "{name}: {names:?}");
    }
    let scratch = Scratch::new("names", "2024");
    let mut modules = String::new();
    for (index, name) in names.iter().enumerate() {
        let text = json!({"type": "string"});
        let object =
            json!({"title": name, "type": "object", "properties": {"a": text}, "required": ["a"]});
        let tag = |value: &str| json!({"type": "object", "properties": {"kind": {"const": value}, name: text}});
        let of = |member: Value| {
            let properties = json!({"m": member, "own": {"$ref": "#"}});
            json!({"type": "object", "properties": properties, "required": ["m"]})
        };
        // Arguments with a required member of the same type, alone and in a list.
        let itself =
            json!({"type": "object", "properties": {"m": {"$ref": "#"}}, "required": ["m"]});
        let items = json!({"type": "array", "items": {"$ref": "#"}});
        let schemas = [
            of(object.clone()),
            of(json!({"title": name, "enum": ["a", name]})),
            of(json!({"title": name, "oneOf": [tag("a"), tag(name)]})),
            of(json!({"title": name, "anyOf": [object, text, {"type": "array", "items": text}]})),
            itself,
            json!({"type": "object", "properties": {"m": items}, "required": ["m"]}),
        ];
        let schemas = schemas.iter().enumerate();
        let tools = schemas.map(|(index, schema)| {
            json!({"name": format!("t{index}"), "inputSchema": schema, "outputSchema": schema})
                .to_string()
        });
        let named = json!({"name": name, "inputSchema": {"type": "object"}}).to_string();
        let tools: Vec<_> = tools.chain([named]).collect();
        let snapshot = Snapshot::parse(whole(&tools.join(",")).as_bytes()).unwrap();
        let generated = Bindings::new(snapshot).name(name).generate().unwrap();
        write(
            &scratch.path().join(format!("src/m{index}.rs")),
            &generated.code,
        );
        modules += &format!("pub mod m{index};\n");
    }
    write(&scratch.path().join("src/lib.rs"), &modules);
    assert!(scratch.failed(&["check"]).is_empty());
}
