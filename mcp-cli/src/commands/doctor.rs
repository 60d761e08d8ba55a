//! `mcp doctor`: connects to a server step by step, and shows where it fails.
//!
//! The first steps look closer than a connection does: at addresses, certificates and metadata. When
//! one of them fails, the connection is tried anyway, and its error is the result of that step. So all
//! commands fail with the same errors, and work with a server that passes each step.

mod network;
mod report;

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
    let mut report = Report::new(&connection.target, &context.output);
    let result = diagnose(&mut report, connection, context).await;
    report.end(result)
}

async fn diagnose(
    report: &mut Report<'_>,
    mut connection: Connection,
    context: &Context,
) -> Result<(), Failure> {
    let configured = configuration(report, &connection).await;
    let (target, roots) = report.step("configuration", configured)?;
    let step = match (&target, &roots) {
        (Target::Program(program), _) => find(report, program)?,
        (target, Some(roots)) => {
            let limit = *connection.timeout.get_or_insert(DOCTOR_TIMEOUT);
            network::examine(report, &connection.reach, target, roots, limit).await?
        }
        _ => "protocol",
    };
    let connected = context.connect(target, &connection).await;
    if let Ok(session) = &connected {
        let revision = session.client.revision();
        let era = revision.era();
        let method = era.opening_method();
        report.fact(format!("{revision}, {era}, found by {method}"));
        let server = session.client.server_info();
        report.facts(server.map(|it| format!("{} {}", it.name, it.version)));
    }
    let connected = connected.map_err(|failure| match step {
        "DNS" => failure.advise("check the name, and whether this machine is online"),
        "TCP" => failure.advise("check the port, the firewalls, and whether the server is running"),
        "TLS" if failure.message.contains("not valid for name") => {
            failure.advise("use a URL with that name, or a certificate with the name of the URL")
        }
        _ => failure,
    });
    let session = report.step(step, connected)?;
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
    if let Some(entry) = entry.filter(|_| !is_several(name)) {
        report.target = entry.qualified_name();
        report.fact(format!("`{}` in {}", entry.name, entry.file.display()));
    } else if server::parse(name).is_some() {
        report.fact("from the command line");
    }
    let target = server::of(name, reach).await?;
    report.protect(&target);
    report.fact(target.transport());
    let roots = target.remote().map(|_| Roots::load(&reach.trust.ca));
    Ok((target, roots.transpose()?))
}

/// Finds the file of a program, and returns the next step.
fn find(report: &mut Report<'_>, program: &Program) -> Result<&'static str, Failure> {
    let Some(file) = server::find(program) else {
        return Ok("program");
    };
    report.fact(file.display().to_string());
    report.step("program", Ok("protocol"))
}

/// Counts what the server offers.
async fn lists(report: &mut Report<'_>, session: &Session) -> Result<(), Failure> {
    let client = &session.client;
    let tools = session.list(client.list_tools()).await;
    let prompts = session.list(client.list_prompts()).await;
    let resources = session.list(client.list_resources()).await;
    let templates = session.list(client.list_resource_templates()).await;
    let mut count = |list, count: Result<usize, Failure>| {
        let shown = count.as_ref().map_or("failed".into(), usize::to_string);
        report.fact(format!("{list}: {shown}"));
        count
    };
    let tools = count("tools", tools.map(|it| it.len()));
    let prompts = count("prompts", prompts.map(|it| it.len()));
    let resources = count("resources", resources.map(|it| it.len()));
    let templates = count("templates", templates.map(|it| it.len()));
    tools.and(prompts).and(resources).and(templates).map(drop)
}
