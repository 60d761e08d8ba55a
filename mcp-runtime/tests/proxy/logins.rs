//! Servers that need a login before they can be reached.

use std::time::Duration;

use mcp_runtime::proxy::Proxy;
use mcp_runtime::server::McpServer as _;
use mcp_runtime::{Era, Server};
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::time::Instant;

use crate::behind::{Behind, asked, introduced, upstream_after};
use crate::support::{Wire, call, request};

const PAGE: &str = "https://login.example/?code=1";

/// A person who may log in.
struct Person(watch::Sender<bool>);

impl Person {
    fn logs_in(&self) {
        self.0.send_replace(true);
    }
}

/// Returns a proxy of a server that can be reached after a login.
fn closed(era: Era) -> (Server, Behind, Person) {
    let (person, login) = watch::channel(false);
    let pending = login.clone();
    let (upstream, behind) = upstream_after(era, move || {
        let mut login = login.clone();
        async move {
            let done = login.wait_for(|is_done| *is_done).await;
            done.map(|_| ()).map_err(|_| "the login was given up")
        }
    });
    let upstream = upstream.login(move || (!*pending.borrow()).then(|| PAGE.to_owned()));
    let proxy = Proxy::new(upstream).into_builder().name("guarded").build();
    (proxy, behind, Person(person))
}

/// Connects a client while the login is pending.
async fn waiting(proxy: &Server, capabilities: Value) -> Wire {
    let mut wire = Wire::to(proxy).await;
    let before = Instant::now();
    let answer = wire.ask(introduced("c", capabilities)).await;
    assert_eq!(before.elapsed(), Duration::from_secs(8));
    let changing = json!({"listChanged": true});
    let declared = json!({"tools": changing, "prompts": changing, "resources": changing});
    assert_eq!(answer["result"]["capabilities"], declared);
    assert_eq!(answer["result"]["serverInfo"]["name"], "guarded");
    wire.send(json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))
        .await;
    for (method, list) in [
        ("tools/list", "tools"),
        ("prompts/list", "prompts"),
        ("resources/list", "resources"),
        ("resources/templates/list", "resourceTemplates"),
    ] {
        let listed = wire.ask(request(1, method, json!({}))).await;
        assert_eq!(listed["result"], json!({list: []}));
    }
    wire
}

#[tokio::test(start_paused = true)]
async fn a_client_that_can_not_open_pages_gets_the_address_as_an_error() {
    let (proxy, _behind, _person) = closed(Era::Handshake);
    let mut wire = waiting(&proxy, json!({"elicitation": {"form": {}}})).await;
    let error = wire.ask(call(2, "x", json!({}))).await["error"].clone();
    assert!(error["message"].as_str().unwrap().contains(PAGE), "{error}");
    assert_ne!(error["code"], -32042);
}

#[tokio::test(start_paused = true)]
async fn a_client_with_a_handshake_gets_empty_lists_until_the_login() {
    for era in [Era::Handshake, Era::Stateless] {
        let (proxy, mut behind, person) = closed(era);
        let mut wire = waiting(&proxy, json!({"elicitation": {"url": {}}})).await;
        let error = wire.ask(call(2, "x", json!({}))).await["error"].clone();
        assert_eq!(error["code"], -32042, "{error}");
        let asked = &error["data"]["elicitations"][0];
        assert_eq!(
            (&asked["mode"], &asked["url"]),
            (&json!("url"), &json!(PAGE))
        );

        person.logs_in();
        let mut server = match era {
            Era::Handshake => behind.operating().await,
            _ => behind.discovered().await,
        };
        let mut told = Vec::new();
        for _ in 0..3 {
            told.push(wire.answer().await["method"].as_str().unwrap().to_owned());
        }
        told.sort_unstable();
        let lists = ["prompts", "resources", "tools"];
        assert_eq!(
            told,
            lists.map(|list| format!("notifications/{list}/list_changed"))
        );
        wire.send(call(3, "x", json!({}))).await;
        let (id, _) = server.expect("tools/call").await;
        server
            .answer(
                &id,
                json!({"resultType": "complete", "content": [], "isError": false}),
            )
            .await;
        assert_eq!(wire.answer().await["result"]["content"], json!([]));
    }
}

#[tokio::test(start_paused = true)]
async fn a_login_in_time_is_not_noticed() {
    let (proxy, mut behind, person) = closed(Era::Handshake);
    let mut wire = Wire::to(&proxy).await;
    wire.send(introduced("c", json!({}))).await;
    let wait = tokio::time::timeout(Duration::from_secs(7), wire.next());
    wait.await.unwrap_err();
    person.logs_in();
    behind.operating().await;
    assert_eq!(
        wire.answer().await["result"]["serverInfo"]["name"],
        "scripted"
    );
}

#[tokio::test(start_paused = true)]
async fn a_stateless_client_is_asked_to_log_in() {
    let (proxy, mut behind, person) = closed(Era::Stateless);
    let mut wire = Wire::to(&proxy).await;
    let listed = wire.ask(asked(1, "tools/list", json!({}), json!({}))).await;
    let empty = json!({
        "resultType": "complete", "tools": [], "ttlMs": 0, "cacheScope": "private",
    });
    assert_eq!(listed["result"], empty);
    let call = |id, more: Value, capabilities| {
        let mut params = more;
        params["name"] = "x".into();
        asked(id, "tools/call", params, capabilities)
    };
    let refused = wire.ask(call(2, json!({}), json!({"roots": {}}))).await;
    let message = refused["error"]["message"].as_str().unwrap();
    assert!(message.contains(PAGE), "{message}");
    let able = json!({"elicitation": {"url": {}}});
    let required = wire.ask(call(3, json!({}), able.clone())).await["result"].clone();
    assert_eq!(required["resultType"], "input_required");
    let requests = required["inputRequests"].as_object().unwrap();
    let (key, question) = requests.iter().next().unwrap();
    assert_eq!(question["method"], "elicitation/create");
    assert_eq!(question["params"]["url"], PAGE);

    person.logs_in();
    let responses = json!({"inputResponses": {key: {"action": "accept"}}});
    wire.send(call(4, responses, able)).await;
    let mut server = behind.discovered().await;
    let (id, params) = server.expect("tools/call").await;
    assert_eq!(
        params["inputResponses"],
        Value::Null,
        "the server has not asked"
    );
    server
        .answer(&id, json!({"resultType": "complete", "content": []}))
        .await;
    assert_eq!(wire.answer().await["id"], 4);
}
