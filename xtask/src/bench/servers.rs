//! The servers that are compared.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::message::Wire;

/// One server, and how it is run.
pub(super) struct Server {
    pub(super) name: &'static str,
    package: &'static str,
    options: &'static [&'static str],
    stdio: &'static [Wire],
    http: &'static [Wire],
}

/// Which way requests come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    Stdio,
    Http,
}

const OLD: &[Wire] = &[Wire::Handshake];

/// The first is what others are compared with; the second is ours. `--fast` is the fastest way to
/// serve that the SDK documents, where it is not the default.
const SERVERS: &[Server] = &[
    Server::new("limit", "bench-limit", &[], &Wire::BOTH, &Wire::BOTH),
    Server::new("mcp-runtime", "mcp-examples", &[], &Wire::BOTH, &Wire::BOTH),
    Server::new(
        "limit on tokio",
        "bench-limit",
        &["--tokio"],
        &Wire::BOTH,
        &[],
    ),
    Server::new("rmcp", "bench-rmcp", &[], &Wire::BOTH, &Wire::BOTH),
    Server::new(
        "rmcp fast",
        "bench-rmcp",
        &["--fast"],
        &Wire::BOTH,
        &Wire::BOTH,
    ),
    Server::new("turbomcp", "bench-turbomcp", &[], &Wire::BOTH, &Wire::BOTH),
    Server::new("pmcp", "bench-pmcp", &[], OLD, OLD),
    Server::new("pmcp fast", "bench-pmcp", &["--fast"], &[], &Wire::BOTH),
];

/// The package of this workspace; all others are in the one of the measurements.
const OURS: &str = "mcp-examples";

impl Server {
    const fn new(
        name: &'static str,
        package: &'static str,
        options: &'static [&'static str],
        stdio: &'static [Wire],
        http: &'static [Wire],
    ) -> Self {
        Self {
            name,
            package,
            options,
            stdio,
            http,
        }
    }

    pub(super) fn serves(&self, way: Way, wire: Wire) -> bool {
        match way {
            Way::Stdio => self.stdio.contains(&wire),
            Way::Http => self.http.contains(&wire),
        }
    }

    /// The path that is served over HTTP.
    pub(super) fn path(&self) -> &'static str {
        // pmcp serves nothing else.
        if self.package == "bench-pmcp" {
            "/"
        } else {
            // pmcp serves nothing else.
            if self.package == "bench-pmcp" {
                "/"
            } else {
                "/mcp"
            }
        }
    }

    /// The program, once it is built.
    pub(super) fn program(&self, root: &Path) -> PathBuf {
        match self.package {
            OURS => root.join("target/release/bench-server"),
            package => root.join("benches/target/release").join(package),
        }
    }

    /// Runs the server with so many extra tools, under `runner` if there is one.
    pub(super) fn command(&self, root: &Path, tools: usize, runner: &[String]) -> Command {
        let program = self.program(root);
        let mut command = match runner.split_first() {
            Some((first, rest)) => {
                let mut command = Command::new(first);
                command.args(rest).arg(program);
                command
            }
            None => Command::new(program),
        };
        command
            .args(self.options)
            .args(["--tools", &tools.to_string()]);
        command
    }

    fn build(&self, root: &Path) -> Result<(), Box<dyn Error>> {
        let (folder, extra): (_, &[&str]) = match self.package {
            OURS => (
                root.to_path_buf(),
                &["--bin", "bench-server", "--no-default-features"],
            ),
            _ => (root.join("benches"), &[]),
        };
        eprintln!("building {}", self.package);
        let status = Command::new("cargo")
            .args(["build", "--release", "--package", self.package])
            .args(extra)
            .current_dir(folder)
            .status()?;
        match status.success() {
            true => Ok(()),
            false => Err(format!("{} does not build", self.package).into()),
        }
    }
}

/// The servers of these names, or all of them.
pub(super) fn choose(names: &[String]) -> Result<Vec<&'static Server>, String> {
    if let Some(unknown) = names
        .iter()
        .find(|name| SERVERS.iter().all(|it| it.name != **name))
    {
        let known: Vec<_> = SERVERS.iter().map(|server| server.name).collect();
        return Err(format!("`{unknown}` is not one of: {}", known.join("; ")));
    }
    let chosen = |server: &&Server| names.is_empty() || names.iter().any(|it| it == server.name);
    Ok(SERVERS.iter().filter(chosen).collect())
}

/// Ours alone.
pub(super) fn ours() -> &'static Server {
    &SERVERS[1]
}

/// Builds them, each package by itself so that features do not mix.
pub(super) fn build(root: &Path, servers: &[&Server]) -> Result<(), Box<dyn Error>> {
    let mut built: Vec<&str> = Vec::new();
    for server in servers {
        if !built.contains(&server.package) {
            server.build(root)?;
            built.push(server.package);
        }
    }
    Ok(())
}
