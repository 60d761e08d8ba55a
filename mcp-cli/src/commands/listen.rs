//! `mcp listen`: prints the changes that a server announces.

use std::time::Duration;

use clap::Args;
use mcp_runtime::Change;
use mcp_runtime::types::SubscriptionFilter;
use serde_json::json;
use tokio::signal::ctrl_c;
use tokio::time::sleep;

use crate::arguments::At;
use crate::failure::{Failure, Kind};
use crate::output::{Output, note};
use crate::session::Context;

#[derive(Args)]
pub(crate) struct Listen {
    /// Resources to subscribe to, in addition to changes of lists
    uris: Vec<String>,
    /// Exits after this number of changes
    #[arg(long, value_name = "N")]
    count: Option<usize>,
    /// Exits after this time, such as 10s
    #[arg(long = "for", value_name = "TIME", value_parser = humantime::parse_duration)]
    duration: Option<Duration>,
}

/// Prints each change until Ctrl-C, or until the given number or time is reached.
///
/// # Errors
///
/// Fails if the server announces no changes.
pub(crate) async fn run(listen: At<Listen>, context: &Context) -> Result<(), Failure> {
    let session = context.open(&listen.connection).await?;
    let command = listen.command;
    let filter = SubscriptionFilter::new()
        .with_tools_list_changed(true)
        .with_prompts_list_changed(true)
        .with_resources_list_changed(true)
        .with_resource_subscriptions(command.uris.clone());
    let mut changes = session.result(session.client.subscribe_to(filter)).await?;
    check(&command.uris, changes.accepted())?;
    if context.verbose > 1 {
        note("listening");
    }
    let listening = async {
        let mut left = command.count.unwrap_or(usize::MAX);
        while left > 0
            && let Some(change) = session.result(changes.next()).await?
        {
            left -= usize::from(show(Change::by(&change), &context.output)?);
        }
        Ok(())
    };
    tokio::select! {
        result = listening => result,
        () = sleep(command.duration.unwrap_or(Duration::MAX)) => Ok(()),
        _ = ctrl_c() => Ok(()),
    }
}

/// Checks that the server announces the requested changes.
///
/// # Errors
///
/// Fails if the server does not announce changes of a resource, or if it announces no changes at
/// all.
fn check(uris: &[String], accepted: &SubscriptionFilter) -> Result<(), Failure> {
    let announced: Vec<_> = accepted.resource_subscriptions.iter().flatten().collect();
    let refused = uris.iter().filter(|it| !announced.contains(it));
    let refused: Vec<_> = refused.map(|it| format!("`{it}`")).collect();
    let tools = accepted.tools_list_changed;
    let prompts = accepted.prompts_list_changed;
    let lists = [tools, prompts, accepted.resources_list_changed];
    let what = if !refused.is_empty() {
        refused.join(", ")
    } else if uris.is_empty() && !lists.contains(&Some(true)) {
        "its lists".to_owned()
    } else {
        return Ok(());
    };
    let message = format!("the server does not announce changes of {what}");
    let advice = "list its resources with: mcp inspect TARGET";
    Err(Failure::new(Kind::Refused, message).advise(advice))
}

/// Prints a change. Returns false if the notification is about something else.
fn show(change: Option<Change>, output: &Output) -> Result<bool, Failure> {
    let (changed, uri) = match &change {
        Some(Change::Tools) => ("tools", None),
        Some(Change::Prompts) => ("prompts", None),
        Some(Change::Resources) => ("resources", None),
        Some(Change::Resource(uri)) => ("resource", Some(&**uri)),
        _ => return Ok(false),
    };
    match (output.json, uri) {
        (true, Some(uri)) => output.compact(&json!({"changed": changed, "uri": uri}))?,
        (true, None) => output.compact(&json!({"changed": changed}))?,
        (false, uri) => output.line(uri.unwrap_or(changed))?,
    }
    Ok(true)
}
