//! Handlers that ask the user questions, over HTTP.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use mcp_runtime::Server;
use mcp_runtime::prelude::*;
use mcp_runtime::server::input::StateKey;
use mcp_runtime::transport::http::{HttpOptions, Principal};
use serde_json::{Value, json};
use tower_service::Service as _;

use crate::site::{Site, read, read_until};
use crate::support::mounted::mounted;
use crate::support::{call, initialize, stateless};

/// Greets the user, and counts how often its function was entered and how often it paid.
#[derive(Clone, Default)]
struct Greeter {
    entered: Arc<AtomicUsize>,
    paid: Arc<AtomicUsize>,
}

#[mcp_server(undocumented = "allow")]
impl Greeter {
    #[tool]
    async fn greet(&self, cx: &Context) -> Result<String, ToolError> {
        let _ = self.entered.fetch_add(1, Ordering::SeqCst);
        let pay = async { self.paid.fetch_add(1, Ordering::SeqCst) };
        cx.once("pay", pay).await?;
        let name: String = cx.elicit("What is your name?").await?;
        let town: String = cx.elicit("Where do you live?").await?;
        Ok(format!("{name} from {town}"))
    }
}

fn server(greeter: &Greeter, secret: u8) -> Server {
    let mut server = Server::builder();
    Arc::new(greeter.clone()).register(&mut server);
    server.state_keys([StateKey::new([secret; 32])]);
    server.build()
}

fn greet(id: i64, more: Value) -> Value {
    let mut params = json!({"name": "greet", "arguments": {}});
    params
        .as_object_mut()
        .unwrap()
        .extend(more.as_object().unwrap().clone());
    let mut message = stateless(id, "tools/call", params);
    message["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"] =
        json!({"elicitation": {}});
    message
}

/// Returns the additional parameters of a retry.
fn retry(wanted: &Value, answer: &str) -> Value {
    let requests = wanted["inputRequests"].as_object().unwrap();
    let answered = json!({"action": "accept", "content": {"answer": answer}});
    let responses: serde_json::Map<_, _> = requests
        .keys()
        .map(|key| (key.clone(), answered.clone()))
        .collect();
    json!({"inputResponses": responses, "requestState": wanted["requestState"]})
}

#[tokio::test]
async fn servers_with_one_key_stand_in_for_each_other() {
    let greeter = Greeter::default();
    let first = Site::of(&server(&greeter, 1));
    let second = Site::of(&server(&greeter, 1));
    let wanted = first.ask(&greet(1, json!({}))).await.json();
    assert_eq!(wanted["result"]["resultType"], "input_required", "{wanted}");
    let ada = retry(&wanted["result"], "Ada");
    let wanted = second.ask(&greet(2, ada)).await.json();
    assert_eq!(wanted["result"]["resultType"], "input_required", "{wanted}");
    let london = retry(&wanted["result"], "London");
    let result = first.ask(&greet(3, london)).await.json();
    assert_eq!(
        result["result"]["content"][0]["text"], "Ada from London",
        "{result}"
    );
    assert_eq!(greeter.entered.load(Ordering::SeqCst), 3);
    assert_eq!(greeter.paid.load(Ordering::SeqCst), 1, "paid once");
}

#[tokio::test]
async fn a_server_with_another_key_refuses_before_it_does_anything() {
    let ours = Greeter::default();
    let theirs = Greeter::default();
    let first = Site::of(&server(&ours, 1));
    let second = Site::of(&server(&theirs, 2));
    let wanted = first.ask(&greet(1, json!({}))).await.json();
    let answer = second.ask(&greet(2, retry(&wanted["result"], "Ada"))).await;
    assert_eq!(answer.error_code(), -32602, "{answer:?}");
    assert_eq!(theirs.entered.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn a_state_is_of_no_use_to_anybody_else() {
    let greeter = Greeter::default();
    let mut service = mounted(server(&greeter, 1), HttpOptions::default()).await;
    let mut ask = async |message: Value, principal: Option<&str>| {
        let mut request = http::Request::post("/mcp")
            .header("host", "localhost")
            .header("content-type", "application/json")
            .header("mcp-protocol-version", "2026-07-28")
            .header("mcp-method", "tools/call")
            .header("mcp-name", "greet")
            .body(message.to_string())
            .unwrap();
        if let Some(name) = principal {
            request.extensions_mut().insert(Principal::new(name));
        }
        let mut body = service.call(request).await.unwrap().into_body();
        let frame = std::future::poll_fn(|cx| {
            http_body::Body::poll_frame(std::pin::Pin::new(&mut body), cx)
        });
        let bytes = frame.await.unwrap().unwrap().into_data().unwrap();
        serde_json::from_slice::<Value>(&bytes).unwrap()
    };
    let wanted = ask(greet(1, json!({})), Some("ann")).await;
    let retry = retry(&wanted["result"], "Ada");
    for principal in [Some("bob"), None] {
        let answer = ask(greet(2, retry.clone()), principal).await;
        assert_eq!(answer["error"]["code"], -32602, "{principal:?}: {answer}");
    }
    assert_eq!(greeter.entered.load(Ordering::SeqCst), 1);
    let answer = ask(greet(3, retry), Some("ann")).await;
    assert_eq!(answer["result"]["resultType"], "input_required", "{answer}");
}

#[tokio::test]
async fn a_state_belongs_to_its_arguments_in_full() {
    let greeter = Greeter::default();
    let site = Site::of(&server(&greeter, 1));
    let ask = async |arguments: &str, more: Value| {
        let mut message = greet(1, more);
        message["params"]["arguments"] = json!("ARGUMENTS");
        let mut request = site.stateless(&message);
        *request.body_mut() = message.to_string().replace("\"ARGUMENTS\"", arguments);
        site.send(request).await.json()
    };
    // Arguments without an unambiguous value can't be sealed.
    for (z, path) in [
        ("1e400", "z"),
        (r#"["\ud800"]"#, "z[0]"),
        (r#"{"a":1,"a":2}"#, "z.a"),
    ] {
        let arguments = format!(r#"{{"amount":1,"z":{z}}}"#);
        let answer = ask(&arguments, json!({})).await;
        assert_eq!(answer["error"]["code"], -32602, "{answer}");
        let message = answer["error"]["message"].as_str().unwrap();
        let expected = format!("Invalid params: params.arguments.{path}: ");
        assert!(message.starts_with(&expected), "{message}");
    }
    for (asked, redeemed) in [
        (r#"{"amount":1}"#, r#"{"amount":1000000}"#),
        (
            r#"{"amount":9007199254740992.0}"#,
            r#"{"amount":9007199254740993.0}"#,
        ),
        (
            r#"{"amount":18446744073709551616}"#,
            r#"{"amount":18446744073709551617}"#,
        ),
        (r#"{"amount":1}"#, r#"{"amount":1,"z":1e400}"#),
    ] {
        let wanted = ask(asked, json!({})).await;
        assert_eq!(wanted["result"]["resultType"], "input_required", "{wanted}");
        let entered = greeter.entered.load(Ordering::SeqCst);
        let answer = ask(redeemed, retry(&wanted["result"], "Ada")).await;
        assert_eq!(
            answer["error"]["code"], -32602,
            "{asked} {redeemed}: {answer}"
        );
        assert_eq!(
            greeter.entered.load(Ordering::SeqCst),
            entered,
            "{redeemed}"
        );
        let answer = ask(asked, retry(&wanted["result"], "Ada")).await;
        assert_eq!(answer["result"]["resultType"], "input_required", "{answer}");
    }
}

#[tokio::test]
async fn a_missing_capability_is_a_bad_request() {
    let greeter = Greeter::default();
    let site = Site::of(&server(&greeter, 1));
    let message = stateless(1, "tools/call", json!({"name": "greet"}));
    let answer = site.ask(&message).await;
    assert_eq!(answer.status, 400, "{answer:?}");
    assert_eq!(answer.error_code(), -32021);
}

#[tokio::test]
async fn in_a_session_the_question_comes_on_the_stream_of_the_call() {
    let greeter = Greeter::default();
    let site = Site::of(&server(&greeter, 1));
    let mut hello = initialize("2025-11-25");
    hello["params"]["capabilities"] = json!({"elicitation": {}});
    let session = site.session_of(&hello, "2025-11-25").await;
    let mut stream = session.start(&call(7, "greet", json!({}))).await;
    for (question, answer) in [
        ("What is your name?", "Ada"),
        ("Where do you live?", "London"),
    ] {
        let event = read_until(&mut stream, question).await;
        let mut data = event.lines().filter_map(|line| line.strip_prefix("data: "));
        let asked: Value = serde_json::from_str(data.next_back().unwrap()).unwrap();
        assert_eq!(asked["method"], "elicitation/create", "{asked}");
        let result = json!({"action": "accept", "content": {"answer": answer}});
        // The id `7.0` is the same as `7`.
        let id = asked["id"].as_f64();
        let message = json!({"jsonrpc": "2.0", "id": id, "result": result});
        assert_eq!(session.ask(&message).await.status, 202);
    }
    let rest = read(stream).await;
    assert!(rest.body.contains("Ada from London"), "{rest:?}");
}
