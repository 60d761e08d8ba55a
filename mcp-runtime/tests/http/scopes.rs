//! The scopes of entries. Calls without them are denied in every revision, before a handler runs.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use http::header::{AUTHORIZATION, HeaderValue, WWW_AUTHENTICATE};
use http::request::Parts;
use http::{Request, StatusCode};
use mcp_runtime::prelude::*;
use mcp_runtime::server::tools::ToolBuilder;
use mcp_runtime::transport::http::{
    AccessDenied, AccessPolicy, Http, HttpOptions, Principal, ScopeCheck,
};
use mcp_runtime::types::CacheScope;
use serde_json::{Map, Value, json};

use crate::site::{Answer, Session, Site};
use crate::support::{self, request, stateless};

/// Accepts scopes, joined by `+`, as tokens. The token `unchecked` adds no check of scopes.
struct Scopes;

impl AccessPolicy for Scopes {
    async fn admit(&self, request: &mut Parts) -> Result<(), AccessDenied> {
        let token = request.headers.remove(AUTHORIZATION).unwrap();
        let token = token.to_str().unwrap().to_owned();
        request.extensions.insert(Principal::new("ann"));
        if token == "unchecked" {
            return Ok(());
        }
        request.extensions.insert(ScopeCheck::new(move |needed| {
            if needed
                .iter()
                .all(|scope| token.split('+').any(|it| it == *scope))
            {
                return Ok(());
            }
            let needed = needed.join(" ");
            let challenge = format!(r#"Bearer error="insufficient_scope", scope="{needed}""#);
            let challenge = HeaderValue::try_from(challenge).unwrap();
            let denied = AccessDenied::forbidden().header(WWW_AUTHENTICATE, challenge);
            Err(denied.message(format!("needs {needed}")))
        }));
        Ok(())
    }
}

#[derive(Default)]
struct Files {
    entered: Arc<AtomicUsize>,
}

#[mcp_server(
    scopes("files"),
    undocumented = "allow",
    list_changed(resources),
    groups(admin)
)]
impl Files {
    #[tool]
    fn list(&self) -> &'static str {
        "none"
    }

    #[tool(scopes("read", "write"))]
    fn write(&self) -> &'static str {
        self.entered.fetch_add(1, Ordering::Relaxed);
        "written"
    }

    #[tool(scopes("write"))]
    fn remove(&self, #[elicit("Remove everything?")] sure: bool) -> String {
        self.entered.fetch_add(1, Ordering::Relaxed);
        sure.to_string()
    }

    #[prompt(scopes("read"))]
    fn summary(&self, #[arg(complete = Self::names)] name: String) -> String {
        self.entered.fetch_add(1, Ordering::Relaxed);
        name
    }

    #[resource("file:///{name}", scopes("read"), subscribe)]
    fn file(&self, #[arg(complete = Self::names)] name: String) -> String {
        self.entered.fetch_add(1, Ordering::Relaxed);
        name
    }

    fn names(&self, _: &CompletionRequest) -> Vec<String> {
        self.entered.fetch_add(1, Ordering::Relaxed);
        vec!["a".to_owned()]
    }
}

#[mcp_server(group = admin, scopes("admin"), undocumented = "allow")]
impl Files {
    #[tool(scopes("write"))]
    fn format(&self) {
        self.entered.fetch_add(1, Ordering::Relaxed);
    }
}

/// Returns a site, and the number of handlers that have run.
fn site(configure: impl FnOnce(&mut mcp_runtime::ServerBuilder)) -> (Site, Arc<AtomicUsize>) {
    let files = Files::default();
    let entered = Arc::clone(&files.entered);
    let mut server = files.into_builder();
    server.extension(("com.example/clock", Map::new()));
    server.method("com.example/now", async |_: Value, _| {
        Ok::<_, ProtocolError>(json!({"hour": 12}))
    });
    configure(&mut server);
    let options = HttpOptions::default().auth(Scopes);
    let site = Site::of_with(&server.build(), options);
    (site, entered)
}

fn with(mut request: Request<String>, token: &str) -> Request<String> {
    let headers = request.headers_mut();
    headers.insert(AUTHORIZATION, token.parse().unwrap());
    request
}

async fn ask(site: &Site, token: &str, method: &str, params: Value) -> Answer {
    let message = stateless(7, method, params.clone());
    let mut asked = site.stateless(&message);
    if let Some(uri) = params["uri"].as_str() {
        asked.headers_mut().insert("mcp-name", uri.parse().unwrap());
    }
    site.send(with(asked, token)).await
}

fn check_denied(answer: &Answer, needed: &str) {
    assert_eq!(answer.status, StatusCode::FORBIDDEN, "{answer:?}");
    let challenge = format!(r#"Bearer error="insufficient_scope", scope="{needed}""#);
    assert_eq!(answer.header("www-authenticate"), Some(&*challenge));
    let error = answer.json();
    assert_eq!(error["id"], 7, "{error}");
    assert_eq!(error["error"]["code"], -32600, "{error}");
    assert_eq!(error["error"]["message"], format!("needs {needed}"));
}

async fn session<'a>(site: &'a Site, revision: &str, token: &str) -> Session<'a> {
    let post = |message: &Value, id: Option<&str>| {
        let mut request = site
            .request("POST")
            .header("content-type", "application/json");
        if let Some(id) = id {
            request = request.header("mcp-session-id", id);
        }
        with(request.body(message.to_string()).unwrap(), token)
    };
    let opened = site.send(post(&support::initialize(revision), None)).await;
    let id = opened.header("mcp-session-id").unwrap().to_owned();
    let initialized = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    let answer = site.send(post(&initialized, Some(&id))).await;
    assert_eq!(answer.status, 202);
    let revision = revision.to_owned();
    Session { site, id, revision }
}

#[tokio::test]
async fn a_call_needs_the_scopes_of_the_server_and_of_the_entry() {
    let (site, entered) = site(|_| {});
    for (method, params, needed) in [
        ("tools/call", json!({"name": "list"}), "files"),
        ("tools/call", json!({"name": "write"}), "files read write"),
        ("tools/call", json!({"name": "remove"}), "files write"),
        ("tools/call", json!({"name": "format"}), "files admin write"),
        ("prompts/get", json!({"name": "summary"}), "files read"),
        ("resources/read", json!({"uri": "file:///a"}), "files read"),
        (
            "completion/complete",
            json!({"ref": {"type": "ref/prompt", "name": "summary"},
                "argument": {"name": "name", "value": ""}}),
            "files read",
        ),
        (
            "completion/complete",
            json!({"ref": {"type": "ref/resource", "uri": "file:///{name}"},
                "argument": {"name": "name", "value": ""}}),
            "files read",
        ),
        (
            "subscriptions/listen",
            json!({"notifications": {"resourceSubscriptions": ["file:///a"]}}),
            "files read",
        ),
        ("com.example/now", json!({}), "files"),
    ] {
        check_denied(&ask(&site, "", method, params.clone()).await, needed);
        // One scope is missing.
        let (some, _) = needed.rsplit_once(' ').unwrap_or_default();
        let token = some.replace(' ', "+");
        check_denied(&ask(&site, &token, method, params).await, needed);
    }
    assert_eq!(entered.load(Ordering::Relaxed), 0);

    let answer = ask(
        &site,
        "write+read+files",
        "tools/call",
        json!({"name": "write"}),
    )
    .await;
    assert_eq!(answer.json()["result"]["content"][0]["text"], "written");
    let read = ask(
        &site,
        "read+files",
        "resources/read",
        json!({"uri": "file:///a"}),
    )
    .await;
    assert_eq!(read.json()["result"]["cacheScope"], "private", "{read:?}");
    // Lists and unknown names need no scopes.
    let tools = ask(&site, "", "tools/list", json!({})).await;
    assert_eq!(tools.json()["result"]["tools"].as_array().unwrap().len(), 4);
    let unknown = ask(&site, "", "tools/call", json!({"name": "nothing"})).await;
    assert_eq!(unknown.error_code(), -32602, "{unknown:?}");
}

#[tokio::test]
async fn sessions_of_every_revision_deny_with_the_status_of_http() {
    let (site, entered) = site(|_| {});
    for revision in ["2025-03-26", "2025-06-18", "2025-11-25"] {
        let session = session(&site, revision, "files").await;
        let post = async |message: &Value, token: &str| {
            site.send(with(session.post(message), token)).await
        };
        let write = support::call(7, "write", json!({}));
        let before = entered.load(Ordering::Relaxed);
        check_denied(&post(&write, "files+read").await, "files read write");
        let subscribe = request(7, "resources/subscribe", json!({"uri": "file:///a"}));
        check_denied(&post(&subscribe, "files").await, "files read");
        assert_eq!(entered.load(Ordering::Relaxed), before);
        // The id is free again, so that a client can repeat the call with more scopes.
        let answer = post(&write, "files+read+write").await;
        assert_eq!(answer.json()["result"]["content"][0]["text"], "written");
        assert_eq!(post(&subscribe, "files+read").await.status, 200);
    }
}

#[tokio::test]
async fn a_denied_call_in_a_batch_is_an_error_among_the_answers() {
    let (site, _) = site(|_| {});
    let session = session(&site, "2025-03-26", "files").await;
    let batch = json!([
        support::call(1, "list", json!({})),
        support::call(2, "write", json!({})),
    ]);
    let answer = site.send(with(session.post(&batch), "files")).await;
    assert_eq!(answer.status, 200);
    let answers = answer.json();
    assert_eq!(answers[0]["result"]["content"][0]["text"], "none");
    assert_eq!(answers[1]["error"]["code"], -32600, "{answers}");
    assert_eq!(answers[1]["error"]["message"], "needs files read write");
}

#[cfg(feature = "sse")]
#[tokio::test]
async fn the_post_of_http_with_sse_is_denied() {
    let files = Files::default();
    let entered = Arc::clone(&files.entered);
    let site = Site::of_http(&files.into_server(), |http: Http| {
        http.auth(Scopes).with_sse()
    });
    let open = site.request("GET").uri("/sse").body(String::new()).unwrap();
    let mut stream = site.start(with(open, "files")).await;
    let first = crate::site::read_until(&mut stream, "\n\n").await;
    let address = first
        .strip_prefix("event: endpoint\ndata: ")
        .unwrap()
        .trim_end();
    let post = async |message: &Value, token: &str| {
        let request = site.request("POST").uri(address);
        let request = request.header("content-type", "application/json");
        let request = request.body(message.to_string()).unwrap();
        site.send(with(request, token)).await
    };
    let initialized = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    for message in [support::initialize("2024-11-05"), initialized] {
        assert_eq!(post(&message, "files").await.status, 202);
    }
    let write = support::call(7, "write", json!({}));
    check_denied(&post(&write, "files").await, "files read write");
    assert_eq!(entered.load(Ordering::Relaxed), 0);
    assert_eq!(post(&write, "files+read+write").await.status, 202);
    let answers = crate::site::read_until(&mut stream, "written").await;
    assert!(!answers.contains("error"), "{answers}");
}

#[tokio::test]
async fn without_a_check_what_needs_scopes_is_denied() {
    let (site, entered) = site(|_| {});
    let answer = ask(&site, "unchecked", "tools/call", json!({"name": "write"})).await;
    assert_eq!(answer.status, StatusCode::FORBIDDEN);
    assert!(answer.body.contains("the access policy"), "{answer:?}");
    assert_eq!(entered.load(Ordering::Relaxed), 0);

    let open = Site::of(&Files::default().into_server());
    let write = stateless(1, "tools/call", json!({"name": "write"}));
    assert_eq!(open.ask(&write).await.status, StatusCode::FORBIDDEN);
}

#[tokio::test]
async fn a_mounted_server_keeps_its_scopes() {
    let mut inner = Files::default().into_builder();
    inner.extension(("com.example/clock", Map::new()));
    inner.method("com.example/now", async |_: Value, _| {
        Ok::<_, ProtocolError>(json!({}))
    });
    let mut outer = mcp_runtime::Server::builder();
    outer.scopes(["outer"]).mount("a", inner.build());
    let site = Site::of_with(&outer.build(), HttpOptions::default().auth(Scopes));
    for (method, params, needed) in [
        (
            "tools/call",
            json!({"name": "a_write"}),
            "outer files read write",
        ),
        (
            "prompts/get",
            json!({"name": "a_summary"}),
            "outer files read",
        ),
        (
            "resources/read",
            json!({"uri": "a+file:///b"}),
            "outer files read",
        ),
    ] {
        check_denied(&ask(&site, "outer", method, params).await, needed);
    }
    let now = |token| ask(&site, token, "com.example/now", json!({}));
    check_denied(&now("files").await, "outer");
    check_denied(&now("outer").await, "files");
    assert_eq!(now("outer+files").await.status, 200);
}

async fn tools(site: &Site, token: &str) -> Vec<String> {
    let mut names = Vec::new();
    let mut params = json!({});
    loop {
        let result = &ask(site, token, "tools/list", params).await.json()["result"];
        assert_eq!(result["cacheScope"], "private", "{result}");
        let tools = result["tools"].as_array().unwrap().iter();
        names.extend(tools.map(|tool| tool["name"].as_str().unwrap().to_owned()));
        match result.get("nextCursor") {
            Some(cursor) => params = json!({"cursor": cursor}),
            None => return names,
        }
    }
}

#[tokio::test]
async fn lists_show_what_the_caller_may_call_if_the_server_wants_so() {
    let (site, _) = site(|server| {
        server.filter_by_scopes().page_size(2.try_into().unwrap());
        server.cache(Duration::from_secs(60), CacheScope::Public);
    });
    for (token, names) in [
        ("", &[][..]),
        ("files", &["list"]),
        ("files+write", &["list", "remove"]),
        ("files+read+write", &["list", "write", "remove"]),
        (
            "files+read+write+admin",
            &["list", "write", "remove", "format"],
        ),
        ("unchecked", &[]),
    ] {
        assert_eq!(tools(&site, token).await, names, "{token}");
    }
    let templates = async |token| {
        let list = ask(&site, token, "resources/templates/list", json!({})).await;
        list.json()["result"]["resourceTemplates"]
            .as_array()
            .unwrap()
            .len()
    };
    assert_eq!(
        (templates("files").await, templates("files+read").await),
        (0, 1)
    );
    // Other callers see the tool in the list, so its scopes are not a secret.
    check_denied(
        &ask(&site, "files", "tools/call", json!({"name": "write"})).await,
        "files read write",
    );
}

#[tokio::test]
async fn builders_take_scopes() {
    let mut server = mcp_runtime::Server::builder();
    server.tool(
        ToolBuilder::new("a")
            .scopes(["one"])
            .arguments(())
            .call(|(), _| ""),
    );
    server.tool(
        ToolBuilder::new("b")
            .arguments(())
            .call(|(), _| "")
            .scopes(["two"]),
    );
    let site = Site::of_with(&server.build(), HttpOptions::default().auth(Scopes));
    for (name, scope) in [("a", "one"), ("b", "two")] {
        check_denied(
            &ask(&site, "", "tools/call", json!({"name": name})).await,
            scope,
        );
        let answer = ask(&site, scope, "tools/call", json!({"name": name})).await;
        assert_eq!(answer.status, 200);
    }
}
