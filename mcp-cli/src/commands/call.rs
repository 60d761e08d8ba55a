//! `mcp call`: calls a tool.

use std::io::{self, IsTerminal};

use indicatif::{ProgressBar, ProgressStyle};
use mcp_runtime::CallError;
use mcp_runtime::types::{CallToolResult, ProgressNotificationParams, Tool};
use serde_json::Value;

use crate::arguments::{Call, Global};
use crate::content::Contents;
use crate::failure::{Failure, Kind};
use crate::output::{Output, visible};
use crate::questions::Questions;
use crate::session::{Opened, Session};
use crate::tool_arguments::{self, nearest};

/// Calls the tool, and shows its result.
///
/// # Errors
///
/// Why there is no result, or that the tool failed.
pub(crate) async fn run(command: Call, global: &Global, opened: &Opened) -> Result<(), Failure> {
    let questions = Questions::new(command.answer.clone());
    let session = Session::open(&command.connection, global, &questions, opened).await?;
    let tools = session
        .client
        .list_tools()
        .await
        .map_err(|it| session.failure(it))?;
    let tool = find(&tools, &command.tool)?;
    let input = command.input.as_deref();
    let arguments = tool_arguments::read(tool, &command.arguments, input)?;
    let result = call(&session, tool, &arguments, &questions, global).await;
    questions.bar.finish_and_clear();
    // A question that nobody answered is the reason for whatever the tool made of it.
    match (result, questions.failure()) {
        (_, Some(failure)) => Err(failure),
        (Ok(result), None) => show(&result, &command, &Output::new(global.json)),
        (Err(error), None) => Err(session.failure(error)),
    }
}

fn find<'a>(tools: &'a [Tool], name: &str) -> Result<&'a Tool, Failure> {
    tools.iter().find(|tool| tool.name == name).ok_or_else(|| {
        let near = nearest(name, tools.iter().map(|tool| tool.name.as_str()));
        let near = near.map_or_else(String::new, |near| format!("; is `{near}` meant?"));
        let message =
            format!("the server has no tool `{name}`{near}\nlist its tools by: mcp inspect TARGET");
        Failure::new(Kind::Refused, message)
    })
}

async fn call(
    session: &Session,
    tool: &Tool,
    arguments: &Value,
    questions: &Questions,
    global: &Global,
) -> Result<CallToolResult, CallError> {
    tracing::debug!(tool = tool.name, "calling");
    let call = session.client.call_tool(&*tool.name, arguments);
    if global.json || !io::stderr().is_terminal() {
        return call.await;
    }
    let bar = questions.bar.clone();
    call.on_progress(move |progress| show_progress(&bar, &progress))
        .await
}

/// Shows progress in a bar on standard error.
fn show_progress(bar: &ProgressBar, progress: &ProgressNotificationParams) {
    let template = match progress.total {
        Some(_) => "{bar:30} {pos}/{len} {msg}",
        None => "{spinner} {pos} {msg}",
    };
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    bar.set_draw_target(indicatif::ProgressDrawTarget::stderr());
    // Fractions of a whole are shown in thousandths.
    let scale = match progress.total {
        Some(total) if total <= 1.0 => 1000.0,
        _ => 1.0,
    };
    let number = |value: f64| (value * scale) as u64;
    if let Some(total) = progress.total {
        bar.set_length(number(total));
    }
    if let Some(message) = &progress.message {
        bar.set_message(visible(message, true).replace('\n', " "));
    }
    bar.set_position(number(progress.progress));
}

fn show(result: &CallToolResult, command: &Call, output: &Output) -> Result<(), Failure> {
    if output.json {
        output.document(result)?;
    } else {
        let mut contents = Contents::new(command.save.as_deref());
        let structured: Option<Value> = result.structured_as().and_then(Result::ok);
        for block in &result.content {
            // The copy of structured content as text is shown once.
            let copy = block
                .as_text()
                .and_then(|text| serde_json::from_str::<Value>(text).ok());
            if structured.is_none() || copy != structured {
                output.line(&contents.show(block)?)?;
            }
        }
        if let Some(structured) = &result.structured_content {
            output.document(structured)?;
        }
    }
    match result.has_failed() {
        true if output.json => Err(failed(result)),
        true => Err(Failure::new(Kind::ToolFailed, "the tool reports an error")),
        false => Ok(()),
    }
}

/// The failure of a tool, with its own words.
fn failed(result: &CallToolResult) -> Failure {
    let text = result.texts().collect::<Vec<_>>().join("\n");
    Failure::new(
        Kind::ToolFailed,
        format!("the tool reports an error: {text}"),
    )
}
