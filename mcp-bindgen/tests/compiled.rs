//! Bindings, compiled. Builds programs, so `cargo test` alone leaves it out: `cargo test --test compiled`.

#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::Path;

use mcp_bindgen::{Bindings, Format, Snapshot};

mod support;

use support::edits::{EDITS, before, edited};
use support::scratch::Scratch;
use support::{hostile, whole};

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
        for command in commands {
            assert!(scratch.failed(command).is_empty(), "{edition}: {command:?}");
        }
    }
}
