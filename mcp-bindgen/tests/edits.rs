//! Edits of a server: what a check says of each, and whether the code of a user compiles afterwards.

#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::Path;

use mcp_bindgen::{Bindings, Generated, Snapshot, compare};

mod support;

use support::scratch::Scratch;

const SERVER: &str = include_str!("support/weather.json");
const USER: &str = include_str!("support/user.rs");

/// An edit: its name, a text and its replacement, whether the user's code compiles, and what the check
/// says.
type Edit = (
    &'static str,
    &'static str,
    &'static str,
    bool,
    &'static [&'static str],
);

const EDITS: [Edit; 24] = [
    ("nothing", "", "", true, &[]),
    (
        "a new tool",
        r#""tools": ["#,
        r#""tools": [{"name": "radar", "inputSchema": {"type": "object"}}, "#,
        true,
        &["additive: tool `radar` is new"],
    ),
    (
        "a new tool with a name that another one has in Rust",
        r#""tools": ["#,
        r#""tools": [{"name": "Map", "inputSchema": {"type": "object"}}, "#,
        true,
        &["additive: tool `Map` is new"],
    ),
    (
        "a new optional argument",
        r#""city": {"type": "string"},"#,
        r#""country": {"type": "string"}, "city": {"type": "string"},"#,
        true,
        &["additive: `forecast`: arguments.country is new"],
    ),
    (
        "a new member of a result",
        r#""high": {"type": "number"},"#,
        r#""low": {"type": "number"}, "high": {"type": "number"},"#,
        true,
        &["additive: `forecast`: result.days[].low is new"],
    ),
    (
        "a new value to send",
        r#"["celsius", "#,
        r#"["kelvin", "celsius", "#,
        true,
        &["additive: `forecast`: arguments.unit: the value `kelvin` is new"],
    ),
    (
        "a new value to receive",
        r#"["clear", "#,
        r#"["fog", "clear", "#,
        true,
        &["additive: `forecast`: result.days[].sky: the value `fog` is new"],
    ),
    (
        "another description",
        "Forecast for a city.",
        "The forecast.",
        true,
        &["additive: `forecast`: its description has changed"],
    ),
    (
        "another limit",
        r#""maximum": 14"#,
        r#""maximum": 10"#,
        true,
        &["additive: `forecast`: arguments.days has another text, limit or default"],
    ),
    (
        "another default",
        r#""default": 3"#,
        r#""default": 5"#,
        true,
        &["additive: `forecast`: arguments.days has another text, limit or default"],
    ),
    (
        "arguments in another order",
        r#"{"source": {"type": "string"}, "destination": {"type": "string"}}"#,
        r#"{"destination": {"type": "string"}, "source": {"type": "string"}}"#,
        true,
        &[],
    ),
    (
        "a new version",
        "1.4.0",
        "1.5.0",
        true,
        &["additive: the server is `weather 1.5.0` now, and was `weather 1.4.0`"],
    ),
    (
        "a new prompt",
        r#""prompts": ["#,
        r#""prompts": [{"name": "essay"}, "#,
        true,
        &["additive: prompt `essay` is new"],
    ),
    (
        "a new required argument",
        r#""required": ["city"]"#,
        r#""required": ["city", "country"]"#,
        false,
        &["breaking: `forecast`: arguments.country is new, and required"],
    ),
    (
        "a tool less",
        r#""name": "map""#,
        r#""name": "atlas""#,
        false,
        &[
            "breaking: tool `map` is gone",
            "additive: tool `atlas` is new",
        ],
    ),
    (
        "an argument less",
        r#""days": {"type": "integer", "minimum": 1, "maximum": 14, "default": 3},"#,
        "",
        false,
        &["breaking: `forecast`: arguments.days is gone"],
    ),
    (
        "another type of an argument",
        r#""zoom": {"type": "integer"}"#,
        r#""zoom": {"type": "boolean"}"#,
        false,
        &["breaking: `map`: arguments.zoom is a boolean now, and was an integer"],
    ),
    (
        "an argument that became required",
        r#""required": ["city"]"#,
        r#""required": ["city", "unit"]"#,
        false,
        &["breaking: `forecast`: arguments.unit is required now"],
    ),
    (
        "a member of a result less",
        r#""warning": {"type": ["string", "null"]}"#,
        r#""alarm": {"type": ["string", "null"]}"#,
        false,
        &[
            "additive: `forecast`: result.alarm is new",
            "breaking: `forecast`: result.warning is gone",
        ],
    ),
    (
        "another type of a member of a result",
        r#""high": {"type": "number"}"#,
        r#""high": {"type": "string"}"#,
        false,
        &["breaking: `forecast`: result.days[].high is text now, and was a number"],
    ),
    (
        "a member of a result that may be absent",
        r#""required": ["high", "sky"]"#,
        r#""required": ["sky"]"#,
        false,
        &["breaking: `forecast`: result.days[].high may be left out now"],
    ),
    (
        "a value less",
        r#"["celsius", "fahrenheit"]"#,
        r#"["celsius"]"#,
        false,
        &["breaking: `forecast`: arguments.unit: the value `fahrenheit` is gone"],
    ),
    (
        "an output schema",
        r#""description": "Renders a map.","#,
        r#""outputSchema": {"type": "object", "properties": {"svg": {"type": "string"}}},"#,
        false,
        &[
            "additive: `map`: its description has changed",
            "breaking: `map`: it has an output schema now",
        ],
    ),
    (
        "a variable of a template less",
        "city://{name}{?unit}",
        "city://all",
        false,
        &[
            "breaking: resource template `city://{name}{?unit}` is gone",
            "additive: resource template `city://all` is new",
        ],
    ),
];

/// The bindings before an edit.
fn before() -> Generated {
    let snapshot = Snapshot::parse(SERVER.as_bytes()).unwrap();
    Bindings::new(snapshot).generate().unwrap()
}

fn edited(edit: &Edit) -> Snapshot {
    let (name, from, to, ..) = edit;
    assert!(SERVER.contains(from), "{name}");
    Snapshot::parse(SERVER.replacen(from, to, 1).as_bytes()).unwrap()
}

#[test]
fn a_check_tells_each_edit_in_words() {
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

#[test]
#[ignore = "compiles 24 programs: run by .ci/bindings/run"]
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
