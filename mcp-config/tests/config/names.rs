//! Tests how entries are found by name.

use mcp_config::{ConfigError, Servers};

use super::support::User;

fn error(servers: &Servers, name: &str) -> ConfigError {
    servers.get(name).unwrap_err()
}

#[test]
fn a_name_that_one_source_has_is_enough() {
    let servers = User::of_all_clients().servers();
    assert_eq!(
        servers.get("notes").unwrap().qualified_name(),
        "claude-desktop:notes"
    );
}

#[test]
fn a_name_that_two_sources_have_needs_one_of_them() {
    let servers = User::of_all_clients().servers();
    let ConfigError::Ambiguous { candidates, .. } = error(&servers, "weather") else {
        panic!("two servers have the name");
    };
    assert_eq!(candidates, ["project:weather", "cursor:weather"]);
    let text = error(&servers, "weather").to_string();
    assert!(text.contains("project:weather, cursor:weather"), "{text}");
    for name in candidates {
        assert_eq!(servers.get(&name).unwrap().qualified_name(), name);
    }
}

#[test]
fn the_only_enabled_entry_is_found() {
    let user = User::new();
    user.write(
        ".mcp.json",
        r#"{"mcpServers": {"a": {"command": "a", "disabled": true}}}"#,
    );
    user.write(
        ".cursor/mcp.json",
        r#"{"mcpServers": {"a": {"command": "b"}}}"#,
    );
    let servers = user.servers();
    assert_eq!(servers.get("a").unwrap().qualified_name(), "cursor:a");
    assert!(!servers.get("project:a").unwrap().is_enabled);
}

#[test]
fn the_most_similar_name_is_suggested() {
    let servers = User::of_all_clients().servers();
    for (name, hint) in [
        ("weahter", "; is `weather` meant?"),
        ("curser:design", "; is `cursor:design` meant?"),
        ("something-else-altogether", ""),
    ] {
        let text = error(&servers, name).to_string();
        assert_eq!(text, format!("no server is named `{name}`{hint}"));
    }
}

#[test]
fn any_text_is_a_name() {
    let user = User::new();
    for name in [
        "Azure MCP Server",
        "com.example/x",
        "git (local)",
        "https://a/mcp",
        "./x",
        "é",
    ] {
        let text = format!(r#"{{"mcpServers": {{"{name}": {{"command": "a"}}}}}}"#);
        user.write(".mcp.json", text);
        let servers = user.servers();
        let qualified = format!("project:{name}");
        assert_eq!(servers.get(name).unwrap().name, name);
        assert_eq!(servers.get(&qualified).unwrap().qualified_name(), qualified);
    }
}

#[test]
fn a_name_with_a_colon_is_a_name_first() {
    let user = User::new();
    user.write(
        ".mcp.json",
        r#"{"mcpServers": {"cursor:a": {"command": "a"}}}"#,
    );
    user.write(
        ".cursor/mcp.json",
        r#"{"mcpServers": {"a": {"command": "b"}}}"#,
    );
    let servers = user.servers();
    assert_eq!(
        servers.get("cursor:a").unwrap().qualified_name(),
        "project:cursor:a"
    );
}
