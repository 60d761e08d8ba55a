//! Tests calls that become tasks.

use crate::support::{Server, User, example, mcp};

/// Starts a task that continues without the command, and returns its id.
fn detached(url: &str, scenes: u32) -> String {
    let run = mcp(&[
        "call",
        url,
        "render",
        &format!("scenes={scenes}"),
        "--detach",
    ]);
    let id = run.text();
    assert_eq!(id.lines().count(), 1, "{id}");
    id.trim().to_owned()
}

#[test]
fn a_call_follows_its_task() {
    let server = Server::of("studio");
    let run = mcp(&["call", &server.url, "render", "scenes=2", "-v"]);
    let log = run.stderr.clone();
    assert_eq!(run.text(), "2 scenes\n");
    let lines: Vec<_> = log.lines().collect();
    assert!(lines[0].starts_with("task "), "{log}");
    assert!(lines.contains(&"working: rendering (1 of 2)"), "{log}");
    assert_eq!(lines.last(), Some(&"completed"), "{log}");

    // With `--json`, standard error stays empty. The task of a program is followed as well.
    let program = example("studio");
    let run = mcp(&["call", "render", "scenes=1", "--json", "--", &program]);
    assert_eq!(run.stderr, "");
    assert_eq!(run.json()["content"][0]["text"], "1 scenes");
    // Without a task, `--detach` prints the result.
    let run = mcp(&["call", &server.url, "length", "--detach"]);
    assert_eq!(run.text(), "90 minutes\n");
}

#[test]
fn a_task_that_is_left_goes_on() {
    let server = Server::of("studio");
    let id = detached(&server.url, 2);
    let resumed = mcp(&["call", &server.url, "--resume", &id]);
    assert_eq!(resumed.text(), "2 scenes\n");
    let run = mcp(&[
        "call",
        &server.url,
        "render",
        "scenes=1",
        "--detach",
        "--json",
    ]);
    assert!(run.json()["taskId"].is_string());
    let unknown = mcp(&["call", &server.url, "--resume", "nothing"]);
    unknown.fails(5, &["task"]);
}

#[test]
fn the_tasks_of_a_program_can_not_be_left() {
    let program = example("studio");
    for arguments in [
        &["call", "render", "scenes=1", "--detach"][..],
        &["call", "--resume", "x"],
    ] {
        let run = mcp(&[arguments, &["--", &program]].concat());
        run.fails(2, &["`--detach` and `--resume` are for a URL"]);
    }
    let both = mcp(&["call", "http://127.0.0.1:9/mcp", "render", "--resume", "x"]);
    both.fails(2, &["--resume"]);
}

#[test]
fn a_question_of_a_task_is_one_of_the_call() {
    let server = Server::of("studio");
    let answered = mcp(&["call", &server.url, "name", "--answer", "answer=Metropolis"]);
    assert_eq!(answered.text(), "the film is called Metropolis\n");
    let run = mcp(&["call", &server.url, "name"]);
    run.fails(5, &["The name of the film?", "--answer answer=…"]);
}

#[test]
fn inspect_marks_tools_that_run_as_tasks() {
    let server = Server::of("studio");
    let text = mcp(&["inspect", &server.url]).text();
    assert!(text.contains("  render  as a task only\n"), "{text}");
    assert!(text.contains("  name  may be a task\n"), "{text}");
    assert!(text.contains("  length\n"), "{text}");
    let tool = mcp(&["inspect", &server.url, "--tool", "render"]).text();
    assert!(tool.starts_with("render  as a task only\n"), "{tool}");
}

#[cfg(unix)]
#[test]
fn ctrl_c_cancels_the_task() {
    use crate::support::{kill, log_after};

    let server = Server::of("studio");
    let id = detached(&server.url, 150);
    let user = User::new();
    let mut child = user.start(&["call", &server.url, "--resume", &id, "-v"]);
    let log = log_after(&mut child, "working");
    kill(&child, "INT");
    assert_eq!(child.wait().unwrap().code(), Some(130));
    drop(log);
    let resumed = mcp(&["call", &server.url, "--resume", &id]);
    resumed.fails(5, &["the task was cancelled"]);
}
