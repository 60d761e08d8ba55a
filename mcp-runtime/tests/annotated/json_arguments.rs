//! Tools whose arguments are described by a JSON Schema.

use mcp_runtime::server::tools::ToolBuilder;
use mcp_runtime::types::RawJson;
use mcp_runtime::{Json, Server};
use serde_json::{Value, json};

use super::{call, list};

/// A schema whose members are in an order that maps would not keep.
const IN_ORDER: &str = r#"{"type":"object","properties":{"zulu":true,"alpha":true}}"#;

fn order() -> Value {
    json!({
        "properties": {
            "customer": {"$ref": "#/$defs/Customer"},
            "items": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {"count": {"type": "integer", "minimum": 1}},
                    "required": ["count"],
                },
            },
        },
        "required": ["items"],
        "additionalProperties": false,
        "$defs": {"Customer": {"type": "string", "pattern": "^[a-z]+$"}},
    })
}

fn server() -> Server {
    let mut server = Server::builder();
    let builder = ToolBuilder::new("order").description("Orders.");
    server.tool(
        builder
            .input_schema(order())
            .unwrap()
            .call(|arguments: Value, _| arguments["items"][0]["count"].to_string()),
    );
    server.tool(
        ToolBuilder::new("later")
            .input_schema(RawJson::from_text(IN_ORDER).unwrap())
            .unwrap()
            .output_schema(json!({"type": "array", "items": {"type": "string"}}))
            .unwrap()
            .call_async(async |arguments: Value, cx| {
                tokio::task::yield_now().await;
                assert!(!cx.revision().as_str().is_empty());
                let members = arguments.as_object().into_iter().flatten();
                Json(members.map(|(name, _)| json!(name)).collect::<Value>())
            }),
    );
    server.build()
}

#[tokio::test]
async fn the_schema_is_listed_as_it_is_given() {
    let tools = list(&server()).await;
    let mut expected = order();
    expected["type"] = json!("object");
    assert_eq!(tools[0]["inputSchema"], expected);
    assert_eq!(tools[0].get("outputSchema"), None);
    assert_eq!(server().tools()[1].input_schema.get(), IN_ORDER);
    assert_eq!(
        tools[1]["outputSchema"],
        json!({"type": "array", "items": {"type": "string"}})
    );
}

#[tokio::test]
async fn the_function_gets_all_arguments() {
    let result = call(&server(), "order", json!({"items": [{"count": 3}]})).await;
    assert_eq!(result["content"][0]["text"], "3");
    let result = call(&server(), "later", json!({"alpha": 1, "beta": null})).await;
    assert_eq!(result["structuredContent"], json!(["alpha", "beta"]));
}

#[cfg(feature = "validation")]
#[tokio::test]
async fn every_fault_is_named_with_its_path() {
    let arguments = json!({
        "customer": "Ann",
        "items": [{"count": "3"}, {}, {"count": 0}],
        "extra": true,
    });
    let mut faults = super::faults(&server(), "order", arguments).await;
    faults.sort();
    assert_eq!(
        faults,
        [
            "- `arguments`: Additional properties are not allowed ('extra' was unexpected)",
            "- `customer`: \"Ann\" does not match \"^[a-z]+$\"",
            "- `items[0].count`: \"3\" is not of type \"integer\"",
            "- `items[1].count`: missing",
            "- `items[2].count`: 0 is less than the minimum of 1",
            "The arguments are invalid:",
        ]
    );
    let faults = super::faults(&server(), "order", json!({})).await;
    assert_eq!(faults[1..], ["- `items`: missing"]);
}

#[cfg(not(feature = "validation"))]
#[tokio::test]
async fn without_the_feature_nothing_is_checked() {
    let result = call(&server(), "order", json!({"items": [{"count": "3"}]})).await;
    assert_eq!(result["content"][0]["text"], "\"3\"");
}

#[cfg(all(debug_assertions, feature = "validation"))]
#[tokio::test]
async fn results_are_held_against_the_output_schema() {
    let mut server = Server::builder();
    let builder = ToolBuilder::new("name").output_schema(json!({"type": "string"}));
    server.tool(builder.unwrap().arguments(()).call(|(), _| Json(5)));
    let answer = super::answer(&server.build(), "name", json!({})).await;
    assert_eq!(answer["error"]["code"], -32603, "{answer}");
}

#[tokio::test]
async fn text_alone_has_no_output_schema() {
    let mut server = Server::builder();
    let builder = ToolBuilder::new("name").output_schema(json!({"type": "string"}));
    let builder = builder.unwrap().text_only();
    server.tool(builder.call(|(), _| Json("Ann")));
    assert_eq!(list(&server.build()).await[0].get("outputSchema"), None);
}

#[test]
fn a_schema_of_anything_but_objects_is_refused() {
    let error = |schema: Value| {
        let builder = ToolBuilder::new("order").input_schema(schema);
        builder.unwrap_err().to_string()
    };
    assert_eq!(
        error(json!({"type": "string"})),
        "tool `order`: the schema can't be used: its type is \"string\", not \"object\""
    );
    assert_eq!(
        error(json!(true)),
        "tool `order`: the schema can't be used: it is not an object"
    );
    let output = ToolBuilder::new("order").output_schema(json!([]));
    assert!(output.is_err());
}

#[cfg(feature = "validation")]
#[test]
fn a_schema_that_is_not_valid_is_refused() {
    for (schema, place) in [
        (
            json!({"properties": {"a": {"minimum": "1"}}}),
            "\"/properties/a/minimum\"",
        ),
        (
            json!({"properties": {"a": {"$ref": "https://example.org/a"}}}),
            "example.org",
        ),
    ] {
        let error = ToolBuilder::new("order").input_schema(schema).unwrap_err();
        assert!(error.to_string().contains(place), "{error}");
    }
}
