//! Asks questions on a terminal. Strings from servers and files are escaped here, and nowhere else.

use std::io::ErrorKind;

use inquire::error::{InquireError, InquireResult};
use inquire::validator::{ErrorMessage, Validation};
use inquire::{Confirm, MultiSelect, Password, PasswordDisplayMode, Select, Text};
use tokio::task::spawn_blocking;

use crate::failure::Failure;

use crate::visible::visible;

pub(crate) fn choice(
    label: &str,
    help: Option<&str>,
    choices: &[String],
    first: usize,
) -> InquireResult<usize> {
    let label = escaped(label);
    let help = help.map(escaped);
    let mut question = Select::new(&label, all(choices)).with_starting_cursor(first);
    question.help_message = help.as_deref().or(question.help_message);
    Ok(question.raw_prompt()?.index)
}

pub(crate) fn choices(
    label: &str,
    help: Option<&str>,
    choices: &[String],
    defaults: &[usize],
) -> InquireResult<Vec<usize>> {
    let label = escaped(label);
    let help = help.map(escaped);
    let mut question = MultiSelect::new(&label, all(choices)).with_default(defaults);
    question.help_message = help.as_deref().or(question.help_message);
    Ok(question.raw_prompt()?.iter().map(|it| it.index).collect())
}

/// Asks for a string that `check` accepts.
pub(crate) fn text(
    label: &str,
    help: Option<&str>,
    default: Option<&str>,
    check: impl Fn(&str) -> Result<(), String> + Clone,
) -> InquireResult<String> {
    let label = escaped(label);
    let help = help.map(escaped);
    let shown = default.map(escaped);
    // The default is shown escaped. If the user accepts it, the answer is the original default.
    let meant = |answer: &str| match (default, &shown) {
        (Some(default), Some(shown)) if answer == shown => default.to_owned(),
        _ => answer.to_owned(),
    };
    let mut question = Text::new(&label).with_validator(|answer: &str| {
        Ok(match check(&meant(answer)) {
            Ok(()) => Validation::Valid,
            Err(fault) => Validation::Invalid(ErrorMessage::Custom(escaped(&fault))),
        })
    });
    question.default = shown.as_deref();
    question.help_message = help.as_deref();
    let answer = question.prompt()?;
    Ok(meant(&answer))
}

/// Asks for confirmation, with "no" as the default. Returns false if the terminal fails.
///
/// # Errors
///
/// Fails if the user presses Ctrl-C.
pub(crate) async fn is_confirmed(question: String) -> Result<bool, Failure> {
    let question = escaped(&question);
    let asked = move || Confirm::new(&question).with_default(false).prompt();
    match spawn_blocking(asked).await {
        Ok(Ok(answer)) => Ok(answer),
        Ok(Err(InquireError::OperationInterrupted)) => Err(Failure::cancelled()),
        // The user pressed Ctrl-C before the terminal was in raw mode.
        Ok(Err(InquireError::IO(it))) if it.kind() == ErrorKind::Interrupted => {
            Err(Failure::cancelled())
        }
        _ => Ok(false),
    }
}

pub(crate) fn password(label: &str) -> InquireResult<String> {
    let label = escaped(label);
    let mut question = Password::new(&label).without_confirmation();
    question.display_mode = PasswordDisplayMode::Masked;
    question.prompt()
}

fn escaped(text: &str) -> String {
    visible(text, true).into_owned()
}

fn all(texts: &[String]) -> Vec<String> {
    texts.iter().map(|it| escaped(it)).collect()
}
