//! The identity of the caller as handlers get it.

use mcp_runtime::prelude::*;
use mcp_runtime::transport::http::{HttpOptions, HttpRequest};
use mcp_runtime::transport::memory;
use serde_json::{Value, json};
use tower_service::Service as _;

use crate::support::mounted::mounted;
use crate::support::{Wire, stateless};

/// The identity that an authenticating layer sets.
#[derive(Clone, FromContext)]
#[from_context(identity)]
struct User {
    name: &'static str,
}

struct Door;

#[mcp_server(undocumented = "allow")]
impl Door {
    #[tool]
    fn agent(&self, parts: &http::request::Parts) -> String {
        parts.headers["user-agent"].to_str().unwrap().to_owned()
    }

    #[tool]
    async fn later(&self, parts: &http::request::Parts) -> String {
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

    #[tool]
    async fn known(&self, user: &User) -> String {
        tokio::task::yield_now().await;
        user.name.to_owned()
    }

    #[tool(blocking)]
    fn perhaps(
        &self,
        user: Option<&User>,
        principal: Option<&Principal>,
        parts: Option<&http::request::Parts>,
        request: Option<&HttpRequest>,
    ) -> String {
        let name = user.map_or("nobody", |user| user.name);
        let principal = principal.map_or("no one", Principal::name);
        format!(
            "{name} {principal} {} {}",
            parts.is_some(),
            request.is_some()
        )
    }

    #[prompt]
    fn letter(&self, user: &User) -> String {
        format!("Write to {}.", user.name)
    }

    #[resource("loans://mine")]
    fn loans(&self, user: Option<&User>) -> Option<String> {
        user.map(|user| format!("What {} has borrowed.", user.name))
    }
}

/// Greets the user by name.
#[tool]
async fn greet(user: Option<&User>, greeting: String) -> String {
    tokio::task::yield_now().await;
    format!("{greeting}, {}!", user.map_or("stranger", |user| user.name))
}

async fn call(tool: &str, user: Option<(User, Principal)>) -> Value {
    let mut service = mounted(Door.into_server(), HttpOptions::default()).await;
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
async fn a_type_that_is_the_identity_is_a_parameter() {
    let ann = || Some((User { name: "Ann" }, Principal::new("ann")));
    assert_eq!(text(&call("known", ann()).await), "Ann");
    assert_eq!(text(&call("perhaps", ann()).await), "Ann ann true true");
}

#[tokio::test]
async fn a_call_by_nobody_is_refused_unless_the_identity_is_optional() {
    let error = &call("known", None).await["error"];
    assert_eq!(error["code"], -32600);
    assert_eq!(error["message"], "This needs to know who calls");
    assert_eq!(
        text(&call("perhaps", None).await),
        "nobody no one true true"
    );
}

#[cfg(feature = "testing")]
#[tokio::test]
async fn prompts_resources_and_free_functions_take_the_identity() {
    use mcp_runtime::{Server, testing};

    let server = || {
        let mut server = Server::builder();
        std::sync::Arc::new(Door).register(&mut server);
        server.tool(greet);
        server.build()
    };
    let none: [(&str, &str); 0] = [];
    let ann = testing::connect(server())
        .identity(User { name: "Ann" })
        .await
        .unwrap();
    let nobody = testing::connect(server()).await.unwrap();
    let letter = ann.get_prompt("letter", none).await.unwrap();
    let content = ContentBlock::text("Write to Ann.");
    assert_eq!(letter.messages[0].content, content);
    assert!(nobody.get_prompt("letter", none).await.is_err());
    assert_eq!(
        ann.read_resource("loans://mine")
            .await
            .unwrap()
            .contents
            .len(),
        1
    );
    assert!(nobody.read_resource("loans://mine").await.is_err());
    let hello = || json!({"greeting": "Hello"});
    assert_eq!(
        ann.call::<String>("greet", hello()).await.unwrap(),
        "Hello, Ann!"
    );
    assert_eq!(
        nobody.call::<String>("greet", hello()).await.unwrap(),
        "Hello, stranger!"
    );
    assert_eq!(greet(None, "Hello".to_owned()).await, "Hello, stranger!");
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
        let expected = format!("{expected} no one false false");
        assert_eq!(text(&call("perhaps").await), expected);
        assert_eq!(call("agent").await["error"]["code"], -32603);
    }
}
