//! Tests the module `testing`.

use std::time::Duration;

use mcp_runtime::prelude::*;
use mcp_runtime::testing::{self, Recording};
use mcp_runtime::types::Side;
use mcp_runtime::{CallError, Client, ConnectError, Era, Revision, Timeouts};
use serde_json::json;

struct Desk;

#[mcp_server(name = "desk", version = "1.0.0")]
impl Desk {
    /// Adds two whole numbers.
    #[tool]
    fn add(&self, a: i64, b: i64) -> i64 {
        a + b
    }

    /// Never returns.
    #[tool]
    async fn wait(&self) -> String {
        std::future::pending().await
    }

    /// Asks for a name.
    #[tool]
    async fn greet(&self, cx: &Context) -> Result<String, mcp_runtime::AskError> {
        let guest: Guest = cx.elicit("Who are you?").await?;
        Ok(format!("Hello, {}!", guest.name))
    }
}

#[derive(Clone)]
struct User(&'static str);

struct Account;

#[mcp_server]
impl Account {
    /// Names the caller.
    #[tool]
    fn owner(&self, cx: &Context) -> String {
        cx.identity::<User>()
            .map_or("nobody", |user| user.0)
            .to_owned()
    }
}

/// A visitor.
#[derive(Serialize, Deserialize, JsonSchema, Elicit)]
struct Guest {
    name: String,
}

#[tokio::test]
async fn a_server_is_called_in_every_revision() {
    for revision in Revision::ALL {
        let client = testing::connect(Desk).revision(revision).await.unwrap();
        assert_eq!(client.revision(), revision);
        let sum: i64 = client.call("add", json!({"a": 2, "b": 3})).await.unwrap();
        assert_eq!(sum, 5);
    }
}

#[tokio::test]
async fn the_client_may_be_any() {
    for era in [Era::Handshake, Era::Stateless] {
        let answering = Client::builder("answering", "1.0.0")
            .on_form(|form| async move { form.accept(json!({"name": "Ada"})) });
        let client = testing::connect(Desk).client(answering).era(era);
        let client = client.await.unwrap();
        let greeting: String = client.call("greet", json!({})).await.unwrap();
        assert_eq!(greeting, "Hello, Ada!");
    }
}

#[tokio::test]
async fn time_that_is_paused_is_not_waited_for() {
    let timeouts = Timeouts {
        idle: Duration::from_secs(3600),
        ..Timeouts::default()
    };
    let patient = Client::builder("patient", "1.0.0").timeouts(timeouts);
    let client = testing::connect(Desk).client(patient).paused();
    let client = client.await.unwrap();
    let answer = client.call_tool("wait", json!({})).await;
    assert!(
        matches!(answer, Err(CallError::Timeout { .. })),
        "{answer:?}"
    );
}

#[tokio::test]
async fn what_is_said_is_written_down_in_order() {
    let recording = Recording::default();
    let client = testing::connect(Desk).revision(Revision::V2025_06_18);
    let client = client.record(&recording).await.unwrap();
    client.ping().await.unwrap();
    let said = recording.messages();
    let says = |index: usize, sender, part: &str| {
        let (by, message): &(Side, String) = &said[index];
        assert!(*by == sender && message.contains(part), "{recording}");
    };
    says(0, Side::Client, r#""method":"initialize""#);
    says(1, Side::Server, r#""name":"desk""#);
    says(2, Side::Client, r#""notifications/initialized""#);
    says(3, Side::Client, r#""method":"ping""#);
    says(4, Side::Server, r#""result":{}"#);
    assert_eq!(said.len(), 5, "{recording}");
}

#[tokio::test]
async fn the_caller_has_the_identity_that_it_was_given() {
    for era in [Era::Handshake, Era::Stateless] {
        let owner = async |connect: testing::Connect| -> String {
            let client = connect.era(era).await.unwrap();
            client.call("owner", json!({})).await.unwrap()
        };
        assert_eq!(owner(testing::connect(Account)).await, "nobody");
        let ann = testing::connect(Account).identity(User("Ann"));
        assert_eq!(owner(ann).await, "Ann");
    }
}

#[cfg(feature = "http-server")]
mod http_request {
    use mcp_runtime::ConnectError;
    use mcp_runtime::transport::http::{HttpRequest, Principal};

    use super::*;

    struct Door;

    #[mcp_server]
    impl Door {
        /// Says who is there.
        #[tool]
        fn caller(&self, caller: &Principal, parts: &http::request::Parts, cx: &Context) -> String {
            let key = parts.headers["x-key"].to_str().unwrap();
            let user = cx.identity::<User>().map_or("", |user| user.0);
            format!("{} {key} {user}", caller.name())
        }

        /// Counts the headers.
        #[tool]
        fn headers(&self, request: &HttpRequest) -> usize {
            request.headers.len()
        }
    }

    #[tokio::test]
    async fn handlers_see_headers_and_all_identities() {
        for era in [Era::Handshake, Era::Stateless] {
            let client = testing::connect(Door)
                .header("x-key", "secret")
                .identity(Principal::new("ann"))
                .identity(User("Ann"));
            let client = client.era(era).await.unwrap();
            let caller: String = client.call("caller", json!({})).await.unwrap();
            assert_eq!(caller, "ann secret Ann");

            let client = testing::connect(Door).era(era).await.unwrap();
            assert!(client.call::<String>("caller", json!({})).await.is_err());
            assert_eq!(client.call::<usize>("headers", json!({})).await.unwrap(), 0);
        }
    }

    #[tokio::test]
    async fn a_malformed_header_is_an_error() {
        let connected = testing::connect(Door).header("x key", "secret").await;
        assert!(matches!(connected, Err(ConnectError::Open(_))));
    }
}

#[tokio::test]
async fn the_list_of_tools_is_what_a_client_lists() {
    let server = Desk.into_server();
    let text = testing::tool_list(&server);
    let client = testing::connect(&server).era(Era::Stateless).await.unwrap();
    let listed = serde_json::to_value(client.list_tools().await.unwrap()).unwrap();
    assert_eq!(
        serde_json::from_str::<serde_json::Value>(&text).unwrap(),
        listed
    );
    let add = text.find("\"name\": \"add\"").unwrap();
    assert!(text.find("\"inputSchema\"").unwrap() < add, "{text}");
    assert!(add < text.find("\"name\": \"greet\"").unwrap(), "{text}");
}

#[cfg(feature = "http-server")]
struct Scoped;

#[cfg(feature = "http-server")]
#[mcp_server]
impl Scoped {
    /// Writes a file.
    #[tool(scopes("write"))]
    fn write(&self) -> &'static str {
        "written"
    }
}

#[cfg(feature = "http-server")]
#[tokio::test]
async fn scopes_are_checked_if_the_test_sets_a_check() {
    use mcp_runtime::transport::http::{AccessDenied, ScopeCheck};

    let free = testing::connect(Scoped).await.unwrap();
    let written: String = free.call("write", json!({})).await.unwrap();
    assert_eq!(written, "written");
    let check = ScopeCheck::new(|_| Err(AccessDenied::forbidden().message("not you")));
    let limited = testing::connect(Scoped).identity(check).await.unwrap();
    let error = limited
        .call::<String>("write", json!({}))
        .await
        .unwrap_err();
    assert!(error.to_string().contains("not you"), "{error}");
}

#[tokio::test]
async fn a_server_that_cannot_start_says_why() {
    let mut server = mcp_runtime::Server::builder();
    server.on_start(|_| async { Err::<(), _>("no disk") });
    let error = testing::connect(server.build()).await.unwrap_err();
    assert!(
        matches!(&error, ConnectError::Serve(ServeError::Start(_))),
        "{error:?}"
    );
    assert_eq!(
        error.to_string(),
        "the server can't be served: `on_start` failed: no disk"
    );

    let mut server = mcp_runtime::Server::builder();
    server.input_timeout(Duration::ZERO);
    let error = testing::connect(server.build()).await.unwrap_err();
    assert!(error.to_string().contains("`input_timeout`"), "{error}");
}
