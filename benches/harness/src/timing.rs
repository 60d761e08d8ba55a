//! Measures the duration of requests.

use std::io::Result;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::counts::Case;
use crate::http::Listening;
use crate::message::Template;
use crate::process;
use crate::servers::{Server, Way};
use crate::stdio::{Piped, nanoseconds};

/// The maximum number of requests in a run, because the latency of each is kept in memory.
const MOST_REQUESTS: usize = 200_000;

/// A request, and how many of them are in flight.
#[derive(Clone, Copy, Debug)]
pub(super) struct Load {
    pub(super) case: Case,
    /// Requests in flight over stdio, or connections over HTTP.
    pub(super) at_once: usize,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Sample {
    /// CPU time of the server per request, in microseconds.
    pub(super) cpu: f64,
    pub(super) per_second: f64,
    /// The median latency of a request, in microseconds.
    pub(super) p50: f64,
    pub(super) p99: f64,
}

impl Load {
    pub(super) fn name(self) -> String {
        let unit = match self.case.way {
            Way::Stdio => "in flight",
            Way::Http if self.at_once == 1 => "connection",
            Way::Http => "connections",
        };
        format!("{}, {} {unit}", self.case.name(), self.at_once)
    }

    /// Runs the server once, and measures it for about `time`.
    pub(super) fn measure(self, root: &Path, server: &Server, time: Duration) -> Result<Sample> {
        let command = server.command(root, self.case.tools, &[]);
        let Case { way, wire, ask, .. } = self.case;
        match way {
            Way::Stdio => {
                let mut server = Piped::start(command)?;
                server.open(wire)?;
                server.check(ask, wire)?;
                let template = Template::new(ask, wire);
                let process = server.process.id();
                let sample = self.sample(process, time, |count| {
                    server.ask(&template, count, self.at_once)
                })?;
                server.close()?;
                Ok(sample)
            }
            Way::Http => {
                let server = Listening::start(command, server.path)?;
                let connections = (0..self.at_once).map(|_| server.connect(wire));
                let mut connections = connections.collect::<Result<Vec<_>>>()?;
                connections[0].check(ask)?;
                self.sample(server.process.id(), time, |count| {
                    Listening::ask(&mut connections, ask, count)
                })
            }
        }
    }

    /// Warms up, estimates how many requests fit into `time`, and then measures that many.
    fn sample(
        self,
        process: u32,
        time: Duration,
        mut ask: impl FnMut(usize) -> Result<Vec<u64>>,
    ) -> Result<Sample> {
        let least = self.at_once.max(8);
        let mut count = least;
        for part in [time / 3, time] {
            let begun = Instant::now();
            ask(count)?;
            let share = part.as_secs_f64() / begun.elapsed().as_secs_f64();
            count = ((count as f64 * share) as usize).clamp(least, MOST_REQUESTS);
        }
        let cpu = process::cpu(process)?;
        let begun = Instant::now();
        let took = ask(count)?;
        let elapsed = nanoseconds(begun.elapsed());
        let cpu = process::cpu(process)? - cpu;
        Ok(Sample::of(took, elapsed, cpu))
    }
}

impl Sample {
    /// Computes a sample from the latency of each request, the total time, and the CPU time, all in
    /// nanoseconds.
    fn of(mut took: Vec<u64>, elapsed: u64, cpu: u64) -> Self {
        took.sort_unstable();
        let requests = took.len();
        let at = |share: usize| took[(requests * share / 100).min(requests - 1)] as f64 / 1e3;
        Self {
            cpu: cpu as f64 / 1e3 / requests as f64,
            per_second: requests as f64 * 1e9 / elapsed as f64,
            p50: at(50),
            p99: at(99),
        }
    }
}
