//! `mcp doctor`: connects to a server step by step, and shows where it fails.
//!
//! The first steps look closer than a connection does: at addresses, certificates and metadata. The
//! last steps are the same as in other commands, so other commands work with a server that passes them.

mod login;
mod network;
mod report;

use std::env;
use std::ffi::OsString;
use std::path::{self, Path, PathBuf};

use mcp_config::{Program, Target};

use crate::arguments::Connection;
use crate::certificates::Roots;
use crate::failure::Failure;
use crate::limits::DOCTOR_TIMEOUT;
use crate::login::Person;
use crate::server::{self, is_several};
use crate::session::{Context, Session};
use report::Report;

/// Diagnoses the connection to a server.
///
/// # Errors
///
/// Fails like the first step that fails.
pub(crate) async fn run(mut connection: Connection, context: &Context) -> Result<(), Failure> {
    // A diagnosis changes nothing, so it does not log in.
    connection.reach.person = Person::Absent;
    let mut report = Report::new(&connection, &context.output);
    let result = diagnose(&mut report, &connection, context).await;
    report.end(result)
}

async fn diagnose(
    report: &mut Report<'_>,
    connection: &Connection,
    context: &Context,
) -> Result<(), Failure> {
    let configured = configuration(report, connection).await;
    let (target, roots) = report.step("configuration", configured)?;
    let mut connecting = "protocol";
    if let Target::Program(program) = &target {
        match find(program) {
            Some(path) => {
                report.fact(path.display().to_string());
                report.step("program", Ok(()))?;
            }
            // The next step fails, and says where the program was sought.
            None => connecting = "program",
        }
    } else if let (Some(remote), Some(roots)) = (target.remote(), &roots) {
        let limit = connection.timeout.unwrap_or(DOCTOR_TIMEOUT);
        if let Some(answer) = network::examine(report, &target, remote, roots, limit).await? {
            login::examine(report, connection, remote, answer).await?;
        }
    }
    let connected = context.connect(target, connection).await;
    if let Ok(session) = &connected {
        let revision = session.client.revision();
        let era = revision.era();
        report.fact(format!(
            "{revision}, {era}, found by {}",
            era.opening_method()
        ));
        let server = session.client.server_info();
        report.facts(server.map(|it| format!("{} {}", it.name, it.version)));
    }
    let session = report.step(connecting, connected)?;
    let counted = lists(report, &session).await;
    report.step("lists", counted)
}

/// Finds the server on the command line or in a file, and loads the authorities for its URL.
async fn configuration(
    report: &mut Report<'_>,
    connection: &Connection,
) -> Result<(Target, Option<Roots>), Failure> {
    let reach = &connection.reach;
    let name = &connection.target;
    let servers = server::servers(reach.config.as_deref()).ok();
    let entry = servers.as_ref().and_then(|it| it.get(name).ok());
    let entry = entry.filter(|_| !is_several(name));
    if let Some(entry) = entry {
        report.target = Some(entry.qualified_name());
        report.fact(format!("`{}` in {}", entry.name, entry.file.display()));
    } else if server::parse(name).is_some() {
        report.fact("from the command line");
    }
    let target = server::of(name, reach).await?;
    report.protect(&target);
    if entry.is_some_and(|it| it.is_of_project) {
        report.fact("a file of this project, which you trust");
    }
    report.fact(target.transport());
    let roots = target.remote().map(|_| Roots::load(&reach.trust.ca));
    Ok((target, roots.transpose()?))
}

/// Finds the file of a program. On Windows, only a name with its extension is found.
fn find(program: &Program) -> Option<PathBuf> {
    let folder = Path::new(program.cwd.as_deref().unwrap_or("."));
    let path = program.env.get("PATH").map(OsString::from);
    let path = path.or_else(|| env::var_os("PATH")).unwrap_or_default();
    let folders = match program.command.contains(['/', '\\']) {
        true => vec![folder.to_owned()],
        false => env::split_paths(&path).collect(),
    };
    let files = folders
        .iter()
        .map(|it| folder.join(it).join(&program.command));
    path::absolute(files.into_iter().find(|it| it.is_file())?).ok()
}

/// Counts what the server offers.
async fn lists(report: &mut Report<'_>, session: &Session) -> Result<(), Failure> {
    let client = &session.client;
    let tools = session.list(client.list_tools()).await;
    let prompts = session.list(client.list_prompts()).await;
    let resources = session.list(client.list_resources()).await;
    let templates = session.list(client.list_resource_templates()).await;
    let mut result = Ok(());
    for (list, count) in [
        ("tools", tools.map(|it| it.len())),
        ("prompts", prompts.map(|it| it.len())),
        ("resources", resources.map(|it| it.len())),
        ("templates", templates.map(|it| it.len())),
    ] {
        match count {
            Ok(count) => report.fact(format!("{list}: {count}")),
            Err(failure) => {
                report.fact(format!("{list}: failed"));
                result = result.and(Err(failure));
            }
        }
    }
    result
}
