//! Tests `mcp install` and `mcp uninstall` in the home folder of a user.

use std::fs;
use std::path::Path;

use crate::support::{Run, User, demo};

const URL: &str = "https://mcp.example.com/mcp";
const CURSOR: &str = ".cursor/mcp.json";

fn read(user: &User, file: &str) -> String {
    fs::read_to_string(user.path(file)).unwrap()
}

/// The files of a user and their contents, which a command must not change.
fn contents(user: &User) -> Vec<(String, Vec<u8>)> {
    fn add(folder: &Path, found: &mut Vec<(String, Vec<u8>)>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                add(&path, found);
            } else {
                found.push((path.display().to_string(), fs::read(&path).unwrap()));
            }
        }
    }
    let mut found = Vec::new();
    add(&user.path(""), &mut found);
    found.sort();
    found
}

/// Runs a command that must fail and change nothing.
#[track_caller]
fn refused(user: &User, arguments: &[&str], parts: &[&str]) {
    let before = contents(user);
    user.run(arguments).fails(2, parts);
    assert_eq!(contents(user), before);
}

#[test]
fn what_is_installed_is_a_target_and_can_be_uninstalled() {
    let user = User::new();
    let demo = demo();
    for (client, place) in [
        ("claude-code", "--user"),
        ("claude-code", "--project"),
        ("claude-desktop", "--user"),
        ("cursor", "--user"),
        ("cursor", "--project"),
        ("vscode", "--user"),
        ("vscode", "--project"),
        ("windsurf", "--user"),
        ("zed", "--user"),
        ("zed", "--project"),
        ("gemini-cli", "--user"),
        ("gemini-cli", "--project"),
        ("codex", "--user"),
        ("codex", "--project"),
    ] {
        let user = match place {
            "--user" => &user,
            _ => &User::new(),
        };
        let folder = if place == "--user" { "." } else { "project" };
        fs::create_dir_all(user.path("project")).unwrap();
        let run = |arguments: &[&str]| -> Run {
            let mut command = user.command(arguments);
            command
                .current_dir(user.path(folder))
                .output()
                .unwrap()
                .into()
        };
        let install = ["install", client, "mine", place, "--yes", "--", &demo];
        let text = run(&install).text();
        assert!(text.contains("added `mine`"), "{client}: {text}");
        let source = match (client, place) {
            ("claude-code", "--project") => "project",
            _ => client,
        };
        let target = format!("{source}:mine");
        let call = ["call", &target, "echo", "text=x", "--trust-project"];
        assert_eq!(run(&call).text(), "x\n", "{client} {place}");
        let again = run(&install).text();
        assert!(again.contains("is already in"), "{again}");
        run(&["uninstall", client, "mine", place, "--yes"]).text();
        run(&call).fails(2, &["mine"]);
    }
}

#[test]
fn a_url_is_written_as_each_client_reads_it() {
    for (client, file, lines) in [
        (
            "claude-code",
            ".claude.json",
            &[r#""type": "http""#, r#""url": "#][..],
        ),
        ("cursor", CURSOR, &[r#""url": "#]),
        (
            "windsurf",
            ".codeium/windsurf/mcp_config.json",
            &[r#""serverUrl": "#],
        ),
        ("gemini-cli", ".gemini/settings.json", &[r#""httpUrl": "#]),
        (
            "codex",
            ".codex/config.toml",
            &["[mcp_servers.example]", "url = "],
        ),
    ] {
        let user = User::new();
        user.run(&["install", client, URL, "--yes"]).text();
        let text = read(&user, file);
        assert!(lines.iter().all(|it| text.contains(it)), "{client}: {text}");
        let listed = user.run(&["servers", "--json"]).json();
        assert_eq!(listed["servers"][0]["name"], "example", "{client}");
        assert_eq!(listed["servers"][0]["url"], URL, "{client}");
        assert_eq!(listed["servers"][0]["transport"], "http", "{client}");
    }
}

#[test]
fn a_client_without_urls_starts_the_proxy() {
    let user = User::new();
    let header = ["--header", "X-Key: ${KEY}", "--env", "KEY=k"];
    let run = user.run(&[&["install", "claude-desktop", URL, "--yes"][..], &header].concat());
    assert!(run.stderr.contains("`mcp proxy`"), "{run:?}");
    run.text();
    let servers = user.run(&["servers", "--json"]).json();
    let server = &servers["servers"][0];
    assert_eq!(server["command"], env!("CARGO_BIN_EXE_mcp"));
    assert_eq!(
        server["args"].to_string(),
        format!(r#"["proxy","{URL}","--header","X-Key: ${{KEY}}"]"#)
    );
}

#[test]
fn a_proxy_is_installed_with_all_its_arguments() {
    let user = User::new();
    user.run(&[
        "install", "cursor", "--yes", "proxy", URL, "--only", "get_*",
    ])
    .text();
    let servers = user.run(&["servers", "--json"]).json();
    let server = &servers["servers"][0];
    assert_eq!(server["name"], "example");
    assert_eq!(server["command"], env!("CARGO_BIN_EXE_mcp"));
    assert_eq!(
        server["args"].to_string(),
        format!(r#"["proxy","{URL}","--only","get_*"]"#)
    );
    refused(
        &user,
        &[
            "install", "cursor", "x", "--yes", "proxy", URL, "--onyl", "a",
        ],
        &["--onyl"],
    );
    let other = ["install", "cursor", "x", "--yes", "proxy", "--", &demo()];
    user.run(&other).text();
    let call = user.run(&["call", "x", "echo", "text=x"]);
    assert_eq!(call.text(), "x\n");
}

#[test]
fn a_name_is_made_from_the_server() {
    let user = User::new();
    for (words, name) in [
        (&["https://mcp.linear.app/sse"][..], "linear"),
        (&["https://docs.mcp.cloudflare.com/mcp"], "docs-cloudflare"),
        (&["http://user:pass@localhost:8000/mcp"], "localhost"),
        (&["http://127.0.0.1:8000/mcp"], "127-0-0-1"),
        (&["--", "sh", "-x", "my_server.py"], "my-server"),
        (
            &["--", "sh", "run", "@modelcontextprotocol/server-everything"],
            "server-everything",
        ),
        (&["--", "sh", "package@1.2.3"], "package"),
        (&["--", &demo()], "demo"),
        (&["proxy", "weather"], "weather"),
    ] {
        let run = user.run(&[&["install", "cursor", "--print", "--json"][..], words].concat());
        assert_eq!(run.json()["name"], name, "{words:?}");
    }
    let words = ["install", "cursor", "--print", "http://[::1]/mcp"];
    refused(&user, &words, &["no name", "NAME after the client"]);
}

#[test]
fn programs_get_absolute_paths_and_arguments_stay() {
    let user = User::new();
    user.write("bin/server", "");
    let text = |words: &[&str]| {
        let words = [&["install", "cursor", "a", "--print", "--"][..], words].concat();
        user.run(&words).text()
    };
    let path = user.path("bin/server").canonicalize().unwrap();
    let expected = format!(r#""command": "{}""#, path.display());
    let shown = text(&["./bin/../bin/server", "bin/server"]);
    assert!(shown.contains("/bin/../bin/server\""), "{shown}");
    assert!(shown.contains(r#""args": ["bin/server"]"#), "{shown}");
    assert!(text(&["bin/server"]).contains(&expected));
    assert!(text(&["sh"]).contains(r#"bin/sh""#));
    refused(
        &user,
        &["install", "cursor", "--yes", "--", "no-such-program"],
        &["`no-such-program`"],
    );
}

#[test]
fn references_are_written_in_the_syntax_of_the_client() {
    let user = User::new();
    let token = ["--header", "Authorization: Bearer ${TOKEN}", URL];
    let key = ["--env", "KEY", "--", "sh"];
    for (client, of_header, of_env) in [
        ("claude-code", "Bearer ${TOKEN}", "${KEY}"),
        ("cursor", "Bearer ${env:TOKEN}", "${env:KEY}"),
        ("vscode", "Bearer ${env:TOKEN}", "${env:KEY}"),
        ("gemini-cli", "Bearer ${TOKEN}", "${KEY}"),
        (
            "codex",
            "bearer_token_env_var = \"TOKEN\"",
            "env_vars = [\"KEY\"]",
        ),
        ("goose", "Bearer ${TOKEN}", "env_keys: [\"KEY\"]"),
        ("json", "Bearer ${TOKEN}", "${KEY}"),
    ] {
        for (words, expected) in [(&token[..], of_header), (&key, of_env)] {
            let run = user.run(&[&["install", client, "a", "--print"][..], words].concat());
            let text = run.text();
            assert!(text.contains(expected), "{client}: {text}");
        }
    }
    for client in ["claude-desktop", "zed"] {
        let words = [&["install", client, "a", "--print"][..], &key].concat();
        refused(&user, &words, &["`${KEY}`", "write the value"]);
    }
}

#[test]
fn a_secret_is_written_after_a_warning() {
    let user = User::new();
    let words = |variable| {
        [
            "install", "cursor", "a", "--yes", "--force", "--env", variable, "--", "sh",
        ]
    };
    let run = user.run(&words("API_KEY=s3cret"));
    for part in [
        "warning: ",
        CURSOR,
        "`API_KEY`",
        "`--env API_KEY`",
        "`${env:NAME}`",
    ] {
        assert!(run.stderr.contains(part), "{run:?}");
    }
    assert!(!run.stderr.contains("s3cret"), "{run:?}");
    for variable in ["API_KEY", "API_KEY=${OTHER}", "LEVEL=debug"] {
        let run = user.run(&words(variable));
        assert_eq!((run.code, &*run.stderr), (0, ""), "{run:?}");
    }
}

#[test]
fn nothing_is_changed_without_a_yes() {
    let user = User::new();
    user.write(CURSOR, "{}");
    refused(
        &user,
        &["install", "cursor", URL],
        &["is unchanged", "--yes"],
    );
    user.run(&["install", "cursor", URL, "--yes"]).text();
    refused(
        &user,
        &["uninstall", "cursor", "example"],
        &["is unchanged", "--yes"],
    );
    let before = contents(&user);
    let printed = user.run(&["install", "cursor", "other", URL, "--print"]);
    assert!(printed.stderr.contains(CURSOR), "{printed:?}");
    assert_eq!(
        printed.text(),
        "{\n  \"mcpServers\": {\n    \"other\": {\n      \"url\": \"https://mcp.example.com/mcp\"\n    }\n  }\n}\n"
    );
    for client in ["goose", "json"] {
        user.run(&["install", client, URL, "--yes"]).text();
    }
    assert_eq!(contents(&user), before);
}

#[test]
fn a_different_server_needs_force() {
    let user = User::new();
    user.run(&["install", "cursor", URL, "--yes"]).text();
    let other = [
        "install",
        "cursor",
        "https://other.example.com/mcp",
        "--yes",
    ];
    let other = [&other[..2], &["example"], &other[2..]].concat();
    refused(&user, &other, &["different server `example`", "--force"]);
    user.run(&[&other[..], &["--force"]].concat()).text();
    assert!(read(&user, CURSOR).contains("other.example.com"));
    assert!(read(&user, &format!("{CURSOR}.mcp-backup")).contains("mcp.example.com"));
}

#[test]
fn a_missing_name_names_the_nearest() {
    let user = User::new();
    user.run(&["install", "cursor", URL, "--yes"]).text();
    refused(
        &user,
        &["uninstall", "cursor", "exampel", "--yes"],
        &["`exampel`", CURSOR, "is `example` meant?"],
    );
    refused(
        &user,
        &["uninstall", "windsurf", "example", "--yes"],
        &["`example`"],
    );
    refused(
        &user,
        &["uninstall", "cursr", "example", "--yes"],
        &["`cursr`", "gemini-cli, codex"],
    );
    refused(
        &user,
        &["install", "windsurf", URL, "--project", "--yes"],
        &["no file for a project"],
    );
    refused(
        &user,
        &["install", "codex", "a b", URL, "--yes"],
        &["the name `a b`"],
    );
    refused(
        &user,
        &["install", "cursor", "weather", "--yes"],
        &["`weather` is neither a URL nor a program"],
    );
    refused(
        &user,
        &["install", "cursor", URL, "--env", "A=b", "--yes"],
        &["`--env` is for a program"],
    );
}

#[test]
fn a_file_that_can_not_be_read_is_not_touched() {
    for text in [
        "{\"mcpServers\": {\"a\": {",
        "{\"mcpServers\": []}",
        "[]",
        "{\"mcpServers\": {}, \"mcpServers\": {\"a\": {}}}",
        "\u{0}",
    ] {
        let user = User::new();
        user.write(CURSOR, text);
        refused(&user, &["install", "cursor", URL, "--yes"], &[CURSOR]);
    }
    let user = User::new();
    user.write(".codex/config.toml", "[mcp_servers.a");
    refused(
        &user,
        &["install", "codex", URL, "--yes"],
        &["config.toml:1:"],
    );
    user.write(".cursor", "a file in place of the folder");
    refused(&user, &["install", "cursor", URL, "--yes"], &[CURSOR]);
}

#[test]
fn the_project_is_the_innermost_folder_with_a_file() {
    let user = User::new();
    user.write("repository/.git/HEAD", "");
    fs::create_dir_all(user.path("repository/inner")).unwrap();
    let install = |name: &str| {
        let mut command = user.command(&["install", "cursor", name, URL, "--project", "--yes"]);
        let command = command.current_dir(user.path("repository/inner"));
        let run: Run = command.output().unwrap().into();
        run.text()
    };
    user.write("repository/.cursor/mcp.json", "{}");
    install("a");
    assert!(read(&user, "repository/.cursor/mcp.json").contains("\"a\""));
    user.write("repository/inner/.cursor/mcp.json", "{}");
    install("b");
    assert!(read(&user, "repository/inner/.cursor/mcp.json").contains("\"b\""));
}

#[cfg(unix)]
mod on_unix {
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use super::*;
    use crate::pty::Terminal;

    fn mode(user: &User, file: &str) -> u32 {
        fs::metadata(user.path(file)).unwrap().permissions().mode() & 0o777
    }

    fn set_mode(user: &User, file: &str, mode: u32) {
        fs::set_permissions(user.path(file), fs::Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    fn a_file_keeps_its_mode_and_its_backup_has_it_too() {
        let user = User::new();
        let backup = format!("{CURSOR}.mcp-backup");
        user.write(CURSOR, "{} // old");
        set_mode(&user, CURSOR, 0o640);
        user.write(&backup, "an older copy");
        let text = user.run(&["install", "cursor", URL, "--yes"]).text();
        assert!(text.contains(&backup), "{text}");
        assert_eq!((mode(&user, CURSOR), mode(&user, &backup)), (0o640, 0o640));
        assert_eq!(read(&user, &backup), "{} // old");
        user.run(&["install", "windsurf", URL, "--yes"]).text();
        assert_eq!(mode(&user, ".codeium/windsurf/mcp_config.json"), 0o600);
        assert_eq!(fs::read_dir(user.path(".cursor")).unwrap().count(), 2);
    }

    #[test]
    fn a_link_is_followed_and_a_backup_is_not_written_through_one() {
        let user = User::new();
        user.write("dotfiles/cursor.json", "{}");
        user.write("precious", "untouched");
        fs::create_dir(user.path(".cursor")).unwrap();
        symlink("../dotfiles/cursor.json", user.path(CURSOR)).unwrap();
        symlink("../precious", user.path("dotfiles/cursor.json.mcp-backup")).unwrap();
        user.run(&["install", "cursor", URL, "--yes"]).text();
        assert!(user.path(CURSOR).is_symlink());
        assert!(read(&user, "dotfiles/cursor.json").contains("example"));
        assert_eq!(read(&user, "precious"), "untouched");
        assert_eq!(read(&user, "dotfiles/cursor.json.mcp-backup"), "{}");
        fs::remove_file(user.path("dotfiles/cursor.json")).unwrap();
        user.run(&["install", "cursor", URL, "--yes"])
            .fails(2, &[CURSOR, "No such file"]);
        assert!(user.path(CURSOR).is_symlink());
    }

    #[test]
    fn a_file_that_is_read_only_is_not_replaced() {
        let user = User::new();
        user.write(CURSOR, "{}");
        set_mode(&user, CURSOR, 0o444);
        refused(
            &user,
            &["install", "cursor", URL, "--yes"],
            &[CURSOR, "read-only"],
        );
    }

    #[test]
    fn a_change_of_another_program_is_kept() {
        let user = User::new();
        user.write(CURSOR, "{}");
        let mut terminal = Terminal::start(&user, &["install", "cursor", URL]);
        // The other program writes while the user reads the question.
        terminal.answer("Change ", "y");
        user.write(CURSOR, "{\"mcpServers\": {}}");
        terminal.answer("y", "\r");
        let (code, shown) = terminal.end();
        assert_eq!(code, 2, "{shown}");
        assert!(shown.contains("another program has changed it"), "{shown}");
        assert_eq!(read(&user, CURSOR), "{\"mcpServers\": {}}");
    }

    #[test]
    fn a_person_is_asked() {
        let user = User::new();
        for (keys, code, exists) in [("\r", 0, false), ("\u{3}", 130, false), ("y\r", 0, true)] {
            let mut terminal = Terminal::start(&user, &["install", "cursor", URL]);
            terminal.answer("Change ", keys);
            let (ended, shown) = terminal.end();
            assert_eq!(ended, code, "{shown}");
            assert_eq!(user.path(CURSOR).exists(), exists, "{shown}");
        }
    }
}

#[test]
fn the_help_of_a_proxy_is_no_error() {
    let user = User::new();
    let run = user.run(&[
        "install",
        "cursor",
        "proxy",
        "https://example.com/mcp",
        "--help",
    ]);
    assert_eq!(run.code, 0, "{run:?}");
    assert!(run.stdout.starts_with("Serves a server"), "{run:?}");
    assert!(!user.path(".cursor/mcp.json").exists());
}
