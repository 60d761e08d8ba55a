//! `mcp prompt`: fetches a prompt, or completes one of its arguments.

use std::path::PathBuf;

use clap::Args;
use mcp_runtime::types::{PromptReference, Role};

use crate::arguments::{At, pair};
use crate::commands::inspect::arguments;
use crate::content::Contents;
use crate::failure::Failure;
use crate::fields::Detail;
use crate::screen::Screen;
use crate::session::Context;
use crate::tool_arguments::{find, reject, unknown};

#[derive(Args)]
pub(crate) struct Prompt {
    /// The prompt
    name: String,
    /// The arguments of the prompt
    #[arg(value_name = "KEY=VALUE", value_parser = pair)]
    arguments: Vec<(String, String)>,
    /// Asks the server for values of ARGUMENT that begin with TEXT
    #[arg(long, num_args = 2, value_names = ["ARGUMENT", "TEXT"])]
    complete: Option<Vec<String>>,
    /// Writes images, audio and blobs into this folder
    #[arg(long, value_name = "DIR")]
    save: Option<PathBuf>,
}

/// Fetches the prompt and shows its messages, or shows suggestions for an argument.
///
/// # Errors
///
/// Fails if the server has no such prompt or argument, or if it refuses the request.
pub(crate) async fn run(prompt: At<Prompt>, context: &Context) -> Result<(), Failure> {
    let session = context.open(&prompt.connection).await?;
    let command = prompt.command;
    let output = &context.output;
    let client = &session.client;
    let prompts = session.result(client.list_prompts()).await?;
    session.lists.add(&prompts);
    let prompt = find("prompt", &prompts, |it| &it.name, &command.name)?;
    let known = prompt.arguments.as_deref().unwrap_or_default();
    let names: Vec<_> = known.iter().map(|it| it.name.as_str()).collect();
    let check = |name: &str| (!names.contains(&name)).then(|| unknown(name, name, &names));
    let list = |screen: &mut Screen| {
        arguments(prompt, Detail::Full, 2, screen);
        !known.is_empty()
    };
    if let Some([argument, text]) = command.complete.as_deref() {
        reject(check(argument).as_slice(), &prompt.name, list)?;
        let reference = PromptReference::new(&*prompt.name);
        let values = client.complete(reference, argument, text);
        let completion = session.result(values).await?.completion;
        return if output.json {
            output.document(&completion)
        } else {
            completion.values.iter().try_for_each(|it| output.line(it))
        };
    }
    let given = &command.arguments;
    let is_given = |name: &str| given.iter().any(|it| it.0 == name);
    let required = known.iter().filter(|it| it.required == Some(true));
    let missing = required.filter(|it| !is_given(&it.name));
    let missing = missing.map(|it| (it.name.clone(), "is missing".to_owned()));
    let unknown = given.iter().filter_map(|it| check(&it.0));
    let faults: Vec<_> = missing.chain(unknown).collect();
    reject(&faults, &prompt.name, list)?;
    let call = client.get_prompt(&*prompt.name, command.arguments);
    let prompt = session.result(call).await?;
    if output.json {
        return output.document(&prompt);
    }
    let contents = Contents::new(command.save.as_deref());
    for message in &prompt.messages {
        output.heading(match message.role {
            Role::Assistant => "assistant:",
            _ => "user:",
        })?;
        output.line(&contents.show(&message.content)?)?;
    }
    Ok(())
}
