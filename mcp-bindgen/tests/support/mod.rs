//! Snapshots for tests.

#![allow(dead_code, clippy::unwrap_used)]

use serde_json::{Value, json};

pub(crate) mod edits;
mod published;
pub(crate) mod scratch;

/// A server with unions, lists, tuples, and tools, prompts and templates without arguments.
pub(crate) const SHAPES: &str = include_str!("shapes.json");

/// A snapshot with `tools`, which are JSON objects separated by commas.
pub(crate) fn whole(tools: &str) -> String {
    format!(r#"{{"server": {{"name": "hostile", "version": "1"}}, "tools": [{tools}]}}"#)
}

fn tool(input: Value) -> String {
    json!({"name": "t", "inputSchema": input}).to_string()
}

/// A tool whose only argument has a schema.
fn member(schema: Value) -> String {
    tool(json!({"type": "object", "properties": {"m": schema}}))
}

/// Each case has a name, a tool, and a part of the expected note, which is empty if no note is
/// expected.
pub(crate) fn hostile() -> Vec<(&'static str, String, &'static str)> {
    [
        schemas(),
        references(),
        sizes(),
        names(),
        texts(),
        published::tools(),
    ]
    .concat()
}

fn schemas() -> Vec<(&'static str, String, &'static str)> {
    let object = |name: &str| json!({"type": "object", "properties": {name: {"type": "string"}}});
    vec![
        ("false", tool(json!(false)), "allows no value"),
        ("true", tool(json!(true)), ""),
        ("a number", tool(json!(5)), "not an object"),
        ("null", tool(json!(null)), "not an object"),
        ("a list", tool(json!([])), "not an object"),
        (
            "arguments that are text",
            tool(json!({"type": "string"})),
            "arguments are an object",
        ),
        (
            "a type that does not exist",
            member(json!({"type": "text"})),
            "no `type` called",
        ),
        (
            "a type that is a number",
            member(json!({"type": 5})),
            "neither a string nor a list",
        ),
        (
            "properties that are a list",
            member(json!({"properties": []})),
            "are not an object",
        ),
        (
            "an empty enum",
            member(json!({"enum": []})),
            "allows no value",
        ),
        (
            "an enum that is not a list",
            member(json!({"enum": "a"})),
            "is not a list",
        ),
        (
            "an enum of objects",
            member(json!({"enum": [{}, []]})),
            "lists or objects",
        ),
        (
            "an enum of another type",
            member(json!({"type": "integer", "enum": ["a"]})),
            "no value of its `enum`",
        ),
        (
            "two types at once",
            member(json!({"allOf": [{"type": "string"}, {"type": "integer"}]})),
            "no `type` fits",
        ),
        (
            "two constants at once",
            member(json!({"allOf": [{"const": "a"}, {"const": "b"}]})),
            "two constants",
        ),
        (
            "a part that is false",
            member(json!({"allOf": [false, true]})),
            "allows no value",
        ),
        (
            "objects that nothing tells apart",
            member(json!({"anyOf": [object("a"), object("b")]})),
            "no constant member tells apart",
        ),
        (
            "required twice, and unknown",
            tool(json!({"type": "object", "required": ["x", "x", 5]})),
            "",
        ),
        (
            "required, and forbidden",
            tool(json!({"type": "object", "properties": {"x": false}, "required": ["x"]})),
            "allows no value",
        ),
    ]
}

fn references() -> Vec<(&'static str, String, &'static str)> {
    let to = |reference: &str| json!({"$ref": reference});
    vec![
        (
            "elsewhere",
            member(to("https://example.com/schema.json")),
            "not fetched",
        ),
        ("a file", member(to("file:///etc/passwd")), "not fetched"),
        ("nothing", member(to("#/$defs/none")), "refers to nothing"),
        ("a number", member(json!({"$ref": 5})), "not a string"),
        ("itself", tool(to("#")), "itself alone"),
        (
            "a circle",
            tool(
                json!({"$ref": "#/$defs/a", "$defs": {"a": to("#/$defs/b"), "b": to("#/$defs/a")}}),
            ),
            "itself alone",
        ),
        (
            "a list of itself",
            member(json!({"type": "array", "items": to("#/properties/m")})),
            "of itself",
        ),
        (
            "combined with itself",
            tool(json!({"type": "object", "allOf": [to("#")]})),
            "combined with itself",
        ),
        (
            "a dynamic reference",
            member(json!({"$dynamicRef": "#a"})),
            "dynamic reference",
        ),
        (
            "the root, in a member",
            tool(json!({"type": "object", "properties": {"t": to("#")}})),
            "",
        ),
        (
            "a member, with escapes",
            tool(json!({
                "type": "object",
                "properties": {"a/b": {"type": "object", "properties": {"c": to("#/properties/a~1b")}}, "d": to("#/properties/a%7E1b")},
            })),
            "",
        ),
    ]
}

fn sizes() -> Vec<(&'static str, String, &'static str)> {
    let deep = format!("{}{{}}{}", "{\"items\":".repeat(200), "}".repeat(200));
    let deep = format!(r#"{{"name": "t", "inputSchema": {{"properties": {{"m": {deep}}}}}}}"#);
    let large = json!({"type": "object", "description": "x".repeat(20 << 20)});
    let wide: serde_json::Map<String, Value> =
        (0..3000).map(|n| (format!("m{n}"), json!({}))).collect();
    let values: Vec<_> = (0..2000).map(|n| format!("v{n}")).collect();
    let mut doubled = json!({"type": "string"});
    for _ in 0..16 {
        doubled = json!({"type": "object", "properties": {"a": doubled.clone(), "b": doubled}});
    }
    vec![
        ("200 deep", deep, "inputSchema"),
        ("20 MB", tool(large), "more than 1 MiB"),
        (
            "3,000 members",
            tool(json!({"type": "object", "properties": wide})),
            "more than 1000 members",
        ),
        ("2,000 values", member(json!({"enum": values})), ""),
        ("doubled 16 times", tool(doubled), "more than"),
        (
            "a number beyond f64",
            r#"{"name": "t", "inputSchema": {"type": "object", "minimum": 1e999}}"#.to_owned(),
            "can't be read",
        ),
    ]
}

fn names() -> Vec<(&'static str, String, &'static str)> {
    let named = |name: &str| json!({"name": name, "inputSchema": {"type": "object"}}).to_string();
    let words = [
        "type",
        "self",
        "Self",
        "crate",
        "super",
        "gen",
        "async",
        "",
        "_",
        "2d",
        "日本",
        "a b",
        "a-b",
        "a_b",
        "A_B",
        "r#type",
        "extra",
        "new",
        "String",
        "\u{202e}x",
        "\n",
        "\"",
        "*/",
    ];
    let members: serde_json::Map<String, Value> = words
        .iter()
        .map(|name| ((*name).to_owned(), json!({"type": "string"})))
        .collect();
    let mut twins = vec![
        named("get-user"),
        named("get_user"),
        named("getUser"),
        named("GET USER"),
    ];
    twins.extend(
        [
            "close",
            "prompts",
            "resources",
            "clone",
            "deref",
            "",
            "天気",
            "2",
            "self",
            "*/ fn f() {}",
            "a\nb",
            "Option",
        ]
        .map(named),
    );
    let shadows = [
        "Option", "String", "Vec", "Value", "Result", "Client", "Box", "Self", "Ok", "Map",
        "Hostile",
    ];
    let shadows: serde_json::Map<String, Value> = shadows.iter().map(|name| {
        let object = json!({"type": "object", "title": name, "properties": {*name: {"type": ["string", "null"]}}});
        ((*name).to_owned(), object)
    }).collect();
    vec![
        (
            "members that are not identifiers",
            tool(json!({"type": "object", "properties": members, "required": ["self"]})),
            "",
        ),
        (
            "members that are not identifiers, all required",
            tool(json!({"type": "object", "properties": members, "required": words})),
            "",
        ),
        (
            "values that are not identifiers",
            member(json!({"enum": words})),
            "",
        ),
        ("tools that are not identifiers", twins.join(","), ""),
        (
            "types of the standard library",
            tool(json!({"type": "object", "properties": shadows})),
            "",
        ),
    ]
}

fn texts() -> Vec<(&'static str, String, &'static str)> {
    let described = |text: &str| {
        json!({"name": "t", "description": text, "inputSchema": {
            "type": "object",
            "description": text,
            "title": text,
            "properties": {"m": {"type": "object", "description": text, "default": text, "pattern": text,
                "properties": {"e": {"enum": [text, "b"], "description": text}}}},
        }})
        .to_string()
    };
    vec![
        (
            "code",
            described(
                "```rust\nlet x: u8 = \"\";\n```\n\n    indented()\n\n- item\n\n      deep()\n\n```",
            ),
            "",
        ),
        (
            "the end of a comment",
            described("*/ } fn f() {} /* \"# \\u{0}"),
            "",
        ),
        (
            "a change of direction",
            described("a\u{202e}b\u{2066}c\u{0}\u{7}"),
            "",
        ),
        (
            "links",
            described(
                "[Client] [`Hostile`] [a]: x\n<b> https://example.com/[x] <script>alert()</script> `a [b]",
            ),
            "",
        ),
        (
            "lists and tables",
            described(
                "1. a\nb\n   - c\n\n|a|b|\n|-|-|\n|`x|y`|[z]|\n\n> ```rust\n> x\n> ```\n- ```\n  x\n~~~\n- ~~~rust",
            ),
            "",
        ),
        (
            "headings",
            described("Title\n===\n# [x]\n\t\ttabs()\n\n***\n<!-- -->\n&amp; \u{feff}"),
            "",
        ),
    ]
}
