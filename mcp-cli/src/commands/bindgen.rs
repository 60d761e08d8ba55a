//! `mcp bindgen`: generates a Rust module with a method for each tool, or shows what has changed
//! since.

use std::fs;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use mcp_bindgen::{Bindings, Difference, Format, Snapshot, compare};
use mcp_config::Target;

use crate::arguments::{At, Connection, pair};
use crate::failure::{Failure, Kind};
use crate::output::{Output, note};
use crate::server;
use crate::session::Context;
use crate::snapshot;

#[derive(Args)]
pub(crate) struct Bindgen {
    /// The Rust file to write; its snapshot is next to it, as NAME.mcp.json. TARGET can also be a
    /// snapshot
    #[arg(short = 'o', long = "file", value_name = "FILE")]
    file: PathBuf,
    /// Binds only this tool; can be repeated
    #[arg(long, value_name = "TOOL")]
    only: Vec<String>,
    /// Leaves out this tool; can be repeated
    #[arg(long, value_name = "TOOL")]
    skip: Vec<String>,
    /// The Rust type for the output of a tool without an output schema
    #[arg(long, value_name = "TOOL=TYPE", value_parser = pair)]
    output: Vec<(String, String)>,
    /// Crates whose types are used for formats of strings: chrono, uuid, url
    #[arg(long, value_name = "CRATES", value_delimiter = ',')]
    formats: Vec<Format>,
    /// Fails if a value stays JSON
    #[arg(long)]
    strict: bool,
    /// Writes nothing, but prints what has changed since the snapshot, and exits with 6 after any
    /// change
    #[arg(long, value_name = "CHANGES", num_args = 0..=1, require_equals = true, default_missing_value = "all")]
    check: Option<Changes>,
}

/// The changes to report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Changes {
    /// All changes
    All,
    /// Changes after which code that uses the bindings may not compile
    Breaking,
}

/// Writes the module with the snapshot next to it, or compares the server with the snapshot.
///
/// # Errors
///
/// Fails if the server can't be listed, an option is invalid, a file can't be written, or the
/// server differs from its snapshot.
pub(crate) async fn run(bindgen: At<Bindgen>, context: &Context) -> Result<(), Failure> {
    let connection = &bindgen.connection;
    let command = bindgen.command;
    let stored = command.file.with_extension("mcp.json");
    let listed = listed(connection, context).await?;
    if let Some(changes) = command.check {
        let differences = compare(&read(&stored)?, &listed);
        return report(&differences, changes, &stored, &context.output);
    }
    let listed = if stored.exists() {
        listed.with_names_of(&read(&stored)?)
    } else {
        listed
    };
    let mut bindings = Bindings::new(listed).command(written(&connection.target, &command));
    if let Some(name) = command.file.file_stem() {
        bindings = bindings.name(name.to_string_lossy());
    }
    if let Some(name) = stored.file_name() {
        bindings = bindings.snapshot_file(name.to_string_lossy());
    }
    bindings = command.only.into_iter().fold(bindings, Bindings::only);
    bindings = command.skip.into_iter().fold(bindings, Bindings::skip);
    for (tool, path) in command.output {
        bindings = bindings.output(tool, path);
    }
    bindings = bindings.formats(command.formats);
    if command.strict {
        bindings = bindings.strict();
    }
    let generated = bindings.generate().map_err(usage)?;
    generated.notes.iter().for_each(|it| note(&it.to_string()));
    let write = generated.write(&command.file, &stored, false);
    write.map_err(|error| Failure::new(Kind::Unexpected, error.to_string()))?;
    Ok(())
}

/// Lists the server, or reads the snapshot if the target is a file.
async fn listed(connection: &Connection, context: &Context) -> Result<Snapshot, Failure> {
    if let Some(path) = file(&connection.target) {
        return read(path);
    }
    let session = context.open(connection).await?;
    let json = serde_json::to_vec(&snapshot::Snapshot::read(&session).await?.sorted());
    let json = json.map_err(std::io::Error::from)?;
    Snapshot::parse(&json).map_err(|error| Failure::new(Kind::Refused, error.to_string()))
}

/// The path of the target, if it is the file of a snapshot.
fn file(target: &str) -> Option<&Path> {
    let path = Path::new(target);
    (path.extension().is_some_and(|it| it == "json") && path.is_file()).then_some(path)
}

fn read(path: &Path) -> Result<Snapshot, Failure> {
    let at = |error: &dyn std::fmt::Display| Failure::usage(format!("{}: {error}", path.display()));
    let bytes = fs::read(path).map_err(|error| at(&error))?;
    Snapshot::parse(&bytes).map_err(|error| at(&error))
}

fn usage(error: mcp_bindgen::Error) -> Failure {
    Failure::usage(error.to_string())
}

/// Prints the differences, one per line, and fails if there are any. `changes` selects them.
fn report(
    differences: &[Difference],
    changes: Changes,
    stored: &Path,
    output: &Output,
) -> Result<(), Failure> {
    let counts = |it: &&Difference| it.breaking || changes == Changes::All;
    let found: Vec<_> = differences.iter().filter(counts).collect();
    if output.json {
        output.document(&found)?;
    } else {
        found
            .iter()
            .try_for_each(|it| output.line(&it.to_string()))?;
    }
    if found.is_empty() {
        return Ok(());
    }
    let breaking = found.iter().filter(|it| it.breaking).count();
    let count = found.len();
    let stored = stored.display();
    let message = format!("the server differs from {stored}: {count} changes, {breaking} breaking");
    Err(Failure::new(Kind::Different, message))
}

/// The command that generates a module, without parts that may be secret or differ between
/// computers.
fn written(target: &str, command: &Bindgen) -> String {
    let target = match server::parse(target) {
        Some(Target::Program(program)) if server::is_several(target) => {
            let words = [&program.command].into_iter().chain(&program.args);
            shlex::try_join(words.map(String::as_str)).unwrap_or_default()
        }
        Some(Target::Program(_)) => target.to_owned(),
        // The query of a URL may be secret.
        _ => target.split(['?', '#']).next().unwrap_or(target).to_owned(),
    };
    let target = shlex::try_quote(&target).unwrap_or_default();
    let mut text = format!("mcp bindgen {target} -o {}", slashes(&command.file));
    for (option, values) in [("only", &command.only), ("skip", &command.skip)] {
        for value in values {
            text += &format!(" --{option} {value}");
        }
    }
    for (tool, path) in &command.output {
        text += &format!(" --output {tool}={path}");
    }
    for format in &command.formats {
        text += &format!(" --formats {format}");
    }
    if command.strict {
        text += " --strict";
    }
    text
}

/// A path with forward slashes, so that the module is the same on all systems.
fn slashes(path: &Path) -> String {
    path.display().to_string().replace('\\', "/")
}
