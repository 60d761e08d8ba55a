//! A tour that starts itself as a server, talks to it in both eras of the protocol, and shows what
//! happens. The exit code is 0 only if every step worked.

#![allow(clippy::print_stdout, reason = "it is what the tour is for")]

mod calculator;
mod page;
mod states;

use std::error::Error;
use std::fmt::Debug;
use std::time::Duration;

use mcp_runtime::client::Reconnect;
use mcp_runtime::prelude::*;
use mcp_runtime::transport::ChildProcess;
use mcp_runtime::transport::child_process::{Exit, ExitStep, Grace};
use mcp_runtime::types::SubscriptionFilter;
use mcp_runtime::{CallError, Change, Client, ClientBuilder, LifecycleState, Revision};
use serde_json::json;

use calculator::{Calculator, MEMORY};
use page::Page;
use states::States;

type Outcome<T> = Result<T, Box<dyn Error>>;

#[mcp_runtime::main]
async fn main() -> Outcome<()> {
    match std::env::args().nth(1) {
        Some(_) => Ok(Calculator::default().serve(stdio()).await?),
        None => tour(Page::new()).await,
    }
}

async fn tour(page: Page) -> Outcome<()> {
    // The tour shows the lost connection itself, so a warning would only repeat it.
    mcp_runtime::log::silence();
    page.title("A calculator, called in both eras of the Model Context Protocol");
    let patient = Grace {
        close: Duration::from_secs(60),
        ..Grace::default()
    };
    let server = ChildProcess::new(std::env::current_exe()?);
    let server = server.arg("serve").grace(patient);

    page.chapter("One handshake, then calls", Revision::LATEST_HANDSHAKE);
    let client = Client::builder("tour", "1.0.0").revision(Revision::LATEST_HANDSHAKE);
    use LifecycleState::{Initialized, Initializing, Operating, Uninitialized};
    let opening = [Uninitialized, Initializing, Initialized, Operating];
    visit(page, client, &server, &opening).await?;

    page.chapter("No handshake: each call stands alone", Revision::LATEST);
    let client = Client::builder("tour", "1.0.0").revision(Revision::LATEST);
    visit(page, client, &server, &[Uninitialized, Operating]).await?;

    page.chapter("A question, progress, a change, a crash", Revision::LATEST);
    let client = Client::builder("tour", "1.0.0").revision(Revision::LATEST);
    outlive(page, client, server).await?;
    page.end("The tour is over: everything worked.");
    Ok(())
}

/// Connects, lists what the server offers, calls tools, and closes the connection.
async fn visit(
    page: Page,
    client: ClientBuilder,
    server: &ChildProcess,
    opening: &[LifecycleState],
) -> Outcome<()> {
    let states = States::default();
    let server = server.clone();
    let server = server.on_exit(move |exit| page.fact("process", &ending(exit)));
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

    expect("the states", &passed[..], opening)?;
    expect(
        "the tools",
        &names[..],
        &["add", "divide", "sum", "store", "crash"],
    )?;
    expect("the sum", sum, 5)?;
    use LifecycleState::{Operating, ShuttingDown, Terminated};
    let end = [Operating, ShuttingDown, Terminated];
    expect("the end", &closing[..], &end)
}

/// Answers a question, sees a change and progress, and goes on after the server has crashed.
async fn outlive(page: Page, client: ClientBuilder, server: ChildProcess) -> Outcome<()> {
    let client = client.reconnect(Reconnect {
        first_pause: Duration::from_millis(10),
        ..Reconnect::default()
    });
    let client = client.on_form(move |form| {
        page.fact("question", form.message());
        async move { form.accept(json!({"sure": true})) }
    });
    let client = client.connect(server).await?;

    let filter = SubscriptionFilter::new().with_resource_subscriptions([MEMORY]);
    let mut changes = client.subscribe_to(filter).await?;
    let stored = client.call::<bool>("store", json!({"number": 42})).await?;
    page.success("store(42)", &stored.to_string());
    let change = changes.next().await?.as_ref().and_then(Change::by);
    page.fact("changed", MEMORY);

    let sum = client.call::<i64>("sum", json!({"numbers": [1, 2, 3]}));
    let sum = sum.on_progress(move |news| {
        let message = news.message.unwrap_or_default();
        page.fact("progress", &format!("{} of 3: {message}", news.progress));
    });
    page.success("sum(1, 2, 3)", &sum.await?.to_string());

    match client.call::<()>("crash", json!({})).await {
        Err(CallError::Lost(_)) => page.failure("crash()", "the server has ended"),
        other => return Err(format!("crash() gave {other:?}").into()),
    }
    let sum = client.call::<i64>("add", json!({"a": 2, "b": 3})).await?;
    page.success("add(2, 3)", &format!("{sum}, from a new process"));
    client.close().await;
    let stored = Change::Resource(MEMORY.to_owned());
    expect("the change", change, Some(stored))
}

fn ending(exit: Exit) -> String {
    let how = match exit.step {
        ExitStep::Closed => "exited when its input was closed",
        ExitStep::Terminated => "had to be asked to end",
        ExitStep::Killed => "had to be killed",
    };
    format!("{how} ({})", exit.status)
}

fn expect<T: PartialEq + Debug>(what: &str, seen: T, expected: T) -> Outcome<()> {
    match seen == expected {
        true => Ok(()),
        false => Err(format!("{what}: expected {expected:?}, saw {seen:?}").into()),
    }
}
