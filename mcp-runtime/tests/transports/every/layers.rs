//! A layer that records each request. The layer sees every admitted request once, and changes no
//! answer.

use std::sync::{Arc, Mutex};

use mcp_runtime::layer::{McpRequest, Next, from_fn};
use mcp_runtime::prelude::*;
use mcp_runtime::server::tools::ToolBuilder;
use mcp_runtime::{ProtocolError, Server};
use serde_json::{Value, json};

use super::Transport;
use crate::support::{WireOver, request, stateless};

type Wire = WireOver<Transport>;

struct Everything;

#[mcp_server(undocumented = "allow")]
impl Everything {
    #[tool]
    fn add(&self, a: i64, b: i64) -> i64 {
        a + b
    }

    #[tool]
    async fn soon(&self) -> &'static str {
        tokio::task::yield_now().await;
        "done"
    }

    #[tool]
    fn refuses(&self) -> Result<String, ProtocolError> {
        Err(ProtocolError::new(-32050, "not today"))
    }

    #[tool]
    fn fails(&self) -> Result<String, ToolError> {
        Err(ToolError::new("out of order"))
    }

    #[tool]
    async fn panics(&self, late: bool) {
        if late {
            tokio::task::yield_now().await;
        }
        panic!("the secret of the house");
    }

    #[prompt]
    fn greet(&self, name: String) -> String {
        format!("Greet {name}.")
    }

    #[resource("book://{isbn}")]
    fn book(&self, isbn: u64) -> String {
        format!("book {isbn}")
    }
}

/// Creates the server, optionally with a layer that records requests. The tool `passed` returns and
/// clears the record.
#[allow(unreachable_pub)]
pub fn server(is_layered: bool) -> Server {
    let record = Arc::new(Mutex::new(Vec::new()));
    let mut server = Everything.into_builder();
    if is_layered {
        let record = Arc::clone(&record);
        server.layer(from_fn(move |request: McpRequest, next: Next| {
            let target = request.target();
            if target.as_deref() != Some("passed") {
                let about = format!("{} {}", request.method(), target.unwrap_or_default());
                record.lock().unwrap().push(about);
            }
            next.run(request)
        }));
    }
    let passed = ToolBuilder::new("passed").text_only().call(move |(), _| {
        let passed = std::mem::take(&mut *record.lock().unwrap());
        passed.join("\n")
    });
    server.tool(passed);
    server.build()
}

type Asked = (&'static str, Value);

/// Returns requests that are admitted, and requests that are not.
fn requests() -> (Vec<Asked>, Vec<Asked>) {
    let admitted = vec![
        ("tools/list", json!({})),
        ("prompts/list", json!({})),
        ("resources/list", json!({})),
        ("resources/templates/list", json!({})),
        (
            "tools/call",
            json!({"name": "add", "arguments": {"a": 1, "b": 2}}),
        ),
        (
            "tools/call",
            json!({"name": "add", "arguments": {"a": "x"}}),
        ),
        ("tools/call", json!({"name": "soon"})),
        ("tools/call", json!({"name": "refuses"})),
        ("tools/call", json!({"name": "fails"})),
        (
            "tools/call",
            json!({"name": "panics", "arguments": {"late": false}}),
        ),
        (
            "tools/call",
            json!({"name": "panics", "arguments": {"late": true}}),
        ),
        ("tools/call", json!({"name": "nowhere"})),
        (
            "prompts/get",
            json!({"name": "greet", "arguments": {"name": "Ada"}}),
        ),
        ("prompts/get", json!({"name": "greet"})),
        ("logging/setLevel", json!({"level": "info"})),
    ];
    let refused = vec![
        ("nothing/there", json!({})),
        ("sampling/createMessage", json!({})),
        ("initialize", json!({})),
    ];
    (admitted, refused)
}

/// Connects a client in the era of `revision`, and returns it with a function that makes requests
/// of that era.
async fn connect(is_layered: bool, revision: &str) -> (Wire, fn(&str, Value) -> Value) {
    let name = if is_layered { "layered" } else { "plain" };
    let mut wire = Wire::shared(name, &server(is_layered)).await;
    if revision == "2026-07-28" {
        return (wire, |method, params| stateless(7, method, params));
    }
    wire.handshake(revision).await;
    (wire, |method, params| request(7, method, params))
}

async fn passed(wire: &mut Wire, write: fn(&str, Value) -> Value) -> Vec<String> {
    let answer = wire
        .ask(write("tools/call", json!({"name": "passed"})))
        .await;
    let text = answer["result"]["content"][0]["text"].as_str().unwrap();
    text.lines().map(str::to_owned).collect()
}

#[tokio::test]
async fn each_admitted_request_passes_once_and_is_answered_as_without_a_layer() {
    for revision in ["2024-11-05", "2025-06-18", "2025-11-25", "2026-07-28"] {
        let (mut plain, write) = connect(false, revision).await;
        let (mut layered, _) = connect(true, revision).await;
        passed(&mut layered, write).await;
        let (admitted, refused) = requests();
        for (method, params) in &admitted {
            let asked = write(method, params.clone()).to_string();
            let expected = plain.ask_raw(&asked).await;
            assert_eq!(layered.ask_raw(&asked).await, expected, "{asked}");
            let target = params["name"].as_str().unwrap_or_default();
            // Methods that the revision does not have are refused.
            let expected = match (*method, revision) {
                ("logging/setLevel", "2026-07-28") => vec![],
                _ => vec![format!("{method} {target}").trim_end().to_owned()],
            };
            let passed = passed(&mut layered, write).await;
            let passed: Vec<_> = passed.iter().map(|line| line.trim_end()).collect();
            assert_eq!(passed, expected, "{revision}");
        }
        for (method, params) in refused {
            let asked = write(method, params).to_string();
            let expected = plain.ask_raw(&asked).await;
            assert_eq!(layered.ask_raw(&asked).await, expected, "{asked}");
            let passed = passed(&mut layered, write).await;
            assert_eq!(passed, Vec::<String>::new(), "{asked}");
        }
    }
}

#[tokio::test]
async fn nothing_passes_before_the_handshake() {
    let mut wire = Wire::shared("layered", &server(true)).await;
    for method in ["ping", "tools/list"] {
        wire.ask(request(1, method, json!({}))).await;
    }
    let write: fn(&str, Value) -> Value = |method, params| stateless(7, method, params);
    assert_eq!(passed(&mut wire, write).await, Vec::<String>::new());
    wire.ask(stateless(1, "server/discover", json!({}))).await;
    assert_eq!(passed(&mut wire, write).await, ["server/discover "]);
}
