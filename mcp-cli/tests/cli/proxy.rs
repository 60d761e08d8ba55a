//! Tests `mcp proxy` with `mcp` itself as the client.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStderr};

use serde_json::{Value, json};

use crate::support::{Run, Server, User, demo};
#[cfg(unix)]
use crate::support::{kill, scripted};

const MCP: &str = env!("CARGO_BIN_EXE_mcp");
const TOKEN: &str = "0123456789abcdef";

impl User {
    /// Runs a command on a proxy over stdio.
    fn through(&self, command: &[&str], proxy: &[&str]) -> Run {
        self.run(&[command, &["--", MCP, "proxy"], proxy].concat())
    }

    /// Starts a proxy over HTTP, and reads its URL.
    fn http_proxy(&self, arguments: &[&str]) -> HttpProxy {
        let mut command = self.command(&["proxy", "--http", "0"]);
        let command = command.args(arguments).env("TOKEN", TOKEN);
        let mut child = command
            .stderr(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        let mut stderr = BufReader::new(child.stderr.take().unwrap());
        let mut url = String::new();
        stderr.read_line(&mut url).unwrap();
        assert!(url.starts_with("http://127.0.0.1:"), "{url}");
        HttpProxy {
            child,
            _stderr: stderr,
            url: url.trim().to_owned(),
        }
    }

    /// Writes a file with three servers, one of which is disabled.
    fn write_servers(&self, names: [&str; 3]) {
        let server = |disabled| json!({"command": demo(), "disabled": disabled});
        let servers = json!({"mcpServers": {
            names[0]: server(false),
            names[1]: server(false),
            names[2]: server(true),
        }});
        self.write("servers.json", &servers.to_string());
    }
}

struct HttpProxy {
    child: Child,
    _stderr: BufReader<ChildStderr>,
    url: String,
}

impl Drop for HttpProxy {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A request of a stateless client that wants progress.
fn stateless(method: &str, mut params: Value) -> Value {
    params["_meta"] = json!({
        "progressToken": "p",
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
}

fn initialize() -> String {
    let initialize = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    }});
    format!("{initialize}\n")
}

fn names(listed: &Value, kind: &str) -> Vec<String> {
    let listed = listed[kind].as_array().unwrap().iter();
    let name = |it: &Value| it["name"].as_str().unwrap().to_owned();
    listed.map(name).collect()
}

#[test]
fn a_program_and_a_url_are_served_over_stdio() {
    let server = Server::start();
    let user = User::new();
    for target in [&["--", &*demo()][..], &[&*server.url]] {
        for era in ["handshake", "stateless"] {
            let call = ["call", "echo", "text=x", "--era", era];
            assert_eq!(
                user.through(&call, target).text(),
                "x\n",
                "{target:?} {era}"
            );
        }
        let order = ["call", "order", "--answer", "size=large"];
        assert_eq!(user.through(&order, target).text(), "1 large\n");
    }
}

#[test]
fn a_program_is_served_over_http_to_those_who_have_the_token() {
    let user = User::new();
    let program = demo();
    let proxy = user.http_proxy(&["--token-env", "TOKEN", "--", &program]);
    for era in ["handshake", "stateless"] {
        let call = ["call", &proxy.url, "echo", "text=x", "--era", era];
        let mut command = user.command(&call);
        command.args(["--header", "Authorization: Bearer ${TOKEN}"]);
        let run = Run::from(command.env("TOKEN", TOKEN).output().unwrap());
        assert_eq!(run.text(), "x\n");
        user.run(&call).fails(3, &[&proxy.url]);
    }
}

#[test]
fn several_servers_are_one_with_their_names_as_prefixes() {
    let user = User::new();
    user.write_servers(["my shop", "@acme/shop", "other"]);
    let config = [
        "--config",
        "servers.json",
        "--skip",
        "*_f*",
        "--skip",
        "my-shop_order",
    ];
    let listed = user.through(&["inspect", "--json"], &config).json();
    let tools = names(&listed, "tools");
    assert!(tools.contains(&"my-shop_echo".to_owned()), "{tools:?}");
    assert!(tools.contains(&"acme-shop_order".to_owned()), "{tools:?}");
    let is_hidden =
        |it: &String| it.contains("fail") || it == "my-shop_order" || it.contains("other");
    assert!(!tools.iter().any(is_hidden), "{tools:?}");
    let echo = user.through(&["call", "acme-shop_echo", "text=x"], &config);
    assert_eq!(echo.text(), "x\n");
    let note = user.through(&["read", "my-shop+note://1"], &config);
    assert_eq!(note.text(), "note 1");
    let two = [
        "my shop",
        "other",
        "--config",
        "servers.json",
        "--only",
        "*_echo",
    ];
    let listed = user.through(&["inspect", "--json"], &two).json();
    assert_eq!(names(&listed, "tools"), ["my-shop_echo", "other_echo"]);
}

#[cfg(unix)]
#[test]
fn an_extension_that_can_not_be_offered_is_shown() {
    let user = User::new();
    let initialized = r#""result": {"protocolVersion": "2025-11-25", "serverInfo": {"name": "x", "version": "1"}, "capabilities": {"tools": {}, "extensions": {"com.example/x": {}}}}"#;
    let [command, args @ ..] = scripted(&[("initialize", initialized)]);
    let servers = json!({"mcpServers": {"x": {"command": command, "args": args}}});
    user.write("servers.json", &servers.to_string());
    let arguments = ["proxy", "-v", "--config", "servers.json"];
    let run = user.run_with_input(&arguments, &initialize());
    run.fails(0, &["x: the extension com.example/x is left out"]);
    assert!(!run.stdout.contains("com.example"), "{run:?}");
}

#[cfg(unix)]
#[test]
fn a_message_of_more_than_64_mib_is_an_error_that_names_the_limit() {
    let user = User::new();
    let length = 64 * 1024 * 1024;
    let text = format!("$(head -c {length} /dev/zero | tr '\\0' x)");
    let answer = format!(r#""result": {{"content": [], "x": "'"{text}"'"}}"#);
    let [command, args @ ..] = scripted(&[("tools/call", &answer)]);
    let short = stateless("tools/call", json!({"name": "x"})).to_string();
    let long = short.replace(r#""x""#, &format!(r#""{}""#, "x".repeat(length)));
    for message in [short, long] {
        let proxy = ["proxy", "--", &command, &args[0], &args[1]];
        let run = user.run_with_input(&proxy, &format!("{message}\n"));
        assert_eq!(run.code, 0, "{run:?}");
        let answer: Value = serde_json::from_str(&run.stdout).unwrap();
        let text = answer["error"]["message"].as_str().unwrap();
        assert!(text.contains("64 MiB"), "{answer}");
    }
}

#[test]
fn a_proxy_does_not_start_itself_without_end() {
    let user = User::new();
    let proxy = |target: &[&str]| {
        let arguments = [&["proxy", "--config", "servers.json"], target].concat();
        json!({"command": MCP, "args": arguments})
    };
    let servers = json!({"mcpServers": {
        "all": proxy(&[]),
        "itself": proxy(&["itself"]),
        "nested": proxy(&["shop"]),
        "shop": {"command": demo()},
    }});
    user.write("servers.json", &servers.to_string());
    let file = user.path("servers.json").display().to_string();
    let input = format!("{}\n", stateless("tools/list", json!({})));
    let run = user.run_with_input(&["proxy", "--config", &file], &input);
    run.fails(
        0,
        &[
            "all: error: `all` in servers.json starts this proxy",
            "itself: error: `itself` in servers.json starts this proxy",
            "let `all` name other servers",
        ],
    );
    let answer: Value = serde_json::from_str(&run.stdout).unwrap();
    let tools = names(&answer["result"], "tools");
    let prefixes = tools.iter().map(|it| it.split('_').next().unwrap());
    let prefixes: std::collections::BTreeSet<_> = prefixes.collect();
    assert_eq!(prefixes.into_iter().collect::<Vec<_>>(), ["nested", "shop"]);
    let run = user.run_with_input(&["proxy", "itself", "--config", &file], &input);
    run.fails(4, &["starts this proxy", "exit status: 2"]);
}

#[test]
fn wrong_arguments_end_the_proxy_before_it_serves() {
    let user = User::new();
    let program = demo();
    user.write_servers(["my shop", "my-shop", "1"]);
    user.write("empty.json", r#"{"mcpServers": {}}"#);
    user.write(
        ".mcp.json",
        &json!({"mcpServers": {"x": {"command": program}}}).to_string(),
    );
    let cases: &[(&[&str], &[&str])] = &[
        (&[], &["TARGET"]),
        (&["--http", "x", &program], &["[HOST:]PORT"]),
        (
            &["--http", "0.0.0.0:0", &program],
            &["0.0.0.0", "`--token-env`"],
        ),
        (&["--http", "[::]:0", &program], &["`--token-env`"]),
        (
            &["--http", "0", "--token-env", "UNSET", &program],
            &["UNSET", "not set"],
        ),
        (
            &["--http", "0", "--token-env", "HOME", &program],
            &["--token-env HOME", "openssl"],
        ),
        (
            &["--http", "0", "--origin", "x/y", &program],
            &["--origin", "x/y"],
        ),
        (&["--shared", &program], &["--http"]),
        (
            &["--config", "servers.json"],
            &["`my shop`", "`my-shop`", "`my-shop_`"],
        ),
        (&["--config", "empty.json"], &["no enabled server"]),
        (&["--config", "missing.json"], &["missing.json"]),
        (
            &["my shop", "nothing", "--config", "servers.json"],
            &["`nothing`", "mcp servers --config servers.json"],
        ),
        (
            &["my shop", &program, "--config", "servers.json"],
            &[&program, "name"],
        ),
        (&["my shop", "--", "a", "b"], &["`a b` has no name"]),
        (
            &[
                "my shop",
                "1",
                "--era",
                "stateless",
                "--config",
                "servers.json",
            ],
            &["`--era`", "TARGET"],
        ),
        (&["x"], &[".mcp.json", "--trust-project"]),
        (
            &["--header", "A: b", &program],
            &["`--header` is for a URL"],
        ),
    ];
    for (arguments, parts) in cases {
        let run = user.run(&[&["proxy"], *arguments].concat());
        run.fails(2, parts);
        assert_eq!(run.stdout, "", "{arguments:?}");
    }
}

#[cfg(unix)]
#[test]
fn a_program_that_can_not_start_fails_the_handshake_and_the_exit_code() {
    let user = User::new();
    let program = ["--", "sh", "-c", "echo it is broken >&2; exit 3"];
    let parts = ["it is broken", "exit status: 3"];
    user.through(&["inspect"], &program).fails(5, &parts);
    let input = initialize();
    let run = user.run_with_input(&[&["proxy"], &program[..]].concat(), &input);
    run.fails(4, &parts);
    assert_eq!(run.stderr.matches("exit status").count(), 1, "{run:?}");
    let answer: Value = serde_json::from_str(&run.stdout).unwrap();
    let message = answer["error"]["message"].as_str().unwrap();
    assert!(parts.iter().all(|it| message.contains(it)), "{answer}");
    let run = user.run_with_input(&["proxy", "--", "no-such-program"], &input);
    run.fails(4, &["no program `no-such-program`"]);
}

#[test]
fn requests_and_connections_are_shown_without_their_contents() {
    let user = User::new();
    let program = demo();
    let mut child = user.start(&["proxy", "-vv", "--", &program]);
    let mut stdin = child.stdin.take().unwrap();
    let params = json!({"name": "echo", "arguments": {"text": "secret"}});
    writeln!(stdin, "{}", stateless("tools/call", params)).unwrap();
    drop(stdin);
    let run = Run::from(child.wait_with_output().unwrap());
    run.fails(
        0,
        &[
            "tools/call echo",
            "ms answered",
            "connected, operating, revision 2026-07-28",
        ],
    );
    assert!(run.stdout.contains("secret"), "{run:?}");
    assert!(!run.stderr.contains("secret"), "{run:?}");
}

#[test]
fn messages_are_recorded() {
    let user = User::new();
    let program = demo();
    let proxy = ["--record", "messages", "--", &program];
    user.through(&["call", "echo", "text=x"], &proxy).text();
    let lines = std::fs::read_to_string(user.path("messages")).unwrap();
    let lines = lines
        .lines()
        .map(|it| serde_json::from_str::<Value>(it).unwrap());
    let calls: Vec<_> = lines
        .filter(|it| it["message"]["method"] == "tools/call")
        .collect();
    assert_eq!(calls.len(), 1, "{calls:?}");
    assert_eq!(calls[0]["from"], "client");
    let run = user.run(&["proxy", "--record", "no/folder", &program]);
    run.fails(1, &["no/folder"]);
}

#[cfg(unix)]
#[test]
fn calls_are_answered_before_the_proxy_ends() {
    let user = User::new();
    let program = demo();
    for signal in [None, Some("TERM"), Some("INT")] {
        let mut proxy = user.start(&["proxy", "-v", "--", &program]);
        let mut stdin = proxy.stdin.take();
        let params = json!({"name": "work", "arguments": {"milliseconds": 400}});
        writeln!(
            stdin.as_mut().unwrap(),
            "{}",
            stateless("tools/call", params)
        )
        .unwrap();
        let mut stdout = BufReader::new(proxy.stdout.take().unwrap());
        let mut line = String::new();
        stdout.read_line(&mut line).unwrap();
        assert!(line.contains("notifications/progress"), "{line}");
        match signal {
            Some(signal) => kill(&proxy, signal),
            None => drop(stdin.take()),
        }
        stdout.read_to_string(&mut line).unwrap();
        assert!(line.contains("done"), "{signal:?}: {line}");
        Run::from(proxy.wait_with_output().unwrap()).fails(0, &["tools/call work"]);
    }
}

/// A program that ignores everything but SIGKILL, and has `pipe` open until it ends.
#[cfg(unix)]
fn stubborn(user: &User) -> ([String; 3], std::path::PathBuf) {
    let pipe = user.path("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    let script = format!(
        "trap '' TERM HUP INT; exec 9>{}; echo started >&9; while :; do sleep 1; done",
        pipe.display()
    );
    (["sh".to_owned(), "-c".to_owned(), script], pipe)
}

#[cfg(unix)]
#[test]
fn a_proxy_that_is_killed_leaves_no_program() {
    let user = User::new();
    let (program, pipe) = stubborn(&user);
    let words = ["proxy", "--", &program[0], &program[1], &program[2]];
    let mut proxy = user.start(&words);
    let mut stdin = proxy.stdin.take().unwrap();
    writeln!(stdin, "{}", stateless("server/discover", json!({}))).unwrap();
    let mut pipe = BufReader::new(std::fs::File::open(pipe).unwrap());
    let mut line = String::new();
    pipe.read_line(&mut line).unwrap();
    assert_eq!(line, "started\n");
    kill(&proxy, "KILL");
    // Reading ends when the last process that has the pipe open is gone.
    pipe.read_line(&mut line).unwrap();
    proxy.wait().unwrap();
}
