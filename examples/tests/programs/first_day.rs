//! Checks what a newcomer reads after starting a program in the wrong way or calling it wrongly.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener};
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use mcp_runtime::transport::{ChildProcess, http_client};
use mcp_runtime::{Client, Revision, Timeouts};
use serde_json::{Value, json};

/// Returns a call in the stateless era, as a line.
fn call(tool: &str, arguments: &str) -> String {
    let meta = r#"{"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}"#;
    format!(
        r#"{{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {{"name": "{tool}", "arguments": {arguments}, "_meta": {meta}}}}}"#
    )
}

/// Returns the standard output and standard error of the calculator after it reads `line`.
fn calculated(line: &str, variable: Option<&str>) -> (String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_calculator"));
    command.env_remove("MCP_LOG").stdin(Stdio::piped());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    if let Some(value) = variable {
        command.env("MCP_LOG", value);
    }
    let mut child = command.spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    writeln!(input, "{line}").unwrap();
    drop(input);
    let output = child.wait_with_output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (text(output.stdout), text(output.stderr))
}

#[test]
fn a_warning_is_seen_without_a_subscriber() {
    let misspelt = call("echo", r#"{"text": "a", "upper_csae": true}"#);
    let (answer, warning) = calculated(&misspelt, None);
    assert!(answer.contains(r#""text":"a""#), "{answer}");
    if cfg!(debug_assertions) {
        assert!(warning.starts_with("WARN mcp_runtime: "), "{warning}");
        assert!(warning.contains("argument=\"upper_csae\""), "{warning}");
        assert_eq!(warning.lines().count(), 1, "{warning}");
    } else {
        assert_eq!(warning, "");
    }
    let (_, silenced) = calculated(&misspelt, Some("off"));
    assert_eq!(silenced, "");
    let (_, quiet) = calculated(&call("echo", r#"{"text": "a"}"#), None);
    assert_eq!(quiet, "");
}

#[cfg(unix)]
#[tokio::test]
async fn a_program_that_ends_at_once_is_quoted() {
    let child = ChildProcess::new("sh").args(["-c", "echo no such package >&2; exit 3"]);
    let client = Client::builder("first", "1").connect(child);
    let error = client.await.unwrap_err().to_string();
    for part in ["`sh`", "exit status: 3", "no such package"] {
        assert!(error.contains(part), "{part}: {error}");
    }
}

#[cfg(unix)]
#[tokio::test]
async fn a_program_that_is_not_a_server_is_quoted() {
    let script = "echo 'Listening on 8080'; while read -r line; do :; done";
    let child = ChildProcess::new("sh").args(["-c", script]);
    let waiting = Timeouts {
        idle: Duration::from_millis(100),
        ..Timeouts::default()
    };
    let client = Client::builder("first", "1").probe_timeout(Duration::from_millis(100));
    let error = client.timeouts(waiting).connect(child).await.unwrap_err();
    let error = error.to_string();
    for part in [
        "`sh`",
        "`initialize`",
        "not an MCP message: Listening on 8080",
    ] {
        assert!(error.contains(part), "{part}: {error}");
    }
}

#[cfg(unix)]
#[tokio::test]
async fn a_server_without_the_revision_that_is_forced_says_what_it_has() {
    let script = r#"read -r line; echo '{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found"}}'
        read -r line; echo '{"jsonrpc":"2.0","id":2,"result":{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{"name":"old","version":"1"}}}'
        while read -r line; do :; done"#;
    let child = ChildProcess::new("sh").args(["-c", script]);
    let client = Client::builder("first", "1").revision(Revision::LATEST);
    let error = client.connect(child).await.unwrap_err().to_string();
    for part in ["2026-07-28", "2025-06-18"] {
        assert!(error.contains(part), "{part}: {error}");
    }
}

#[tokio::test]
async fn a_question_that_the_client_can_not_answer_names_the_capability() {
    for revision in [Revision::LATEST_HANDSHAKE, Revision::LATEST] {
        let child = ChildProcess::new(env!("CARGO_BIN_EXE_elicit"));
        let client = Client::builder("first", "1").revision(revision);
        let client = client.connect(child).await.unwrap();
        let answer = client.call::<Value>("cancel", json!({"number": 1})).await;
        let error = answer.unwrap_err().to_string();
        assert!(error.contains("elicitation"), "{error}");
        client.close().await;
    }
}

#[tokio::test]
async fn a_subscription_of_the_other_era_names_the_function_of_this_one() {
    let child = ChildProcess::new(env!("CARGO_BIN_EXE_subscriptions"));
    let client = Client::builder("first", "1").connect(child).await.unwrap();
    assert_eq!(client.revision(), Revision::LATEST);
    let error = client.subscribe("book://1").await.unwrap_err().to_string();
    assert!(error.contains("subscribe_to"), "{error}");
    client.close().await;
}

#[tokio::test]
async fn an_answer_of_a_stranger_has_its_status_and_url() {
    for status in ["404 Not Found", "502 Bad Gateway"] {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/mcp", listener.local_addr().unwrap());
        thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                let _ = stream.read(&mut [0; 4096]);
                let head = "content-type: text/html\r\ncontent-length: 13\r\nconnection: close";
                let _ = write!(stream, "HTTP/1.1 {status}\r\n{head}\r\n\r\n<h1>Hello</h1>");
            }
        });
        let error = Client::connect(&*url).await.unwrap_err().to_string();
        for part in [&status[..3], &url, "<h1>Hello"] {
            assert!(error.contains(part), "{part}: {error}");
        }
    }
}

/// Returns a local address without a listener.
pub(crate) fn unused() -> SocketAddr {
    let unused = TcpListener::bind("127.0.0.1:0").unwrap();
    unused.local_addr().unwrap()
}

#[tokio::test]
async fn a_server_that_is_not_there_is_named() {
    let address = unused();
    let url = format!("http://{address}/mcp");
    let error = Client::connect(&*url).await.unwrap_err();
    assert!(format!("{error}").contains(&address.to_string()), "{error}");
    let client = Client::builder("first", "1").connect(http_client(address.to_string()));
    let error = client.await.unwrap_err().to_string();
    assert!(error.contains("`http://`"), "{error}");
}

#[test]
fn a_port_that_is_taken_ends_the_program_with_its_address() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let mut command = Command::new(env!("CARGO_BIN_EXE_clock"));
    let output = command.arg(&address).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(error.contains(&address), "{error}");
    assert!(
        !error.contains("AddrInUse"),
        "the text of the error: {error}"
    );
}
