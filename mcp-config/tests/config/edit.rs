//! Tests changes of files: what stays, what is refused, and what is read back.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use mcp_config::{Change, ConfigError, Program, Remote, Servers, Source, Target};
use proptest::prelude::*;

use super::support::User;

const CURSOR: &str = ".cursor/mcp.json";
const CODEX: &str = ".codex/config.toml";

fn source(name: &str) -> &'static Source {
    Source::by_name(name).unwrap()
}

fn table<const N: usize>(pairs: [(&str, &str); N]) -> BTreeMap<String, String> {
    let pairs = pairs.map(|(name, value)| (name.to_owned(), value.to_owned()));
    pairs.into()
}

fn program() -> Target {
    Target::Program(Program {
        command: "/bin/new".to_owned(),
        args: vec!["a".to_owned()],
        ..Program::default()
    })
}

fn url(headers: BTreeMap<String, String>) -> Target {
    let url = "https://example.com/mcp".to_owned();
    Target::Http(Remote { url, headers })
}

/// Adds the server `new`, and returns the text of the file.
#[track_caller]
fn added(client: &str, file: &Path, target: &Target) -> String {
    let change = Change::add(source(client), "new", target, file, false);
    change.unwrap().unwrap().apply().unwrap();
    fs::read_to_string(file).unwrap()
}

#[track_caller]
fn removed(client: &str, file: &Path) -> String {
    let change = Change::remove(source(client), "new", file);
    change.unwrap().apply().unwrap();
    fs::read_to_string(file).unwrap()
}

/// Adds a server to a text and removes it. `texts` are before, with the server, and at the end.
#[track_caller]
fn assert_edited(client: &str, file: &str, texts: [&str; 3]) {
    let user = User::new();
    let file = user.write(file, texts[0]);
    assert_eq!(added(client, &file, &program()), texts[1]);
    assert_eq!(removed(client, &file), texts[2]);
}

#[test]
fn comments_commas_and_indentation_of_json_stay() {
    let same = |before: &str, new: &str| {
        let after = before.replace("NEW", new);
        let before = before.replace("NEW", "");
        assert_edited("cursor", CURSOR, [&before, &after, &before]);
    };
    same(
        "{\n  // one\n  \"a\": 1, // two\n  \"mcpServers\": {\n    \"old\": {\"command\": \"x\"}, // three\nNEW  },\n}\n",
        "    \"new\": {\n      \"command\": \"/bin/new\",\n      \"args\": [\"a\"],\n    },\n",
    );
    same(
        "{\n\t\"mcpServers\": {\n\t\t\"old\": {\n\t\t\t\"command\": \"x\"\n\t\t}NEW\n\t}\n}",
        ",\n\t\t\"new\": {\n\t\t\t\"command\": \"/bin/new\",\n\t\t\t\"args\": [\"a\"]\n\t\t}",
    );
    same(
        "{\r\n  \"mcpServers\": {\r\n    'o\\'ld': {command: \"x\"}NEW\r\n    // \"gone\": {}\r\n  }\r\n}\r\n",
        ",\r\n    \"new\": {\r\n      \"command\": \"/bin/new\",\r\n      \"args\": [\"a\"]\r\n    }",
    );
    same(
        "\u{feff}{\n    \"projects\": {\"/p\": {\"mcpServers\": {\"new\": {}}}},\n    \"mcp\\u0053ervers\": {NEW}\n}\n",
        "\n        \"new\": {\n            \"command\": \"/bin/new\",\n            \"args\": [\"a\"]\n        }\n    ",
    );
}

#[test]
fn a_file_without_servers_gets_the_member() {
    let new = "{\n  \"mcpServers\": {\n    \"new\": {\n      \"command\": \"/bin/new\",\n      \"args\": [\"a\"]\n    }\n  }\n}";
    let empty = "{\n  \"mcpServers\": {}\n}";
    for (before, start, end) in [
        ("", "", "\n"),
        ("{}", "", ""),
        ("{}\n", "", "\n"),
        ("// one\n", "// one\n", "\n"),
        ("// one\n{}", "// one\n", ""),
    ] {
        let [new, empty] = [new, empty].map(|it| format!("{start}{it}{end}"));
        assert_edited("cursor", CURSOR, [before, &new, &empty]);
    }
    let new = "[mcp_servers.new]\ncommand = \"/bin/new\"\nargs = [\"a\"]\n";
    assert_edited("codex", CODEX, ["", new, ""]);
}

#[test]
fn the_text_of_toml_stays() {
    let new = "[mcp_servers.new]\ncommand = \"/bin/new\"\nargs = [\"a\"]\n";
    for before in [
        "# one\n# two\n",
        "a = 1 # one\n\n[mcp_servers.old]  # two\ncommand = 'x'\n\n[other]\nb = 2\n# three\n",
        "mcp_servers.old.command = \"x\"\nz = 1\n",
        "[mcp_servers]\nold.command = \"x\"\n",
        "[mcp_servers.\"a b\"]\ncommand = \"\"\"\nx\"\"\"\n[mcp_servers.old.env]\nA = \"1\"\n",
    ] {
        let after = format!("{before}\n{new}");
        assert_edited("codex", CODEX, [before, &after, before]);
        let [before, after] = [before, &after].map(|it| it.replace('\n', "\r\n"));
        assert_edited("codex", CODEX, [&before, &after, &before]);
        let [before, after] = [&before, &after].map(|it| it.trim_end());
        assert_edited("codex", CODEX, [before, after, before]);
    }
    let before = "mcp_servers = { old = { command = \"x\" } } # one\n";
    let after = "mcp_servers = { old = { command = \"x\" } , new = { command = \"/bin/new\", args = [\"a\"] } } # one\n";
    assert_edited("codex", CODEX, [before, after, before]);
}

#[test]
fn comments_before_a_table_of_toml_stay() {
    let user = User::new();
    let text = |command: &str| {
        format!("# one\n[mcp_servers.new] # two\n{command}\n# three\n[mcp_servers.z]\nurl = 'z'\n")
    };
    let file = user.write(CODEX, text("command = 'x'\nenv.A = 'b'"));
    let change = Change::add(source("codex"), "new", &program(), &file, true);
    change.unwrap().unwrap().apply().unwrap();
    let expected = text("command = \"/bin/new\"\nargs = [\"a\"]");
    assert_eq!(fs::read_to_string(&file).unwrap(), expected);
    let expected = "# one\n# three\n[mcp_servers.z]\nurl = 'z'\n";
    assert_eq!(removed("codex", &file), expected);
}

#[test]
fn a_file_is_created_with_its_folder() {
    let user = User::new();
    let file = user.project.join("a/b/mcp.json");
    let change = Change::add(source("cursor"), "new", &program(), &file, false);
    let change = change.unwrap().unwrap();
    assert!(!user.project.join("a").exists());
    assert_eq!(change.apply().unwrap(), None);
    assert_eq!(Servers::read(&file).unwrap().iter().count(), 1);
    // The file was missing when the change was planned.
    let late = change.apply().unwrap_err().to_string();
    assert!(late.contains("another program has changed it"), "{late}");
}

#[test]
fn an_equal_entry_stays_and_a_different_one_needs_force() {
    let user = User::new();
    let old = "{\"mcpServers\": {\"new\": {\"args\": ['a'], \"command\": \"/bin/new\"}, \"x\": 1}}";
    let file = user.write(CURSOR, old);
    let add = |name: &str, target: &Target, force| {
        Change::add(source("cursor"), name, target, &file, force)
    };
    assert!(add("new", &program(), false).unwrap().is_none());
    for name in ["new", "x"] {
        let error = add(name, &url(table([])), false).err().unwrap();
        assert!(matches!(error, ConfigError::Different { .. }), "{error}");
    }
    let change = add("new", &url(table([])), true).unwrap().unwrap();
    let backup = change.apply().unwrap().unwrap();
    assert_eq!(fs::read_to_string(backup).unwrap(), old);
    let read = Servers::read(&file).unwrap();
    assert_eq!(read.get("new").unwrap().target, url(table([])));
}

#[test]
fn a_difference_shows_three_lines_before_and_after() {
    let user = User::new();
    let text = "{\n  \"1\": 1,\n  \"2\": 2,\n  \"mcpServers\": {\n    \"old\": {},\n  },\n  \"3\": 3,\n  \"4\": 4\n}\n";
    let file = user.write(CURSOR, text);
    let change = Change::add(source("cursor"), "new", &program(), &file, false);
    let change = change.unwrap().unwrap();
    let lines = change
        .diff()
        .into_iter()
        .map(|(sign, line)| format!("{sign}{line}\n"));
    let expected = "   \"2\": 2,
   \"mcpServers\": {
     \"old\": {},
+    \"new\": {
+      \"command\": \"/bin/new\",
+      \"args\": [\"a\"],
+    },
   },
   \"3\": 3,
   \"4\": 4
";
    assert_eq!(lines.collect::<String>(), expected);
}

#[test]
fn a_file_of_another_form_is_not_changed() {
    let user = User::new();
    for (file, text) in [
        (CURSOR, "[]"),
        (CURSOR, "null"),
        (CURSOR, "{\"mcpServers\": []}"),
        (CURSOR, "{\"mcpServers\": null}"),
        (CURSOR, "{\"mcpServers\": {}"),
        (CURSOR, "{\"mcpServers\": {}, \"mcpServers\": {}}"),
        (
            CURSOR,
            "{\"mcpServers\": {\"a\": 1, \"a\": 2, \"new\": 1, \"new\": 2}}",
        ),
        (CODEX, "mcp_servers = 1"),
        (CODEX, "[[mcp_servers]]"),
        (CODEX, "[mcp_servers"),
    ] {
        let client = if file == CODEX { "codex" } else { "cursor" };
        let file = user.write(file, text);
        let change = Change::add(source(client), "new", &program(), &file, true);
        let Err(ConfigError::File(fault)) = change else {
            panic!("{text}");
        };
        assert_eq!(fault.file, file);
        assert_eq!(fs::read_to_string(&file).unwrap(), text);
    }
    let file = user.write(CURSOR, [0xff]);
    assert!(Change::add(source("cursor"), "new", &program(), &file, true).is_err());
}

#[test]
fn each_client_gets_its_own_form() {
    let program = Target::Program(Program {
        command: "/bin/new".to_owned(),
        env: table([("A", "b"), ("KEY", "${KEY}")]),
        ..Program::default()
    });
    let remote = url(table([
        ("Authorization", "Bearer ${TOKEN}"),
        ("X-A", "b"),
        ("X-Key", "${KEY}"),
    ]));
    let entry = |client: &str, target: &Target| {
        let text = source(client).entry_text("new", target);
        let text = text.unwrap_or_else(|error| error.to_string());
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    for (client, of_program, of_url) in [
        (
            "vscode",
            r#"{ "servers": { "new": { "type": "stdio", "command": "/bin/new", "args": [], "env": { "A": "b", "KEY": "${env:KEY}" } } } }"#,
            r#"{ "servers": { "new": { "type": "http", "url": "https://example.com/mcp", "headers": { "Authorization": "Bearer ${env:TOKEN}", "X-A": "b", "X-Key": "${env:KEY}" } } } }"#,
        ),
        (
            "gemini-cli",
            r#"{ "mcpServers": { "new": { "command": "/bin/new", "args": [], "env": { "A": "b", "KEY": "${KEY}" } } } }"#,
            r#"{ "mcpServers": { "new": { "httpUrl": "https://example.com/mcp", "headers": { "Authorization": "Bearer ${TOKEN}", "X-A": "b", "X-Key": "${KEY}" } } } }"#,
        ),
        (
            "codex",
            r#"[mcp_servers.new] command = "/bin/new" args = [] env_vars = ["KEY"] env = { A = "b" }"#,
            r#"[mcp_servers.new] url = "https://example.com/mcp" bearer_token_env_var = "TOKEN" env_http_headers = { X-Key = "KEY" } http_headers = { X-A = "b" }"#,
        ),
        (
            "goose",
            r#"extensions: "new": enabled: true name: "new" timeout: 300 type: "stdio" cmd: "/bin/new" args: [] env_keys: ["KEY"] envs: {"A":"b"}"#,
            r#"extensions: "new": enabled: true name: "new" timeout: 300 type: "streamable_http" uri: "https://example.com/mcp" headers: {"Authorization":"Bearer ${TOKEN}","X-A":"b","X-Key":"${KEY}"}"#,
        ),
        (
            "claude-desktop",
            "`claude-desktop` does not support the reference `${KEY}` here: write the value",
            "`claude-desktop` does not support URLs (http)",
        ),
    ] {
        assert_eq!(entry(client, &program), of_program);
        assert_eq!(entry(client, &remote), of_url);
    }
}

#[test]
fn goose_reads_what_is_printed() {
    let user = User::new();
    let remote = url(table([("X-A", "b")]));
    for target in [program(), remote] {
        let text = source("goose").entry_text("a \"b\"", &target).unwrap();
        let servers = Servers::read(user.write("config.yaml", text)).unwrap();
        assert_eq!(servers.get("a \"b\"").unwrap().target, target);
    }
    let file = user.write("config.yaml", "");
    assert!(Change::add(source("goose"), "a", &program(), &file, true).is_err());
}

#[test]
fn some_names_are_refused() {
    let text = |client: &str, name: &str| source(client).entry_text(name, &program());
    for client in ["claude-code", "codex"] {
        assert!(text(client, "a-B_9").is_ok());
        assert!(text(client, "a b").is_err());
    }
    for name in ["", "a\nb", "\u{1b}"] {
        assert!(text("cursor", name).is_err());
    }
    assert!(text("cursor", "a b").is_ok());
}

/// The text of a file of Cursor or Codex with the server `old`, in many styles.
fn files() -> impl Strategy<Value = (&'static str, &'static str, String)> {
    let json = (
        prop::sample::select(vec!["\n", "\r\n"]),
        prop::sample::select(vec!["  ", "    ", "\t"]),
        prop::sample::select(vec!["", ","]),
        prop::sample::select(vec!["", " // c", " /* c */"]),
        prop::sample::select(vec!["", "\u{feff}"]),
        prop::sample::select(vec!["", "\n", "\n\n", "\n// end"]),
    );
    let json = json.prop_map(|(line, indent, comma, comment, mark, end)| {
        let lines = [
            format!("{mark}{{{comment}"),
            format!("{indent}\"a\": [1, {{}}],"),
            format!("{indent}\"mcpServers\": {{"),
            format!("{indent}{indent}\"old\": {{ \"command\": 'x' }}{comma}{comment}"),
            format!("{indent}}}{comma}"),
            format!("}}{end}"),
        ];
        ("cursor", CURSOR, lines.join("\n").replace('\n', line))
    });
    let toml = (
        prop::sample::select(vec!["", " # c"]),
        prop::sample::select(vec![
            "[mcp_servers.old]",
            "[mcp_servers.'old']",
            "[ mcp_servers . old ]",
        ]),
        prop::sample::select(vec!["", "\n", "\n\n[z]\n", "\n# end\n"]),
        any::<bool>(),
    );
    let toml = toml.prop_map(|(comment, header, end, is_windows)| {
        let text = format!("a = 1{comment}\n\n{header}{comment}\ncommand = 'x'{comment}{end}");
        let text = if is_windows {
            text.replace('\n', "\r\n")
        } else {
            text
        };
        ("codex", CODEX, text)
    });
    prop_oneof![json, toml]
}

fn targets() -> impl Strategy<Value = Target> {
    let values = || prop::collection::btree_map("[A-Za-z][A-Z_a-z]{0,5}", "[^$\\r\\n]{0,8}", 0..3);
    let program = (
        "[^$\\r\\n]{1,9}",
        prop::collection::vec(".{0,8}", 0..4),
        values(),
    );
    let program = program.prop_map(|(command, args, env)| {
        Target::Program(Program {
            command,
            args,
            env,
            ..Program::default()
        })
    });
    prop_oneof![program, values().prop_map(url)]
}

proptest! {
    #[test]
    fn what_is_added_is_read_back_and_removing_it_restores_the_bytes(
        (client, file, text) in files(),
        target in targets(),
    ) {
        let user = User::new();
        let file: PathBuf = user.write(file, &text);
        added(client, &file, &target);
        let servers = Servers::read(&file).unwrap();
        prop_assert_eq!(servers.faults(), []);
        prop_assert_eq!(&servers.get("new").unwrap().target, &target);
        prop_assert!(servers.get("old").is_ok());
        prop_assert!(Change::add(source(client), "new", &target, &file, false).unwrap().is_none());
        prop_assert_eq!(removed(client, &file), text);
    }

    #[test]
    fn no_bytes_make_a_panic_or_lose_another_member(bytes in super::faults::fragments()) {
        let user = User::new();
        for (client, file) in [("cursor", CURSOR), ("codex", CODEX)] {
            let file = user.write(file, &bytes);
            if let Ok(Some(change)) = Change::add(source(client), "new", &program(), &file, true) {
                change.apply().unwrap();
                let servers = Servers::read(&file).unwrap();
                prop_assert_eq!(&servers.get("new").unwrap().target, &program());
            }
        }
    }
}
