//! The compared servers.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::message::Wire;

pub(super) struct Server {
    pub(super) name: &'static str,
    package: &'static str,
    options: &'static [&'static str],
    stdio: &'static [Wire],
    http: &'static [Wire],
    /// The path of the server's HTTP endpoint.
    pub(super) path: &'static str,
    /// True if a handshake over HTTP opens a session.
    sessions: bool,
    /// Why the server does not take part in every measurement.
    pub(super) lacks: &'static str,
}

/// The transport of requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    Stdio,
    Http,
}

const USUAL: Server = Server {
    name: "",
    package: "",
    options: &[],
    stdio: &Wire::BOTH,
    http: &Wire::BOTH,
    path: "/mcp",
    sessions: true,
    lacks: "",
};

/// The first server is the baseline, and the second is mcp-runtime's. `--fast` selects the fastest
/// documented way of serving if it is not the SDK's default.
const SERVERS: &[Server] = &[
    Server {
        name: "limit",
        package: "bench-limit",
        sessions: false,
        lacks: "has no sessions",
        ..USUAL
    },
    Server {
        name: "mcp-runtime",
        package: OURS,
        ..USUAL
    },
    Server {
        name: "limit on tokio",
        package: "bench-limit",
        options: &["--tokio"],
        http: &[],
        lacks: "is `limit` over HTTP",
        ..USUAL
    },
    Server {
        name: "rmcp",
        package: "bench-rmcp",
        ..USUAL
    },
    Server {
        name: "rmcp fast",
        package: "bench-rmcp",
        options: &["--fast"],
        sessions: false,
        lacks: "has no sessions",
        ..USUAL
    },
    Server {
        name: "turbomcp",
        package: "bench-turbomcp",
        ..USUAL
    },
    Server {
        name: "pmcp",
        package: "bench-pmcp",
        stdio: OLD,
        http: OLD,
        path: "/",
        lacks: "is stateless only over HTTP, as `pmcp fast`",
        ..USUAL
    },
    Server {
        name: "pmcp fast",
        package: "bench-pmcp",
        options: &["--fast"],
        stdio: &[],
        path: "/",
        sessions: false,
        lacks: "is `pmcp` over stdio, and has no sessions",
        ..USUAL
    },
    Server {
        name: "rust-mcp-sdk",
        package: "bench-rust-mcp-sdk",
        stdio: NEW,
        http: NEW,
        lacks: "speaks 2026-07-28 only",
        ..USUAL
    },
    Server {
        name: "rust-mcp-sdk fast",
        package: "bench-rust-mcp-sdk",
        options: &["--fast"],
        stdio: &[],
        http: NEW,
        lacks: "is `rust-mcp-sdk` over stdio, and speaks 2026-07-28 only",
        ..USUAL
    },
];

const OLD: &[Wire] = &[Wire::Handshake];
const NEW: &[Wire] = &[Wire::Stateless];

/// The only package from the main workspace. The others are in the workspace of the benchmarks.
const OURS: &str = "mcp-examples";

impl Server {
    pub(super) fn serves(&self, way: Way, wire: Wire) -> bool {
        match way {
            Way::Stdio => self.stdio.contains(&wire),
            Way::Http => self.http.contains(&wire),
        }
    }

    /// Returns the oldest era that the server supports over this transport.
    pub(super) fn oldest(&self, way: Way) -> Option<Wire> {
        let serves = |wire: &Wire| self.serves(way, *wire);
        Wire::BOTH.into_iter().find(serves)
    }

    /// Returns whether a comparison without this server makes no sense.
    pub(super) fn is_needed(&self) -> bool {
        self.package == OURS || self.name == SERVERS[0].name
    }

    pub(super) fn has_sessions(&self) -> bool {
        self.serves(Way::Http, Wire::Handshake) && self.sessions
    }

    pub(super) fn program(&self, root: &Path) -> PathBuf {
        match self.package {
            OURS => root.join("target/release/bench-server"),
            package => root.join("benches/target/release").join(package),
        }
    }

    /// Returns a command that runs the server with extra tools, under `runner` if it is not empty.
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

    /// Returns the folder of the workspace, the package, and the features to build.
    pub(super) fn package(&self, root: &Path) -> (PathBuf, &'static str, &'static [&'static str]) {
        match self.package {
            OURS => (root.to_path_buf(), OURS, &["--no-default-features"]),
            package => (root.join("benches"), package, &[]),
        }
    }

    fn build(&self, root: &Path) -> Result<(), Box<dyn Error>> {
        let (folder, package, features) = self.package(root);
        let program = match package {
            OURS => "bench-server",
            package => package,
        };
        eprintln!("building {package}");
        let status = Command::new("cargo")
            .args(["build", "--release", "--package", package])
            .args(["--bin", program])
            .args(features)
            .current_dir(folder)
            .status()?;
        if status.success() {
            Ok(())
        } else {
            Err(format!("{package} does not build").into())
        }
    }
}

/// Finds the servers with these names. Without names, returns all servers.
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

pub(super) fn ours() -> &'static Server {
    &SERVERS[1]
}

/// Builds each package separately, because a joint build would unify features.
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
