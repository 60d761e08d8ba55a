//! Screens of a server that is difficult to show, at the widths of narrow, usual and wide terminals.

use insta::assert_snapshot;
use mcp_runtime::Revision;
use mcp_runtime::types::{Implementation, ResourceTemplate, ServerCapabilities};
use serde::de::DeserializeOwned;

use super::*;

const WIDTHS: [usize; 3] = [60, 80, 160];
/// A title for the terminal, another color, and text that is written from right to left.
const HOSTILE: &str = "\u{1b}]0;title\u{7}\u{9b}7777m\u{202e}";
const PROGRAM: &str = "\0./a server\0--fast";

fn of<T: DeserializeOwned>(json: Value) -> T {
    serde_json::from_value(json).unwrap()
}

fn forecast() -> Tool {
    of(json!({
        "name": "forecast",
        "title": "Weather forecast",
        "description": "Forecasts the weather, e.g. rain, for up to 16 days. Uses three models, of which the best one is chosen.\n\nCosts one credit.",
        "annotations": {"readOnlyHint": true, "idempotentHint": true, "openWorldHint": true},
        "inputSchema": {
            "type": "object",
            "properties": {
                "days": {"type": "integer", "minimum": 1, "maximum": 16, "default": 3},
                "unit": {"enum": ["celsius", "fahrenheit", "kelvin"], "default": "celsius", "description": "The unit of temperatures."},
                "place": {"$ref": "#/$defs/Place"},
                "since": {"type": ["string", "null"], "format": "date-time", "default": null},
                "tags": {"type": "array", "items": {"type": "string", "pattern": "^[a-z]+$"}, "maxItems": 5},
                "key": {"anyOf": [{"type": "integer"}, {"type": "string", "maxLength": 8}]},
                "source": {"type": "string", "default": "https://example.com/forecasts/of/the/world.json", "format": "uri"},
                "labels": {"type": "object", "additionalProperties": {"type": "string"}},
            },
            "required": ["place", "since"],
            "$defs": {"Place": {
                "type": "object",
                "description": "A place on the map. Its name alone is enough in most countries, but not in those that have many places of the same name.",
                "properties": {
                    "city": {"type": "string", "examples": ["São Paulo"]},
                    "near": {"type": "array", "items": {"$ref": "#/$defs/Place"}},
                },
                "required": ["city"],
            }},
        },
        "outputSchema": {"type": "object", "properties": {"days": {"type": "array", "items": {
            "type": "object",
            "properties": {"date": {"type": "string", "format": "date"}, "degrees": {"type": "number"}},
            "required": ["date", "degrees"],
        }}}, "required": ["days"]},
    }))
}

fn tools() -> Vec<Tool> {
    let by =
        |name: &str, kind: &str| json!({"properties": {name: {"type": kind}}, "required": [name]});
    let others = json!([
        {"name": "nothing", "inputSchema": {"type": "object"}},
        {"name": "delete", "inputSchema": {"type": "object", "anyOf": [by("id", "integer"), by("name", "string")]},
            "annotations": {"destructiveHint": true, "idempotentHint": true}, "execution": {"taskSupport": "optional"}},
        {"name": "天気", "description": "天気を予報します。世界中のどこでも使えます。", "inputSchema": {"type": "object",
            "properties": {"場所": {"type": "string", "description": "都市の名前 🌍 例えば 東京"}}}},
        {"name": format!("evil{HOSTILE}"), "description": format!("Is evil{HOSTILE}. Very."), "inputSchema": {"type": "object",
            "properties": {format!("a{HOSTILE}"): {"type": "string", "default": HOSTILE, "description": HOSTILE}}}},
        {"name": "an_argument_with_a_long_name", "description": "Has a long argument.", "inputSchema": {"type": "object",
            "properties": {"a_name_that_leaves_no_room_for_other_columns_on_it": {"type": "string",
            "description": "It is listed in two lines on a narrow terminal."}}}},
    ]);
    let others: Vec<Tool> = of(others);
    [vec![forecast()], others].concat()
}

fn prompt() -> Prompt {
    of(
        json!({"name": "summary", "description": "Summarizes a book. In any language.", "arguments": [
            {"name": "title", "description": "The title of the book. Without the author.", "required": true},
            {"name": "tone"},
        ]}),
    )
}

fn resource(number: usize) -> Resource {
    of(
        json!({"uri": format!("file:///books/{number}.txt"), "name": format!("book {number}"), "title": "A book",
        "mimeType": "text/plain", "size": 1200, "annotations": {"audience": ["user"], "priority": 0.5}}),
    )
}

fn template() -> ResourceTemplate {
    of(
        json!({"uriTemplate": "book://{isbn}/{+chapter}", "name": "book", "description": "One chapter of a book."}),
    )
}

fn snapshot(tools: Vec<Tool>) -> Snapshot {
    Snapshot {
        server: Implementation::new("stranger", "1.0"),
        revision: Revision::V2026_07_28,
        revisions: vec!["2026-07-28".to_owned(), "2025-11-25".to_owned()],
        capabilities: of::<ServerCapabilities>(json!({"tools": {"listChanged": true}})),
        instructions: Some("Ask about books.\n\n- Not about authors.".to_owned()),
        tools,
        prompts: vec![prompt()],
        resources: (1..=890).map(resource).collect(),
        resource_templates: vec![template()],
    }
}

/// The screens of terminals of each width.
fn at_widths(fill: impl Fn(&mut Screen)) -> String {
    let shown = WIDTHS.map(|width| {
        let mut screen = Screen::new(Some(width), false);
        fill(&mut screen);
        format!(
            "{}{width}\n{}",
            "=".repeat(width - width.to_string().len()),
            screen.as_str()
        )
    });
    shown.concat()
}

#[test]
fn a_server_that_is_difficult_to_show() {
    let snapshot = snapshot(tools());
    let shown = at_widths(|it| show(&snapshot, "found by `server/discover`", PROGRAM, it));
    assert_snapshot!(shown);
}

#[test]
fn a_server_without_anything() {
    let empty = Snapshot {
        instructions: None,
        prompts: Vec::new(),
        resources: Vec::new(),
        resource_templates: Vec::new(),
        ..snapshot(Vec::new())
    };
    assert_snapshot!(at_widths(|it| show(&empty, "as set", "books", it)));
}

#[test]
fn each_tool_in_full() {
    let tools = tools();
    let shown = at_widths(|it| {
        for tool in &tools {
            details::tool(tool, "books", it);
            it.heading("\n\n");
        }
    });
    assert_snapshot!(shown);
}

#[test]
fn a_prompt_a_resource_and_a_template_in_full() {
    let shown = at_widths(|it| {
        details::prompt(&prompt(), "npx -y books", it);
        details::resource(&resource(7), "books", it);
        details::template(&template(), PROGRAM, it);
    });
    assert_snapshot!(shown);
}

#[test]
fn no_screen_is_wider_than_the_terminal_unless_a_word_is() {
    let snapshot = snapshot(vec![forecast()]);
    for width in [40, 60, 80, 160] {
        let mut screen = Screen::new(Some(width), false);
        show(&snapshot, "as set", "books", &mut screen);
        details::tool(&forecast(), "books", &mut screen);
        for line in screen.as_str().lines() {
            let is_word = !line.trim().contains(' ');
            // Commands are not wrapped, so they can be copied.
            let is_word = is_word || line.contains("mcp ");
            let columns = unicode_width::UnicodeWidthStr::width(line);
            assert!(columns <= width || is_word, "{width}: {line}");
        }
    }
}
