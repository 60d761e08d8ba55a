//! The examples that are clients.

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
fn a_server_is_inspected_in_either_era() {
    let server = env!("CARGO_BIN_EXE_calculator");
    for (era, revision) in [("handshake", "2025-11-25"), ("stateless", "2026-07-28")] {
        let call = ["--call", "add", r#"{"a":2,"b":3}"#];
        let arguments = [&["--era", era][..], &call, &[server]].concat();
        let printed = printed(env!("CARGO_BIN_EXE_inspect"), &arguments);
        assert!(printed.contains(&format!("speaks {revision}")), "{printed}");
        assert!(printed.contains("tools: add"), "{printed}");
        assert!(printed.contains(r#""text":"5""#), "{printed}");
    }
}
