//! Identity of the caller, as handlers get it.

use http::request::Parts;
use mcp_runtime::prelude::*;
use mcp_runtime::transport::http::{HttpOptions, Principal, http_service};
use mcp_runtime::transport::memory;
use serde_json::{Value, json};
use tower_service::Service as _;

use crate::support::{Wire, stateless};

/// The identity that an authenticating layer sets.
#[derive(Clone)]
struct User {
    name: &'static str,
}

struct Door;

#[mcp_server(undocumented = "allow")]
impl Door {
    #[tool]
    fn agent(&self, parts: &Parts) -> String {
        parts.headers["user-agent"].to_str().unwrap().to_owned()
    }

    #[tool]
    async fn later(&self, parts: &Parts) -> String {
        tokio::task::yield_now().await;
        parts.uri.path().to_owned()
    }

    #[tool]
    fn principal(&self, caller: &Principal) -> String {
        caller.name().to_owned()
    }

    #[tool]
    fn user(&self, cx: &Context) -> String {
        let user = cx.identity::<User>();
        user.map_or("nobody", |user| user.name).to_owned()
    }
}

/// Calls a tool as somebody, and returns the whole answer.
async fn call(tool: &str, user: Option<(User, Principal)>) -> Value {
    let mut service = http_service(Door.into_server(), HttpOptions::default());
    let message = stateless(1, "tools/call", json!({"name": tool}));
    let mut request = http::Request::post("/door")
        .header("host", "localhost")
        .header("content-type", "application/json")
        .header("mcp-protocol-version", "2026-07-28")
        .header("mcp-method", "tools/call")
        .header("mcp-name", tool)
        .header("user-agent", "test")
        .body(message.to_string())
        .unwrap();
    if let Some((user, principal)) = user {
        request.extensions_mut().insert(user);
        request.extensions_mut().insert(principal);
    }
    let mut body = service.call(request).await.unwrap().into_body();
    let frame =
        std::future::poll_fn(|cx| http_body::Body::poll_frame(std::pin::Pin::new(&mut body), cx));
    let bytes = frame.await.unwrap().unwrap().into_data().unwrap();
    serde_json::from_slice(&bytes).unwrap()
}

fn text(answer: &Value) -> &str {
    answer["result"]["content"][0]["text"].as_str().unwrap()
}

#[tokio::test]
async fn handlers_are_lent_the_parts_of_the_request() {
    assert_eq!(text(&call("agent", None).await), "test");
    assert_eq!(text(&call("later", None).await), "/door");
}

#[tokio::test]
async fn handlers_see_who_calls() {
    let ann = || Some((User { name: "Ann" }, Principal::new("ann")));
    assert_eq!(text(&call("principal", ann()).await), "ann");
    assert_eq!(text(&call("user", ann()).await), "Ann");
    assert_eq!(text(&call("user", None).await), "nobody");
    assert_eq!(call("principal", None).await["error"]["code"], -32600);
}

#[tokio::test]
async fn on_a_stream_the_program_says_who_is_there() {
    for said in [true, false] {
        let (ours, theirs) = memory::pair();
        let mut serve = Door.into_server().serve(theirs).signals(false);
        if said {
            serve = serve.identity(User { name: "Ann" });
        }
        let mut wire = Wire::with(ours, tokio::spawn(serve.into_future())).await;
        let mut call = async |tool| {
            let params = json!({"name": tool});
            wire.ask(stateless(1, "tools/call", params)).await
        };
        let expected = if said { "Ann" } else { "nobody" };
        assert_eq!(text(&call("user").await), expected);
        assert_eq!(call("agent").await["error"]["code"], -32603);
    }
}
