//! Tests each source: its files, its members and its transports.

use std::path::Path;

use mcp_config::{Servers, Source, Target};

use super::support::User;

/// The entries of a source, one per line: name, transport, and the program or URL as written.
/// Disabled entries are in parentheses.
fn listed(servers: &Servers, source: &str) -> Vec<String> {
    let entries = servers.iter().filter(|it| it.source.as_str() == source);
    let line = entries.map(|entry| {
        let target = match &entry.target {
            Target::Program(it) => format!("{} {}", it.command, it.args.join(" ")),
            Target::Http(it) | Target::Sse(it) | Target::WebSocket(it) => it.url.clone(),
            other => format!("{other:?}"),
        };
        let line = format!(
            "{} {} {}",
            entry.name,
            entry.target.transport(),
            target.trim()
        );
        if entry.is_enabled {
            line
        } else {
            format!("({line})")
        }
    });
    line.collect()
}

/// Checks the entries of a source in the files in `tests/files`.
#[track_caller]
fn assert_listed(source: &str, expected: &[&str]) {
    let servers = User::of_all_clients().servers();
    assert_eq!(listed(&servers, source), expected);
}

#[test]
fn all_ten_sources_are_read_in_order_of_precedence() {
    let servers = User::of_all_clients().servers();
    assert_eq!(servers.faults(), []);
    let mut sources: Vec<_> = servers.iter().map(|it| it.source).collect();
    sources.dedup();
    let all: Vec<_> = Source::all().collect();
    assert_eq!(sources, all);
    assert_eq!(all.len(), 10);
}

#[test]
fn a_project_has_two_files_and_four_transports() {
    assert_listed(
        "project",
        &[
            "weather stdio ${WEATHER_PROGRAM:-weather-server} --city ${CITY:-Oslo}",
            "docs http https://docs.example.com/mcp",
            "events sse https://events.example.com/sse",
            "live websocket wss://live.example.com/mcp",
            "(paused stdio paused-server)",
            "files stdio npx -y @modelcontextprotocol/server-filesystem .",
        ],
    );
}

#[test]
fn the_projects_file_of_vscode_comes_before_the_users() {
    assert_listed(
        "vscode",
        &[
            "tracker stdio node ${workspaceFolder}/tracker.js --region=${input:region}",
            "github http https://github.example.com/mcp",
            "everywhere sse https://everywhere.example.com/sse",
        ],
    );
}

#[test]
fn the_projects_file_of_cursor_comes_before_the_users() {
    assert_listed(
        "cursor",
        &[
            "weather stdio uvx weather-mcp ${workspaceFolderBasename}${/}data",
            "design http https://design.example.com/mcp",
        ],
    );
}

#[test]
fn claude_code_has_servers_of_the_folder_and_of_the_user() {
    assert_listed(
        "claude-code",
        &[
            "database stdio database-of-the-project",
            "search http https://search.example.com/mcp",
        ],
    );
}

#[test]
fn claude_desktop_has_programs() {
    assert_listed(
        "claude-desktop",
        &[
            "memory stdio npx -y @modelcontextprotocol/server-memory",
            "notes stdio notes-server --read-only",
        ],
    );
}

#[test]
fn a_url_in_gemini_cli_is_sse() {
    assert_listed(
        "gemini-cli",
        &[
            "lint stdio lint-server --strict",
            "maps http https://maps.example.com/mcp",
            "feed sse https://feed.example.com/sse",
            "local stdio local-server --log=${LOG_LEVEL:-info}",
        ],
    );
}

#[test]
fn codex_is_read_from_toml() {
    assert_listed(
        "codex",
        &[
            "review stdio review-server --depth 2",
            "context stdio npx -y context-server ${NOT_EXPANDED}",
            "figures http https://figures.example.com/mcp",
            "(off stdio off-server)",
        ],
    );
}

#[test]
fn windsurf_names_urls_by_a_member_of_its_own() {
    assert_listed(
        "windsurf",
        &[
            "issues http https://issues.example.com/mcp",
            "(shell stdio shell-server)",
        ],
    );
}

#[test]
fn a_server_of_windsurf_may_have_both_urls() {
    let user = User::new();
    let text = r#"{"mcpServers": {"a": {"url": "https://a/", "serverUrl": "https://b/"}}}"#;
    user.write("../../.codeium/windsurf/mcp_config.json", text);
    let servers = user.servers();
    assert_eq!(servers.faults(), []);
    assert_eq!(listed(&servers, "windsurf"), ["a http https://b/"]);
}

#[test]
fn servers_of_zeds_extensions_are_left_out() {
    assert_listed(
        "zed",
        &[
            "postgres stdio postgres-server --schema public",
            "(remote http https://remote.example.com/mcp)",
        ],
    );
}

#[test]
fn parts_of_goose_are_left_out() {
    assert_listed(
        "goose",
        &[
            "fetch stdio uvx mcp-server-fetch",
            "again stdio again mcp-server-fetch",
            "stream sse https://stream.example.com/sse",
            "calendar http https://calendar.example.com/mcp",
            "(sleeping stdio sleeping-server)",
        ],
    );
}

#[test]
fn a_file_that_is_named_has_the_form_of_its_path_or_members() {
    let user = User::of_all_clients();
    let source = |path: &Path| {
        Servers::read(path)
            .unwrap()
            .iter()
            .next()
            .unwrap()
            .source
            .as_str()
    };
    let Target::Sse(_) = &Servers::read(user.home.join(".gemini/settings.json"))
        .unwrap()
        .get("feed")
        .unwrap()
        .target
    else {
        panic!("a URL of Gemini is SSE");
    };
    assert_eq!(source(&user.project.join(".cursor/mcp.json")), "cursor");
    assert_eq!(source(&user.project.join(".vscode/mcp.json")), "vscode");
    assert_eq!(source(&user.project.join("mcp.json")), "project");
    assert_eq!(source(&user.home.join(".codex/config.toml")), "codex");
    for (text, expected) in [
        (r#"{"mcpServers": {"a": {"command": "a"}}}"#, "project"),
        (r#"{"servers": {"a": {"command": "a"}}}"#, "vscode"),
        (r#"{"context_servers": {"a": {"command": "a"}}}"#, "zed"),
    ] {
        assert_eq!(source(&user.write("some.json", text)), expected);
    }
    let goose = "extensions: {a: {type: stdio, cmd: a}}";
    assert_eq!(source(&user.write("some.yaml", goose)), "goose");
}

#[test]
fn a_server_that_is_defined_by_name_alone_is_faulty() {
    let user = User::new();
    user.write(
        ".mcp.json",
        r#"{"mcpServers": {"a": {}, "b": 1, "c": {"type": "http", "command": "c"}}}"#,
    );
    let servers = user.servers();
    let faults: Vec<_> = servers.faults().iter().map(|it| it.text.as_str()).collect();
    let neither = "it has neither a command nor a URL";
    let table = "it must be a table, with no member under two names";
    assert_eq!(faults, [neither, table, neither]);
}
