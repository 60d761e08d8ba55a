//! Runs the example for tasks as both server and client.

use std::process::Command;

fn tasks(arguments: &[&str]) -> (bool, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_tasks"))
        .args(arguments)
        .output()
        .unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (
        output.status.success(),
        text(output.stdout),
        text(output.stderr),
    )
}

#[test]
fn a_task_is_followed_to_its_end() {
    let (succeeded, printed, errors) = tasks(&["call"]);
    assert!(succeeded, "{errors}");
    let lines: Vec<_> = printed.lines().collect();
    assert!(lines.len() >= 3, "{printed}");
    assert!(lines[0].starts_with("Working"), "{printed}");
    assert_eq!(lines[lines.len() - 2..], ["Completed ", "8 scenes"]);
}

#[test]
fn a_server_that_is_not_there_is_an_error() {
    let (succeeded, printed, errors) = tasks(&["call", "http://127.0.0.1:9/mcp", "render"]);
    assert!(!succeeded && printed.is_empty(), "{printed}");
    assert!(errors.contains("127.0.0.1:9"), "{errors}");
}
