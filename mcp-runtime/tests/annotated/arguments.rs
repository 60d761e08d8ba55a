//! The arguments of calls as functions get them.

use std::collections::{BTreeMap, HashMap};

use mcp_runtime::prelude::*;
use serde_json::{Value, json};

use crate::support::Wire;
use crate::{answer, call, faults, listed, structured, text};

type Maybe<T> = Option<T>;

#[allow(dead_code)] // Read through `Debug`.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Point {
    x: i32,
    y: i32,
}

#[allow(dead_code)] // Read through `Debug`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Shape {
    Circle { centre: Point, radius: u32 },
    Line(Point, Point),
}

pub(crate) struct Arguments;

#[mcp_server(undocumented = "allow")]
impl Arguments {
    #[tool]
    fn integer(&self, value: i64) -> String {
        format!("{value:?}")
    }

    #[tool]
    fn numbered(&self, value: BTreeMap<i16, u8>) -> String {
        format!("{value:?}")
    }

    // The compiler suggests this name for an unused parameter.
    #[tool]
    fn unused(&self, _value: u8) {}

    #[tool]
    fn small(&self, value: u8) -> String {
        format!("{value:?}")
    }

    #[tool]
    fn float(&self, value: f64) -> String {
        format!("{value:?}")
    }

    #[tool]
    fn boolean(&self, value: bool) -> String {
        format!("{value:?}")
    }

    #[tool]
    fn string(&self, value: String) -> String {
        format!("{value:?}")
    }

    #[tool]
    fn letter(&self, value: char) -> String {
        format!("{value:?}")
    }

    #[tool]
    fn optional(&self, value: Option<i64>) -> String {
        format!("{value:?}")
    }

    #[tool]
    fn alias(&self, value: Maybe<i64>) -> String {
        format!("{value:?}")
    }

    #[tool]
    fn list(&self, value: Vec<String>) -> String {
        format!("{value:?}")
    }

    #[tool]
    fn pair(&self, value: (i64, String)) -> String {
        format!("{value:?}")
    }

    #[tool]
    fn map(&self, value: BTreeMap<String, i64>) -> String {
        format!("{value:?}")
    }

    #[tool]
    fn any(&self, value: Value) -> String {
        value.to_string()
    }

    #[tool]
    fn structure(&self, value: Point) -> String {
        format!("{value:?}")
    }

    #[tool]
    fn enumeration(&self, value: Shape) -> String {
        format!("{value:?}")
    }

    #[tool]
    fn shapes(&self, shapes: Vec<Shape>, names: HashMap<String, bool>) -> String {
        format!("{shapes:?} {names:?}")
    }

    #[tool]
    async fn several(&self, r#type: String, mut call: i64, this: Option<bool>) -> String {
        call += 1;
        format!("{type} {call} {this:?}")
    }

    #[tool(strict)]
    fn strict(&self, value: i64) -> String {
        value.to_string()
    }

    #[tool]
    fn free(value: i64) -> i64 {
        -value
    }
}

#[tokio::test]
async fn every_type_arrives_as_it_was_sent() {
    let server = Arguments.into_server();
    for (tool, value, expected) in [
        ("integer", json!(-7), "-7"),
        ("small", json!(255), "255"),
        ("float", json!(2), "2.0"),
        ("boolean", json!(true), "true"),
        ("string", json!("a \"b\" \u{e9}\n"), r#""a \"b\" é\n""#),
        ("letter", json!("é"), "'é'"),
        ("optional", json!(5), "Some(5)"),
        ("optional", json!(null), "None"),
        ("alias", json!(5), "Some(5)"),
        ("list", json!(["a", "b"]), r#"["a", "b"]"#),
        ("pair", json!([1, "x"]), r#"(1, "x")"#),
        ("numbered", json!({"-7": 1, "2": 3}), "{-7: 1, 2: 3}"),
        ("map", json!({"b": 1, "a": 2}), r#"{"a": 2, "b": 1}"#),
        ("any", json!({"deep": [1, null]}), r#"{"deep":[1,null]}"#),
        ("structure", json!({"x": 1, "y": 2}), "Point { x: 1, y: 2 }"),
        (
            "enumeration",
            json!({"line": [{"x": 1, "y": 2}, {"x": 3, "y": 4}]}),
            "Line(Point { x: 1, y: 2 }, Point { x: 3, y: 4 })",
        ),
    ] {
        let result = call(&server, tool, json!({"value": value})).await;
        assert_eq!(result, text(expected), "{tool}");
    }
}

#[tokio::test]
async fn keys_of_a_map_are_named_where_they_should_be_integers() {
    let server = Arguments.into_server();
    let value = json!({"1": 2, "x": 3, "4": 500, "70000": 6});
    let faults = faults(&server, "numbered", json!({"value": value})).await;
    assert_eq!(
        faults,
        [
            "The arguments are invalid:",
            "- `value.x`: the key `x` is not an integer",
            "- `value.4`: invalid value: integer `500`, expected an integer from 0 to 255",
        ]
    );
}

#[tokio::test]
async fn a_parameter_that_is_not_used_keeps_its_name_for_callers() {
    let tool = listed(Arguments, "unused").await;
    let properties = tool["inputSchema"]["properties"].as_object().unwrap();
    assert!(properties.keys().eq(["value"]), "{properties:?}");
}

#[tokio::test]
async fn a_whole_number_may_be_written_with_a_fraction() {
    let server = Arguments.into_server();
    for (sent, expected) in [("-7.0", "-7"), ("2.000", "2"), ("0.0", "0")] {
        let mut wire = Wire::to(&server).await;
        wire.handshake("2025-11-25").await;
        let answer = wire
            .ask_text(&format!(
                r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"integer","arguments":{{"value":{sent}}}}}}}"#
            ))
            .await;
        assert_eq!(answer["result"]["content"][0]["text"], expected);
    }
    for sent in [json!(2.5), json!("2.0")] {
        faults(&server, "integer", json!({"value": sent})).await;
    }
}

/// Calls a tool with arguments as they are written, which a `Value` would not preserve.
async fn call_with(tool: &str, arguments: &str) -> Value {
    let mut wire = Wire::to(&Arguments.into_server()).await;
    wire.handshake("2025-11-25").await;
    let params = json!({"name": tool, "arguments": "ARGUMENTS"});
    let message = crate::support::request(1, "tools/call", params).to_string();
    let message = message.replace("\"ARGUMENTS\"", arguments);
    wire.ask_text(&message).await["result"]["content"][0]["text"].take()
}

#[tokio::test]
async fn integers_may_be_written_in_any_way_wherever_they_stand() {
    for (tool, value, expected) in [
        ("integer", "1e2", "100"),
        ("integer", "-0", "0"),
        ("integer", "-1.5E1", "-15"),
        ("integer", "9223372036854775807.0", "9223372036854775807"),
        ("small", "255.0", "255"),
        ("small", "-0.0", "0"),
        ("optional", "7.0", "Some(7)"),
        ("float", "-0.0", "-0.0"),
        ("float", "1e2", "100.0"),
        ("any", "1e2", "100.0"),
        ("pair", r#"[1.0, "1.0"]"#, r#"(1, "1.0")"#),
        ("map", r#"{"1.0": 2.0}"#, r#"{"1.0": 2}"#),
        (
            "structure",
            r#"{"x": 1.0, "y": 2e1}"#,
            "Point { x: 1, y: 20 }",
        ),
        (
            "enumeration",
            r#"{"circle": {"centre": {"x": 1, "y": -0}, "radius": 3.0}}"#,
            "Circle { centre: Point { x: 1, y: 0 }, radius: 3 }",
        ),
    ] {
        let said = call_with(tool, &format!(r#"{{"value":{value}}}"#)).await;
        assert_eq!(said, expected, "{tool} {value}");
    }
    for (tool, value, fault) in [
        ("small", "256.0", "`value`"),
        ("integer", "1e19", "`value`"),
        ("structure", r#"{"x": 1.0, "y": 2.5}"#, "`value.y`"),
    ] {
        let said = call_with(tool, &format!(r#"{{"value":{value}}}"#)).await;
        let said = said.as_str().unwrap();
        assert!(
            said.contains(&format!("- {fault}: ")),
            "{tool} {value}: {said}"
        );
    }
}

#[tokio::test]
async fn an_option_may_be_left_out_also_behind_an_alias() {
    let server = Arguments.into_server();
    for tool in ["optional", "alias"] {
        assert_eq!(call(&server, tool, json!({})).await, text("None"), "{tool}");
    }
}

#[tokio::test]
async fn order_and_unknown_arguments_do_not_matter() {
    let server = Arguments.into_server();
    let arguments = json!({"z": [{"a": 1}], "this": true, "call": 1, "type": "t", "": ""});
    let result = call(&server, "several", arguments).await;
    assert_eq!(result, text("t 2 Some(true)"));
}

#[tokio::test]
async fn a_function_without_self_is_a_tool_too() {
    let result = call(&Arguments.into_server(), "free", json!({"value": 3})).await;
    assert_eq!(result, structured(-3));
}

#[tokio::test]
async fn every_fault_is_named_at_once() {
    let server = Arguments.into_server();
    let arguments = json!({"type": 5, "this": "yes"});
    assert_eq!(
        faults(&server, "several", arguments).await,
        [
            "The arguments are invalid:",
            "- `type`: invalid type: integer `5`, expected a string",
            "- `this`: invalid type: string \"yes\", expected a boolean",
            "- `call`: missing, expected a 64-bit integer",
        ]
    );
}

#[tokio::test]
async fn a_fault_inside_a_value_is_named_by_its_path() {
    let server = Arguments.into_server();
    let good = json!({"line": [{"x": 1, "y": 2}, {"x": 3, "y": 4}]});
    for (shapes, names, expected) in [
        (
            json!([good, {"line": [{"x": 1, "y": 2}, {"x": 3, "y": [4]}]}]),
            json!({}),
            "- `shapes[1].line[1].y`: invalid type: sequence, expected an integer from -2147483648 to 2147483647",
        ),
        (
            json!([{"circle": {"centre": {"x": 1}, "radius": 2}}]),
            json!({}),
            "- `shapes[0].circle.centre.y`: missing, expected an integer from -2147483648 to 2147483647",
        ),
        (
            json!([{"circle": {"centre": {"x": 1, "y": 1}, "radius": -2}}]),
            json!({}),
            "- `shapes[0].circle.radius`: invalid value: integer `-2`, expected an integer from 0 to 4294967295",
        ),
        (
            json!([good]),
            json!({"yes": true, "no": 0}),
            "- `names.no`: invalid type: integer `0`, expected a boolean",
        ),
    ] {
        let arguments = json!({"shapes": shapes, "names": names});
        assert_eq!(faults(&server, "shapes", arguments).await[1..], [expected]);
    }
}

#[tokio::test]
async fn unknown_arguments_are_faults_of_a_strict_tool() {
    let server = Arguments.into_server();
    assert_eq!(
        call(&server, "strict", json!({"value": 1})).await,
        text("1")
    );
    let arguments = json!({"value": 1, "valve": 2});
    let found = faults(&server, "strict", arguments).await;
    assert_eq!(found[1..], ["- `valve`: unknown argument"]);
}

#[tokio::test]
async fn arguments_that_are_not_an_object_are_refused() {
    let server = Arguments.into_server();
    for arguments in [json!([]), json!(5), json!("value")] {
        let answer = answer(&server, "integer", arguments).await;
        assert_eq!(answer["error"]["code"], -32602, "{answer}");
        assert_eq!(
            answer["error"]["message"],
            "Invalid params: params.arguments: must be an object"
        );
    }
}

#[tokio::test]
async fn a_long_value_is_not_repeated_whole() {
    let server = Arguments.into_server();
    let found = faults(&server, "integer", json!({"value": "é".repeat(10_000)})).await;
    assert!(found[1].len() < 300 && found[1].ends_with('…'), "{found:?}");
}

#[tokio::test]
async fn an_argument_given_twice_is_a_fault() {
    let mut wire = Wire::to(&Arguments.into_server()).await;
    wire.handshake("2025-11-25").await;
    let line = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"integer",
        "arguments":{"value":1,"v\u0061lue":2}}}"#;
    let answer = wire.ask_text(&line.replace('\n', "")).await;
    assert_eq!(
        answer["result"]["content"][0]["text"],
        "The arguments are invalid:\n- `value`: given twice"
    );
}
