//! `mcp call`: calls a tool.

use std::io::{self, IsTerminal};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use mcp_runtime::types::{CallToolResult, ProgressNotificationParams, Tool};
use serde_json::Value;

use crate::arguments::{Call, Global};
use crate::content::Contents;
use crate::failure::{Failure, Kind};
use crate::output::{Output, note, visible};
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
    if global.verbose > 1 {
        note(&format!("calling {}", tool.name));
    }
    let mut call = session.client.call_tool(&*tool.name, &arguments);
    if !global.json && io::stderr().is_terminal() {
        let bar = questions.bar.clone();
        call = call.on_progress(move |progress| show_progress(&bar, &progress));
    }
    let result = questions.during(&session, call).await?;
    show(&result, &command, &Output::new(global.json))
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

/// Shows progress in a bar on standard error.
fn show_progress(bar: &ProgressBar, progress: &ProgressNotificationParams) {
    if bar.is_hidden() {
        let template = match progress.total {
            Some(_) => "{bar:30} {pos}/{len} {msg}",
            None => "{spinner} {pos} {msg}",
        };
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
    }
    // Fractions of a whole are shown in thousandths.
    let scale = match progress.total {
        Some(total) if total <= 1.0 => 1000.0,
        _ => 1.0,
    };
    let number = |value: f64| (value * scale) as u64;
    bar.update(|state| {
        if let Some(total) = progress.total {
            state.set_len(number(total));
        }
        state.set_pos(number(progress.progress));
    });
    let message = progress.message.as_deref().unwrap_or_default();
    bar.set_message(visible(message, true).replace('\n', " "));
    bar.set_draw_target(ProgressDrawTarget::stderr());
}

fn show(result: &CallToolResult, command: &Call, output: &Output) -> Result<(), Failure> {
    if output.json {
        output.document(result)?;
    }
    if result.has_failed() {
        let mut contents = Contents::new(None);
        let words: Result<Vec<_>, _> = result.content.iter().map(|it| contents.show(it)).collect();
        let message = format!("the tool reports an error: {}", words?.join("\n"));
        return Err(Failure::new(Kind::ToolFailed, message));
    }
    if output.json {
        return Ok(());
    }
    let structured: Option<Value> = result.structured_as().and_then(Result::ok);
    let is_copy = |text: &str, value: &Value| {
        *value == *text || serde_json::from_str(text).is_ok_and(|copy: Value| copy == *value)
    };
    // Many servers wrap a text into an object of one member.
    let wrapped = structured.as_ref().and_then(Value::as_object);
    let wrapped = wrapped
        .filter(|it| it.len() == 1)
        .and_then(|it| it.iter().next());
    let is_text_enough = wrapped.is_some_and(|(name, value)| {
        let mut texts = result.texts();
        let is_wrapper = value.is_string() || name == "result";
        is_wrapper
            && result.content.len() == 1
            && texts.next().is_some_and(|text| is_copy(text, value))
    });
    let structured = structured.filter(|_| !is_text_enough);
    let mut contents = Contents::new(command.save.as_deref());
    for block in &result.content {
        let is_shown_below = |text| structured.as_ref().is_some_and(|it| is_copy(text, it));
        if !block.as_text().is_some_and(is_shown_below) {
            output.line(&contents.show(block)?)?;
        }
    }
    match (&result.structured_content, structured) {
        (Some(json), Some(_)) => output.document(json),
        _ => Ok(()),
    }
}
