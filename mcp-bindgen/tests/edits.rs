//! Compares a server before and after each edit.

#![allow(clippy::unwrap_used)]

use mcp_bindgen::{Bindings, Snapshot, compare};

mod support;

use support::edits::{EDITS, SERVER, before, edited};

#[test]
fn a_check_describes_each_edit_in_words() {
    let before = before().snapshot;
    for edit in &EDITS {
        let found = compare(&before, &edited(edit));
        let lines: Vec<_> = found.iter().map(ToString::to_string).collect();
        assert_eq!(lines, edit.4, "{}", edit.0);
        let compiles = found.iter().all(|difference| !difference.breaking);
        assert_eq!(compiles, edit.3, "{}", edit.0);
    }
}

#[test]
fn without_an_edit_not_a_byte_differs() {
    let first = before();
    let live = Snapshot::parse(SERVER.as_bytes())
        .unwrap()
        .with_names_of(&first.snapshot);
    let again = Bindings::new(live).generate().unwrap();
    assert_eq!(again.code, first.code);
    assert_eq!(again.snapshot.to_string(), first.snapshot.to_string());
    let stored = Snapshot::parse(first.snapshot.to_string().as_bytes()).unwrap();
    assert_eq!(stored.to_string(), first.snapshot.to_string());
}

#[test]
fn the_names_of_the_first_of_two_tools_stay() {
    let before = before().snapshot;
    let edit = &EDITS[2];
    let after = Bindings::new(edited(edit).with_names_of(&before))
        .generate()
        .unwrap();
    assert!(after.code.contains("pub fn map("), "{}", after.code);
    assert!(after.code.contains("pub fn map_2("), "{}", after.code);
    assert!(after.code.contains(r#"self.0.call_tool("map", arguments)"#));
}
