//! Error messages about programs that are not servers, or that have ended.

use mcp_runtime::transport::child_process::{Captured, Stderr};
use mcp_runtime::transport::{ChildProcess, Transport as _, stdio};
use mcp_runtime::{Client, ConnectError, Era};

use super::{builder, connect, script};

#[tokio::test]
async fn a_program_that_is_missing_is_named() {
    let refused = builder()
        .connect(ChildProcess::new("no-such-program"))
        .await;
    let refused = refused.unwrap_err();
    assert!(matches!(refused, ConnectError::Open(_)), "{refused}");
    assert!(refused.to_string().contains("no-such-program"), "{refused}");
}

#[tokio::test]
async fn a_program_that_is_not_a_server_is_reported() {
    for program in ["true", "false"] {
        let refused = Client::builder("test", "1.0.0");
        let refused = refused.connect(ChildProcess::new(program)).await;
        let refused = refused.unwrap_err();
        assert!(
            refused
                .to_string()
                .contains(&format!("`{program}` has ended")),
            "{refused}"
        );
        assert_eq!(
            refused.child_exit().unwrap().status.success(),
            program == "true"
        );
    }
}

#[tokio::test]
async fn the_end_of_a_server_is_told_with_its_status_and_last_words() {
    let dying = "read -r line; echo 'no such table' >&2; exit 3";
    for stderr in [Stderr::Log, Stderr::Capture(Captured::new())] {
        let client = connect(script(dying).stderr(stderr)).await;
        let error = client.call_tool("add", ()).await.unwrap_err();
        let exited = error.child_exit().unwrap();
        assert_eq!((&*exited.program, exited.status.code()), ("sh", Some(3)));
        assert_eq!(exited.stderr, "no such table\n");
        let text = error.to_string();
        assert!(text.contains("`sh` has ended (exit status: 3)"), "{text}");
        assert!(!text.contains("table"), "{text}");
        client.close().await;
    }
    let missing = ChildProcess::new("sh").args(["-c", "echo 'no config' >&2; exit 7"]);
    let refused = builder().connect(missing).await.unwrap_err();
    let exited = refused.child_exit().unwrap();
    assert_eq!(
        (exited.status.code(), &*exited.stderr),
        (Some(7), "no config\n")
    );
    assert_eq!(
        refused.to_string(),
        "the connection failed before it was initialized: `sh` has ended (exit status: 7); its \
         standard error ends with:\n  no config"
    );
}

/// Returns the error message of connecting to a shell script, which includes the script's standard
/// error.
async fn ended_at_once(script: &str, stderr: Stderr) -> String {
    let server = ChildProcess::new("sh").args(["-c", script]).stderr(stderr);
    let refused = Client::builder("test", "1").connect(server).await;
    refused.unwrap_err().to_string()
}

#[tokio::test]
async fn a_child_that_ends_at_once_is_told_with_its_last_lines() {
    // This is the output of `npx` for a package that does not exist.
    let npx = "cat >&2 <<'END'
npm warn exec something older
npm error code E404
npm error 404 Not Found - GET https://registry.npmjs.org/no-such - Not found
npm error 404
npm error 404  'no-such@*' is not in this registry.
npm error 404
npm error 404 Note that you can also install from a
npm error 404 tarball, folder, http url, or git folder.

npm error A complete log of this run can be found in: /root/.npm/_logs/x.log
END
exit 1";
    let captured = Captured::new();
    for stderr in [Stderr::Log, Stderr::Capture(captured.clone())] {
        let text = ended_at_once(npx, stderr).await;
        let lines: Vec<_> = text.lines().collect();
        assert!(
            lines[0].contains("`sh` has ended (exit status: 1)"),
            "{text}"
        );
        assert_eq!(lines.len(), 9, "{text}");
        assert_eq!(lines[1], "  npm error code E404");
        assert!(lines[8].contains("A complete log"), "{text}");
    }
    assert!(captured.text().contains("something older"));
    let text = ended_at_once(npx, Stderr::Discard).await;
    assert!(text.ends_with("(exit status: 1)"), "{text}");

    let long = "head -c 3000 /dev/zero | tr '\\0' x >&2; printf '\\033[31mred\\n' >&2; exit 1";
    let text = ended_at_once(long, Stderr::Log).await;
    let (_, last) = text.split_once("\n  ").unwrap();
    assert_eq!(last.len(), 1024 - 1, "{last}");
    assert!(last.ends_with("x[31mred"), "{last}");
}

#[tokio::test]
async fn a_child_that_repeats_what_it_is_sent_is_not_a_server() {
    for era in [None, Some(Era::Handshake), Some(Era::Stateless)] {
        let mut client = Client::builder("test", "1");
        if let Some(era) = era {
            client = client.era(era);
        }
        let refused = client.connect(ChildProcess::new("cat")).await.unwrap_err();
        assert!(matches!(refused, ConnectError::Echo { .. }), "{refused:?}");
        let text = "`cat` sends back what it receives, so it is not an MCP server";
        assert_eq!(refused.to_string(), text);
    }
}

#[tokio::test]
async fn a_child_that_prints_no_messages_and_ends_is_quoted() {
    let usage = "printf 'Usage: \\033[1mserver\\033[0m FILE\\nmore\\n'; exit 2";
    let text = ended_at_once(usage, Stderr::Log).await;
    let expected = "`sh` has ended (exit status: 2); the first line that it sent is not an \
                    MCP message: Usage:  [1mserver [0m FILE";
    assert!(text.ends_with(expected), "{text}");
}

#[tokio::test]
async fn standard_error_is_kept_up_to_a_limit() {
    let wordy = r#"read -r line; i=0; while [ $i -lt 1000 ]; do echo "line $i" >&2; i=$((i+1)); done; exit 1"#;
    let client = connect(script(wordy)).await;
    let error = client.call_tool("add", ()).await.unwrap_err();
    let stderr = &error.child_exit().unwrap().stderr;
    assert_eq!(stderr.len(), 4096);
    assert!(stderr.ends_with("line 999\n"), "{stderr}");
    client.close().await;
}

#[tokio::test]
async fn a_program_with_its_arguments_in_one_text_is_told_where_they_stand() {
    let connecting = Client::builder("test", "1").connect(ChildProcess::new("npx -y server"));
    let error = connecting.await.unwrap_err().to_string();
    assert!(error.contains("`npx -y server`"), "{error}");
    assert!(error.contains("`.args("), "{error}");
}

#[test]
fn a_client_of_its_own_standard_input_is_told_what_starts_a_program() {
    let own = stdio().program().unwrap();
    assert!(own.contains("ChildProcess"), "{own}");
}
