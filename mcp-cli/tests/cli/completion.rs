//! Tests the words that a shell gets to complete a command line.

use std::fs;
use std::time::{Duration, SystemTime};

use serde_json::json;

use crate::support::{User, demo};

/// A user with configured servers.
fn user() -> User {
    let user = User::new();
    let servers = json!({"mcpServers": {
        "demo": {"command": demo()},
        "a;touch x": {"command": "a"},
        "$(touch x)": {"command": "a"},
        "--json": {"command": "a"},
        "two words": {"command": "a"},
        "line\nbreak": {"command": "a"},
    }});
    user.write(".cursor/mcp.json", &servers.to_string());
    user
}

/// The lines that a shell gets to complete the last word.
fn lines(user: &User, shell: &str, words: &[&str]) -> Vec<String> {
    let mut command = user.command(&[&["--", "mcp"], words].concat());
    let output = command.env("MCP_COMPLETE", shell).output().unwrap();
    assert!(
        output.status.success() && output.stderr.is_empty(),
        "{output:?}"
    );
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().map(str::to_owned).collect()
}

/// The candidates without descriptions.
fn candidates(user: &User, words: &[&str]) -> Vec<String> {
    lines(user, "elvish", words)
}

#[test]
fn names_are_completed_from_the_last_lists() {
    let user = user();
    assert!(
        candidates(&user, &["call", "demo", ""])
            .iter()
            .all(|it| it.starts_with('-'))
    );
    user.run(&["inspect", "demo"]).text();
    let all = [
        "announce", "echo", "fail", "forecast", "order", "picture", "work",
    ];
    let mut tools = candidates(&user, &["call", "demo", ""]);
    tools.sort();
    assert_eq!(tools, all);
    assert_eq!(
        candidates(&user, &["inspect", "cursor:demo", "--tool", "e"]),
        ["echo"]
    );
    assert_eq!(
        candidates(&user, &["call", "demo", "forecast", ""]),
        ["place=", "days=", "tags="]
    );
    let given = [
        "call",
        "demo",
        "forecast",
        "place.city=Oslo",
        "place=x",
        "--era",
        "stateless",
        "",
    ];
    assert_eq!(candidates(&user, &given), ["days=", "tags="]);
    assert_eq!(
        candidates(&user, &["read", "demo", ""]),
        ["pixel://picture", "note://"]
    );
    assert_eq!(
        candidates(&user, &["read", "demo", "note://{id}", ""]),
        ["id="]
    );
    assert_eq!(candidates(&user, &["prompt", "demo", "g"]), ["greet"]);
    assert_eq!(
        candidates(&user, &["prompt", "demo", "greet", ""]),
        ["name=", "tone="]
    );
    assert_eq!(
        candidates(&user, &["proxy", "demo", "--only", "ec"]),
        ["echo"]
    );
    assert_eq!(
        candidates(&user, &["call", "demo", "echo", "--", "a"]),
        [""; 0]
    );
}

#[test]
fn names_that_a_shell_or_the_command_would_read_otherwise_are_not_offered() {
    let user = user();
    assert_eq!(candidates(&user, &["call", ""]), ["demo"]);
    let qualified = ["cursor:demo", "cursor:--json"];
    assert_eq!(candidates(&user, &["call", "cursor:"]), qualified);
    user.write(
        ".claude.json",
        &json!({"mcpServers": {"demo": {"command": "a"}}}).to_string(),
    );
    let ambiguous = ["cursor:demo", "claude-code:demo"];
    assert_eq!(candidates(&user, &["call", ""]), ambiguous);
    user.write("$(touch x).json", "");
    user.write("safe.json", "");
    let line = ["--", "mcp call --config ", ""];
    let bash = user.command(&line).env("MCP_COMPLETE", "bash").output();
    let files = String::from_utf8(bash.unwrap().stdout).unwrap();
    assert!(
        files.contains("safe.json") && !files.contains('$'),
        "{files}"
    );
}

#[test]
fn bash_gets_the_part_of_a_word_that_it_replaces() {
    let user = user();
    user.run(&["inspect", "demo"]).text();
    let bash = |line: &str, part: &str| {
        let mut command = user.command(&["--", line, part]);
        let output = command.env("MCP_COMPLETE", "bash").output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    assert_eq!(bash("mcp call demo order", "order"), "order\n");
    assert_eq!(bash("mcp call cursor:demo ec", "ec"), "echo\n");
    assert_eq!(bash("mcp call 'demo' ec", "ec"), "echo\n");
    assert_eq!(bash("mcp read demo pixel:", ""), "//picture\n");
    assert_eq!(bash("mcp call demo 'ec", "ec"), "", "the quotes are open");
}

#[test]
fn descriptions_are_one_harmless_line() {
    let user = user();
    user.run(&["inspect", "demo"]).text();
    let folder = user.path(".cache/mcp/lists");
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|it| it == "tools") {
            let text = fs::read_to_string(&path).unwrap();
            fs::write(&path, text.replace("Always fails.", "a\\u001b]0;b\\tc\\nd")).unwrap();
        }
    }
    assert_eq!(
        lines(&user, "fish", &["call", "demo", "fai"]),
        ["fail\ta\\u{1b}]0;b c"]
    );
    assert_eq!(
        lines(&user, "zsh", &["call", "demo", "fai"]),
        ["+fail:a\\\\u{1b}]0;b c"]
    );
    let open = lines(&user, "zsh", &["call", "demo", "echo", ""]);
    assert_eq!(open, ["=text=:"]);
}

#[cfg(unix)]
#[test]
fn lists_are_for_their_owner_and_last_a_day() {
    use std::os::unix::fs::PermissionsExt as _;

    let user = user();
    let url = "http://127.0.0.1:9/mcp?key=secret";
    user.run(&["inspect", url]).fails(4, &[]);
    user.run(&["inspect", "demo", "--env", "TOKEN=secret"])
        .text();
    let folder = user.path(".cache/mcp/lists");
    let mode = |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&folder), 0o700);
    let files = fs::read_dir(&folder).unwrap().map(|it| it.unwrap().path());
    let files: Vec<_> = files.collect();
    assert_eq!(files.len(), 4, "{files:?}");
    for file in &files {
        assert_eq!(mode(file), 0o600);
        assert!(!fs::read_to_string(file).unwrap().contains("secret"));
        let yesterday = SystemTime::now() - Duration::from_secs(24 * 60 * 60 + 1);
        fs::File::options()
            .write(true)
            .open(file)
            .unwrap()
            .set_modified(yesterday)
            .unwrap();
    }
    assert_eq!(candidates(&user, &["call", "demo", "ec"]), [""; 0]);
    // Another list removes those that are too old.
    user.run(&["call", "cursor:demo", "echo", "text=a"]).text();
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
}

#[test]
fn a_cache_that_can_not_be_written_is_not_an_error() {
    let user = user();
    user.write(".cache", "a file");
    let run = user.run(&["call", "demo", "echo", "text=a"]);
    assert_eq!((&*run.stderr, run.code), ("", 0));
}
