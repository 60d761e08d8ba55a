//! Finds the server that a command is about: on the command line, or in the files of MCP clients.

use std::env;
use std::ffi::OsString;
use std::path::{self, MAIN_SEPARATOR, Path, PathBuf};

use inquire::InquireError;
use inquire::error::InquireResult;
use mcp_config::{ConfigError, Input, Program, Servers, Target, Variable};
use mcp_runtime::transport::UrlTransport;

use crate::arguments::Reach;
use crate::failure::Failure;
use crate::output::is_interactive;
use crate::prompts;
use crate::trust::expand;

/// Marks a target that was several arguments of the process. No argument can contain this
/// character.
const SEVERAL: char = '\0';

/// Joins a program and its arguments into one argument.
pub(crate) fn joined(words: impl Iterator<Item = String>) -> String {
    words.fold(String::new(), |text, word| format!("{text}{SEVERAL}{word}"))
}

/// Whether a target was given as several arguments after `--`.
pub(crate) fn is_several(target: &str) -> bool {
    target.starts_with(SEVERAL)
}

/// The path of the running command.
pub(crate) fn own_path() -> String {
    let path = env::current_exe().unwrap_or_else(|_| "mcp".into());
    path.to_string_lossy().into_owned()
}

/// A command for the same server, as a person types it into a shell: its name, TARGET, and words.
/// Returns `None` if a shell can't pass on a word.
pub(crate) fn command(name: &str, target: &str, words: &[String]) -> Option<String> {
    let quoted = |word: &str| {
        // The key is not inside the quotes.
        let (key, value) = word.split_once('=').unwrap_or(("", word));
        let key_end = word.len() - value.len();
        let is_plain = shlex::try_quote(key).is_ok_and(|it| it == key);
        let start = if is_plain { key_end } else { 0 };
        let value = shlex::try_quote(&word[start..]).ok()?;
        Some(format!("{}{value}", &word[..start]))
    };
    let words = words.iter().map(String::as_str);
    let program = target.strip_prefix(SEVERAL);
    let all: Vec<_> = match program {
        Some(program) => words.chain(["--"]).chain(program.split(SEVERAL)).collect(),
        None => [target].into_iter().chain(words).collect(),
    };
    let all: Option<Vec<_>> = all.into_iter().map(quoted).collect();
    Some(format!("mcp {name} {}", all?.join(" ")))
}

/// Parses a URL or a program on the command line. Returns `None` for a name.
pub(crate) fn parse(text: &str) -> Option<Target> {
    if let Some(target) = Target::from_url(text) {
        return Some(target);
    }
    let is_scheme = |text: &str| text.bytes().all(|it| it.is_ascii_alphanumeric());
    if text.split_once("://").is_some_and(|it| is_scheme(it.0)) {
        return None;
    }
    let mut words = words(text)?.into_iter();
    Some(Target::Program(Program {
        command: words.next()?,
        args: words.collect(),
        ..Program::default()
    }))
}

/// The configured server of this name, or else `parsed`. Asks the user for inputs that a configured
/// server needs.
///
/// # Errors
///
/// Fails if no file names the server, its file is not trusted, or a variable is not set.
pub(crate) async fn named(
    name: &str,
    reach: &Reach,
    parsed: Option<Target>,
) -> Result<Target, Failure> {
    let servers = match (servers(reach.config.as_deref()), parsed.is_some()) {
        // A URL or a program does not need the files of clients.
        (Err(_), true) if reach.config.is_none() => Servers::default(),
        (servers, _) => servers?,
    };
    let entry = match (servers.get(name), parsed) {
        (Ok(entry), _) => entry,
        (Err(ConfigError::Unknown { .. }), Some(target)) => return Ok(target),
        (Err(error), _) => return Err(unknown(error, name, reach.config.as_deref())),
    };
    let mut is_interrupted = false;
    let mut variables = |variable: &Variable<'_>| match variable {
        Variable::Input(input) if is_interactive() => {
            let answer = ask(input);
            is_interrupted |= matches!(answer, Err(InquireError::OperationInterrupted));
            answer.ok()
        }
        other => other.from_env(),
    };
    let expanded = expand(entry, reach.trust.trust_project, &mut variables).await;
    if is_interrupted {
        Err(Failure::cancelled())
    } else {
        expanded
    }
}

/// Splits a program on the command line into words. Returns `None` for a name, or if the quotes do
/// not match.
fn words(text: &str) -> Option<Vec<String>> {
    if let Some(words) = text.strip_prefix(SEVERAL) {
        return Some(words.split(SEVERAL).map(str::to_owned).collect());
    }
    if !text.contains(char::is_whitespace) {
        let is_path = text.starts_with(['.', '~']) || text.contains(['/', '\\']);
        return is_path.then(|| vec![text.to_owned()]);
    }
    // On Windows, backslashes separate folders.
    if MAIN_SEPARATOR == '\\' {
        Some(text.split_whitespace().map(str::to_owned).collect())
    } else {
        shlex::split(text)
    }
}

/// The server of a command, with the options of the command line.
///
/// # Errors
///
/// Fails if no file names the server, its file is not trusted, a variable is not set, or an option
/// does not apply to the server.
pub(crate) async fn of(target: &str, reach: &Reach) -> Result<Target, Failure> {
    let parsed = parse(target);
    let mut target = match parsed {
        Some(program) if is_several(target) => program,
        parsed => named(target, reach, parsed).await?,
    };
    if let Target::Program(program) = &mut target {
        refuse("--header", reach.header.is_empty(), "a URL")?;
        for variable in &reach.env {
            let (name, value) = match variable.split_once('=') {
                Some((name, value)) => (name, Some(value.to_owned())),
                None => (&**variable, env::var(variable).ok()),
            };
            let unset = || Failure::usage(format!("--env {name}: the variable is not set"));
            let value = value.ok_or_else(unset)?;
            program.env.insert(name.to_owned(), value);
        }
        program.cwd = reach.cwd.clone().or(program.cwd.take());
    } else if let Some(remote) = target.remote_mut() {
        refuse("--env", reach.env.is_empty(), "a program")?;
        refuse("--cwd", reach.cwd.is_none(), "a program")?;
        for (name, value) in &reach.header {
            let headers = &mut remote.headers;
            headers.retain(|it, _| !it.eq_ignore_ascii_case(name));
            headers.insert(name.clone(), value.clone());
        }
    }
    Ok(target)
}

/// All servers in the files of clients.
///
/// # Errors
///
/// Fails if the current folder is unknown, or if the file of `--config` is faulty.
pub(crate) fn servers(config: Option<&Path>) -> Result<Servers, Failure> {
    Ok(match config {
        Some(file) => Servers::read(file)?,
        None => Servers::find(".")?,
    })
}

fn ask(input: &Input) -> InquireResult<String> {
    let question = input.description.as_deref().unwrap_or(&input.id);
    if !input.options.is_empty() {
        let chosen = prompts::choice(question, None, &input.options, 0)?;
        return Ok(input.options[chosen].clone());
    }
    if input.password {
        return prompts::password(question);
    }
    prompts::text(question, None, input.default.as_deref(), |_| Ok(()))
}

fn unknown(error: ConfigError, name: &str, config: Option<&Path>) -> Failure {
    let is_unknown = matches!(error, ConfigError::Unknown { .. });
    let mut failure = Failure::from(error);
    if !is_unknown {
        return failure;
    }
    if name.contains("://") {
        let schemes = UrlTransport::ALL
            .map(|it| it.schemes().join(", "))
            .join(", ");
        failure.message = format!("{name}: a URL must begin with one of {schemes}");
    } else if name.contains(char::is_whitespace) {
        failure.message = format!("the quotes of the command {name} do not match");
    } else if let Some(advice) = missing_scheme(name) {
        failure.message += &format!("\n{advice}");
    } else {
        let program = Program {
            command: name.to_owned(),
            ..Program::default()
        };
        let file = config.map_or(String::new(), |it| format!(" --config {}", it.display()));
        failure.message += &match find(&program).is_some() {
            true => format!("\n`{name}` is a program: put it behind `--` at the end"),
            false => format!("\nlist the servers with: mcp servers{file}"),
        };
    }
    failure
}

/// Finds the file of a program: in its folder, or in `PATH`.
pub(crate) fn find(program: &Program) -> Option<PathBuf> {
    let folder = Path::new(program.cwd.as_deref().unwrap_or("."));
    let path = program.env.get("PATH").map(OsString::from);
    let path = path.or_else(|| env::var_os("PATH")).unwrap_or_default();
    let folders = match program.command.contains(['/', '\\']) {
        true => vec![folder.to_owned()],
        false => env::split_paths(&path).map(|it| folder.join(it)).collect(),
    };
    // On Windows, programs are found without their extensions.
    let ends = env::var("PATHEXT").unwrap_or_default();
    let names: Vec<_> = ends
        .split(';')
        .chain([""])
        .map(|it| format!("{}{it}", program.command))
        .collect();
    let mut files = folders
        .iter()
        .flat_map(|folder| names.iter().map(|it| folder.join(it)));
    path::absolute(files.find(|it| it.is_file())?).ok()
}

/// Returns advice if the text is a URL without its scheme: a host and a port, and possibly a path.
pub(crate) fn missing_scheme(text: &str) -> Option<String> {
    let authority = text.split('/').next()?;
    let (_, port) = authority.rsplit_once(':')?;
    port.parse::<u16>().ok()?;
    Some(format!("a URL needs its scheme: http://{text}"))
}

/// Refuses an option that is set, but is for another kind of server.
pub(crate) fn refuse(option: &str, is_unset: bool, kind: &str) -> Result<(), Failure> {
    let fault = || Failure::usage(format!("`{option}` is for {kind}"));
    is_unset.then_some(()).ok_or_else(fault)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program<const N: usize>(words: [&str; N]) -> Option<Target> {
        let words = words.map(str::to_owned);
        Some(Target::Program(Program {
            command: words[0].clone(),
            args: words[1..].to_vec(),
            ..Program::default()
        }))
    }

    #[test]
    fn a_target_is_a_url_a_name_or_a_program() {
        let url = "HTTP://127.0.0.1/mcp";
        assert!(matches!(parse(url), Some(Target::Http(remote)) if remote.url == url));
        for name in ["weather", "cursor:weather", "weather-2.0"] {
            assert_eq!(parse(name), None);
        }
        assert_eq!(parse("./server"), program(["./server"]));
        assert_eq!(parse("npx -y 'a b'"), program(["npx", "-y", "a b"]));
    }

    #[test]
    fn words_behind_dashes_are_a_program_as_they_are() {
        let words = ["weather", "", "a 'b", "http://x"];
        let text = joined(words.map(str::to_owned).into_iter());
        assert_eq!(parse(&text), program(words));
    }
}
