//! Tests files that can't be read, and what their errors show.

use mcp_config::{ConfigError, FileFault, Servers};
use proptest::prelude::*;

use super::support::User;

fn fault(file: &str, text: impl AsRef<[u8]>) -> FileFault {
    let user = User::new();
    user.write(file, text);
    let servers = user.servers();
    let [fault] = servers.faults() else {
        panic!("{:?}", servers.faults());
    };
    fault.clone()
}

#[test]
fn a_fault_has_its_line_and_column() {
    for (file, text, position) in [
        (
            ".mcp.json",
            "{\n  \"mcpServers\": {\n    \"a\" {}\n  }\n}",
            (3, 9),
        ),
        (".mcp.json", "{\"mcpServers\": {}\n \"x\": 1}", (1, 18)),
        (".codex/config.toml", "a = 1\n[mcp_servers.é\n", (2, 15)),
        (
            ".mcp.json",
            "{\"mcpServers\":\n {\"a\": {\"command\": 1.5, \"args\": \"x\"}}}",
            (2, 4),
        ),
        (
            ".codex/config.toml",
            "[mcp_servers.a]\nurl = \"u\"\n[mcp_servers.b]\nargs = 1",
            (3, 14),
        ),
    ] {
        let fault = fault(file, text);
        assert_eq!(fault.position, Some(position), "{fault}");
    }
}

#[test]
fn a_fault_of_yaml_has_its_line() {
    let user = User::new();
    let file = user.write("config.yaml", "extensions:\n  a: [\n  b: }\n");
    let Err(ConfigError::File(fault)) = Servers::read(file) else {
        panic!("the file is not YAML");
    };
    assert_eq!(fault.position.map(|(line, _)| line), Some(2), "{fault}");
}

#[test]
fn invalid_utf_8_has_its_place() {
    let fault = fault(".mcp.json", b"{\n  \"\xc3\xa9\xff\": 1}");
    assert_eq!(fault.position, Some((2, 5)));
    assert_eq!(fault.text, "it is not valid UTF-8");
}

#[test]
fn an_entry_at_fault_leaves_the_others() {
    let user = User::new();
    let text =
        r#"{"mcpServers": {"good": {"command": "a"}, "bad": {"command": "a", "args": "b"}}}"#;
    let file = user.write(".mcp.json", text);
    let servers = user.servers();
    assert!(servers.get("good").is_ok());
    let error = servers.get("bad").unwrap_err();
    let expected = format!(
        "{}:1:44: server `bad`: `args` must be a sequence",
        file.display()
    );
    assert_eq!(error.to_string(), expected);
    assert_eq!(
        servers.get("project:bad").unwrap_err().to_string(),
        expected
    );
}

#[test]
fn a_file_at_fault_leaves_the_others_and_is_named_with_unknown_names() {
    let user = User::of_all_clients();
    let file = user.write(".mcp.json", "{");
    let servers = user.servers();
    assert_eq!(servers.faults().len(), 1);
    assert!(servers.get("notes").is_ok());
    let text = servers.get("docs").unwrap_err().to_string();
    assert!(text.contains("no server is named `docs`"), "{text}");
    assert!(text.contains(&format!("{}:1:", file.display())), "{text}");
}

#[test]
fn a_fault_names_the_member_and_what_it_must_be() {
    for (entry, expected) in [
        (r#"{"command": 1}"#, "`command` must be a string"),
        (
            r#"{"command": "a", "args": [["b"]]}"#,
            "`args` must be made of strings",
        ),
        (
            r#"{"command": "a", "env": {"A": []}}"#,
            "`env` must be made of strings",
        ),
        (r#"{"command": "a", "env": []}"#, "`env` must be a map"),
        (
            r#"{"url": "a", "enabled": "no"}"#,
            "`enabled` must be a boolean",
        ),
    ] {
        let fault = fault(
            ".mcp.json",
            format!(r#"{{"mcpServers": {{"a": {entry}}}}}"#),
        );
        assert_eq!(fault.text, expected);
    }
}

#[test]
fn a_file_that_is_too_large_is_a_fault() {
    let fault = fault(".mcp.json", vec![b' '; (1 << 20) + 1]);
    assert_eq!(
        (fault.position, &*fault.text),
        (None, "it is larger than 1 MiB")
    );
    let user = User::new();
    for (size, faults) in [(1 << 20, &[][..]), (8 << 20, &["it is larger than 8 MiB"])] {
        user.write("../../.cursor/mcp.json", vec![b' '; size + 1]);
        let servers = user.servers();
        let found = servers.faults().iter().map(|it| &*it.text);
        assert_eq!(found.collect::<Vec<_>>(), faults);
    }
}

#[test]
fn each_of_many_faults_has_its_place() {
    // Some names also occur in other strings, and some are parts of other names.
    let entry =
        |it: usize| format!("\n \"é {it}.x\": {{\"args\": \"é {it}.x: y\"}}, \"{it}\": [],");
    let entries: String = (0..400).map(entry).collect();
    let text = format!("{{\"mcpServers\": {{{entries}}}}}");
    let user = User::new();
    user.write(".mcp.json", &text);
    let servers = user.servers();
    assert_eq!(servers.faults().len(), 800);
    for fault in servers.faults() {
        let name = format!("\"{}\":", fault.entry.as_ref().unwrap());
        let before = &text[..text.find(&name).unwrap()];
        let line = before.matches('\n').count();
        let start = before.rfind('\n').map_or(0, |it| it + 1);
        // The name begins after a quote.
        let column = before[start..].chars().count() + 2;
        assert_eq!(fault.position, Some((line + 1, column)), "{fault}");
    }
}

#[test]
fn keys_without_quotes_have_a_place() {
    let user = User::new();
    for (file, text, position) in [
        (
            ".codex/config.toml",
            "mcp_servers = { x = {}, b-c = 1 }",
            (1, 25),
        ),
        (
            ".codex/config.toml",
            "[mcp_servers.'b c']\nargs = 1",
            (1, 15),
        ),
        ("config.yaml", "extensions:\n  b c : {args: 1}", (2, 3)),
        (
            "config.yaml",
            "extensions: {a: {}, b c: {args: 1}}",
            (1, 21),
        ),
    ] {
        let servers = Servers::read(user.write(file, text)).unwrap();
        let fault = servers
            .faults()
            .iter()
            .find(|it| it.entry.as_deref() != Some("x"));
        assert_eq!(fault.unwrap().position, Some(position), "{text}");
    }
}

#[test]
fn a_very_long_name_is_not_compared_with_others() {
    let user = User::new();
    let name = "x".repeat(1 << 19);
    user.write(
        ".mcp.json",
        format!(r#"{{"mcpServers": {{"{name}": {{"command": "a"}}}}}}"#),
    );
    let text = user
        .servers()
        .get(&"y".repeat(1 << 16))
        .unwrap_err()
        .to_string();
    assert!(!text.contains("is meant"), "{}", &text[text.len() - 80..]);
}

#[test]
fn a_file_with_too_many_servers_is_a_fault() {
    let entries: Vec<_> = (0..1_001).map(|it| format!("\"{it}\": 1")).collect();
    let fault = fault(
        ".mcp.json",
        format!("{{\"mcpServers\": {{{}}}}}", entries.join(",")),
    );
    assert_eq!(fault.text, "it names more than 1000 servers");
}

#[test]
fn a_file_that_is_missing_is_a_fault_only_where_it_is_named() {
    let user = User::new();
    assert_eq!(user.servers().faults(), []);
    let error = Servers::read(user.project.join("missing.json")).unwrap_err();
    assert!(error.to_string().contains("missing.json"), "{error}");
}

#[test]
fn empty_files_name_no_servers() {
    let user = User::new();
    for file in [".mcp.json", ".codex/config.toml"] {
        user.write(file, "");
    }
    user.write(".cursor/mcp.json", "\u{feff}{}");
    let servers = user.servers();
    assert_eq!((servers.iter().count(), servers.faults()), (0, &[][..]));
    let yaml = user.write("config.yaml", "");
    assert_eq!(Servers::read(yaml).unwrap().iter().count(), 0);
}

#[test]
fn deep_nesting_and_alias_bombs_are_faults() {
    let user = User::new();
    let deep = |open: &str, levels: usize| format!("{{\"a\": {}", open.repeat(levels));
    fault(".mcp.json", deep("[", 100_000));
    fault(".mcp.json", deep("{\"a\":", 100_000));
    fault(".codex/config.toml", format!("a = {}", "[".repeat(100_000)));
    let mut bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
    for level in 1..9 {
        let aliases = vec![format!("*a{}", level - 1); 10].join(", ");
        bomb += &format!("a{level}: &a{level} [{aliases}]\n");
    }
    for yaml in [bomb, "[".repeat(100_000), "- ".repeat(100_000)] {
        let file = user.write("config.yaml", yaml);
        assert!(matches!(Servers::read(file), Err(ConfigError::File(_))));
    }
}

#[test]
fn no_error_and_no_debug_text_shows_a_value() {
    let user = User::new();
    let secret = "s3cret";
    user.write(
        ".mcp.json",
        r#"{"mcpServers": {
            "a": {"command": "a", "args": ["s3cret"], "env": {"KEY": "s3cret"}},
            "b": {"url": "https://s3cret@b/?key=s3cret", "headers": {"X": "s3cret"}},
            "c": {"command": "c", "env": "s3cret, expected s3cret"},
            "d": {"command": "d", "args": {"s3cret": 1}},
            "e": {"command": "d", "disabled": "s3cret"},
            "f": "s3cret"
        }}"#,
    );
    user.write(
        ".codex/config.toml",
        "[mcp_servers.a]\nenv = { KEY = \"s3cret\" s3cret",
    );
    user.write(
        ".cursor/mcp.json",
        r#"{"mcpServers": {"a": {"env": {"A": "s3cret" "s3cret"}}}}"#,
    );
    let servers = user.servers();
    assert_eq!(servers.faults().len(), 6, "{:?}", servers.faults());
    let yaml = user.write(
        "config.yaml",
        "extensions:\n  a: {envs: {A: \"s3cret}\n  b: 's3cret'",
    );
    let mut shown = format!("{servers:?}");
    for text in servers.faults().iter().map(ToString::to_string) {
        shown += &text;
    }
    for name in ["a", "b", "c", "d", "e", "f"] {
        let target = servers.get(&format!("project:{name}"));
        shown += &target.map_or_else(|it| it.to_string(), |it| format!("{it:?}{:?}", it.target));
    }
    let error = Servers::read(yaml).unwrap_err();
    shown += &format!("{error}{error:?}");
    assert!(!shown.contains(secret), "{shown}");
}

/// Fragments that are typical of the files, mixed with arbitrary bytes.
pub(crate) fn fragments() -> impl Strategy<Value = Vec<u8>> {
    let fragment = prop_oneof![
        prop::sample::select(vec![
            "{",
            "}",
            "[",
            "]",
            ":",
            ",",
            "\"",
            "'",
            "\n",
            "  ",
            "- ",
            "=",
            "//",
            "/*",
            "#",
            "&a ",
            "*a",
            "${",
            "$",
            "}",
            "mcpServers",
            "servers",
            "mcp_servers",
            "[mcp_servers.a]",
            "extensions",
            "\"a\"",
            "command",
            "args",
            "env",
            "url",
            "1e999",
            "-",
            "!!int ",
            "<<: ",
            "|\n",
            "\\u12",
            "\u{feff}",
            "inputs",
            "projects",
            "null",
            "true",
        ])
        .prop_map(|it| it.as_bytes().to_vec()),
        prop::collection::vec(any::<u8>(), 0..4),
    ];
    prop::collection::vec(fragment, 0..60).prop_map(|it| it.concat())
}

proptest! {
    #[test]
    fn no_bytes_make_a_panic(bytes in fragments()) {
        let user = User::new();
        for file in ["a.json", "a.toml", "a.yaml", ".claude.json"] {
            let file = user.write(file, &bytes);
            if let Ok(servers) = Servers::read(file) {
                for entry in servers.iter() {
                    let _ = entry.expand(&mut |_| Some("$x${y}".to_owned()));
                    let _ = servers.get(&entry.name);
                }
            }
        }
    }

    #[test]
    fn no_text_of_an_entry_makes_a_panic(text in "(\\$|\\{|\\}|:-|env:|input:|a|é|/){0,12}") {
        let user = User::new();
        for file in [".mcp.json", ".cursor/mcp.json", ".gemini/settings.json"] {
            user.write(file, format!(r#"{{"mcpServers": {{"a": {{"command": "{text}"}}}}}}"#));
        }
        for entry in user.servers().iter() {
            let _ = entry.expand(&mut |_| Some("é".to_owned()));
            let _ = entry.expand(&mut |_| None);
        }
    }
}
