//! The program or URL of the server that a command is about: from the command line, or from the files
//! of MCP clients.

use std::env;
use std::io::{self, IsTerminal};
use std::path::Path;

use inquire::{InquireError, Password, PasswordDisplayMode, Select, Text};
use mcp_config::{ConfigError, Entry, Input, Program, Remote, Servers, Target, Variable};

use crate::arguments::Connection;
use crate::failure::{Failure, Kind};
use crate::output::visible;
use crate::target;

/// The server of a command, with the options of the command line.
///
/// # Errors
///
/// If no file names it, a variable is not set, or an option does not fit it.
pub(crate) fn of(connection: &Connection) -> Result<Target, Failure> {
    let mut target = find(&connection.target, connection.config.as_deref())?;
    match &mut target {
        Target::Program(program) => {
            refuse("--header", connection.header.is_empty(), "a URL")?;
            for variable in &connection.env {
                let (name, value) = match variable.split_once('=') {
                    Some((name, value)) => (name, value.to_owned()),
                    None => (&**variable, of_environment(variable)?),
                };
                program.env.insert(name.to_owned(), value);
            }
            if let Some(folder) = &connection.cwd {
                program.cwd = Some(folder.display().to_string());
            }
        }
        Target::Http(remote) | Target::Sse(remote) | Target::WebSocket(remote) => {
            refuse("--env", connection.env.is_empty(), "a program")?;
            refuse("--cwd", connection.cwd.is_none(), "a program")?;
            for (name, value) in &connection.header {
                remote
                    .headers
                    .retain(|other, _| !other.eq_ignore_ascii_case(name));
                remote.headers.insert(name.clone(), value.clone());
            }
        }
        _ => return Err(Failure::usage("this kind of server is not supported")),
    }
    Ok(target)
}

/// The server that a target names.
///
/// # Errors
///
/// If no file names it, or a variable is not set.
pub(crate) fn find(target: &target::Target, config: Option<&Path>) -> Result<Target, Failure> {
    Ok(match target {
        target::Target::Url(url) => {
            let remote = Remote {
                url: url.clone(),
                ..Remote::default()
            };
            let is_web_socket = url.get(..2).is_some_and(|it| it.eq_ignore_ascii_case("ws"));
            match is_web_socket {
                true => Target::WebSocket(remote),
                false => Target::Http(remote),
            }
        }
        target::Target::Program(words) => Target::Program(Program {
            command: words.first().cloned().unwrap_or_default(),
            args: words.iter().skip(1).cloned().collect(),
            ..Program::default()
        }),
        target::Target::Name(name) => {
            let servers = servers(config)?;
            let entry = servers.get(name).map_err(|error| unknown(&error, name))?;
            expand(entry)?
        }
    })
}

/// All servers that files name.
///
/// # Errors
///
/// If there is no folder to begin with, or the file of `--config` is faulty.
pub(crate) fn servers(config: Option<&Path>) -> Result<Servers, Failure> {
    match config {
        Some(file) => Servers::read(file).map_err(|error| Failure::usage(error.to_string())),
        None => Servers::find(".").map_err(|error| Failure::usage(error.to_string())),
    }
}

/// The entry's program or URL with the values of its variables. A person is asked for inputs.
///
/// # Errors
///
/// If a variable is not set.
pub(crate) fn expand(entry: &Entry) -> Result<Target, Failure> {
    let is_terminal = io::stdin().is_terminal() && io::stderr().is_terminal();
    let mut is_interrupted = false;
    let mut variables = |variable: &Variable<'_>| match variable {
        Variable::Input(input) if is_terminal => match ask(input) {
            Err(InquireError::OperationInterrupted) => {
                is_interrupted = true;
                None
            }
            answer => answer.ok(),
        },
        other => other.from_env(),
    };
    let expanded = entry.expand(&mut variables);
    if is_interrupted {
        return Err(Failure::new(Kind::Cancelled, "cancelled"));
    }
    expanded.map_err(|error| Failure::usage(error.to_string()))
}

fn ask(input: &Input) -> Result<String, InquireError> {
    let question = input.description.as_deref().unwrap_or(&input.id);
    let question = visible(question, true);
    if !input.options.is_empty() {
        return Select::new(&question, input.options.clone()).prompt();
    }
    if input.password {
        let password = Password::new(&question).without_confirmation();
        return password
            .with_display_mode(PasswordDisplayMode::Masked)
            .prompt();
    }
    let mut question = Text::new(&question);
    question.default = input.default.as_deref();
    question.prompt()
}

fn unknown(error: &ConfigError, name: &str) -> Failure {
    let is_program = || {
        let path = env::var_os("PATH").unwrap_or_default();
        env::split_paths(&path).any(|folder| folder.join(name).is_file())
    };
    let advice = match error {
        ConfigError::Unknown { .. } if is_program() => {
            format!("`{name}` is a program: put it behind `--` at the end")
        }
        ConfigError::Unknown { .. } => "list the servers by: mcp servers".to_owned(),
        _ => return Failure::usage(error.to_string()),
    };
    Failure::usage(format!("{error}\n{advice}"))
}

fn of_environment(name: &str) -> Result<String, Failure> {
    env::var(name).map_err(|_| Failure::usage(format!("--env {name}: the variable is not set")))
}

fn refuse(option: &str, is_unset: bool, kind: &str) -> Result<(), Failure> {
    match is_unset {
        true => Ok(()),
        false => Err(Failure::usage(format!("`{option}` is for {kind}"))),
    }
}
