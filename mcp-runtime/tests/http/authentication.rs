//! An authenticator's credentials in our client.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use http::header::AUTHORIZATION;
use http::{HeaderMap, HeaderValue, StatusCode};
use mcp_runtime::BoxFuture;
use mcp_runtime::transport::http_client::{
    AfterChallenge, AuthHttp, AuthResult, Authenticator, Challenge, RequestInfo, http_client,
};
use mcp_runtime::{CallError, Client, ConnectError, Era, HttpError};
use serde_json::{Value, json};

use crate::scripted::{Exchange, Gate, Scripted};
use crate::support::clock::{Clock, in_time, until};

/// Starts with the token `t-0`. A challenge to the current token moves to the next one, up to
/// `last`.
#[derive(Default)]
struct Tokens {
    current: AtomicUsize,
    last: usize,
    /// The gate that opens when the user has logged in, if a login is needed.
    login: Option<Gate>,
    fails: bool,
    challenges: Mutex<Vec<(RequestInfo, Challenge)>>,
    observed: Mutex<Vec<(StatusCode, String)>>,
}

impl Tokens {
    fn until(last: usize) -> Arc<Self> {
        Arc::new(Self {
            last,
            ..Self::default()
        })
    }

    fn challenges(&self) -> usize {
        self.challenges.lock().unwrap().len()
    }

    fn header(&self) -> HeaderValue {
        let token = format!("Bearer t-{}", self.current.load(Ordering::SeqCst));
        token.try_into().unwrap()
    }
}

struct Login(Arc<Tokens>);

impl Authenticator for Login {
    fn credentials(&self, _: RequestInfo, _: AuthHttp) -> BoxFuture<AuthResult<HeaderMap>> {
        let headers = HeaderMap::from_iter([(AUTHORIZATION, self.0.header())]);
        Box::pin(async move { Ok(headers) })
    }

    fn challenged(
        &self,
        request: RequestInfo,
        challenge: Challenge,
        _: AuthHttp,
    ) -> BoxFuture<AuthResult<AfterChallenge>> {
        let tokens = Arc::clone(&self.0);
        Box::pin(async move {
            let sent = challenge.sent[AUTHORIZATION].clone();
            tokens.challenges.lock().unwrap().push((request, challenge));
            if let Some(login) = &tokens.login {
                login.passed().await;
            }
            if tokens.fails {
                return Err("no browser was found".into());
            }
            // Do nothing if another request has already renewed the token.
            if sent == tokens.header() {
                if tokens.current.load(Ordering::SeqCst) == tokens.last {
                    return Ok(AfterChallenge::GiveUp);
                }
                tokens.current.fetch_add(1, Ordering::SeqCst);
            }
            Ok(AfterChallenge::SendAgain)
        })
    }

    fn extensions(&self) -> Vec<String> {
        vec!["com.example/login".to_owned()]
    }

    fn observe(&self, _: &RequestInfo, status: StatusCode, headers: &HeaderMap) {
        let nonce = headers
            .get("dpop-nonce")
            .map(|value| value.to_str().unwrap());
        let nonce = nonce.unwrap_or_default().to_owned();
        self.0.observed.lock().unwrap().push((status, nonce));
    }
}

/// Serves calls of tools, `server/discover` and handshakes.
pub(crate) async fn serve(exchange: Exchange) {
    let Some(exchange) = exchange.shake_hands().await else {
        return;
    };
    match &*exchange.name() {
        "server/discover" => {
            let found = json!({
                "resultType": "complete",
                "supportedVersions": ["2026-07-28"],
                "capabilities": {"tools": {}},
                "ttlMs": 0,
                "cacheScope": "private",
            });
            exchange.result(found).await;
        }
        _ => exchange.say("done").await,
    }
}

/// Creates a server that answers every token except `t-N` with 401.
async fn server_for(token: usize) -> Scripted {
    let wanted = format!("Bearer t-{token}");
    Scripted::new(move |exchange| {
        let is_known = exchange.header("authorization") == wanted;
        async move {
            if is_known {
                serve(exchange).await;
            } else {
                challenge(exchange, 401, "invalid_token").await;
            }
        }
    })
    .await
}

async fn challenge(exchange: Exchange, status: u16, error: &str) {
    let header = format!("www-authenticate: Bearer error=\"{error}\"\r\n");
    exchange.reply(status, &header, "who are you?").await;
}

pub(crate) fn builder(era: Era) -> mcp_runtime::ClientBuilder {
    Client::builder("test", "1").era(era)
}

pub(crate) async fn call(client: &Client, tool: &str) -> Result<(), CallError> {
    let called = client.call_tool(tool, json!({"a": "ä"})).into_future();
    in_time(called).await.map(drop)
}

#[tokio::test]
async fn a_token_is_renewed_once_and_the_same_message_sent_again() {
    for era in [Era::Stateless, Era::Handshake] {
        let messages = Arc::new(Mutex::new(Vec::new()));
        let log = Arc::clone(&messages);
        let server = Scripted::new(move |exchange| {
            let token = exchange.header("authorization").to_owned();
            log.lock()
                .unwrap()
                .push((exchange.message.clone(), token.clone()));
            async move {
                if exchange.name() == "tools/call" && token == "Bearer t-0" {
                    challenge(exchange, 401, "invalid_token").await;
                } else {
                    serve(exchange).await;
                }
            }
        });
        let server = server.await;
        let tokens = Tokens::until(9);
        let url = http_client(server.url()).auth(Login(Arc::clone(&tokens)));
        let client = in_time(builder(era).connect(url)).await.unwrap();
        for _ in 0..2 {
            call(&client, "any").await.unwrap();
        }
        let calls = messages.lock().unwrap().clone().into_iter();
        let calls = calls.filter(|(message, _)| message["method"] == "tools/call");
        let calls: Vec<(Value, String)> = calls.collect();
        let sent: Vec<&str> = calls.iter().map(|(_, token)| &**token).collect();
        assert_eq!(sent, ["Bearer t-0", "Bearer t-1", "Bearer t-1"], "{era:?}");
        assert_eq!(calls[0].0, calls[1].0);
        let challenges = tokens.challenges.lock().unwrap();
        let [(request, challenge)] = &challenges[..] else {
            panic!("{challenges:?}");
        };
        assert_eq!(request.rpc_method.as_deref(), Some("tools/call"));
        assert_eq!(request.url.to_string(), server.url());
        assert_eq!(challenge.status, 401);
        let header = &challenge.headers["www-authenticate"];
        assert_eq!(header, "Bearer error=\"invalid_token\"");
        assert_eq!(challenge.sent[AUTHORIZATION], "Bearer t-0");
        let shown = format!("{challenges:?}");
        assert!(!shown.contains("t-0"), "{shown}");
    }
}

#[tokio::test]
async fn requests_that_meet_a_challenge_together_see_which_credentials_failed() {
    const CALLS: usize = 20;
    let gate = Gate::new();
    let old = Arc::new(AtomicUsize::new(0));
    let together = gate.clone();
    let failed = Arc::clone(&old);
    let server = Scripted::new(move |exchange| {
        let together = together.clone();
        let failed = Arc::clone(&failed);
        async move {
            let is_old = exchange.header("authorization") == "Bearer t-0";
            if exchange.name() != "tools/call" || !is_old {
                return serve(exchange).await;
            }
            if failed.fetch_add(1, Ordering::SeqCst) + 1 == CALLS {
                together.open();
            }
            together.passed().await;
            challenge(exchange, 401, "invalid_token").await;
        }
    });
    let server = server.await;
    let tokens = Tokens::until(9);
    let url = http_client(server.url()).auth(Login(Arc::clone(&tokens)));
    let client = in_time(builder(Era::Stateless).connect(url)).await.unwrap();
    let mut calls = tokio::task::JoinSet::new();
    for _ in 0..CALLS {
        let client = client.clone();
        calls.spawn(async move { client.call_tool("any", json!({})).await.map(drop) });
    }
    for answer in in_time(calls.join_all()).await {
        answer.unwrap();
    }
    assert_eq!(tokens.challenges(), CALLS);
    assert_eq!(tokens.current.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn more_scopes_are_asked_for_by_403() {
    let server = Scripted::new(|exchange| async move {
        match (exchange.tool(), exchange.header("authorization")) {
            ("write", "Bearer t-0") => challenge(exchange, 403, "insufficient_scope").await,
            _ => serve(exchange).await,
        }
    });
    let server = server.await;
    let tokens = Tokens::until(9);
    let url = http_client(server.url()).auth(Login(Arc::clone(&tokens)));
    let client = in_time(builder(Era::Stateless).connect(url)).await.unwrap();
    call(&client, "read").await.unwrap();
    assert_eq!(tokens.challenges(), 0);
    call(&client, "write").await.unwrap();
    assert_eq!(tokens.challenges(), 1);
    assert_eq!(tokens.challenges.lock().unwrap()[0].1.status, 403);
}

#[tokio::test]
async fn a_403_without_a_challenge_is_an_answer_like_others() {
    let server = Scripted::new(|exchange| async move {
        match exchange.tool() {
            "write" => exchange.reply(403, "", "not from there").await,
            _ => serve(exchange).await,
        }
    });
    let url = http_client(server.await.url()).auth(Login(Tokens::until(0)));
    let client = in_time(builder(Era::Stateless).connect(url)).await.unwrap();
    match call(&client, "write").await {
        Err(CallError::Http(error)) => assert_eq!(error.status, 403),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_server_that_is_never_content_is_given_up_and_not_taken_for_an_old_one() {
    for (last, requests) in [(usize::MAX, 6), (0, 1), (2, 3)] {
        let server = server_for(1000).await;
        let tokens = Tokens::until(last);
        let url = http_client(server.url()).auth(Login(Arc::clone(&tokens)));
        let connected = in_time(Client::builder("test", "1").connect(url)).await;
        let Err(ConnectError::Authentication(error)) = connected else {
            panic!("connected");
        };
        let text = error.to_string();
        assert!(
            text.starts_with("authentication failed: HTTP 401") && text.contains("invalid_token"),
            "{text}"
        );
        let CallError::Authentication { error, .. } = error else {
            panic!("{error:?}");
        };
        assert_eq!(error.downcast_ref::<HttpError>().unwrap().status, 401);
        assert_eq!(server.seen(), vec!["server/discover"; requests]);
    }
}

#[tokio::test]
async fn an_authenticator_that_fails_names_step_and_reason() {
    let server = server_for(1).await;
    let tokens = Arc::new(Tokens {
        fails: true,
        ..Tokens::default()
    });
    let url = http_client(server.url()).auth(Login(Arc::clone(&tokens)));
    let Err(error) = in_time(Client::builder("test", "1").connect(url)).await else {
        panic!("connected");
    };
    let text = error.to_string();
    assert_eq!(
        text,
        "authentication after HTTP 401 failed: no browser was found"
    );
    assert_eq!(server.seen(), ["server/discover"]);
}

#[tokio::test]
async fn a_401_makes_no_client_look_for_an_older_transport() {
    let server = server_for(1).await;
    let url = http_client(server.url());
    let connected = in_time(Client::builder("test", "1").connect(url)).await;
    match connected.map(drop) {
        Err(ConnectError::Http(error)) => assert_eq!(error.status, 401),
        other => panic!("{other:?}"),
    }
    assert_eq!(server.count("GET"), 0, "{:?}", server.seen());
}

#[tokio::test]
async fn credentials_stay_at_their_origin() {
    let other = Scripted::new(serve).await;
    let target = other.url();
    let server = Scripted::new(move |exchange| {
        let target = target.clone();
        async move {
            match exchange.tool() {
                "far" => {
                    let location = format!("location: {target}\r\n");
                    exchange.reply(307, &location, "").await;
                }
                "near" if exchange.target == "/mcp" => {
                    exchange.reply(307, "location: /there\r\n", "").await;
                }
                _ => serve(exchange).await,
            }
        }
    });
    let server = server.await;
    let urls = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&urls);
    let url = http_client(server.url())
        .auth(Login(Tokens::until(0)))
        .header_provider(move |request| {
            log.lock().unwrap().push(request.url.to_string());
            async { Ok(HeaderMap::new()) }
        });
    let client = in_time(builder(Era::Stateless).connect(url)).await.unwrap();
    match call(&client, "far").await {
        Err(CallError::Http(error)) => assert_eq!(error.status, 307),
        other => panic!("{other:?}"),
    }
    assert_eq!(other.seen(), Vec::<String>::new());
    call(&client, "near").await.unwrap();
    let urls = urls.lock().unwrap();
    assert!(
        urls.iter()
            .all(|url| url.contains(&server.addr.to_string()))
    );
    assert!(urls.last().unwrap().ends_with("/there"), "{urls:?}");
}

#[tokio::test]
async fn a_login_may_take_longer_than_a_call_without_being_a_silent_server() {
    for era in [None, Some(Era::Stateless), Some(Era::Handshake)] {
        let server = server_for(1).await;
        let login = Gate::new();
        let tokens = Arc::new(Tokens {
            last: 1,
            login: Some(login.clone()),
            ..Tokens::default()
        });
        let url = http_client(server.url()).auth(Login(Arc::clone(&tokens)));
        let mut client = Client::builder("test", "1");
        if let Some(era) = era {
            client = client.era(era);
        }
        let clock = Clock::stopped();
        let connected = tokio::spawn(async move { client.connect(url).await });
        until("a challenge", || tokens.challenges() == 1).await;
        // Let the client learn that it is waiting for a person.
        clock.pass(Duration::ZERO).await;
        for _ in 0..20 {
            clock.pass(Duration::from_secs(60)).await;
        }
        assert_eq!(server.seen().len(), 1, "{:?}", server.seen());
        login.open();
        clock.go_on();
        let client = in_time(connected).await.unwrap().unwrap();
        call(&client, "any").await.unwrap();
        assert_eq!(tokens.challenges(), 1, "{era:?}");
    }
}

#[tokio::test]
async fn the_stream_of_a_session_is_opened_with_new_credentials_and_its_end_asks_for_none() {
    let server = Scripted::new(|exchange| async move {
        match (&*exchange.verb, exchange.header("authorization")) {
            ("GET", "Bearer t-0") | ("DELETE", _) => {
                challenge(exchange, 401, "invalid_token").await;
            }
            _ => serve(exchange).await,
        }
    });
    let server = server.await;
    let tokens = Tokens::until(9);
    let url = http_client(server.url()).auth(Login(Arc::clone(&tokens)));
    let client = in_time(builder(Era::Handshake).connect(url)).await.unwrap();
    server.until_seen("GET", 2).await;
    in_time(client.close()).await;
    assert_eq!(server.count("DELETE"), 1);
    let challenges = tokens.challenges.lock().unwrap();
    let [(request, _)] = &challenges[..] else {
        panic!("{challenges:?}");
    };
    assert_eq!(request.method, "GET");
    assert_eq!(request.rpc_method, None);
}

#[tokio::test]
async fn other_answers_are_observed() {
    let server = Scripted::new(|exchange| async move {
        match exchange.tool() {
            "any" => exchange.reply(400, "dpop-nonce: n-1\r\n", "").await,
            _ => serve(exchange).await,
        }
    });
    let tokens = Tokens::until(0);
    let url = http_client(server.await.url()).auth(Login(Arc::clone(&tokens)));
    let client = in_time(builder(Era::Stateless).connect(url)).await.unwrap();
    call(&client, "any").await.unwrap_err();
    let observed = tokens.observed.lock().unwrap();
    let expected = [(200, ""), (400, "n-1")];
    let expected =
        expected.map(|(status, nonce)| (StatusCode::from_u16(status).unwrap(), nonce.to_owned()));
    assert_eq!(*observed, expected);
}

#[tokio::test]
async fn extensions_of_the_authenticator_are_declared_in_both_eras() {
    for (era, requests) in [(Era::Stateless, 2), (Era::Handshake, 1)] {
        let declared = Arc::new(Mutex::new(Vec::new()));
        let log = Arc::clone(&declared);
        let server = Scripted::new(move |exchange| {
            let params = &exchange.message["params"];
            let capabilities = match exchange.name().as_str() {
                "initialize" => Some(&params["capabilities"]),
                "server/discover" | "tools/call" if era == Era::Stateless => {
                    Some(&params["_meta"]["io.modelcontextprotocol/clientCapabilities"])
                }
                _ => None,
            };
            log.lock().unwrap().extend(capabilities.cloned());
            serve(exchange)
        });
        let url = http_client(server.await.url()).auth(Login(Tokens::until(0)));
        let builder = builder(era).on_form(async |form| form.decline());
        let client = in_time(builder.connect(url)).await.unwrap();
        call(&client, "any").await.unwrap();
        let declared = declared.lock().unwrap();
        let extensions = json!({"com.example/login": {}});
        assert_eq!(declared.len(), requests);
        for capabilities in &*declared {
            assert!(capabilities["elicitation"].is_object(), "{capabilities}");
            assert_eq!(capabilities["extensions"], extensions, "{capabilities}");
        }
    }
}
