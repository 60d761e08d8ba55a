//! Tests servers from the configuration files of clients.

use std::net::TcpListener;
use std::sync::{Arc, Barrier};
use std::thread;

use serde_json::{Value, json};

use crate::support::{Server, User, answer, answering, demo};

fn user(url: &str) -> User {
    let user = User::new();
    let servers = json!({"mcpServers": {
        "demo": {"command": demo(), "env": {"TOKEN": "${TOKEN:-secret}"}},
        "remote": {"type": "http", "url": url},
        "closed": {"type": "http", "url": "http://127.0.0.1:9/mcp"},
        "needy": {"command": demo(), "env": {"KEY": "${UNSET_KEY}"}},
    }});
    user.write(".mcp.json", &servers.to_string());
    let cursor = json!({"mcpServers": {"demo": {"url": url}, "weather": {"command": "npx"}}});
    user.write(".cursor/mcp.json", &cursor.to_string());
    user
}

#[test]
fn servers_are_listed_without_starting_them() {
    let user = user("http://127.0.0.1:9/mcp");
    let text = user.run(&["servers"]).text();
    assert_eq!(text.lines().count(), 6, "{text}");
    assert!(!text.contains("secret"), "{text}");
    let listed = user.run(&["servers", "--json"]).json();
    let remote = listed["servers"]
        .as_array()
        .unwrap()
        .iter()
        .find(|it| it["name"] == "remote");
    let remote = remote.unwrap();
    assert_eq!(remote["transport"], "http");
    assert_eq!(remote["source"], "project");
    assert_eq!(remote["url"], "http://127.0.0.1:9/mcp");
}

#[test]
fn a_check_says_what_each_server_is() {
    let server = Server::start();
    let user = user(&server.url);
    let run = user.run(&[
        "servers",
        "--check",
        "--json",
        "--timeout",
        "20s",
        "--trust-project",
    ]);
    run.fails(4, &["unreachable", "servers failed the check"]);
    let listed: Value = serde_json::from_str(&run.stdout).unwrap();
    let check = |name: &str, source: &str| {
        let servers = listed["servers"].as_array().unwrap();
        let found = servers
            .iter()
            .find(|it| it["name"] == name && it["source"] == source);
        found.unwrap()["check"].clone()
    };
    for (name, source) in [
        ("demo", "project"),
        ("remote", "project"),
        ("demo", "cursor"),
    ] {
        let check = check(name, source);
        assert_eq!(check["revision"], "2026-07-28", "{name}: {check}");
        assert_eq!(check["era"], "stateless");
        assert_eq!(check["tools"], 7);
        assert!(check["milliseconds"].is_u64());
    }
    assert_eq!(check("closed", "project")["error"]["code"], "unreachable");
    let unset = check("needy", "project")["error"]["message"].to_string();
    assert!(unset.contains("UNSET_KEY"), "{unset}");
}

#[test]
fn a_check_ends_with_success_if_no_server_fails() {
    let user = User::new();
    let servers = json!({"mcpServers": {
        "demo": {"command": demo()},
        "off": {"command": "touch", "args": [user.path("trace")], "disabled": true},
    }});
    user.write(".cursor/mcp.json", &servers.to_string());
    let check = |options: &[&str]| user.run(&[&["servers", "--check"][..], options].concat());
    let text = check(&[]).text();
    let mut lines = text.lines();
    let line = lines.next().unwrap();
    assert!(line.contains("ok  ") && line.contains("tools: 7"), "{text}");
    assert!(lines.next().unwrap().contains("not checked"), "{text}");
    assert!(!user.path("trace").exists());
    let off = &check(&["--json"]).json()["servers"][1];
    assert!(off["check"]["skipped"].is_string(), "{off}");
    let failing =
        json!({"mcpServers": {"a": {"command": demo()}, "b": {"command": "./no-such-program"}}});
    user.write(".cursor/mcp.json", &failing.to_string());
    let run = check(&[]);
    run.fails(4, &["error: 1 of 2 servers failed the check"]);
    assert!(run.stdout.contains("there is no program"), "{run:?}");
}

/// The limit of `mcp-cli/src/limits.rs`.
const CHECKS: usize = 8;

#[test]
fn eight_servers_are_checked_at_a_time() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    let user = User::new();
    let servers =
        (0..3 * CHECKS).map(|it| (format!("s{it}"), json!({"url": format!("{url}{it}")})));
    let servers: serde_json::Map<_, _> = servers.collect();
    user.write("servers.json", &json!({"mcpServers": servers}).to_string());
    let server = thread::spawn(move || {
        let (mut streams, all) = (Vec::new(), Arc::new(Barrier::new(CHECKS)));
        // All but the last wait, and are answered together.
        streams.extend((0..CHECKS).map(|_| listener.accept().unwrap().0));
        listener.set_nonblocking(true).unwrap();
        assert!(listener.accept().is_err(), "there is a ninth connection");
        listener.set_nonblocking(false).unwrap();
        for stream in streams {
            stream.set_nonblocking(false).unwrap();
            let all = Arc::clone(&all);
            thread::spawn(move || {
                all.wait();
                answer(stream, "403 Forbidden", "");
            });
        }
        for stream in listener.incoming() {
            thread::spawn(move || answer(stream.unwrap(), "403 Forbidden", ""));
        }
    });
    let run = user.run(&["servers", "--check", "--config", "servers.json"]);
    run.fails(4, &["error: 24 of 24 servers failed the check"]);
    assert_eq!(
        run.stdout.matches("HTTP 403").count(),
        3 * CHECKS,
        "{run:?}"
    );
    assert!(!server.is_finished());
}

#[test]
fn a_check_names_the_login_of_a_server() {
    let url = answering("401 Unauthorized\r\nwww-authenticate: Bearer", "");
    let user = User::new();
    let servers = json!({"mcpServers": {"closed": {"url": url}}});
    user.write("servers.json", &servers.to_string());
    let run = user.run(&["servers", "--check", "--config", "servers.json"]);
    run.fails(4, &["1 of 1 servers"]);
    assert!(
        run.stdout
            .contains(&format!("; log in with: mcp login {url}")),
        "{run:?}"
    );
    assert_eq!(run.stdout.lines().count(), 1, "{run:?}");
}

#[test]
fn without_servers_all_places_are_named() {
    let user = User::new();
    user.write(".git/HEAD", "");
    let text = user.run(&["servers"]).text();
    for file in [
        ".mcp.json",
        ".cursor/mcp.json",
        ".claude.json",
        ".codex/config.toml",
    ] {
        let file = user.path(file).display().to_string();
        assert!(text.contains(&file), "{file} in {text}");
    }
    let listed = user.run(&["servers", "--json"]).json();
    let is_first = |it: &&Value| it["source"] == "project" && it["project"] == true;
    assert!(
        listed["places"]
            .as_array()
            .unwrap()
            .iter()
            .find(is_first)
            .is_some()
    );
    user.write("servers.json", "{}");
    let text = user.run(&["servers", "--config", "servers.json"]).text();
    assert!(
        text.ends_with("servers.json\n") && text.lines().count() == 2,
        "{text}"
    );
}

#[test]
fn names_are_targets() {
    let server = Server::start();
    let user = user(&server.url);
    assert_eq!(
        user.run(&["call", "remote", "echo", "text=x", "--trust-project"])
            .text(),
        "x\n"
    );
    assert_eq!(
        user.run(&["call", "project:demo", "echo", "text=x"]).text(),
        "x\n"
    );
    user.run(&["inspect", "demo"])
        .fails(2, &["`demo`", "project:demo", "cursor:demo"]);
    user.run(&["inspect", "remot"])
        .fails(2, &["`remot`", "`remote`", "mcp servers"]);
    user.run(&["inspect", "needy"])
        .fails(2, &["`needy`", "UNSET_KEY", ".mcp.json"]);
}

/// A user whose project file has a program under each of the names.
fn with_names(names: &[&str]) -> User {
    let servers = names
        .iter()
        .map(|it| ((*it).to_owned(), json!({"command": demo()})));
    let servers: serde_json::Map<_, _> = servers.collect();
    let user = User::new();
    user.write(".mcp.json", &json!({"mcpServers": servers}).to_string());
    user
}

#[test]
fn a_configured_name_is_a_target_before_it_is_a_program_or_a_url() {
    let names = [
        "Azure MCP Server",
        "com.example/x",
        "git (local)",
        "./x",
        "it's",
        "http://127.0.0.1:9/mcp",
        "no-such-scheme://x",
    ];
    let user = with_names(&names);
    for name in names {
        for target in [name, &format!("project:{name}")] {
            let run = user.run(&["call", target, "echo", "text=x", "--trust-project"]);
            assert_eq!(run.text(), "x\n", "{target}");
        }
    }
    // Words after `--` are always a program.
    user.run(&["inspect", "--", "com.example/x"])
        .fails(4, &["`com.example/x`"]);
    user.run(&["inspect", "git (remote)", "--config", ".mcp.json"])
        .fails(4, &["`git`"]);
}

#[test]
fn a_faulty_entry_with_the_name_of_a_program_is_named() {
    let user = User::new();
    user.write(
        ".mcp.json",
        r#"{"mcpServers": {"npx -y x": {"command": 1}}}"#,
    );
    user.run(&["inspect", "npx -y x"])
        .fails(2, &[".mcp.json:1:", "`command` must be a string"]);
}

#[test]
fn bindings_name_a_target_as_a_shell_needs_it() {
    let user = with_names(&["git (local)", "it's"]);
    for (name, written) in [("git (local)", "'git (local)'"), ("it's", "\"it's\"")] {
        let run = user.run(&["bindgen", name, "-o", "git.rs", "--trust-project"]);
        assert_eq!(run.code, 0, "{run:?}");
        let module = std::fs::read_to_string(user.path("git.rs")).unwrap();
        assert!(
            module.contains(&format!("`mcp bindgen {written} -o git.rs`")),
            "{name}"
        );
    }
}

#[cfg(unix)]
#[test]
fn a_file_of_variables_is_for_the_program_alone() {
    let user = User::new();
    let script = format!("echo $TOKEN $MCP_TEST >seen; exec {}", demo());
    let servers = json!({"servers": {"s": {
        "command": "sh", "args": ["-c", script], "envFile": "${workspaceFolder}/x.env", "env": {"MCP_TEST": "own"},
    }, "remote": {"url": "http://127.0.0.1:9/${env:TOKEN}"}}});
    user.write(".vscode/mcp.json", &servers.to_string());
    user.run(&["inspect", "s", "--trust-project"])
        .fails(2, &["x.env", "`s`", "`envFile`"]);
    user.write("x.env", "TOKEN='a $b'\nMCP_TEST=file\n");
    assert_eq!(user.run(&["inspect", "s"]).code, 0);
    let seen = std::fs::read_to_string(user.path("seen")).unwrap();
    assert_eq!(seen, "a $b own\n");
    user.run(&["inspect", "remote"]).fails(2, &["`env:TOKEN`"]);
}

#[test]
fn a_faulty_file_hides_no_other() {
    let user = user("http://127.0.0.1:9/mcp");
    user.write(".gemini/settings.json", "{\n  \"mcpServers\": {]\n}");
    let run = user.run(&["servers"]);
    assert!(run.stderr.contains("settings.json:2:"), "{run:?}");
    assert_eq!(run.text().lines().count(), 6);
    user.run(&["inspect", "gemini"])
        .fails(2, &["settings.json:2:"]);
    let program = demo();
    user.run(&["inspect", "x", "--config", ".gemini/settings.json"])
        .fails(2, &["settings.json:2:"]);
    assert_eq!(
        user.run(&["call", "echo", "text=y", "--", &program]).text(),
        "y\n"
    );
}

#[test]
fn a_proxy_needs_names_with_different_prefixes() {
    let user = User::new();
    let proxy = |names: &[&str]| {
        let servers = names
            .iter()
            .map(|it| ((*it).to_owned(), json!({"command": "x"})));
        let servers: serde_json::Map<_, _> = servers.collect();
        user.write("servers.json", &json!({"mcpServers": servers}).to_string());
        user.run(&["proxy", "--config", "servers.json"])
    };
    proxy(&["my_shop", "My shop"]).fails(2, &["`my_shop`", "`My shop`", "rename"]);
    proxy(&["shop", "2shops"]).fails(2, &["`2shops`", "letter", "rename"]);
}
