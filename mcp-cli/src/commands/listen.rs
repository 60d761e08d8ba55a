//! `mcp listen`: prints the changes that a server announces.

use std::time::Duration;

use mcp_runtime::client::Change;
use mcp_runtime::types::SubscriptionFilter;
use serde_json::json;
use tokio::signal::ctrl_c;
use tokio::time::sleep;

use crate::arguments::{At, Listen};
use crate::failure::Failure;
use crate::output::{Output, note};
use crate::session::Context;

/// A time that does not end.
const FOREVER: Duration = Duration::from_secs(u32::MAX as u64);

/// Prints each change until Ctrl-C, or until the number or the time that was given is over.
///
/// # Errors
///
/// Why the server announces nothing.
pub(crate) async fn run(listen: At<Listen>, context: &Context) -> Result<(), Failure> {
    let session = context.open(&listen.connection).await?;
    let command = listen.command;
    let filter = SubscriptionFilter::new()
        .with_tools_list_changed(true)
        .with_prompts_list_changed(true)
        .with_resources_list_changed(true)
        .with_resource_subscriptions(command.uris);
    let mut changes = session.result(session.client.subscribe_to(filter)).await?;
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
        () = sleep(command.duration.unwrap_or(FOREVER)) => Ok(()),
        _ = ctrl_c() => Ok(()),
    }
}

/// Prints a change; returns false if it is none.
fn show(change: Option<Change>, output: &Output) -> Result<bool, Failure> {
    let (line, document) = match change {
        Some(Change::Tools) => ("tools".to_owned(), json!({"changed": "tools"})),
        Some(Change::Prompts) => ("prompts".to_owned(), json!({"changed": "prompts"})),
        Some(Change::Resources) => ("resources".to_owned(), json!({"changed": "resources"})),
        Some(Change::Resource(uri)) => {
            let document = json!({"changed": "resource", "uri": uri});
            (uri, document)
        }
        _ => return Ok(false),
    };
    match output.json {
        true => output.compact(&document)?,
        false => output.line(&line)?,
    }
    Ok(true)
}
