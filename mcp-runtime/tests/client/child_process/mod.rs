//! Servers that are child processes, and everything that can go wrong with them.

mod faults;

use std::io::{BufRead, BufReader, Read};
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use mcp_runtime::client::{Reconnect, TransportState};
use mcp_runtime::transport::ChildProcess;
use mcp_runtime::transport::child_process::{Captured, Exit, ExitStep, Grace, Stderr};
use mcp_runtime::{CallError, Client, Era};
use tokio::time::Instant;

use crate::support::clock::Clock;
use crate::support::scripted;

/// Returns a shell script that completes the handshake and then continues with `rest`.
///
/// A client numbers its requests from 1, so the handshake is 1 and the first call is 2.
fn script(rest: &str) -> ChildProcess {
    let greeting = r#"
        say() { printf '%s\n' "$1"; }
        answer() { say '{"jsonrpc":"2.0","id":'"$1"',"result":{"content":[{"type":"text","text":"'"$2"'"}]}}'; }
        read -r line
        say '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"script","version":"1"}}}'
        read -r line
    "#;
    ChildProcess::new("sh")
        .arg("-c")
        .arg(format!("{greeting}\n{rest}"))
}

fn builder() -> mcp_runtime::ClientBuilder {
    Client::builder("test", "1.0.0").era(Era::Handshake)
}

async fn connect(server: ChildProcess) -> Client {
    builder().connect(server).await.unwrap()
}

#[derive(Clone, Default)]
struct Ending(Arc<Mutex<Option<Exit>>>);

impl Ending {
    fn of(&self, server: ChildProcess) -> ChildProcess {
        let ending = Arc::clone(&self.0);
        server.on_exit(move |exit| *ending.lock().unwrap() = Some(exit))
    }

    fn step(&self) -> ExitStep {
        self.0.lock().unwrap().expect("the server has ended").step
    }
}

/// Sends SIGTERM to the child immediately, and then waits for a long time.
const ASK: Grace = Grace {
    close: Duration::ZERO,
    terminate: Duration::from_secs(600),
};

/// Kills the child immediately.
const INSIST: Grace = Grace {
    close: Duration::ZERO,
    terminate: Duration::ZERO,
};

/// The precision of timers.
const TICK: Duration = Duration::from_millis(1);

/// Awaits `future`, and checks that no time has passed.
async fn at_once<T>(future: impl IntoFuture<Output = T>) -> T {
    let clock = Clock::stopped();
    let start = Instant::now();
    let outcome = future.await;
    assert_eq!(start.elapsed(), Duration::ZERO);
    clock.go_on();
    outcome
}

/// Closes a client of `server`, and returns the step that ended the server.
async fn closed(server: ChildProcess) -> ExitStep {
    let ending = Ending::default();
    let client = connect(ending.of(server)).await;
    client.close().await;
    ending.step()
}

#[tokio::test]
async fn a_server_that_ends_with_its_input_is_left_to_it() {
    let ending = Ending::default();
    let patient = Grace {
        close: Duration::from_secs(600),
        ..Grace::default()
    };
    let server = script("while read -r line; do :; done").grace(patient);
    let client = connect(ending.of(server)).await;
    client.close().await;
    assert_eq!(ending.step(), ExitStep::Closed);
    assert!(ending.0.lock().unwrap().unwrap().status.success());
}

#[tokio::test]
async fn a_server_that_ignores_the_end_of_input_is_asked() {
    let step = closed(script("while :; do sleep 600; done").grace(ASK)).await;
    assert_eq!(step, ExitStep::Terminated);
}

#[tokio::test]
async fn a_server_that_ignores_being_asked_is_killed() {
    // The script sets its trap before the handshake, so the trap is active once the client is
    // connected.
    let deaf = ChildProcess::new("sh").arg("-c").arg(
        r#"trap '' TERM
        read -r line
        printf '%s\n' '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"deaf","version":"1"}}}'
        while :; do sleep 600; done"#,
    );
    assert_eq!(closed(deaf.grace(INSIST)).await, ExitStep::Killed);
}

#[tokio::test]
async fn each_step_is_taken_when_its_time_has_come() {
    let directory = tempfile::tempdir().unwrap();
    let pipe = pipe_in(directory.path());
    let stubborn = format!(
        r#"exec 3>'{}'
        trap 'echo asked >&3' TERM
        while read -r line; do :; done
        echo closed >&3
        while :; do sleep 600 & wait; done"#,
        pipe.display()
    );
    let ending = Ending::default();
    let grace = Grace {
        close: Duration::from_secs(20),
        terminate: Duration::from_secs(30),
    };
    let server = ending.of(script(&stubborn).grace(grace));
    let client = builder().without_keep_alive().connect(server).await;
    let client = client.unwrap();
    let said = opened(pipe).await;
    let mut said = Lines::of(said);

    let clock = Clock::stopped();
    let start = Instant::now();
    let closing = tokio::spawn(async move { client.close().await });
    assert_eq!(said.next().await, "closed");
    clock.pass(grace.close + TICK).await;
    assert_eq!(said.next().await, "asked");
    assert!(!closing.is_finished());
    clock.pass(grace.terminate + TICK).await;
    closing.await.unwrap();
    assert_eq!(ending.step(), ExitStep::Killed);
    assert_eq!(start.elapsed(), grace.close + grace.terminate + 2 * TICK);
}

#[tokio::test]
async fn who_waits_for_a_server_that_is_killed_learns_it_at_once() {
    let client = connect(script("read -r line; kill -9 $$")).await;
    let error = at_once(client.call_tool("add", ())).await.unwrap_err();
    assert!(matches!(error, CallError::Lost(_)), "{error}");
    let status = error.child_exit().unwrap().status;
    assert_eq!(status.signal(), Some(9));
}

#[tokio::test]
async fn who_waits_for_a_server_that_closes_its_output_learns_it_at_once() {
    let ending = Ending::default();
    let server = script("read -r line; exec 1>&-; sleep 600").grace(ASK);
    let client = connect(ending.of(server)).await;
    let clock = Clock::stopped();
    let start = Instant::now();
    let call = client.call_tool("add", ()).into_future();
    let error = clock.run_until(TICK, call).await.unwrap_err();
    // The error comes 200 ms after the output ends, but the test does not know when that is.
    assert!(start.elapsed() < Duration::from_secs(10));
    assert!(matches!(error, CallError::Closed), "{error}");
    clock.go_on();
    client.close().await;
    assert_eq!(ending.step(), ExitStep::Terminated);
}

#[tokio::test]
async fn rubbish_among_the_answers_is_skipped() {
    let client = connect(script(
        r#"say 'Server started!'; printf '\377\000\n{"jsonrpc":\n'
        read -r line; say '[1,'; answer 2 5"#,
    ))
    .await;
    let sum = at_once(client.call::<i64>("add", ())).await;
    assert_eq!(sum.unwrap(), 5);
}

#[tokio::test]
async fn answers_in_another_order_find_their_calls() {
    let client = connect(script(
        "read -r a; read -r b; answer 3 second; answer 2 first",
    ))
    .await;
    let first = client.call::<String>("first", ()).into_future();
    let second = client.call::<String>("second", ()).into_future();
    let (first, second) = at_once(async { tokio::join!(first, second) }).await;
    assert_eq!(
        (first.unwrap(), second.unwrap()),
        ("first".into(), "second".into())
    );
}

#[tokio::test]
async fn a_server_that_stops_reading_holds_nobody_up() {
    let ending = Ending::default();
    let server = ending.of(script("sleep 600"));
    let client = builder().without_keep_alive().connect(server).await;
    let client = client.unwrap();
    let large = std::collections::HashMap::from([("text", "x".repeat(4 * 1024 * 1024))]);
    tokio::time::pause();
    for _ in 0..3 {
        let call = client.call_tool("add", &large);
        let start = Instant::now();
        let error = call.timeout(Duration::from_secs(5)).await.unwrap_err();
        let unanswered = matches!(error, CallError::Timeout { .. } | CallError::Full);
        assert!(unanswered, "{error}");
        assert_eq!(start.elapsed().as_secs(), 5);
    }
    client.close().await;
    assert_ne!(ending.step(), ExitStep::Closed);
}

#[tokio::test]
async fn a_child_sees_what_it_needs_and_what_it_is_given() {
    let said = |server: ChildProcess| {
        let captured = Captured::new();
        let server = server.stderr(Stderr::Capture(captured.clone()));
        async move {
            connect(server).await.close().await;
            captured.text()
        }
    };
    let show = r#"echo "$PATH|$CARGO_MANIFEST_DIR|$GIVEN|$PWD" >&2"#;
    let secret = std::env::var("CARGO_MANIFEST_DIR").unwrap();
    let path = std::env::var("PATH").unwrap();
    let given = script(show).envs([("GIVEN", "given")]).current_dir("/");
    assert_eq!(said(given).await, format!("{path}||given|/\n"));
    let passed = script(show).pass_env("CARGO_MANIFEST_DIR").current_dir("/");
    assert_eq!(said(passed).await, format!("{path}|{secret}||/\n"));
    let all = script(show).inherit_env().current_dir("/");
    assert_eq!(said(all).await, format!("{path}|{secret}||/\n"));
}

#[tokio::test]
async fn a_server_that_died_is_started_again() {
    let directory = tempfile::tempdir().unwrap();
    let server = script(
        "read -r line
        if [ -e died ]; then answer 2 alive; read -r line; else : >died; exit 3; fi",
    );
    let server = server.current_dir(directory.path());
    let reconnect = Reconnect {
        first_pause: Duration::ZERO,
        ..Reconnect::default()
    };
    let client = builder()
        .reconnect(reconnect)
        .connect(server)
        .await
        .unwrap();
    let call = client.call_tool("add", ()).repeatable(true).await.unwrap();
    assert_eq!(
        call,
        serde_json::from_value(scripted::said("alive")).unwrap()
    );
    client.close().await;
}

fn pipe_in(directory: &Path) -> PathBuf {
    let pipe = directory.join("pipe");
    let made = Command::new("mkfifo").arg(&pipe).status().unwrap();
    assert!(made.success());
    pipe
}

struct Lines(Option<BufReader<std::fs::File>>);

impl Lines {
    fn of(pipe: std::fs::File) -> Self {
        Self(Some(BufReader::new(pipe)))
    }

    async fn next(&mut self) -> String {
        let mut pipe = self.0.take().unwrap();
        let read = tokio::task::spawn_blocking(move || {
            let mut line = String::new();
            pipe.read_line(&mut line).unwrap();
            (pipe, line.trim_end().to_owned())
        });
        let (pipe, line) = read.await.unwrap();
        self.0 = Some(pipe);
        line
    }
}

/// Opens a named pipe, which waits until another process has opened its other end.
async fn opened(pipe: PathBuf) -> std::fs::File {
    let open = tokio::task::spawn_blocking(|| std::fs::File::open(pipe).unwrap());
    open.await.unwrap()
}

#[test]
fn no_orphan_is_left_when_everything_is_dropped() {
    let directory = tempfile::tempdir().unwrap();
    let pipe = pipe_in(directory.path());
    // The child and its own child hold the pipe open as long as they live.
    let rest = format!("exec 3>'{}'; sleep 600 & sleep 600", pipe.display());
    let runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = { runtime }.enable_all().build().unwrap();
    let (client, mut held) = runtime.block_on(async {
        let client = connect(script(&rest)).await;
        (client, opened(pipe).await)
    });
    drop(runtime);
    drop(client);
    assert_eq!(
        held.read(&mut [0]).unwrap(),
        0,
        "a process still holds the pipe open"
    );
}

#[tokio::test]
async fn descendants_end_with_the_server() {
    let directory = tempfile::tempdir().unwrap();
    let pipe = pipe_in(directory.path());
    let rest = format!(
        "sleep 600 3>'{}' >/dev/null 2>&1 & read -r line",
        pipe.display()
    );
    let ending = Ending::default();
    let client = connect(ending.of(script(&rest))).await;
    let mut held = opened(pipe).await;
    client.close().await;
    assert_eq!(ending.step(), ExitStep::Closed);
    assert_eq!(
        held.read(&mut [0]).unwrap(),
        0,
        "a process still holds the pipe open"
    );
}

#[tokio::test]
async fn an_answer_before_the_end_still_counts() {
    let client = connect(script("read -r line; answer 2 5; exit 1")).await;
    assert_eq!(client.call::<i64>("add", ()).await.unwrap(), 5);
    client.close().await;
}

#[tokio::test]
async fn closing_waits_for_a_server_that_is_being_started_again() {
    let directory = tempfile::tempdir().unwrap();
    let exits = Arc::new(Mutex::new(0));
    let seen = Arc::clone(&exits);
    // The second process never answers, and ends only after a delay.
    let server = ChildProcess::new("sh").arg("-c").arg(
        r#"if [ -e died ]; then while read -r line; do :; done; sleep 0.2; exit 0; fi
        : >died
        read -r line
        printf '%s\n' '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"x","version":"1"}}}'
        read -r line"#,
    );
    let server = server.current_dir(directory.path());
    let server = server.on_exit(move |_| *seen.lock().unwrap() += 1);
    let reconnect = Reconnect {
        first_pause: Duration::ZERO,
        ..Reconnect::default()
    };
    let client = builder()
        .reconnect(reconnect)
        .connect(server)
        .await
        .unwrap();
    let mut status = client.watch_status();
    while client.lost_because().is_none() || status.current().transport != TransportState::Connected
    {
        status.changed().await.unwrap();
    }
    client.close().await;
    assert_eq!(*exits.lock().unwrap(), 2);
}
