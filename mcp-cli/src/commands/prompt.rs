//! `mcp prompt`: fetches a prompt, or completes one of its arguments.

use mcp_runtime::types::{PromptReference, Role};

use crate::arguments::{At, Prompt};
use crate::content::Contents;
use crate::failure::Failure;
use crate::session::Context;
use crate::signature;
use crate::tool_arguments::{find, reject};

/// Fetches the prompt and shows its messages, or values for an argument.
///
/// # Errors
///
/// Why there are none.
pub(crate) async fn run(prompt: At<Prompt>, context: &Context) -> Result<(), Failure> {
    let session = context.open(&prompt.connection).await?;
    let (command, output, client) = (prompt.command, &context.output, &session.client);
    let prompts = session.result(client.list_prompts()).await?;
    let prompt = find("prompt", &prompts, |it| &it.name, &command.name)?;
    if let Some([argument, text]) = command.complete.as_deref() {
        let reference = PromptReference::new(&*prompt.name);
        let values = client.complete(reference, argument, text);
        let completion = session.result(values).await?.completion;
        return match output.json {
            true => output.document(&completion),
            false => completion.values.iter().try_for_each(|it| output.line(it)),
        };
    }
    let known = prompt.arguments.as_deref().unwrap_or_default();
    let given = &command.arguments;
    let is_given = |name: &str| given.iter().any(|it| it.0 == name);
    let is_known = |name: &str| known.iter().any(|it| it.name == name);
    let required = known.iter().filter(|it| it.required == Some(true));
    let missing = required.filter(|it| !is_given(&it.name));
    let unknown = given.iter().filter(|it| !is_known(&it.0));
    let missing = missing.map(|it| (it.name.clone(), "is missing".to_owned()));
    let unknown = unknown.map(|it| (it.0.clone(), "is not known".to_owned()));
    let faults: Vec<_> = missing.chain(unknown).collect();
    reject(&faults, || signature::of_prompt(prompt))?;
    let call = client.get_prompt(&*prompt.name, command.arguments);
    let prompt = session.result(call).await?;
    if output.json {
        return output.document(&prompt);
    }
    let mut contents = Contents::new(None);
    for message in &prompt.messages {
        output.heading(match message.role {
            Role::Assistant => "assistant:",
            _ => "user:",
        })?;
        output.line(&contents.show(&message.content)?)?;
    }
    Ok(())
}
