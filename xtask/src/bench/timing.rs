//! What a request costs in time.

use std::io::Result;
use std::path::Path;
use std::time::Instant;

use super::counts::Case;
use super::http::Listening;
use super::message::Template;
use super::process;
use super::servers::{Server, Way};
use super::stdio::{Piped, nanoseconds};

/// One thing to ask, and how often at the same time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Load {
    pub(super) case: Case,
    /// Requests in flight over stdio, connections over HTTP.
    pub(super) at_once: usize,
    pub(super) requests: usize,
}

/// What one run came to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sample {
    /// CPU time of the server for each request, in microseconds.
    pub(super) cpu: f64,
    pub(super) per_second: f64,
    /// How long half of the requests took at most, in microseconds.
    pub(super) p50: f64,
    pub(super) p99: f64,
}

impl Load {
    pub(super) fn name(self) -> String {
        let unit = match self.case.way {
            Way::Stdio => "in flight",
            Way::Http => "connections",
        };
        format!("{}, {} {unit}", self.case.name(), self.at_once)
    }

    /// Runs the server once.
    pub(super) fn measure(self, root: &Path, server: &Server) -> Result<Sample> {
        let command = server.command(root, self.case.tools, &[]);
        let warm_up = (self.requests / 5).max(self.at_once);
        let Case { way, wire, ask, .. } = self.case;
        match way {
            Way::Stdio => {
                let mut server = Piped::start(command)?;
                server.open(wire)?;
                server.check(ask, wire)?;
                let template = Template::new(ask, wire);
                server.ask(&template, warm_up, self.at_once)?;
                let process = server.child.id();
                let sample = sample(process, || {
                    server.ask(&template, self.requests, self.at_once)
                })?;
                server.close()?;
                Ok(sample)
            }
            Way::Http => {
                let server = Listening::start(command, server.path())?;
                let connections = (0..self.at_once).map(|_| server.connect(wire));
                let mut connections = connections.collect::<Result<Vec<_>>>()?;
                connections[0].check(ask)?;
                Listening::ask(&mut connections, ask, warm_up)?;
                sample(server.child.id(), || {
                    Listening::ask(&mut connections, ask, self.requests)
                })
            }
        }
    }
}

fn sample(process: u32, run: impl FnOnce() -> Result<Vec<u64>>) -> Result<Sample> {
    let (cpu, begun) = (process::cpu(process)?, Instant::now());
    let mut took = run()?;
    let elapsed = nanoseconds(begun.elapsed());
    let cpu = process::cpu(process)? - cpu;
    took.sort_unstable();
    let requests = took.len();
    let at = |share: usize| took[(requests * share / 100).min(requests - 1)] as f64 / 1e3;
    Ok(Sample {
        cpu: cpu as f64 / 1e3 / requests as f64,
        per_second: requests as f64 * 1e9 / elapsed as f64,
        p50: at(50),
        p99: at(99),
    })
}
