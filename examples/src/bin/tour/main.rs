//! A tour that starts the calculator as a child process, talks to it in both eras of the
//! protocol, and shows what happens. The exit code is 0 only if every step worked.

#![allow(clippy::print_stdout, reason = "it is what the tour is for")]

mod calculator;
mod page;
mod states;

use std::error::Error;
use std::process::ExitCode;
use std::sync::{Arc, Mutex};

use mcp_runtime::transport::ChildProcess;
use mcp_runtime::transport::child_process::{Exit, ExitStep};
use mcp_runtime::{CallError, Client, ClientBuilder, LifecycleState, Revision};
use serde_json::json;

use page::Page;
use states::States;

type Outcome<T> = Result<T, Box<dyn Error>>;

#[mcp_runtime::main]
async fn main() -> ExitCode {
    let page = Page::new();
    match tour(&page).await {
        Ok(()) => {
            page.end("The tour is over: everything worked.");
            ExitCode::SUCCESS
        }
        Err(error) => {
            page.failure("the tour", &error.to_string());
            ExitCode::FAILURE
        }
    }
}

async fn tour(page: &Page) -> Outcome<()> {
    page.title("A calculator, called in both eras of the Model Context Protocol");
    let server = calculator::find(page)?;

    page.chapter("One handshake, then calls", Revision::LATEST_HANDSHAKE);
    let client = Client::builder("tour", "1.0.0").revision(Revision::LATEST_HANDSHAKE);
    use LifecycleState::{Initialized, Initializing, Operating, Uninitialized};
    let opening = [Uninitialized, Initializing, Initialized, Operating];
    visit(page, client, &server, &opening).await?;

    page.chapter("No handshake: each call says all", Revision::LATEST);
    let client = Client::builder("tour", "1.0.0").revision(Revision::LATEST);
    visit(page, client, &server, &[Uninitialized, Operating]).await
}

/// Connects, lists what the server offers, calls tools, and closes the connection.
async fn visit(
    page: &Page,
    client: ClientBuilder,
    server: &ChildProcess,
    opening: &[LifecycleState],
) -> Outcome<()> {
    let states = States::default();
    let (exit, server) = watched(server);
    let client = client.on_status(states.observer()).connect(server).await?;
    let passed = states.take();
    page.fact("lifecycle", &states::path(&passed));
    let info = client.server_info().ok_or("the server has no name")?;
    page.fact("server", &format!("{} {}", info.name, info.version));
    page.fact("revision", client.revision().as_str());

    let tools = client.list_tools().await?;
    page.tools(&tools);
    let names: Vec<_> = tools.iter().map(|tool| tool.name.as_str()).collect();

    let sum = client.call::<i64>("add", json!({"a": 2, "b": 3})).await?;
    page.success("add(2, 3)", &sum.to_string());
    let failure = match client.call::<f64>("divide", json!({"a": 1, "b": 0})).await {
        Err(CallError::Tool(text)) => text,
        other => return Err(format!("divide(1, 0) gave {other:?}").into()),
    };
    page.failure("divide(1, 0)", &failure);

    client.close().await;
    let closing = states.take();
    page.fact("shutdown", &states::path(&closing));
    let exit = *exit.lock().map_err(|_| "the exit was not seen")?;
    let exit = exit.ok_or("the calculator is still running")?;
    page.fact("process", &ending(exit));

    expect("the states", &passed[..], opening)?;
    expect("the tools", &names[..], &["add", "divide", "echo"])?;
    expect("the sum", &sum, &5)?;
    use LifecycleState::{Operating, ShuttingDown, Terminated};
    expect(
        "the end",
        &closing[..],
        &[Operating, ShuttingDown, Terminated],
    )?;
    expect(
        "the exit",
        &(exit.step, exit.status.success()),
        &(ExitStep::Closed, true),
    )
}

/// Returns the server, and a cell that will hold how the process ended.
fn watched(server: &ChildProcess) -> (Arc<Mutex<Option<Exit>>>, ChildProcess) {
    let seen = Arc::new(Mutex::new(None));
    let exit = Arc::clone(&seen);
    let server = server.clone().on_exit(move |how| {
        if let Ok(mut exit) = exit.lock() {
            *exit = Some(how);
        }
    });
    (seen, server)
}

fn ending(exit: Exit) -> String {
    let how = match exit.step {
        ExitStep::Closed => "exited when its input was closed",
        ExitStep::Terminated => "had to be asked to end",
        ExitStep::Killed => "had to be killed",
    };
    format!("{how} ({})", exit.status)
}

fn expect<T: PartialEq<U> + std::fmt::Debug + ?Sized, U: std::fmt::Debug + ?Sized>(
    what: &str,
    seen: &T,
    expected: &U,
) -> Outcome<()> {
    if seen == expected {
        return Ok(());
    }
    Err(format!("{what}: expected {expected:?}, saw {seen:?}").into())
}
