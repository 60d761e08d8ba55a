//! Suggestions for arguments.

use mcp_runtime::server::Reply;
use mcp_runtime::server::prompts::PromptEntry;
use mcp_runtime::server::resources::{IntoContents as _, ResourceEntry, UriTemplate};
use mcp_runtime::types::{Completion, GetPromptResult, Prompt, PromptArgument, ResourceTemplate};
use mcp_runtime::{ProtocolError, Server};
use serde_json::{Value, json};

use crate::support::{Wire, request, stateless};

fn server() -> Server {
    let mut server = Server::builder();
    let arguments = ["count", "city", "plain", "known", "broken"].map(PromptArgument::new);
    let prompt = PromptEntry::new(Prompt::new("visit").with_arguments(arguments), |_| {
        Reply::Ready(Ok(GetPromptResult::new([])))
    });
    let prompt = prompt
        .complete("count", async |request| {
            let many: usize = request.value().parse().unwrap();
            (0..many)
                .map(|number| number.to_string())
                .collect::<Vec<_>>()
        })
        .complete("city", async |request| {
            let country = request.other("country").unwrap_or("nowhere").to_owned();
            vec![format!("{}-{country}", request.value())]
        })
        .complete("known", async |_| Completion::new(["a"]).with_total(7))
        .complete("broken", async |_| {
            Err::<Vec<String>, _>(ProtocolError::new(-32050, "no"))
        });
    server.prompt(prompt);
    let template = UriTemplate::parse("city://{country}/{name}").unwrap();
    let entry = ResourceEntry::template(ResourceTemplate::new("city", ""), template, |_| {
        Reply::Ready("x".into_contents())
    });
    server.resource(entry.complete("name", async |request| {
        vec![format!("{}burg", request.value())]
    }));
    server.build()
}

async fn complete(params: Value) -> [Value; 2] {
    let server = server();
    let mut wire = Wire::to(&server).await;
    let answer = wire.handshake("2025-06-18").await;
    assert_eq!(answer["result"]["capabilities"]["completions"], json!({}));
    let method = "completion/complete";
    let handshake = wire.ask(request(1, method, params.clone())).await;
    let mut wire = Wire::to(&server).await;
    [handshake, wire.ask(stateless(1, method, params)).await]
}

async fn prompt(argument: &str, value: &str) -> [Value; 2] {
    complete(json!({
        "ref": {"type": "ref/prompt", "name": "visit"},
        "argument": {"name": argument, "value": value},
        "context": {"arguments": {"country": "fr"}},
    }))
    .await
}

#[tokio::test]
async fn no_more_than_a_hundred_values_are_sent() {
    for answer in prompt("count", "101").await {
        let completion = &answer["result"]["completion"];
        assert_eq!(completion["values"].as_array().unwrap().len(), 100);
        assert_eq!(completion["hasMore"], true);
        assert_eq!(completion["total"], 101);
    }
    for answer in prompt("count", "100").await {
        let completion = &answer["result"]["completion"];
        assert_eq!(completion["values"].as_array().unwrap().len(), 100);
        assert_ne!(completion["hasMore"], true);
    }
}

#[tokio::test]
async fn a_total_that_is_larger_means_that_there_is_more() {
    for answer in prompt("known", "").await {
        let expected = json!({"values": ["a"], "total": 7, "hasMore": true});
        assert_eq!(answer["result"]["completion"], expected);
    }
}

#[tokio::test]
async fn the_other_arguments_are_at_hand() {
    for answer in prompt("city", "par").await {
        assert_eq!(answer["result"]["completion"]["values"], json!(["par-fr"]));
    }
}

#[tokio::test]
async fn an_argument_without_completer_has_no_suggestions_and_an_unknown_one_is_refused() {
    for answer in prompt("plain", "x").await {
        assert_eq!(answer["result"]["completion"]["values"], json!([]));
    }
    for answer in prompt("nobody", "x").await {
        assert_eq!(answer["error"]["code"], -32602, "{answer}");
        let message = answer["error"]["message"].as_str().unwrap();
        assert!(message.contains("params.argument.name"), "{message}");
    }
    for answer in prompt("broken", "x").await {
        assert_eq!(answer["error"]["code"], -32050);
    }
}

#[tokio::test]
async fn templates_are_completed_by_their_text_and_by_a_uri() {
    for uri in ["city://{country}/{name}", "city://fr/a"] {
        let reference = json!({"type": "ref/resource", "uri": uri});
        let argument = |name: &str| json!({"name": name, "value": "stras"});
        let params = json!({"ref": reference, "argument": argument("name")});
        for answer in complete(params).await {
            let values = &answer["result"]["completion"]["values"];
            assert_eq!(*values, json!(["strasburg"]), "{uri}");
        }
        let params = json!({"ref": reference, "argument": argument("nobody")});
        for answer in complete(params).await {
            assert_eq!(answer["error"]["code"], -32602, "{answer}");
        }
    }
    let params = json!({
        "ref": {"type": "ref/prompt", "name": "nobody"},
        "argument": {"name": "x", "value": ""},
    });
    for answer in complete(params).await {
        assert_eq!(answer["error"]["code"], -32602, "{answer}");
    }
}
