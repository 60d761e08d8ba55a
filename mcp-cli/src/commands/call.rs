//! `mcp call`: calls a tool.

use std::io::{self, IsTerminal};
use std::path::PathBuf;

use clap::Args;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use mcp_extensions::tasks::{CallTask, ResumeTask, TaskHandle};
use mcp_runtime::types::{CallToolResult, ProgressNotificationParams, RawJsonRef};
use serde_json::{Value, json};

use crate::arguments::At;
use crate::content::Contents;
use crate::failure::{Failure, Kind};
use crate::output::{Output, note};
use crate::session::{Context, Session};
use crate::signature;
use crate::tool_arguments::{find, read};
use crate::visible::visible;

#[derive(Args)]
pub(crate) struct Call {
    /// The tool
    #[arg(required_unless_present = "resume")]
    pub(crate) tool: Option<String>,
    /// key=value, key=@FILE, key:=JSON, key:=@FILE; a.b=value inside an object; repeated for lists
    #[arg(value_name = "KEY=VALUE")]
    pub(crate) arguments: Vec<String>,
    /// Reads all arguments as a JSON object from a file, or from standard input (-)
    #[arg(long, value_name = "FILE")]
    input: Option<PathBuf>,
    /// Writes images, audio and blobs into this folder
    #[arg(long, value_name = "DIR")]
    save: Option<PathBuf>,
    /// Prints the id of the call's task, and exits while the task goes on at the server
    #[arg(long)]
    detach: bool,
    /// Follows a task by its id, instead of calling a tool
    #[arg(long, value_name = "ID", conflicts_with_all = ["tool", "input", "detach"])]
    resume: Option<String>,
}

/// Calls the tool, and shows its result.
///
/// # Errors
///
/// Fails if there is no result, or if the tool reports an error.
pub(crate) async fn run(call: At<Call>, context: &Context) -> Result<(), Failure> {
    let command = &call.command;
    let output = &context.output;
    let session = context.open(&call.connection).await?;
    if (command.detach || command.resume.is_some()) && session.remote.is_none() {
        let reason = "`--detach` and `--resume` are for a URL: a program ends with the command, \
            and its tasks with it";
        return Err(Failure::usage(reason));
    }
    let task = match &command.resume {
        Some(id) => session.result(session.client.resume_id(id)).await?,
        None => start(command, &session, context).await?,
    };
    if let (true, Some(id)) = (command.detach, task.id()) {
        return output.show(&json!({"taskId": id}), id);
    }
    let result = follow(task, &session, context).await?;
    if output.json {
        output.document(&result)?;
    }
    let mut contents = Contents::new(command.save.as_deref());
    let shown = result.content.iter().map(|it| contents.show(it));
    let shown: Vec<_> = shown.collect::<Result<_, _>>()?;
    if result.has_failed() {
        let message = format!("the tool reports an error: {}", shown.join("\n"));
        return Err(Failure::new(Kind::ToolFailed, message));
    }
    if output.json {
        return Ok(());
    }
    show(&result, &shown, output)
}

/// Sends the call, and returns when the server answers with a task or a result.
async fn start(
    command: &Call,
    session: &Session,
    context: &Context,
) -> Result<TaskHandle<CallToolResult>, Failure> {
    let client = &session.client;
    let name = command.tool.as_deref().unwrap_or_default();
    let tools = session.result(client.list_tools()).await?;
    session.lists.add(&tools);
    let tool = find("tool", &tools, |it| &it.name, name)?;
    if signature::is_task(tool) {
        let reason = "runs only as a task of revision 2025-11-25, which `mcp` does not support";
        let message = format!("`{name}` {reason}");
        return Err(Failure::new(Kind::Refused, message));
    }
    let arguments = read(tool, &command.arguments, command.input.as_deref())?;
    if context.verbose > 1 {
        note(&format!("calling {}", tool.name));
    }
    let mut call = client.call_tool(&*tool.name, &arguments);
    if !context.output.json && io::stderr().is_terminal() {
        let bar = session.questions.bar.clone();
        call = call.on_progress(move |progress| show_progress(&bar, &progress));
    }
    session.result(call.task()).await
}

/// Follows a task to its end, and shows each status. Cancels the task if the command ends first.
async fn follow(
    task: TaskHandle<CallToolResult>,
    session: &Session,
    context: &Context,
) -> Result<CallToolResult, Failure> {
    let mut task = task.cancel_on_drop();
    let is_person = !context.output.json && io::stderr().is_terminal();
    let log = |line: String| {
        if is_person || context.verbose > 0 {
            session.questions.log(line.replace('\n', " "));
        }
    };
    if let Some(id) = task.id() {
        log(format!("task {id}"));
    }
    loop {
        match session.result(task.next()).await {
            Ok(Some(status)) => {
                let state = json!(status.state);
                let state = state.as_str().unwrap_or_default();
                log(match status.message {
                    Some(message) => format!("{state}: {message}"),
                    None => state.to_owned(),
                });
            }
            Ok(None) => return session.result(task.result()).await,
            Err(mut failure) => {
                let is_out_of_reach = [3, 4].contains(&failure.kind.exit_code());
                if let (true, Some(id)) = (is_out_of_reach, task.id()) {
                    let advice = "the task may go on, follow it with: mcp call TARGET --resume";
                    failure.message += &format!("\n{advice} {id}");
                    drop(task.detach());
                }
                return Err(failure);
            }
        }
    }
}

fn show_progress(bar: &ProgressBar, progress: &ProgressNotificationParams) {
    if bar.is_hidden() {
        let template = match progress.total {
            Some(_) => "{bar:30} {pos}/{len} {msg}",
            None => "{spinner} {pos} {msg}",
        };
        let style = ProgressStyle::with_template(template);
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
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

/// Prints the contents, and the structured content unless the contents repeat it.
fn show(result: &CallToolResult, shown: &[String], output: &Output) -> Result<(), Failure> {
    let is_copy = |text: &str, json: RawJsonRef<'_>| {
        let value: Option<Value> = json.parse().ok();
        let is_same = |it: &Value| {
            *it == *text || serde_json::from_str(text).is_ok_and(|copy: Value| copy == *it)
        };
        text.trim() == json.get() || value.as_ref().is_some_and(is_same)
    };
    let mut structured = result.structured_content.as_ref();
    // Many servers wrap a string into an object with one member.
    let members = structured.and_then(|it| it.as_raw().members().ok());
    if let ([block], Some([(name, value)])) = (&result.content[..], members.as_deref())
        && (value.get().starts_with('"') || name == "result")
        && block.as_text().is_some_and(|text| is_copy(text, *value))
    {
        structured = None;
    }
    for (block, line) in result.content.iter().zip(shown) {
        let is_shown_below = |text| structured.is_some_and(|it| is_copy(text, it.as_raw()));
        if !block.as_text().is_some_and(is_shown_below) {
            output.line(line)?;
        }
    }
    structured.map_or(Ok(()), |json| output.document(json))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_of_progress_can_not_control_a_terminal() {
        let bar = ProgressBar::hidden();
        let progress = r#"{"progressToken": 1, "progress": 1, "message": "a\u001b]0;b\u0007\n"}"#;
        show_progress(&bar, &serde_json::from_str(progress).unwrap());
        assert_eq!(bar.message(), "a\\u{1b}]0;b\\u{7} ");
    }
}
