//! Structured results: their schemas, and their form in revisions without structured content.

use mcp_runtime::prelude::*;
use serde_json::{Value, json};

use crate::results::Results;
use crate::support::{Wire, request};
use crate::{call, listed};

#[tokio::test]
async fn only_what_is_structured_has_an_output_schema() {
    let book = json!({
        "type": "object",
        "properties": {"title": {"type": "string"}, "pages": {"type": ["integer", "null"], "minimum": 0}},
        "required": ["title", "pages"],
    });
    assert_eq!(listed(Results, "own").await["outputSchema"], book);
    assert_eq!(listed(Results, "fine").await["outputSchema"], book);
    assert_eq!(
        listed(Results, "list").await["outputSchema"],
        json!({"type": "array", "items": book})
    );
    assert_eq!(listed(Results, "whole_book").await["outputSchema"], book);
    assert_eq!(listed(Results, "lost_book").await["outputSchema"], book);
    assert_eq!(
        listed(Results, "whole_books").await["outputSchema"],
        json!({"type": "array", "items": {"anyOf": [book, {"type": "null"}]}})
    );
    assert_eq!(listed(Results, "any").await["outputSchema"], json!({}));
    assert_eq!(listed(Results, "with_content").await["outputSchema"], book);
    let number = json!({"type": "integer", "minimum": 0, "maximum": 255});
    assert_eq!(listed(Results, "integer").await["outputSchema"], number);
    let nullable = json!({"type": ["integer", "null"], "minimum": 0, "maximum": 255});
    for tool in ["some_number", "no_number", "no_structure"] {
        assert_eq!(listed(Results, tool).await["outputSchema"], nullable);
    }
    for tool in [
        "unit",
        "string",
        "some",
        "blocks",
        "text_and_image",
        "images",
        "no_images",
        "report",
        "text_of_structure",
        "whole",
        "text_only",
        "tool_error",
    ] {
        assert_eq!(
            listed(Results, tool).await["outputSchema"],
            Value::Null,
            "{tool}"
        );
    }
}

#[tokio::test]
async fn what_can_only_be_an_object_is_never_wrapped() {
    let emma = json!({"kind": "book", "title": "Emma", "pages": null});
    let branch = json!({"name": "outer", "branches": [{"name": "inner", "branches": []}]});
    for (tool, expected) in [
        ("recursive", branch),
        ("tagged", emma),
        ("tagged_nothing", json!({"kind": "nothing"})),
    ] {
        let answer = call(&Results.into_server(), tool, json!({})).await;
        assert_eq!(answer["structuredContent"], expected, "{tool}");
        let modern = listed(Results, tool).await["outputSchema"].take();
        assert_eq!(modern["type"], "object", "{tool}: {modern}");
        jsonschema::draft202012::new(&modern)
            .unwrap()
            .validate(&expected)
            .unwrap();
        let nothing_of_it = json!({"kind": "book"});
        assert!(!jsonschema::is_valid(&modern, &nothing_of_it), "{modern}");
        for revision in ["2025-06-18", "2025-11-25"] {
            let mut wire = Wire::to(&Results.into_server()).await;
            wire.handshake(revision).await;
            let params = json!({"name": tool, "arguments": {}});
            let answer = wire.ask(request(1, "tools/call", params)).await;
            assert_eq!(answer["result"]["structuredContent"], expected, "{tool}");
            let listed = wire.ask(request(2, "tools/list", json!({}))).await;
            let tools = listed["result"]["tools"].as_array().unwrap();
            let listed = tools.iter().find(|listed| listed["name"] == tool).unwrap();
            assert_eq!(listed["outputSchema"], modern, "{revision} {tool}");
        }
    }
}

/// In revisions that require an object, any other value is wrapped in one.
#[tokio::test]
async fn older_revisions_get_structured_content_in_an_object() {
    let emma = json!({"title": "Emma", "pages": null});
    for (revision, tool, expected) in [
        ("2025-06-18", "number_as_json", json!({"result": 5})),
        ("2025-11-25", "integer", json!({"result": 5})),
        ("2025-11-25", "no_number", json!({"result": null})),
        ("2025-11-25", "pair", json!({"result": ["text", "text"]})),
        ("2025-11-25", "text_and_image", Value::Null),
        ("2025-11-25", "list", json!({"result": [emma]})),
        ("2025-11-25", "optional", json!({"result": null})),
        ("2025-11-25", "own", emma.clone()),
        ("2025-11-25", "whole_book", emma.clone()),
        ("2025-11-25", "whole_books", json!({"result": [null]})),
        ("2025-11-25", "any", json!({"result": {"any": [1]}})),
        ("2025-03-26", "list", Value::Null),
    ] {
        let mut wire = Wire::to(&Results.into_server()).await;
        wire.handshake(revision).await;
        let params = json!({"name": tool, "arguments": {}});
        let answer = wire.ask(request(1, "tools/call", params)).await;
        assert_eq!(
            answer["result"]["structuredContent"], expected,
            "{revision} {tool}"
        );
        let listed = wire.ask(request(2, "tools/list", json!({}))).await;
        let tools = listed["result"]["tools"].as_array().unwrap();
        let listed = tools.iter().find(|listed| listed["name"] == tool).unwrap();
        if !expected.is_null() {
            let schema = &listed["outputSchema"];
            assert_eq!(schema["type"], "object", "{revision} {tool}");
            jsonschema::draft202012::new(schema)
                .unwrap()
                .validate(&expected)
                .unwrap();
        }
    }
}
