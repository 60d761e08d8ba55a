//! Servers that files of clients name.

use serde_json::json;

use crate::support::{Server, User, demo};

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
    let listed = user
        .run(&["servers", "--check", "--json", "--timeout", "20s"])
        .json();
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
        assert_eq!(check["tools"], 7);
    }
    assert_eq!(check("closed", "project")["error"]["code"], "unreachable");
    let unset = check("needy", "project")["error"]["message"].to_string();
    assert!(unset.contains("UNSET_KEY"), "{unset}");
}

#[test]
fn names_are_targets() {
    let server = Server::start();
    let user = user(&server.url);
    assert_eq!(
        user.run(&["call", "remote", "echo", "text=x"]).text(),
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
