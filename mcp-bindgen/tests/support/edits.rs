//! Edits of a server, and their expected effects.

use mcp_bindgen::{Bindings, Generated, Snapshot};

pub(crate) const SERVER: &str = include_str!("weather.json");

/// An edit: its name, a string and its replacement, whether the user's code still compiles, and
/// what the check reports.
pub(crate) type Edit = (
    &'static str,
    &'static str,
    &'static str,
    bool,
    &'static [&'static str],
);

pub(crate) const EDITS: [Edit; 26] = [
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
        &["additive: tool `forecast`: arguments.country is new"],
    ),
    (
        "a new member of a result",
        r#""high": {"type": "number"},"#,
        r#""low": {"type": "number"}, "high": {"type": "number"},"#,
        true,
        &["additive: tool `forecast`: result.days[].low is new"],
    ),
    (
        "a new value to send",
        r#"["celsius", "#,
        r#"["kelvin", "celsius", "#,
        true,
        &["additive: tool `forecast`: arguments.unit: the value `kelvin` is new"],
    ),
    (
        "a new value to receive",
        r#"["clear", "#,
        r#"["fog", "clear", "#,
        true,
        &["additive: tool `forecast`: result.days[].sky: the value `fog` is new"],
    ),
    (
        "another description",
        "Forecast for a city.",
        "The forecast.",
        true,
        &["additive: tool `forecast`: its description has changed"],
    ),
    (
        "another limit",
        r#""maximum": 14"#,
        r#""maximum": 10"#,
        true,
        &[
            "additive: tool `forecast`: arguments.days has a different description, limit or default",
        ],
    ),
    (
        "another default",
        r#""default": 3"#,
        r#""default": 5"#,
        true,
        &[
            "additive: tool `forecast`: arguments.days has a different description, limit or default",
        ],
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
        &["breaking: tool `forecast`: arguments.country is new, and required"],
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
        &["breaking: tool `forecast`: arguments.days is gone"],
    ),
    (
        "another type of an argument",
        r#""zoom": {"type": "integer"}"#,
        r#""zoom": {"type": "boolean"}"#,
        false,
        &["breaking: tool `map`: arguments.zoom is a boolean now, and was an integer"],
    ),
    (
        "an argument that became required",
        r#""required": ["city"]"#,
        r#""required": ["city", "unit"]"#,
        false,
        &["breaking: tool `forecast`: arguments.unit is required now"],
    ),
    (
        "an argument of a tool that had no arguments",
        "\"stations\",\n      \"inputSchema\": {\"type\": \"object\"",
        "\"stations\",\n      \"inputSchema\": {\"type\": \"object\", \"properties\": {\"near\": {\"type\": \"string\"}}",
        false,
        &["breaking: tool `stations`: arguments is an object with members now, and was nothing"],
    ),
    (
        "a minimum that makes a result unsigned",
        r#""result": {"type": "integer"}"#,
        r#""result": {"type": "integer", "minimum": 0}"#,
        false,
        &[
            "breaking: tool `stations`: result is an integer that is not negative now, and was an integer",
        ],
    ),
    (
        "a member of a result less",
        r#""warning": {"type": ["string", "null"]}"#,
        r#""alarm": {"type": ["string", "null"]}"#,
        false,
        &[
            "breaking: tool `forecast`: result.warning is gone",
            "additive: tool `forecast`: result.alarm is new",
        ],
    ),
    (
        "another type of a member of a result",
        r#""high": {"type": "number"}"#,
        r#""high": {"type": "string"}"#,
        false,
        &["breaking: tool `forecast`: result.days[].high is a string now, and was a number"],
    ),
    (
        "a member of a result that may be absent",
        r#""required": ["high", "sky"]"#,
        r#""required": ["sky"]"#,
        false,
        &["breaking: tool `forecast`: result.days[].high may be left out now"],
    ),
    (
        "a value less",
        r#"["celsius", "fahrenheit"]"#,
        r#"["celsius"]"#,
        false,
        &["breaking: tool `forecast`: arguments.unit: the value `fahrenheit` is gone"],
    ),
    (
        "an output schema",
        r#""description": "Renders a map.","#,
        r#""outputSchema": {"type": "object", "properties": {"svg": {"type": "string"}}},"#,
        false,
        &[
            "additive: tool `map`: its description has changed",
            "breaking: tool `map`: it has an output schema now",
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

pub(crate) fn before() -> Generated {
    let snapshot = Snapshot::parse(SERVER.as_bytes()).unwrap();
    Bindings::new(snapshot).generate().unwrap()
}

pub(crate) fn edited(edit: &Edit) -> Snapshot {
    let (name, from, to, ..) = edit;
    assert!(SERVER.contains(from), "{name}");
    Snapshot::parse(SERVER.replacen(from, to, 1).as_bytes()).unwrap()
}
