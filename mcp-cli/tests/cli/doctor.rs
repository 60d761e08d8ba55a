//! Tests that a diagnosis names the step that fails, and what to do.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::thread;

use serde_json::{Value, json};

use crate::certificates::{CERTIFICATE, KEY, ROOT, encrypted, pem};
use crate::support::{Run, Server, User, answering, demo, mcp};

const TEST_ROOT: &[u8] = include_bytes!("certificates/root.der");
const EXPIRED: &[u8] = include_bytes!("certificates/expired.der");
const OTHER: &[u8] = include_bytes!("certificates/other.der");
const TEST_KEY: &[u8] = include_bytes!("certificates/key.der");
const SELF_SIGNED: &[u8] =
    include_bytes!("../../../mcp-runtime/tests/transports/certificates/self_signed.der");
const SELF_SIGNED_KEY: &[u8] =
    include_bytes!("../../../mcp-runtime/tests/transports/certificates/self_signed.key.der");

/// The steps of a report, such as `["✓ DNS", "✗ TCP"]`, without times and facts.
fn steps(run: &Run) -> Vec<String> {
    let words = run
        .stdout
        .lines()
        .map(|line| line.split_whitespace().take(2));
    words.map(|it| it.collect::<Vec<_>>().join(" ")).collect()
}

fn doctor(arguments: &[&str]) -> Run {
    mcp(&[&["doctor"], arguments].concat())
}

#[test]
fn a_program_that_works_passes_each_step() {
    let run = doctor(&["--", &demo()]);
    assert_eq!(run.code, 0, "{run:?}");
    let passed = ["✓ configuration", "✓ program", "✓ protocol", "✓ lists"];
    assert_eq!(steps(&run), passed);
    for fact in [
        "from the command line, stdio",
        &demo(),
        "2026-07-28, stateless, found by server/discover, ",
        "tools: 7, prompts: ",
    ] {
        assert!(run.stdout.contains(fact), "{fact} in {}", run.stdout);
    }
}

#[test]
fn a_url_that_works_passes_each_step() {
    let server = Server::start();
    let run = doctor(&[&server.url]);
    assert_eq!(run.code, 0, "{run:?}");
    let names = ["configuration", "DNS", "TCP", "HTTP", "protocol", "lists"];
    assert_eq!(steps(&run), names.map(|it| format!("✓ {it}")));
    assert!(run.stdout.contains("127.0.0.1:"), "{run:?}");
    let websocket = doctor(&[&server.url.replace("http:", "ws:")]);
    websocket.fails(4, &["does not open a WebSocket"]);
    let names = ["✓ configuration", "✓ DNS", "✓ TCP", "✗ protocol"];
    assert_eq!(steps(&websocket), names);
}

#[test]
fn a_server_that_is_not_reached_fails_in_a_step_of_the_network() {
    let unused = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = unused.local_addr().unwrap();
    drop(unused);
    let run = doctor(&[&format!("http://{address}/mcp")]);
    run.fails(4, &["127.0.0.1:", "refused", "check the port"]);
    assert_eq!(steps(&run), ["✓ configuration", "✓ DNS", "✗ TCP"]);
    let run = doctor(&["http://nowhere.invalid/mcp"]);
    run.fails(4, &["nowhere.invalid can't be reached: ", "check the name"]);
    assert_eq!(steps(&run), ["✓ configuration", "✗ DNS"]);
}

#[test]
fn a_certificate_that_is_refused_is_explained() {
    let user = User::new();
    user.write("ca.pem", &pem(TEST_ROOT));
    user.write("other.pem", &pem(SELF_SIGNED));
    for (certificate, key, facts, explanation) in [
        (
            EXPIRED,
            TEST_KEY,
            "issued by CN=root for tests, ended on 2001-01-01",
            ["the certificate expired on 2001-01-01: renew it", "clock"],
        ),
        (
            OTHER,
            TEST_KEY,
            "issued by CN=root for tests, valid until 2100-01-01",
            ["not valid for name \"localhost\"", "other.example"],
        ),
        (
            CERTIFICATE,
            KEY,
            "issued by CN=root for tests, valid until 2100-01-01",
            ["an authority that is not trusted here", "--ca FILE"],
        ),
        (
            SELF_SIGNED,
            SELF_SIGNED_KEY,
            "issued by ",
            [
                "certificate is self-signed",
                "use it to sign another certificate",
            ],
        ),
    ] {
        for scheme in ["https", "wss"] {
            let port = encrypted(certificate, key);
            let url = format!("{scheme}://localhost:{port}/");
            // Another authority of the same name would be a wrong signature.
            let ca = if key == TEST_KEY {
                "ca.pem"
            } else {
                "other.pem"
            };
            let run = user.run(&["doctor", &url, "--ca", ca]);
            run.fails(4, &explanation);
            assert!(run.stdout.contains(facts), "{facts} in {}", run.stdout);
            let names = ["✓ configuration", "✓ DNS", "✓ TCP", "✗ TLS"];
            assert_eq!(steps(&run), names);
        }
    }
    let plain = Server::start();
    let run = doctor(&[&plain.url.replace("http:", "https:")]);
    run.fails(4, &["does not speak TLS there", "`http://`"]);
}

#[test]
fn a_certificate_that_is_trusted_is_described() {
    let user = User::new();
    user.write("ca.pem", &pem(ROOT));
    let url = format!("https://localhost:{}/", encrypted(CERTIFICATE, KEY));
    let run = user.run(&["doctor", &url, "--ca", "ca.pem"]);
    run.fails(4, &["HTTP 404", "most servers are at `/mcp`"]);
    for fact in [
        "issued by CN=root for tests, valid until 2100-01-01, TLS 1.3",
        "HTTP/1.1 404",
    ] {
        assert!(run.stdout.contains(fact), "{fact} in {}", run.stdout);
    }
    assert_eq!(steps(&run)[3..], ["✓ TLS", "✓ HTTP", "✗ protocol"]);
}

#[test]
fn a_server_that_is_not_an_mcp_server_fails_after_http() {
    let page = answering(
        "200 OK\r\ncontent-type: text/html\r\nserver: nginx/1.2",
        "<html>",
    );
    let run = doctor(&[&page]);
    run.fails(4, &["HTTP 200", "<html>", "/mcp"]);
    assert!(
        run.stdout.contains("HTTP/1.1 200 OK, server nginx/1.2"),
        "{run:?}"
    );
    assert_eq!(steps(&run)[3..], ["✓ HTTP", "✗ protocol"]);
    let moved = answering(
        "301 Moved Permanently\r\nlocation: https://x.example/y?secret",
        "",
    );
    let run = doctor(&[&moved]);
    assert!(
        run.stdout.contains("redirects to https://x.example/y\n"),
        "{run:?}"
    );
}

/// Starts a server that requires a login at the authorization server with this metadata.
fn protected(metadata: Value) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let origin = format!("http://{}", listener.local_addr().unwrap());
    let issuer = origin.clone();
    let route = move |path: &str| match path {
        "/meta" => json!({"resource": format!("{issuer}/mcp"), "authorization_servers": [issuer]}),
        "/.well-known/oauth-authorization-server" => {
            let mut metadata = metadata.clone();
            metadata["issuer"] = json!(issuer);
            metadata
        }
        _ => Value::Null,
    };
    let url = format!("{origin}/mcp");
    thread::spawn(move || {
        for stream in listener.incoming() {
            respond(stream.unwrap(), &origin, &route);
        }
    });
    url
}

fn respond(stream: TcpStream, origin: &str, route: &dyn Fn(&str) -> Value) {
    let mut reader = BufReader::new(stream);
    let (mut first, mut length) = (String::new(), 0);
    reader.read_line(&mut first).unwrap();
    let mut line = first.clone();
    while line.trim() != "" {
        line.clear();
        reader.read_line(&mut line).unwrap();
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
    }
    let _ = reader.read_exact(&mut vec![0; length]);
    let found = route(first.split(' ').nth(1).unwrap_or_default());
    let (head, body) = match found {
        Value::Null => {
            let challenge = format!("Bearer resource_metadata=\"{origin}/meta\"");
            (
                format!("401 Unauthorized\r\nwww-authenticate: {challenge}"),
                String::new(),
            )
        }
        document => (
            "200 OK\r\ncontent-type: application/json".to_owned(),
            document.to_string(),
        ),
    };
    let length = body.len();
    let mut stream = reader.into_inner();
    // The command may have ended already.
    let _ = write!(
        stream,
        "HTTP/1.1 {head}\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n{body}"
    );
}

#[test]
fn a_login_that_is_missing_is_described() {
    let url = protected(json!({
        "authorization_endpoint": "http://127.0.0.1:9/authorize", "token_endpoint": "http://127.0.0.1:9/token",
        "registration_endpoint": "http://127.0.0.1:9/register", "code_challenge_methods_supported": ["S256"],
    }));
    let run = doctor(&[&url]);
    run.fails(
        3,
        &[
            "the server requires a login",
            &format!("mcp login {url}"),
            "--header",
        ],
    );
    let origin = url.trim_end_matches("/mcp");
    let facts =
        format!("authorization server {origin}, clients register themselves, no token is stored");
    assert!(run.stdout.contains(&facts), "{facts} in {}", run.stdout);
    assert_eq!(steps(&run)[3..], ["✓ HTTP", "✗ login"]);
    // Other credentials are tried instead.
    let run = doctor(&[&url, "--header", "Authorization: Bearer x"]);
    run.fails(3, &["`Authorization` is refused"]);
    assert_eq!(steps(&run)[3..], ["✓ HTTP", "✗ protocol"]);
    let run = doctor(&[&protected(json!({}))]);
    run.fails(3, &["the server requires a login"]);
    assert!(
        run.stdout.contains("clients can't register themselves"),
        "{run:?}"
    );
}

#[test]
fn a_login_without_metadata_is_described() {
    let url = answering("401 Unauthorized\r\nwww-authenticate: Bearer", "");
    let run = doctor(&[&url]);
    run.fails(3, &["the server requires a login", "--header"]);
    assert!(run.stdout.contains("401 Unauthorized"), "{run:?}");
    assert!(run.stdout.contains("no metadata, "), "{run:?}");
    assert_eq!(steps(&run)[3..], ["✓ HTTP", "✗ login"]);
}

#[cfg(unix)]
#[test]
fn a_program_that_is_not_a_server_fails_in_its_step() {
    let sh = |script: &str| doctor(&["--timeout", "1s", "--", "sh", "-c", script]);
    let ends = sh("echo no such package >&2; exit 3");
    ends.fails(4, &["`sh` has ended (exit status: 3)", "no such package"]);
    assert_eq!(steps(&ends), ["✓ configuration", "✓ program", "✗ protocol"]);
    assert!(ends.stdout.contains("/sh\n"), "{ends:?}");
    let hangs = sh("echo Password: >&2; cat >/dev/null");
    hangs.fails(4, &["`initialize` within 1.0s", "Password:"]);
    let missing = doctor(&["--", "no-such-program"]);
    missing.fails(
        4,
        &["there is no program `no-such-program` in the folders of PATH"],
    );
    assert_eq!(steps(&missing), ["✓ configuration", "✗ program"]);
}

#[test]
fn a_file_that_can_not_be_used_fails_in_the_first_step() {
    let user = User::new();
    let servers =
        json!({"mcpServers": {"demo": {"command": demo(), "env": {"KEY": "${UNSET_KEY}"}}}});
    user.write(".mcp.json", &servers.to_string());
    let run = user.run(&["doctor", "demo"]);
    run.fails(2, &["is not trusted", "--trust-project"]);
    assert_eq!(steps(&run), ["✗ configuration"]);
    let run = user.run(&["doctor", "demo", "--trust-project"]);
    run.fails(2, &["needs the variable `UNSET_KEY`"]);
    assert!(
        run.stdout.contains("`demo` in ") && run.stdout.contains(".mcp.json"),
        "{run:?}"
    );
    let run = user.run(&["doctor", "dem"]);
    run.fails(2, &["no server is named `dem`", "`demo`"]);
}

#[cfg(unix)]
#[test]
fn a_list_that_fails_is_named() {
    let initialized = r#""result": {"protocolVersion": "2025-11-25", "serverInfo": {"name": "half",
        "version": "1"}, "capabilities": {"tools": {}, "resources": {}}}"#;
    let fault = r#""error": {"code": -32603, "message": "the disk is full"}"#;
    let program = crate::support::scripted(&[
        ("initialize", &initialized.replace('\n', "")),
        ("tools/list", r#""result": {"tools": []}"#),
        ("resources/list", fault),
    ]);
    let program = program.each_ref().map(String::as_str);
    let run = doctor(&[&["--"], &program[..]].concat());
    run.fails(5, &["the disk is full"]);
    assert_eq!(steps(&run).last().unwrap(), "✗ lists");
    assert!(
        run.stdout
            .contains("tools: 0, prompts: 0, resources: failed, templates: 0"),
        "{run:?}"
    );
    assert!(
        run.stdout
            .contains("handshake, found by initialize, half 1"),
        "{run:?}"
    );
}

#[test]
fn a_report_for_others_has_no_secrets() {
    let user = User::new();
    let page = answering(
        "401 Unauthorized\r\nserver: swordfish-header",
        "token-in-url",
    );
    let url = page.replace("http://", "http://ada:p4ssw0rd@") + "/mcp?key=token-in-url";
    let short = page.replace("http://", "http://a:pw@") + "/mcp?k=xy";
    let script = "echo $KEY swordfish-option >&2; echo 'postgres://ada:p4ssw0rd@host' >&2; exit 1";
    let servers = json!({"mcpServers": {
        "program": {"command": "sh", "args": ["-c", script, "postgres://ada:p4ssw0rd@host"], "env": {"KEY": "swordfish-value"}},
        "url": {"url": url, "headers": {"Authorization": "Bearer swordfish-header"}},
    }});
    user.write("servers.json", &servers.to_string());
    let option = "X-Key: swordfish-header";
    for arguments in [
        &[
            "doctor",
            "program",
            "--config",
            "servers.json",
            "--env",
            "X=swordfish-option",
        ][..],
        &["doctor", "url", "--config", "servers.json"],
        &[
            "doctor",
            &url,
            "--header",
            option,
            "--header",
            "Authorization: Bearer swordfish-header",
        ],
        &["doctor", &url, "--header", option],
        &["doctor", &short, "--header", option],
    ] {
        for run in [
            user.run(arguments),
            user.run(&[arguments, &["--json"]].concat()),
        ] {
            assert_ne!(run.code, 0, "{run:?}");
            let shown = format!("{}{}", run.stdout, run.stderr);
            assert!(shown.contains('…'), "{shown}");
            for secret in [
                "swordfish",
                "p4ssw0rd",
                "token-in-url",
                "ada:",
                "a:pw",
                "k=xy",
            ] {
                assert!(!shown.contains(secret), "{secret} in {shown}");
            }
        }
    }
}

#[test]
fn a_report_for_others_is_a_document() {
    let run = doctor(&["--json", "--", &demo()]);
    let report = run.json();
    assert_eq!(report["mcp"], env!("CARGO_PKG_VERSION"));
    assert!(
        report["system"]
            .as_str()
            .unwrap()
            .contains(std::env::consts::OS)
    );
    assert_eq!(report["target"], demo());
    let steps = report["steps"].as_array().unwrap();
    assert_eq!(steps[2]["step"], "protocol");
    assert_eq!(steps[2]["ok"], true);
    assert!(steps[2]["milliseconds"].is_u64());
    assert_eq!(
        steps[2]["facts"][0],
        "2026-07-28, stateless, found by server/discover"
    );
    assert_eq!(report.get("error"), None);
    let run = doctor(&["--json", "http://nowhere.invalid/mcp?key=123"]);
    run.fails(4, &["{\"error\":{\"code\":\"unreachable\""]);
    let report: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(report["target"], "http://nowhere.invalid/mcp…");
    assert_eq!(report["steps"][1]["step"], "DNS");
    assert_eq!(report["steps"][1]["ok"], false);
    assert_eq!(report["error"]["code"], "unreachable");
    assert!(
        report["error"]["message"]
            .as_str()
            .unwrap()
            .contains("check the name")
    );
}
