//! Completes words of a command line in a shell.
//!
//! The script of a shell calls this program at each Tab, with the words before the cursor. Options and
//! commands are completed by clap, names of servers from the files of clients, and everything that a
//! server offers from its [`lists`]. No program is started and no connection is opened.

pub(crate) mod lists;

use std::borrow::Cow;
use std::env;
use std::ffi::OsString;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use clap::{ArgMatches, CommandFactory, ValueEnum};
use clap_complete::env::{Elvish, EnvCompleter, Fish, Powershell};
use clap_complete::{ArgValueCandidates, CompletionCandidate, Shell, engine};

use crate::command_line::Arguments;
use crate::failure::Failure;
use crate::limits::COMPLETED_CHARS;
use crate::server;
use crate::visible::visible;
use lists::Item;

/// The variable in which the script names its shell.
const SHELL: &str = "MCP_COMPLETE";

/// The script that makes a shell complete `mcp`.
///
/// # Errors
///
/// Fails if the path of this program is unknown.
pub(crate) fn script(shell: Shell) -> Result<Vec<u8>, Failure> {
    let program = env::current_exe()?.to_string_lossy().into_owned();
    let ours = |script: &str| {
        let program = shlex::try_quote(&program).unwrap_or_default();
        script.replace("PROGRAM", &program).into_bytes()
    };
    let other: &dyn EnvCompleter = match shell {
        // Bash splits words at `:` and `=`, and zsh puts a space after `city=`.
        Shell::Bash => return Ok(ours(include_str!("completion/bash.sh"))),
        Shell::Zsh => return Ok(ours(include_str!("completion/zsh.sh"))),
        Shell::Elvish => &Elvish,
        Shell::PowerShell => &Powershell,
        _ => &Fish,
    };
    let mut script = Vec::new();
    other.write_registration(SHELL, "mcp", "mcp", &program, &mut script)?;
    Ok(script)
}

/// The answer to a script that wants a word completed. `None` if this is another command.
pub(crate) fn answer(arguments: &[OsString]) -> Option<String> {
    let shell = env::var(SHELL).ok()?;
    let words = arguments.get(2..).filter(|_| arguments[1] == "--")?;
    let shell = Shell::from_str(&shell, true).ok()?;
    Some(if let (Shell::Bash, [line, part]) = (shell, words) {
        let (line, part) = (line.to_str()?, part.to_str()?);
        let mut words = shlex::split(line)?;
        if line.ends_with(char::is_whitespace) {
            words.push(String::new());
        }
        // The shell replaces only this part of the last word.
        let kept = words.last()?.strip_suffix(part)?.len();
        let words: Vec<_> = words.into_iter().map(OsString::from).collect();
        shown(shell, candidates(&words), kept)
    } else {
        shown(shell, candidates(words), 0)
    })
}

/// Formats candidates as the shell reads them, one per line.
fn shown(shell: Shell, candidates: Vec<CompletionCandidate>, kept: usize) -> String {
    let mut text = String::new();
    for candidate in candidates {
        let value = candidate.get_value().to_string_lossy();
        let help = candidate.get_help().map(ToString::to_string);
        let help = one_line(&help.unwrap_or_default());
        let is_open = value.ends_with(['=', ':', '/']);
        let _ = match shell {
            // Bash does not quote what it inserts, also names of files.
            Shell::Bash if !value.chars().all(is_safe) => Ok(()),
            Shell::Bash => writeln!(text, "{}", value.get(kept..).unwrap_or_default()),
            Shell::Zsh => {
                let value = value.replace('\\', "\\\\").replace(':', "\\:");
                let mark = if is_open { '=' } else { '+' };
                writeln!(text, "{mark}{value}:{}", help.replace('\\', "\\\\"))
            }
            Shell::Elvish => writeln!(text, "{value}"),
            _ => writeln!(text, "{value}\t{help}"),
        };
    }
    text
}

/// The candidates for the last word. The first word is the name of this program.
fn candidates(words: &[OsString]) -> Vec<CompletionCandidate> {
    let Some((last, before)) = words.split_last() else {
        return Vec::new();
    };
    // A program and its arguments follow.
    if before.iter().any(|it| it == "--") {
        return Vec::new();
    }
    let last = last.to_string_lossy();
    let mut command = Arguments::command();
    let parsed = command
        .clone()
        .ignore_errors(true)
        .try_get_matches_from(before);
    if let Some((name, given)) = parsed.ok().as_ref().and_then(ArgMatches::subcommand) {
        command = command.mut_subcommand(name, |it| {
            it.mut_args(|argument| {
                let Some(values) = values(name, argument.get_id().as_str(), given, &last) else {
                    return argument;
                };
                let values = move || values.iter().filter_map(candidate).collect();
                argument.add(ArgValueCandidates::new(values))
            })
        });
    }
    let folder = env::current_dir().ok();
    let index = before.len();
    let found = engine::complete(&mut command, words.to_vec(), index, folder.as_deref());
    let mut found = found.unwrap_or_default();
    let is_option = |it: &CompletionCandidate| it.get_value().as_encoded_bytes().starts_with(b"-");
    // Options would bury the names of tools.
    if !last.starts_with('-') && !found.iter().all(is_option) {
        found.retain(|it| !is_option(it));
    }
    found
}

/// The possible values of an argument of a command, each with a description. `None` if clap completes
/// the argument.
fn values(
    command: &str,
    argument: &str,
    given: &ArgMatches,
    last: &str,
) -> Option<Vec<(String, String)>> {
    let config = given.try_get_one::<PathBuf>("config").ok().flatten();
    let config = config.map(PathBuf::as_path);
    let text = |id| given.try_get_one::<String>(id).ok().flatten();
    let list = |kind| {
        let target = text("target").or_else(|| text("targets"));
        let items = target.map(|it| lists::load(it, config, kind));
        items.unwrap_or_default()
    };
    let members = |kind, id| {
        let item = list(kind).into_iter().find(|it| Some(&it.name) == text(id));
        let raw = given.try_get_raw(argument).ok().flatten();
        let words = raw.into_iter().flatten().map(|it| it.to_string_lossy());
        let members = item.map(|it| it.members).unwrap_or_default();
        pairs(members, &words.collect::<Vec<_>>(), last)
    };
    Some(match (command, argument) {
        (_, "target" | "targets") => servers(config, last.contains(':')),
        (_, "tool" | "only" | "skip") => all(list("tools")),
        ("prompt", "name") => all(list("prompts")),
        (_, "uri" | "uris") => [all(list("resources")), all(list("templates"))].concat(),
        ("call", "arguments") => members("tools", "tool"),
        ("prompt", "arguments") => members("prompts", "name"),
        ("read", "variables") => members("templates", "uri"),
        _ => return None,
    })
}

/// The names of configured servers, with their sources if these are wanted or needed.
fn servers(config: Option<&Path>, is_qualified: bool) -> Vec<(String, String)> {
    let servers = server::servers(config).unwrap_or_default();
    let entries = servers.iter().map(|it| {
        let is_short = !is_qualified && servers.get(&it.name).is_ok();
        let name = if is_short {
            it.name.clone()
        } else {
            it.qualified_name()
        };
        (name, it.source.as_str().to_owned())
    });
    entries.collect()
}

fn all(items: Vec<Item>) -> Vec<(String, String)> {
    let items = items.into_iter().map(|it| {
        // A template begins with text, and has variables in braces.
        let start = it.name.split('{').next().unwrap_or_default();
        (start.to_owned(), it.help)
    });
    items.collect()
}

/// `name=` for each argument that `words` do not have, or `name=value` if `last` has the name.
fn pairs(mut items: Vec<Item>, words: &[Cow<'_, str>], last: &str) -> Vec<(String, String)> {
    if let Some((name, _)) = last.split_once('=') {
        let item = items.into_iter().find(|it| it.name == name);
        let values = item.into_iter().flat_map(|it| it.values);
        return values
            .map(|it| (format!("{name}={it}"), String::new()))
            .collect();
    }
    items.sort_by_key(|it| !it.is_required);
    items.retain(|it| {
        !words
            .iter()
            .any(|word| word.split(['=', ':']).next() == Some(&it.name))
    });
    items
        .into_iter()
        .map(|it| (format!("{}=", it.name), it.help))
        .collect()
}

/// A candidate, unless a shell or this program could read the value as something else.
fn candidate((value, help): &(String, String)) -> Option<CompletionCandidate> {
    let is_word = !value.is_empty() && !value.starts_with('-') && value.chars().all(is_safe);
    is_word.then(|| CompletionCandidate::new(value).help(Some(one_line(help).into())))
}

/// Whether a character means only itself in all shells. Names of servers, tools and files may come from
/// strangers.
fn is_safe(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || "_-./:@=+".contains(letter)
}

fn one_line(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default().replace('\t', " ");
    let line: String = line.chars().take(COMPLETED_CHARS).collect();
    visible(&line, true).into_owned()
}
