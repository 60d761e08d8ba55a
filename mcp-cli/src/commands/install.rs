//! `mcp install` and `mcp uninstall`: change the files of clients.

use std::path::{Path, PathBuf};

use clap::error::ErrorKind;
use clap::{Args, Parser as _};
use mcp_config::{Change, ConfigError, Program, Source, Target};
use serde_json::json;

use crate::command_line::{Arguments, plain};
use crate::failure::Failure;
use crate::output::{Output, is_interactive, note};
use crate::prompts;
use crate::screen::{Look, Screen, part};
use crate::server::{self, is_several, refuse};

const CLIENTS: &str = "claude-code, claude-desktop, cursor, vscode, windsurf, zed, gemini-cli, \
                       codex, goose, json";
/// Programs that start the program or package that their arguments name.
const RUNNERS: [&str; 16] = [
    "bun", "bunx", "deno", "mcp", "node", "npm", "npx", "pipx", "pnpm", "pnpx", "python",
    "python3", "sh", "uv", "uvx", "yarn",
];
/// Arguments of these programs that precede the name.
const VERBS: [&str; 6] = ["dlx", "exec", "proxy", "run", "tool", "x"];
/// Parts of hosts that do not name a server.
const USUAL_LABELS: [&str; 3] = ["api", "mcp", "www"];
/// Parts of the names of variables and headers with secrets.
const SECRETS: [&str; 7] = [
    "AUTHORIZATION",
    "COOKIE",
    "CREDENTIAL",
    "KEY",
    "PASSW",
    "SECRET",
    "TOKEN",
];

#[derive(Args)]
#[command(override_usage = "mcp install [OPTIONS] CLIENT [NAME] URL\n       \
                      mcp install [OPTIONS] CLIENT [NAME] -- PROGRAM ARGUMENT…\n       \
                      mcp install [OPTIONS] CLIENT [NAME] proxy TARGET…")]
pub(crate) struct Install {
    /// The client: claude-code, claude-desktop, cursor, vscode, windsurf, zed, gemini-cli or codex;
    /// goose and json are only printed. NAME is made from the server by default. After `proxy`, all
    /// arguments are for `mcp proxy`
    #[arg(value_name = "CLIENT [NAME] URL", required = true)]
    words: Vec<String>,
    /// Sets an environment variable of the program, as NAME=VALUE, or lets the client pass on NAME
    #[arg(long, value_name = "VARIABLE")]
    env: Vec<String>,
    /// Sends this header, as `Name: value`. ${VAR} is written as a reference to a variable
    #[arg(long, value_name = "HEADER", value_parser = header)]
    header: Vec<(String, String)>,
    /// Replaces a different server of this name
    #[arg(long)]
    force: bool,
    /// Prints what would be written, and changes nothing
    #[arg(long)]
    print: bool,
    #[command(flatten)]
    place: Place,
}

#[derive(Args)]
pub(crate) struct Uninstall {
    /// The client, such as cursor
    client: String,
    /// The name of the server in the file of the client
    name: String,
    #[command(flatten)]
    place: Place,
}

#[derive(Args)]
struct Place {
    /// Changes the file of the project in the current folder, instead of your own file
    #[arg(long)]
    project: bool,
    /// Changes your own file, which is the default
    #[arg(long, conflicts_with = "project")]
    user: bool,
    /// Makes the change without asking
    #[arg(long, short)]
    yes: bool,
}

/// Adds a server to a file, or prints its entry.
///
/// # Errors
///
/// Fails if the arguments are wrong, or if the file can't be changed.
pub(crate) async fn install(mut command: Install, output: &Output) -> Result<(), Failure> {
    let word = match is_several(&command.words[0]) {
        true => Some(command.words.remove(0)),
        false => command.words.pop(),
    };
    let word = word.unwrap_or_default();
    let (source, name) = match &*command.words {
        [name_of_client] => (client(name_of_client)?, None),
        [name_of_client, name] => (client(name_of_client)?, Some(name.clone())),
        _ => {
            let message = "pass a client, a name if you like, and a URL or a program behind `--`";
            return Err(Failure::usage(message));
        }
    };
    let target = server::parse(&word).ok_or_else(|| {
        let message = format!("`{word}` is neither a URL nor a program");
        Failure::usage(message).advise("put a program behind `--`")
    })?;
    let name = name.or_else(|| derived(&target)).ok_or_else(|| {
        let message = "no name can be made from the server";
        Failure::usage(message).advise("pass a NAME after the client")
    })?;
    let target = completed(target, source, &command)?;
    let place = &command.place;
    if command.print || source.is_only_printed() {
        let text = source.entry_text(&name, &target)?;
        let file = place.file(source).ok();
        let file = file.filter(|_| !source.is_only_printed());
        if output.json {
            return output.document(&json!({"name": name, "file": file, "text": text}));
        }
        if let Some(file) = file {
            note(&format!("in {}:", file.display()));
        }
        return output.line(text.trim_end());
    }
    let file = place.file(source)?;
    warn(&command, source, &file);
    let change = Change::add(source, &name, &target, &file, command.force);
    let change = change.map_err(|error| match error {
        ConfigError::Different { .. } => Failure::from(error).advise("replace it with: --force"),
        error => error.into(),
    });
    match change? {
        Some(change) => place.make(change, "added", &name, &file, output).await,
        None => {
            let document = json!({"name": name, "file": file, "changed": false});
            let line = format!("`{name}` is already in {}", file.display());
            output.show(&document, &line)
        }
    }
}

/// Removes a server from a file.
///
/// # Errors
///
/// Fails if the file has no such server, or if it can't be changed.
pub(crate) async fn uninstall(command: Uninstall, output: &Output) -> Result<(), Failure> {
    let source = client(&command.client)?;
    let file = command.place.file(source)?;
    let change = Change::remove(source, &command.name, &file)?;
    let place = &command.place;
    place
        .make(change, "removed", &command.name, &file, output)
        .await
}

impl Place {
    fn file(&self, source: &Source) -> Result<PathBuf, Failure> {
        let message = format!("`{}` has no file for a project here", source.as_str());
        let file = source.file(self.project, Path::new("."))?;
        file.ok_or_else(|| Failure::usage(message).advise("leave out `--project`"))
    }

    /// Shows a change, and makes it if the user agrees.
    async fn make(
        &self,
        change: Change,
        verb: &str,
        name: &str,
        file: &Path,
        output: &Output,
    ) -> Result<(), Failure> {
        let shown = file.display();
        if !output.json {
            let mut screen = output.screen();
            show(&mut screen, &shown.to_string(), &change.diff());
            output.write(&screen)?;
        }
        if !self.yes {
            if !is_interactive() {
                let message =
                    format!("{shown} is unchanged, because nobody can confirm the change");
                return Err(Failure::usage(message).advise("make it without asking: --yes"));
            }
            if !prompts::is_confirmed(format!("Change {shown}?")).await? {
                let document = json!({"name": name, "file": file, "changed": false});
                return output.show(&document, "nothing was changed");
            }
        }
        let backup = change.apply()?;
        let mut line = format!("{verb} `{name}`");
        if let Some(copy) = &backup {
            line += &format!("; the old file is {}", copy.display());
        }
        let document = json!({"name": name, "file": file, "changed": true, "backup": backup});
        output.show(&document, &line)
    }
}

fn show(screen: &mut Screen, file: &str, diff: &[(char, &str)]) {
    screen.text(0, Look::Strong, file);
    for (sign, line) in diff {
        let look = match sign {
            '-' => Look::Bad,
            '+' => Look::Good,
            _ => Look::Quiet,
        };
        let line = format!("{sign} {}", line.replace('\t', "    "));
        screen.line(0, 4, &[part(look, line)]);
    }
}

fn client(name: &str) -> Result<&'static Source, Failure> {
    // Files of projects have the form that most clients read.
    let found = Source::by_name(if name == "json" { "project" } else { name });
    let fault = || Failure::usage(format!("`{name}` is not a client: choose from {CLIENTS}"));
    found.ok_or_else(fault)
}

fn header(text: &str) -> Result<(String, String), &'static str> {
    let (name, value) = text.split_once(':').ok_or("it must be `Name: value`")?;
    Ok((name.trim().to_owned(), value.trim().to_owned()))
}

/// Adds the options to a target. A URL that the client can't use is reached by `mcp proxy`.
fn completed(mut target: Target, source: &Source, command: &Install) -> Result<Target, Failure> {
    let mut headers = command.header.clone();
    let is_proxied = !source.has_urls() || matches!(target, Target::WebSocket(_));
    if let Some(remote) = target.remote().filter(|_| is_proxied) {
        note(&format!(
            "`{}` can't open this URL, so it starts `mcp proxy`",
            source.as_str()
        ));
        let mut args = vec!["proxy".to_owned(), remote.url.clone()];
        for (name, value) in headers.drain(..) {
            args.extend(["--header".to_owned(), format!("{name}: {value}")]);
        }
        let command = server::own_path();
        target = Target::Program(Program {
            command,
            args,
            ..Program::default()
        });
    }
    match &mut target {
        Target::Program(program) => {
            refuse("--header", headers.is_empty(), "a URL")?;
            if program.command == server::own_path() {
                let words = ["mcp"]
                    .into_iter()
                    .chain(program.args.iter().map(String::as_str));
                // Variables in values may be set only in the environment of the client.
                if let Err(it) = Arguments::try_parse_from(words)
                    && it.kind() != ErrorKind::ValueValidation
                {
                    // clap also returns help as an error.
                    if !it.use_stderr() {
                        it.exit();
                    }
                    return Err(Failure::usage(plain(&it)));
                }
            }
            let path = server::find(program).ok_or_else(|| {
                Failure::usage(format!("there is no program `{}`", program.command))
            })?;
            program.command = path.to_string_lossy().into_owned();
            for variable in &command.env {
                let reference = format!("${{{variable}}}");
                let (name, value) = variable.split_once('=').unwrap_or((variable, &reference));
                program.env.insert(name.to_owned(), value.to_owned());
            }
        }
        other => {
            refuse("--env", command.env.is_empty(), "a program")?;
            if let Some(remote) = other.remote_mut() {
                remote.headers.extend(headers);
            }
        }
    }
    Ok(target)
}

/// Warns of secrets that anyone who reads the file can see.
fn warn(command: &Install, source: &Source, file: &Path) {
    let env = command.env.iter().filter_map(|it| it.split_once('='));
    let headers = command
        .header
        .iter()
        .map(|(name, value)| (&**name, &**value));
    for (name, value) in env.chain(headers) {
        let upper = name.to_ascii_uppercase();
        if SECRETS.iter().any(|it| upper.contains(it)) && !value.contains("${") {
            let advice = source.references().map_or_else(String::new, |it| {
                format!("; pass `--env {name}` or `${{NAME}}` to write a reference: {it}")
            });
            note(&format!(
                "warning: {} will contain the value of `{name}`{advice}",
                file.display()
            ));
        }
    }
}

/// A name for a server: of its host, of its package or of its program.
fn derived(target: &Target) -> Option<String> {
    let text = match target {
        Target::Program(it) => {
            let program = Path::new(&it.command).file_stem()?.to_str()?;
            let is_runner = RUNNERS.contains(&program);
            let mut args = it.args.iter().map(String::as_str).filter(|_| is_runner);
            args.find(|it| !it.starts_with('-') && !VERBS.contains(it))
                .unwrap_or(program)
        }
        other => &other.remote()?.url,
    };
    let name = match text.split_once("://") {
        Some((_, rest)) => {
            let host = rest.split(['/', '?', '#']).next()?.rsplit('@').next()?;
            let host = host.trim_start_matches('[').split([':', ']']).next()?;
            let labels = host.split('.').filter(|it| !USUAL_LABELS.contains(it));
            let mut labels: Vec<_> = labels.collect();
            if labels.len() > 1 && host.contains(|it: char| it.is_ascii_alphabetic()) {
                labels.pop();
            }
            labels.join("-")
        }
        None => {
            let package = text
                .trim_end_matches(['/', '\\'])
                .rsplit(['/', '\\'])
                .next()?;
            let package = package.split('@').next()?;
            let ends = [".js", ".mjs", ".cjs", ".ts", ".py", ".exe"];
            let end = ends.iter().find_map(|it| package.strip_suffix(it));
            end.unwrap_or(package).to_owned()
        }
    };
    let is_part = |it: char| it.is_ascii_alphanumeric();
    let name = name.split(|it| !is_part(it)).filter(|it| !it.is_empty());
    Some(name.collect::<Vec<_>>().join("-")).filter(|it| !it.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_fits_the_terminal() {
        let diff = [
            (' ', "{"),
            ('-', "\t\"a\": {\"command\": \"/usr/bin/npx\"}"),
            (
                '+',
                "\t\"a\": {\"command\": \"/usr/bin/npx\", \"args\": [\"-y\", \"@modelcontextprotocol/server-everything\"]}",
            ),
            (' ', "}\u{1b}[2J"),
        ];
        let shown = |width| {
            let mut screen = Screen::new(Some(width), false);
            show(&mut screen, "/home/ada/.cursor/mcp.json", &diff);
            screen.as_str().to_owned()
        };
        let start =
            "/home/ada/.cursor/mcp.json\n  {\n-     \"a\": {\"command\": \"/usr/bin/npx\"}\n";
        let end = "  }\\u{1b}[2J\n";
        for (width, added) in [
            (
                60,
                "+     \"a\": {\"command\": \"/usr/bin/npx\", \"args\": [\"-y\",\n    \"@modelcontextprotocol/server-everything\"]}\n",
            ),
            (
                80,
                "+     \"a\": {\"command\": \"/usr/bin/npx\", \"args\": [\"-y\",\n    \"@modelcontextprotocol/server-everything\"]}\n",
            ),
            (
                160,
                "+     \"a\": {\"command\": \"/usr/bin/npx\", \"args\": [\"-y\", \"@modelcontextprotocol/server-everything\"]}\n",
            ),
        ] {
            assert_eq!(shown(width), format!("{start}{added}{end}"));
        }
    }
}
