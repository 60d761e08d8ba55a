//! Runs the examples that are clients.

use std::process::Command;

fn printed(binary: &str, arguments: &[&str]) -> String {
    let output = Command::new(binary).args(arguments).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn a_custom_transport_takes_under_forty_lines() {
    let code = include_str!("../../src/bin/custom_transport/channel.rs").lines();
    let code = code.filter(|line| !line.trim().is_empty() && !line.starts_with("//!"));
    assert!(code.count() < 40);
    let printed = printed(env!("CARGO_BIN_EXE_custom_transport"), &[]);
    assert_eq!(printed, "2 + 3 = 5 in 2026-07-28\n");
}

#[test]
fn bindings_call_the_server_that_they_were_made_of() {
    let library = env!("CARGO_BIN_EXE_library");
    let printed = printed(env!("CARGO_BIN_EXE_typed_client"), &[library]);
    assert!(
        printed.starts_with("Emma by Jane Austen, 1815\n2 books\n"),
        "{printed}"
    );
}

#[test]
fn the_guide_shows_the_program_with_bindings() {
    let program = include_str!("../../src/bin/typed_client/main.rs").lines();
    let program = program.filter(|line| !line.starts_with("//!") && !line.starts_with("#[allow"));
    let program: Vec<_> = program.collect();
    let page = include_str!("../../../docs/typed-clients.md");
    assert!(page.contains(program.join("\n").trim()));
}

#[test]
fn a_login_that_fails_is_explained_on_one_line() {
    for (arguments, expected) in [
        (&[][..], "usage: "),
        (
            &["--color", "red", "http://127.0.0.1:9"],
            "unknown option `--color`",
        ),
        (&["--store"], "usage: "),
        (
            &["http://127.0.0.1:9/mcp", "whoami", "{"],
            "the JSON of the call",
        ),
        (
            &["http://127.0.0.1:9/mcp", "whoami", "{}", "more"],
            "usage: ",
        ),
        (&["http://127.0.0.1:9/mcp"], "127.0.0.1:9"),
        (&["nowhere"], "URL"),
    ] {
        let mut login = Command::new(env!("CARGO_BIN_EXE_login"));
        let output = login.args(arguments).env("NO_PROXY", "*").output().unwrap();
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{error}");
        assert!(
            error.contains(expected) && error.lines().count() == 1,
            "{error}"
        );
        assert!(output.stdout.is_empty());
    }
}
