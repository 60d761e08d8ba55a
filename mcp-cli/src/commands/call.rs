//! `mcp call`: calls a tool.

mod result;

use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use mcp_extensions::tasks::{CallTask, ResumeTask, TaskHandle};
use mcp_runtime::types::{CallToolResult, Tool, ToolExecutionTaskSupport};
use serde_json::json;

use crate::arguments::At;
use crate::content::Contents;
use crate::failure::{Failure, Kind};
use crate::fields::{first_sentence, table};
use crate::output::{Output, note, note_bad, stderr_width};
use crate::progress::log_line;
use crate::screen::{Look, Screen, part};
use crate::server::command;
use crate::session::{Context, Session};
use crate::tool_arguments::{find, read};

#[derive(Args)]
pub(crate) struct Call {
    /// The tool. Without it, the tools are listed
    pub(crate) tool: Option<String>,
    /// key=value, key=@FILE, key:=JSON, key:=@FILE; a.b=value inside an object; repeated for lists.
    /// Or all arguments as one JSON object
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
    let has_line = context.verbose == 0 && is_person(context);
    let progress = has_line.then(|| session.questions.progress.begin());
    let task = match &command.resume {
        Some(id) => session.result(session.client.resume_id(id)).await?,
        None => start(&call, &session, context).await?,
    };
    if let (true, Some(id)) = (command.detach, task.id()) {
        drop(progress);
        return output.show(&json!({"taskId": id}), id);
    }
    let result = follow(task, &session, context).await?;
    drop(progress);
    if output.json {
        output.document(&result)?;
    }
    let contents = Contents::new(command.save.as_deref());
    let shown = result.content.iter().map(|it| contents.show(it));
    let shown: Vec<_> = shown.collect::<Result<_, _>>()?;
    if result.has_failed() {
        return Err(failed(&shown.join("\n"), output));
    }
    if output.json {
        return Ok(());
    }
    result::show(&result, &shown, output)
}

fn is_person(context: &Context) -> bool {
    !context.output.json && io::stderr().is_terminal()
}

/// The failure of a tool that reports an error. For a person, the tool's own text comes first.
fn failed(text: &str, output: &Output) -> Failure {
    let message = match text.trim() {
        "" => "the tool reports an error without a text".to_owned(),
        _ if output.json => format!("the tool reports an error: {text}"),
        _ => {
            note_bad(text);
            "the tool reports this error".to_owned()
        }
    };
    Failure::new(Kind::ToolFailed, message)
}

/// The failure of a call that names no tool, which lists the tools.
fn unnamed(tools: &[Tool], target: &str, output: &Output) -> Failure {
    let rows = tools.iter().map(|it| {
        let description = it.description.as_deref().unwrap_or_default();
        let first = first_sentence(description);
        vec![part(Look::Plain, &it.name), part(Look::Plain, first)]
    });
    let width = stderr_width().filter(|_| !output.json);
    let mut screen = Screen::new(width, false);
    table(&rows.collect::<Vec<_>>(), 2, &mut screen);
    let usage = command("call", target, &["TOOL".to_owned()]).unwrap_or_default();
    let message = match tools {
        [] => "the server has no tools".to_owned(),
        _ => format!("name a tool: {usage}\n{}", screen.as_str().trim_end()),
    };
    let mut failure = Failure::usage(message);
    failure.tools = tools.iter().map(|it| it.name.clone()).collect();
    failure
}

/// Whether a tool can only be called as a task of revision 2025-11-25.
fn is_task(tool: &Tool) -> bool {
    let execution = tool.execution.as_ref();
    let support = execution.and_then(|it| it.task_support.as_ref());
    support == Some(&ToolExecutionTaskSupport::Required)
}

/// Sends the call, and returns when the server answers with a task or a result.
async fn start(
    At {
        connection,
        command,
    }: &At<Call>,
    session: &Session,
    context: &Context,
) -> Result<TaskHandle<CallToolResult>, Failure> {
    let client = &session.client;
    let tools = session.result(client.list_tools()).await?;
    session.lists.add(&tools);
    let Some(name) = &command.tool else {
        return Err(unnamed(&tools, &connection.target, &context.output));
    };
    let tool = find("tool", &tools, |it| &it.name, name)?;
    if is_task(tool) {
        let reason = "runs only as a task of revision 2025-11-25, which `mcp` does not support";
        let message = format!("`{name}` {reason}");
        return Err(Failure::new(Kind::Refused, message));
    }
    let arguments = read(tool, &command.arguments, command.input.as_deref())?;
    if context.verbose > 1 {
        note(&format!("calling {}", tool.name));
    }
    let mut call = client.call_tool(&*tool.name, &arguments);
    let questions = Arc::clone(&session.questions);
    if context.verbose > 0 {
        call = call.on_progress(move |report| questions.log(log_line(&report)));
    } else if is_person(context) {
        call = call.on_progress(move |report| questions.progress.report(report));
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
    let log = |line: String| {
        if is_person(context) || context.verbose > 0 {
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
