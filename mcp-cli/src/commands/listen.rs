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
    let waiting = check(&command.uris, changes.accepted())?;
    if !context.output.json || context.verbose > 1 {
        waiting.iter().for_each(|line| note(line));
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

/// Checks that the server announces changes, and returns lines for the user: the changes that will
/// be printed, and the lists that the server leaves out.
///
/// # Errors
///
/// Fails if the server does not announce changes of a requested resource, which a script would wait
/// for in vain, or if it announces no changes at all.
fn check(uris: &[String], accepted: &SubscriptionFilter) -> Result<Vec<String>, Failure> {
    let (mut waiting, mut refused) = (Vec::new(), Vec::new());
    for (list, is_accepted) in [
        ("tools", accepted.tools_list_changed),
        ("prompts", accepted.prompts_list_changed),
        ("resources", accepted.resources_list_changed),
    ] {
        match is_accepted {
            Some(true) => waiting.push(list),
            _ => refused.push(list),
        }
    }
    let announced: Vec<_> = accepted.resource_subscriptions.iter().flatten().collect();
    let missing = uris.iter().filter(|it| !announced.contains(it));
    let missing: Vec<_> = missing.map(|it| format!("`{it}`")).collect();
    let fault = |what: &str| {
        let message = format!("the server does not announce changes of {what}");
        let advice = "list its resources with: mcp inspect TARGET";
        Err(Failure::new(Kind::Refused, message).advise(advice))
    };
    if !missing.is_empty() {
        return fault(&missing.join(", "));
    }
    waiting.extend(uris.iter().map(String::as_str));
    if waiting.is_empty() {
        return fault("its lists");
    }
    let waiting = waiting.join(", ");
    let mut lines = vec![format!("waiting for changes of {waiting}; Ctrl-C ends")];
    if !refused.is_empty() {
        let refused = refused.join(", ");
        lines.push(format!("the server does not announce changes of {refused}"));
    }
    Ok(lines)
}

/// Prints a change. Returns false if the notification is about something else.
fn show(change: Option<Change>, output: &Output) -> Result<bool, Failure> {
    let document = match &change {
        Some(Change::Tools) => json!({"changed": "tools"}),
        Some(Change::Prompts) => json!({"changed": "prompts"}),
        Some(Change::Resources) => json!({"changed": "resources"}),
        Some(Change::Resource(uri)) => json!({"changed": "resource", "uri": uri}),
        _ => return Ok(false),
    };
    let text = document["uri"].as_str();
    let text = text.or(document["changed"].as_str());
    match output.json {
        true => output.compact(&document)?,
        false => output.line(text.unwrap_or_default())?,
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_user_learns_what_is_announced_and_what_is_not() {
        let uris = ["note://a".to_owned(), "note://b".to_owned()];
        let lists = SubscriptionFilter::new().with_tools_list_changed(true);
        assert_eq!(
            check(&[], &lists).unwrap(),
            [
                "waiting for changes of tools; Ctrl-C ends",
                "the server does not announce changes of prompts, resources"
            ]
        );
        let all = lists
            .with_prompts_list_changed(true)
            .with_resources_list_changed(true)
            .with_resource_subscriptions(uris.to_vec());
        let waiting =
            "waiting for changes of tools, prompts, resources, note://a, note://b; Ctrl-C ends";
        assert_eq!(check(&uris, &all).unwrap(), [waiting]);
        let one = SubscriptionFilter::new().with_resource_subscriptions(uris[..1].to_vec());
        assert_eq!(
            check(&uris[..1], &one).unwrap()[0],
            "waiting for changes of note://a; Ctrl-C ends"
        );
        let refused = check(&uris, &one).unwrap_err();
        assert_eq!(refused.kind, Kind::Refused);
        assert!(refused.message.ends_with("changes of `note://b`"));
        let none = check(&[], &SubscriptionFilter::new()).unwrap_err();
        assert!(none.message.ends_with("changes of its lists"));
    }
}
