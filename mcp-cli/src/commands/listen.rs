//! `mcp listen`: prints the changes that a server announces.

use std::time::Duration;

use mcp_runtime::client::Change;
use mcp_runtime::types::{ServerNotification, SubscriptionFilter};
use serde::Serialize;
use tokio::signal::ctrl_c;
use tokio::time::sleep;

use crate::arguments::{Global, Listen};
use crate::failure::{Failure, Kind};
use crate::output::{Output, note};
use crate::questions::Questions;
use crate::session::{Opened, Session};

/// A time that does not end.
const FOREVER: Duration = Duration::from_secs(u32::MAX as u64);

/// Prints each change until Ctrl-C, or until the number or the time that was given is over.
///
/// # Errors
///
/// Why the server announces nothing.
pub(crate) async fn run(command: Listen, global: &Global, opened: &Opened) -> Result<(), Failure> {
    let questions = Questions::new(Vec::new());
    let connected = Session::open(&command.connection, global, &questions, opened);
    let session = tokio::select! {
        session = connected => session?,
        _ = ctrl_c() => return Err(Failure::new(Kind::Cancelled, "cancelled")),
    };
    let filter = SubscriptionFilter::new()
        .with_tools_list_changed(true)
        .with_prompts_list_changed(true)
        .with_resources_list_changed(true)
        .with_resource_subscriptions(command.uris.clone());
    let subscribed = session.client.subscribe_to(filter).await;
    let mut changes = subscribed.map_err(|it| session.failure(it))?;
    if global.verbose > 1 {
        note("listening");
    }
    let output = Output::new(global.json);
    let end = sleep(command.duration.unwrap_or(FOREVER));
    tokio::pin!(end);
    let mut left = command.count.unwrap_or(usize::MAX);
    while left > 0 {
        let change = tokio::select! {
            change = changes.next() => change.map_err(|it| session.failure(it))?,
            () = &mut end => None,
            _ = ctrl_c() => None,
        };
        let Some(change) = change else {
            break;
        };
        if show(&change, &output)? {
            left -= 1;
        }
    }
    Ok(())
}

/// Prints a change; returns false if it is none.
fn show(notification: &ServerNotification, output: &Output) -> Result<bool, Failure> {
    let Some(change) = Change::by(notification) else {
        return Ok(false);
    };
    let (changed, uri) = match &change {
        Change::Tools => ("tools", None),
        Change::Prompts => ("prompts", None),
        Change::Resources => ("resources", None),
        Change::Resource(uri) => ("resource", Some(&**uri)),
        _ => return Ok(false),
    };
    match output.json {
        true => output.compact(&Line { changed, uri })?,
        false => output.line(uri.unwrap_or(changed))?,
    }
    Ok(true)
}

/// A change for scripts.
#[derive(Serialize)]
struct Line<'a> {
    changed: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    uri: Option<&'a str>,
}
