//! Counts instructions and allocations per request with valgrind.
//!
//! Each count is the difference between two runs of different lengths, so start-up and shutdown
//! cancel out.

use std::fs;
use std::io::{Error, Result};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::http::Listening;
use crate::message::{Ask, Template, Wire};
use crate::servers::{Server, Way};
use crate::stdio::Piped;

/// The number of runs so far, which gives each run its own log file.
static RUNS: AtomicUsize = AtomicUsize::new(0);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Counter {
    Instructions,
    Allocations,
}

/// A kind of request, sent over one transport in one era.
#[derive(Clone, Copy, Debug)]
pub(super) struct Case {
    pub(super) way: Way,
    pub(super) wire: Wire,
    pub(super) ask: Ask,
    /// The number of tools in addition to the three that are called.
    pub(super) tools: usize,
    /// The number of layers that do nothing. Only mcp-runtime's server has this option.
    pub(super) layers: usize,
}

impl Case {
    /// Creates a case. A list contains fifty tools, including the three that are called.
    pub(super) const fn new(way: Way, wire: Wire, ask: Ask) -> Self {
        let tools = match ask {
            Ask::List => 47,
            Ask::Add | Ask::Echo(_) => 0,
        };
        Self {
            way,
            wire,
            ask,
            tools,
            layers: 0,
        }
    }

    pub(super) const fn layered(self) -> Self {
        Self { layers: 1, ..self }
    }

    pub(super) fn name(self) -> String {
        let way = match self.way {
            Way::Stdio => "stdio",
            Way::Http => "http",
        };
        let list = match self.ask {
            Ask::List => format!(" of {}", self.tools + 3),
            _ if self.tools > 0 => format!(" among {} tools", self.tools + 3),
            _ => String::new(),
        };
        let layers = match self.layers {
            0 => "",
            _ => ", one layer",
        };
        let ask = self.ask.name();
        let revision = self.wire.revision();
        format!("{way} {ask}{list}, {revision}{layers}")
    }
}

impl Counter {
    pub(super) fn per_request(self, root: &Path, server: &Server, case: Case) -> Result<f64> {
        let (short, long) = match case.ask {
            Ask::Add => (200, 1200),
            Ask::List | Ask::Echo(_) => (20, 120),
        };
        let before = self.total(root, server, case, short)?;
        let after = self.total(root, server, case, long)?;
        Ok((after as f64 - before as f64) / (long - short) as f64)
    }

    fn total(self, root: &Path, server: &Server, case: Case, requests: usize) -> Result<u64> {
        let folder = root.join("target/bench");
        fs::create_dir_all(&folder)?;
        let run = RUNS.fetch_add(1, Ordering::Relaxed);
        let log = folder.join(format!("valgrind-{}-{run}.log", std::process::id()));
        let mut runner = vec![
            "valgrind".to_owned(),
            format!("--log-file={}", log.display()),
        ];
        runner.extend(match self {
            Self::Instructions => vec![
                "--tool=callgrind".to_owned(),
                "--callgrind-out-file=/dev/null".to_owned(),
            ],
            Self::Allocations => vec![
                "--tool=memcheck".to_owned(),
                "--undef-value-errors=no".to_owned(),
            ],
        });
        let mut command = server.command(root, case.tools, &runner);
        if case.layers > 0 {
            command.args(["--layers", &case.layers.to_string()]);
        }
        match case.way {
            Way::Stdio => {
                let mut server = Piped::start(command)?;
                server.open(case.wire)?;
                server.check(case.ask, case.wire)?;
                server.ask(&Template::new(case.ask, case.wire), requests, 1)?;
                server.close()?;
            }
            Way::Http => {
                let server = Listening::start(command, server.path)?;
                let mut connection = [server.connect(case.wire)?];
                connection[0].check(case.ask)?;
                Listening::ask(&mut connection, case.ask, requests)?;
                server.process.terminate()?;
            }
        }
        let text = fs::read_to_string(&log)?;
        fs::remove_file(&log)?;
        self.find(&text)
            .ok_or_else(|| Error::other(format!("valgrind printed no count: {text}")))
    }

    /// Finds the count in the summary at the end of valgrind's log.
    fn find(self, log: &str) -> Option<u64> {
        let (before, after) = match self {
            Self::Instructions => ("Collected : ", ""),
            Self::Allocations => ("total heap usage: ", " allocs"),
        };
        let start = log.rfind(before)? + before.len();
        let digits = match after {
            "" => log[start..].lines().next()?,
            after => log[start..].split(after).next()?,
        };
        digits.trim().replace(',', "").parse().ok()
    }
}

#[cfg(test)]
mod tests {
    use super::Counter;

    #[test]
    fn the_last_words_of_valgrind_are_read() {
        let callgrind = "==7== Events    : Ir\n==7== Collected : 123456\n==7== \n";
        assert_eq!(Counter::Instructions.find(callgrind), Some(123_456));
        let memcheck = "==7==   total heap usage: 1,234 allocs, 1,200 frees, 9 bytes allocated\n";
        assert_eq!(Counter::Allocations.find(memcheck), Some(1_234));
        assert_eq!(Counter::Allocations.find("killed"), None);
    }
}
