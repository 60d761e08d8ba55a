//! `mcp prompt`: fetches a prompt, or completes one of its arguments.

use mcp_runtime::types::{Prompt as ListedPrompt, PromptReference, Role};

use crate::arguments::{Global, Prompt};
use crate::content::Contents;
use crate::failure::{Failure, Kind};
use crate::output::Output;
use crate::questions::Questions;
use crate::session::{Opened, Session};
use crate::signature;
use crate::tool_arguments::nearest;

/// Fetches the prompt and shows its messages, or values for an argument.
///
/// # Errors
///
/// Why there are none.
pub(crate) async fn run(command: Prompt, global: &Global, opened: &Opened) -> Result<(), Failure> {
    let questions = Questions::new(Vec::new());
    let session = Session::open(&command.connection, global, &questions, opened).await?;
    let prompts = session
        .client
        .list_prompts()
        .await
        .map_err(|it| session.failure(it))?;
    let prompt = find(&prompts, &command.name)?;
    let output = Output::new(global.json);
    if let Some([argument, text]) = command.complete.as_deref() {
        let reference = PromptReference::new(&*prompt.name);
        let values = session.client.complete(reference, argument, text).await;
        let completion = values.map_err(|it| session.failure(it))?.completion;
        return match output.json {
            true => output.document(&completion),
            false => completion.values.iter().try_for_each(|it| output.line(it)),
        };
    }
    check(prompt, &command.arguments)?;
    let call = session.client.get_prompt(&*prompt.name, command.arguments);
    let fetched = questions.during(&session, call).await?;
    if output.json {
        return output.document(&fetched);
    }
    let mut contents = Contents::new(None);
    for message in &fetched.messages {
        let role = match message.role {
            Role::Assistant => "assistant",
            _ => "user",
        };
        output.heading(&format!("{role}:"))?;
        output.line(&contents.show(&message.content)?)?;
    }
    Ok(())
}

fn find<'a>(prompts: &'a [ListedPrompt], name: &str) -> Result<&'a ListedPrompt, Failure> {
    prompts.iter().find(|it| it.name == name).ok_or_else(|| {
        let near = nearest(name, prompts.iter().map(|it| it.name.as_str()));
        let near = near.map_or_else(String::new, |near| format!("; is `{near}` meant?"));
        let message = format!(
            "the server has no prompt `{name}`{near}\nlist its prompts by: mcp inspect TARGET"
        );
        Failure::new(Kind::Refused, message)
    })
}

/// Checks that the arguments are those of the prompt.
fn check(prompt: &ListedPrompt, given: &[(String, String)]) -> Result<(), Failure> {
    let known = prompt.arguments.as_deref().unwrap_or_default();
    let mut faults = Vec::new();
    for argument in known.iter().filter(|it| it.required == Some(true)) {
        if !given.iter().any(|(name, _)| *name == argument.name) {
            faults.push(format!("`{}` is missing", argument.name));
        }
    }
    for (name, _) in given {
        if !known.iter().any(|it| it.name == *name) {
            faults.push(format!("`{name}` is not known"));
        }
    }
    match faults.is_empty() {
        true => Ok(()),
        false => Err(Failure::usage(format!(
            "the arguments do not fit, and nothing was sent:\n  {}\n{}",
            faults.join("\n  "),
            signature::of_prompt(prompt)
        ))),
    }
}
