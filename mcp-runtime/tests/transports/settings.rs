//! Settings that can never work. Each makes the start fail with an error that names the setting.

use std::error::Error;
use std::time::Duration;

use http::request::Parts;
use mcp_runtime::server::Endpoint;
use mcp_runtime::server::Serve;
use mcp_runtime::transport::http::{
    AccessDenied, AccessPolicy, Http, HttpOptions, http, http_service,
};
use mcp_runtime::transport::memory::{self, Memory};
use mcp_runtime::transport::tcp;
use mcp_runtime::{Revision, Revisions, ServeError, Server, ServerBuilder};

use crate::support::builder;
use crate::support::clock::in_time;

const NO_TIME: Duration = Duration::ZERO;

/// A server whose `on_start` must not run.
fn server() -> Server {
    let mut server = builder();
    server.on_start(|_| async { Err::<(), _>("a setting was not checked") });
    server.build()
}

/// Checks that the outcome is an error that names `setting` and contains `text`.
#[track_caller]
fn check(outcome: Result<(), ServeError>, setting: &str, text: &str) {
    match outcome {
        Err(error @ ServeError::Setting { .. }) => {
            let shown = error.to_string();
            let begins = format!("the setting `{setting}` can't work: ");
            assert!(
                shown.starts_with(&begins) && shown.contains(text),
                "{setting}: {shown}"
            );
        }
        other => panic!("{setting}: {other:?}"),
    }
}

async fn served<E: Endpoint>(
    endpoint: E,
    configure: impl FnOnce(Serve<E>) -> Serve<E>,
) -> Result<(), ServeError> {
    in_time(configure(server().serve(endpoint).signals(false)).into_future()).await
}

type Change<T> = fn(T) -> T;
type Edit = fn(&mut ServerBuilder);

/// The name of a setting, a part of the expected error, and the change that makes the setting
/// wrong.
type Wrong<T> = (&'static str, &'static str, Change<T>);

#[tokio::test]
async fn options_that_cannot_work_end_the_start_of_what_is_served_and_mounted() {
    const ZERO: &str = "nothing could be served";
    let table: [Wrong<HttpOptions>; 34] = [
        ("write_timeout", ZERO, |it| it.write_timeout(NO_TIME)),
        ("max_in_flight", ZERO, |it| it.max_in_flight(0)),
        ("max_depth", ZERO, |it| it.max_depth(0)),
        ("max_depth", ZERO, |it| it.max_depth(2)),
        ("auth_timeout", ZERO, |it| it.auth_timeout(NO_TIME)),
        ("max_body_bytes", ZERO, |it| it.max_body_bytes(0)),
        ("max_unread_bytes", ZERO, |it| it.max_unread_bytes(0)),
        ("max_unread_bytes_total", ZERO, |it| {
            it.max_unread_bytes_total(0)
        }),
        ("body_timeout", ZERO, |it| it.body_timeout(NO_TIME)),
        ("keep_alive", ZERO, |it| it.keep_alive(NO_TIME)),
        ("max_calls", ZERO, |it| it.max_calls(0)),
        ("session_idle", ZERO, |it| it.session_idle(NO_TIME)),
        ("max_sessions", ZERO, |it| it.max_sessions(0)),
        ("allowed_hosts", "\"\"", |it| it.allowed_hosts([""])),
        ("allowed_hosts", "\"*\"", |it| it.allowed_hosts(["*"])),
        ("allowed_hosts", "\"*.example.com\"", |it| {
            it.allowed_hosts(["*.example.com"])
        }),
        ("allowed_hosts", "\"https://example.com\"", |it| {
            it.allowed_hosts(["https://example.com"])
        }),
        ("allowed_hosts", "\"example.com:443\"", |it| {
            it.allowed_hosts(["ok", "example.com:443"])
        }),
        ("allowed_hosts", "\"example.com/mcp\"", |it| {
            it.allowed_hosts(["example.com/mcp"])
        }),
        ("allowed_hosts", "\" example.com\"", |it| {
            it.allowed_hosts([" example.com"])
        }),
        ("allowed_hosts", "\"fd00::1\"", |it| {
            it.allowed_hosts(["fd00::1"])
        }),
        ("allowed_hosts", "\"[fd00::1\"", |it| {
            it.allowed_hosts(["[fd00::1"])
        }),
        ("allowed_hosts", "\"bücher.example\"", |it| {
            it.allowed_hosts(["bücher.example"])
        }),
        ("allowed_origins", "\"\"", |it| it.allowed_origins([""])),
        ("allowed_origins", "\"*\"", |it| it.allowed_origins(["*"])),
        ("allowed_origins", "\"app.example.com\"", |it| {
            it.allowed_origins(["app.example.com"])
        }),
        ("allowed_origins", "\"https://\"", |it| {
            it.allowed_origins(["https://"])
        }),
        ("allowed_origins", "\"://h\"", |it| {
            it.allowed_origins(["://h"])
        }),
        ("allowed_origins", "\"https://h/\"", |it| {
            it.allowed_origins(["https://h/"])
        }),
        ("allowed_origins", "\"https://*.h\"", |it| {
            it.allowed_origins(["https://*.h"])
        }),
        ("allowed_origins", "\"https://h:443\"", |it| {
            it.allowed_origins(["https://h:443"])
        }),
        ("allowed_origins", "\"http://h:80\"", |it| {
            it.allowed_origins(["http://h:80"])
        }),
        ("allowed_origins", "\"https://h:\"", |it| {
            it.allowed_origins(["https://h:"])
        }),
        ("auth", "no issuer", |it| it.auth(NoIssuer)),
    ];
    for (setting, text, change) in table {
        let options = change(HttpOptions::default());
        check(
            served(http(0).options(options.clone()), |it| it).await,
            setting,
            text,
        );
        let mounted = http_service(server(), options).start().await;
        check(mounted.map(drop), setting, text);
    }
}

/// A policy that refuses to be served.
struct NoIssuer;

impl AccessPolicy for NoIssuer {
    fn start(&self, path: Option<&str>) -> Result<(), Box<dyn Error + Send + Sync>> {
        assert!(path.is_none_or(|path| path == "/mcp"), "{path:?}");
        Err("no issuer".into())
    }

    async fn admit(&self, _: &mut Parts) -> Result<(), AccessDenied> {
        unreachable!("nothing is served")
    }
}

#[tokio::test]
async fn options_that_are_odd_but_mean_something_are_served() {
    let options = HttpOptions::default()
        .allowed_hosts([
            "mcp.example.com",
            "10.0.0.1",
            "[fd00::1]",
            "my_host",
            "localhost",
        ])
        .allowed_hosts([""; 0])
        .allowed_origins([
            "https://app.example.com",
            "http://h:8080",
            "http://[fd00::1]:1",
            "null",
        ])
        .allowed_origins(["chrome-extension://abcdef", "https://h:80", "http://h:443"])
        .max_buffered_body_bytes(0)
        .max_subscriptions(0)
        .without_sessions()
        .max_sessions(0)
        .drain_timeout(NO_TIME);
    let guard = http_service(builder().build(), options)
        .start()
        .await
        .unwrap();
    guard.shut_down().await.unwrap();
}

#[tokio::test]
async fn listeners_for_http_check_their_settings() {
    const ZERO: &str = "nothing could be served";
    let table: [Wrong<Http>; 15] = [
        ("head_timeout", ZERO, |it| it.head_timeout(NO_TIME)),
        ("max_connections", ZERO, |it| it.max_connections(0)),
        ("path", "\"/mcp?x\"", |it| it.path("mcp?x")),
        ("path", "\"/a#b\"", |it| it.path("/a#b")),
        ("path", "\"/m cp\"", |it| it.path("/m cp")),
        ("path", "\"/bücher\"", |it| it.path("/bücher")),
        ("path", "or another service", |it| it.path("/health")),
        ("path", "or another service", |it| it.path("/ready")),
        ("auth", "no issuer", |it| it.auth(NoIssuer)),
        ("auth", "no issuer", |it| {
            it.auth(NoIssuer).options(HttpOptions::default())
        }),
        (
            "with_websocket",
            "\"/mcp\" is not a path, or another",
            |it| it.with_websocket("/mcp"),
        ),
        ("with_websocket", "\"/w s\"", |it| it.with_websocket("w s")),
        ("with_websocket", "or another", |it| {
            it.with_websocket("/ws").with_websocket("ws")
        }),
        ("with_sse", "\"/sse\" is not a path, or another", |it| {
            it.path("/sse").with_sse()
        }),
        (
            "with_sse",
            "\"/messages\" is not a path, or another",
            |it| it.with_websocket("messages").with_sse(),
        ),
    ];
    for (setting, text, change) in table {
        check(served(change(http(0)), |it| it).await, setting, text);
    }
}

#[tokio::test]
async fn limits_of_connections_and_listeners_are_checked() {
    const ZERO: &str = "nothing could be served";
    let table: [Wrong<Serve<Memory>>; 3] = [
        ("write_timeout", ZERO, |it| it.write_timeout(NO_TIME)),
        ("max_in_flight", ZERO, |it| it.max_in_flight(0)),
        ("max_depth", ZERO, |it| it.max_depth(2)),
    ];
    for (setting, text, change) in table {
        let (_client, transport) = memory::pair();
        check(served(transport, change).await, setting, text);
    }
    let frames = served(tcp(0).max_frame_bytes(0), |it| it).await;
    check(frames, "max_frame_bytes", ZERO);
    let connections = served(tcp(0).max_connections(0), |it| it).await;
    check(connections, "max_connections", ZERO);
}

#[cfg(feature = "websocket")]
#[tokio::test]
async fn settings_of_websockets_are_checked() {
    use mcp_runtime::transport::websocket::{WebSocketServer, websocket_server, websocket_service};

    const ZERO: &str = "nothing could be served";
    let table: [Wrong<WebSocketServer>; 5] = [
        ("max_frame_bytes", ZERO, |it| it.max_frame_bytes(0)),
        ("max_connections", ZERO, |it| it.max_connections(0)),
        ("ping_every", ZERO, |it| it.ping_every(NO_TIME)),
        ("allowed_hosts", "\"*\"", |it| {
            it.options(HttpOptions::default().allowed_hosts(["*"]))
        }),
        ("auth", "no issuer", |it| {
            it.options(HttpOptions::default().auth(NoIssuer))
        }),
    ];
    for (setting, text, change) in table {
        check(
            served(change(websocket_server(0)), |it| it).await,
            setting,
            text,
        );
    }
    let service = websocket_service(server(), HttpOptions::default());
    let outcome = service.clone().max_frame_bytes(0).start().await;
    check(outcome.map(drop), "max_frame_bytes", ZERO);
    let outcome = service.ping_every(NO_TIME).start().await;
    check(outcome.map(drop), "ping_every", ZERO);
}

#[cfg(unix)]
#[tokio::test]
async fn settings_of_sockets_are_checked_and_errors_have_their_path() {
    use mcp_runtime::transport::unix;

    const ZERO: &str = "nothing could be served";
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("x.sock");
    for (setting, endpoint) in [
        ("max_frame_bytes", unix(&path).max_frame_bytes(0)),
        ("max_connections", unix(&path).max_connections(0)),
        ("mode", unix(&path).mode(0)),
    ] {
        check(served(endpoint, |it| it).await, setting, ZERO);
    }
    let missing = directory.path().join("missing/x.sock");
    let long = directory.path().join("x".repeat(200));
    for (path, text) in [
        (
            "".into(),
            "\"\": this is not the path of a file: write one such as",
        ),
        ("/".into(), "\"/\": this is not the path of a file"),
        ("..".into(), "\"..\": this is not the path of a file"),
        (missing.clone(), missing.to_str().unwrap()),
        (long.clone(), long.to_str().unwrap()),
        (
            directory.path().to_owned(),
            directory.path().to_str().unwrap(),
        ),
    ] {
        let error = builder()
            .serve(unix(path))
            .signals(false)
            .await
            .unwrap_err();
        assert!(matches!(&error, ServeError::Open(_)), "{error:?}");
        assert!(error.to_string().contains(text), "{error}");
    }
}

#[tokio::test]
async fn settings_of_servers_are_checked() {
    let wrong: [(&str, Edit); 2] = [
        ("input_timeout", |it| {
            it.input_timeout(NO_TIME);
        }),
        ("revisions", |it| {
            it.revisions(Revisions::only(Revision::LATEST).up_to(Revision::V2025_03_26));
        }),
    ];
    for (setting, change) in wrong {
        let mut server = builder();
        change(&mut server);
        let (_client, transport) = memory::pair();
        let outcome = in_time(server.serve(transport).signals(false).into_future()).await;
        check(outcome, setting, "");
    }
}

#[tokio::test]
async fn every_listener_for_an_address_gives_one_advice() {
    let open = async |address: &str| {
        let http = builder().serve(http(address)).signals(false).await;
        let tcp = builder().serve(tcp(address)).signals(false).await;
        [http, tcp].map(|outcome| outcome.unwrap_err().to_string())
    };
    for (address, advice) in [
        ("", "\"\" is not an address: write `127.0.0.1:8080`"),
        (
            "localhost",
            "\"localhost\" is not an address: write `localhost:8080`",
        ),
        (
            ":99999",
            "\":99999\" is not an address: write `127.0.0.1:8080`",
        ),
        ("http://127.0.0.1:1/mcp", "write `127.0.0.1:1`"),
    ] {
        for error in open(address).await {
            assert!(error.contains(advice), "{error}");
            assert_eq!(error.matches('`').count() % 2, 0, "{error}");
        }
    }
}
