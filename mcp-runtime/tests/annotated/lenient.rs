//! Arguments that are parsed from strings, where that is allowed.

use mcp_runtime::prelude::*;
use mcp_runtime::server::tools::{ToolBuilder, argument};
use serde_json::{Value, json};

use super::arguments::Point;
use super::{call, faults, listed, text};

struct Lenient;

#[mcp_server(lenient, undocumented = "allow")]
impl Lenient {
    #[tool]
    fn all(
        &self,
        #[arg(range = 1..=100)] count: u8,
        big: Option<bool>,
        point: Option<Point>,
        numbers: Option<Vec<f64>>,
        #[arg(length = ..4)] name: Option<String>,
    ) -> String {
        format!("{count} {big:?} {point:?} {numbers:?} {name:?}")
    }

    #[tool(lenient = false)]
    fn tool_off(&self, count: u8) -> String {
        count.to_string()
    }

    #[tool]
    fn argument_off(&self, #[arg(lenient = false)] count: u8, other: u8) -> String {
        format!("{count} {other}")
    }

    #[tool]
    fn flat(&self, #[arg(flatten)] point: Point) -> String {
        format!("{point:?}")
    }

    #[prompt]
    fn prompt(&self, count: u8) -> String {
        count.to_string()
    }
}

struct Strict;

#[mcp_server(undocumented = "allow")]
impl Strict {
    #[tool]
    fn all(&self, #[arg(range = 1..=100)] count: u8) -> String {
        count.to_string()
    }

    #[tool(lenient)]
    fn tool(&self, count: u8, items: Vec<u8>) -> String {
        format!("{count} {items:?}")
    }

    #[tool]
    fn argument(&self, #[arg(lenient)] count: u8, items: Vec<u8>) -> String {
        format!("{count} {items:?}")
    }
}

#[tokio::test]
async fn json_inside_of_a_string_is_taken() {
    let server = Lenient.into_server();
    let arguments = json!({
        "count": "3", "big": "true", "point": "{\"x\": 1, \"y\": 2}", "numbers": " [1, 2.5] ",
        "name": "3",
    });
    let expected = "3 Some(true) Some(Point { x: 1, y: 2 }) Some([1.0, 2.5]) Some(\"3\")";
    assert_eq!(call(&server, "all", arguments).await, text(expected));
    let arguments = json!({"count": "2e1"});
    let expected = "20 None None None None";
    assert_eq!(call(&server, "all", arguments).await, text(expected));
}

#[tokio::test]
async fn other_strings_are_faults_as_they_were() {
    let server = Lenient.into_server();
    for (count, message) in [
        ("three", "string \"three\""),
        ("\"3\"", "string \"\\\"3\\\"\""),
        ("null", "string \"null\""),
        ("300", "string \"300\""),
        ("2.5", "string \"2.5\""),
        ("", "string \"\""),
    ] {
        assert_eq!(
            faults(&server, "all", json!({"count": count})).await[1],
            format!(
                "- `count`: invalid type: {message}, expected an integer of at least 1 and of at most 100"
            )
        );
    }
    let faults = faults(
        &server,
        "all",
        json!({"count": 1, "point": {"x": "1", "y": 2}}),
    )
    .await;
    assert!(
        faults[1].starts_with("- `point.x`: invalid type"),
        "{faults:?}"
    );
}

#[tokio::test]
async fn constraints_hold_for_the_converted_value() {
    let faults = faults(
        &Lenient.into_server(),
        "all",
        json!({"count": "101", "name": "1234"}),
    )
    .await;
    assert_eq!(
        faults[1..],
        [
            "- `count`: out of range: 101, expected a number of at least 1 and of at most 100",
            "- `name`: too long: 4, expected at most 3",
        ]
    );
}

#[tokio::test]
async fn a_tool_and_an_argument_decide_for_themselves() {
    let lenient = Lenient.into_server();
    let count = || json!({"count": "3", "other": "3"});
    assert_eq!(faults(&lenient, "tool_off", count()).await.len(), 2);
    assert_eq!(faults(&lenient, "argument_off", count()).await.len(), 2);
    assert_eq!(
        faults(&lenient, "flat", json!({"x": "1", "y": 1}))
            .await
            .len(),
        2
    );
    let strict = Strict.into_server();
    let both = || json!({"count": "3", "items": "[4]"});
    assert_eq!(faults(&strict, "all", count()).await.len(), 2);
    assert_eq!(call(&strict, "tool", both()).await, text("3 [4]"));
    let faults = faults(&strict, "argument", both()).await;
    assert!(faults[1].starts_with("- `items`"), "{faults:?}");
}

#[tokio::test]
async fn the_listed_schema_is_that_of_the_type() {
    let of = |tool: &Value| tool["inputSchema"]["properties"]["count"].clone();
    assert_eq!(
        of(&listed(Lenient, "all").await),
        of(&listed(Strict, "all").await)
    );
}

#[tokio::test]
async fn without_macros_an_argument_says_so() {
    let mut server = mcp_runtime::Server::builder();
    let arguments = (argument::<u8>("count").lenient(), argument::<u8>("other"));
    server.tool(
        ToolBuilder::new("add")
            .arguments(arguments)
            .call(|(a, b), _| a + b),
    );
    let server = server.build();
    let result = call(&server, "add", json!({"count": "3", "other": 4})).await;
    assert_eq!(result["content"][0]["text"], "7");
    assert_eq!(
        faults(&server, "add", json!({"count": 3, "other": "4"}))
            .await
            .len(),
        2
    );
}
