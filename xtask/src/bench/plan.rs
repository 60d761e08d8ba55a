//! What is measured, in which order.

use std::error::Error;
use std::fs;
use std::io;
use std::path::Path;

use clap::{Args, ValueEnum};

use super::counts::{Case, Counter};
use super::message::{Ask, Wire};
use super::report::{self, NONE, Table, figure, median};
use super::servers::{self, Server, Way};
use super::timing::{Load, Sample};
use super::{guard, once, weight};

/// What to measure.
#[derive(Args)]
pub(crate) struct Options {
    /// Only these parts.
    #[arg(long, value_delimiter = ',')]
    only: Vec<Part>,
    /// Only these servers, by the names in the tables.
    #[arg(long, value_delimiter = ',')]
    servers: Vec<String>,
    /// Fewer requests and rounds.
    #[arg(long)]
    quick: bool,
    /// Measure the servers as they were built before.
    #[arg(long)]
    built: bool,
    /// How often each server is run for each timing; the median counts.
    #[arg(long, value_name = "N")]
    rounds: Option<usize>,
    /// Compare the instructions of the hot path with those on record, and measure nothing else.
    #[arg(long)]
    guard: bool,
    /// Put what the guard counts on record.
    #[arg(long, requires = "guard")]
    accept: bool,
}

/// The parts of the measurements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Part {
    Instructions,
    Allocations,
    Stdio,
    Http,
    Growth,
    Start,
    Memory,
    Weight,
}

const RESULTS: &str = "benches/RESULTS.md";

/// Measures. All parts of all servers together are written to the results' file; a choice of them
/// is only returned.
pub(crate) fn run(root: &Path, options: &Options) -> Result<String, Box<dyn Error>> {
    if options.guard {
        return guard::run(root, options.built, options.accept);
    }
    let servers = servers::choose(&options.servers)?;
    if !options.built {
        servers::build(root, &servers)?;
    }
    let plan = Plan {
        root,
        servers: &servers,
        rounds: options.rounds.unwrap_or(if options.quick { 3 } else { 9 }),
        quick: options.quick,
    };
    let wanted = |part: &Part| options.only.is_empty() || options.only.contains(part);
    let mut text = String::new();
    for part in Part::value_variants().iter().copied().filter(wanted) {
        for table in plan.measure(part)? {
            text += &table.markdown();
            text.push('\n');
        }
    }
    let lock = fs::read_to_string(root.join("benches/Cargo.lock"))?;
    let text = format!(
        "# Results\n\nWritten by `cargo xtask bench`; the README beside this file tells how to read \
         it.\n\n{}\n{}\n{text}",
        report::circumstances(root),
        report::versions(&lock),
    );
    if options.only.is_empty() && options.servers.is_empty() {
        fs::write(root.join(RESULTS), text.trim_end().to_owned() + "\n")?;
    }
    Ok(text)
}

struct Plan<'a> {
    root: &'a Path,
    servers: &'a [&'static Server],
    rounds: usize,
    quick: bool,
}

impl Plan<'_> {
    fn measure(&self, part: Part) -> Result<Vec<Table>, Box<dyn Error>> {
        Ok(match part {
            Part::Instructions => {
                vec![self.counted("Instructions per request", Counter::Instructions)?]
            }
            Part::Allocations => {
                vec![self.counted("Allocations per request", Counter::Allocations)?]
            }
            Part::Stdio => self.timed("Over stdio", &self.stdio())?,
            Part::Http => self.timed("Over HTTP", &self.http())?,
            Part::Growth => vec![self.growth()?],
            Part::Start => vec![self.start()?],
            Part::Memory => vec![self.memory()?],
            Part::Weight => vec![self.weight()?],
        })
    }

    fn table(&self, title: &str) -> Table {
        let names: Vec<_> = self.servers.iter().map(|server| server.name).collect();
        Table::new(title, &names)
    }

    /// One cell for each server: its figure, or that it does not take part.
    fn cells<E>(
        &self,
        takes_part: impl Fn(&Server) -> bool,
        measure: impl Fn(&Server) -> Result<f64, E>,
    ) -> Result<Vec<String>, E> {
        let cell = |server: &&Server| match takes_part(server) {
            true => measure(server).map(figure),
            false => Ok(NONE.to_owned()),
        };
        self.servers
            .iter()
            .copied()
            .map(|server| cell(&server))
            .collect()
    }

    fn counted(&self, title: &str, counter: Counter) -> Result<Table, Box<dyn Error>> {
        let mut table = self.table(title);
        for case in counted_cases() {
            let cells = self.cells(
                |server| server.serves(case.way, case.wire),
                |server| counter.per_request(self.root, server, case),
            )?;
            table.push(case.name(), cells);
        }
        Ok(table)
    }

    fn requests(&self, requests: usize) -> usize {
        if self.quick { requests / 10 } else { requests }
    }

    fn stdio(&self) -> Vec<Load> {
        let mut loads = Vec::new();
        for wire in Wire::BOTH {
            for at_once in [1, 16, 128] {
                loads.push(self.load(Way::Stdio, wire, Ask::Add, at_once, 20_000));
            }
            loads.push(self.load(Way::Stdio, wire, Ask::Echo(100), 16, 20_000));
            // What is in flight must fit into a pipe: the client does not read while it writes.
            loads.push(self.load(Way::Stdio, wire, Ask::Echo(10 << 10), 4, 5_000));
            loads.push(self.load(Way::Stdio, wire, Ask::Echo(1 << 20), 1, 100));
            loads.push(self.load(Way::Stdio, wire, Ask::List, 16, 5_000));
        }
        loads
    }

    fn http(&self) -> Vec<Load> {
        let mut loads = Vec::new();
        for wire in Wire::BOTH {
            for at_once in [1, 8, 64] {
                loads.push(self.load(Way::Http, wire, Ask::Add, at_once, 10_000));
            }
            loads.push(self.load(Way::Http, wire, Ask::Echo(10 << 10), 8, 5_000));
            loads.push(self.load(Way::Http, wire, Ask::List, 8, 5_000));
        }
        loads
    }

    fn load(&self, way: Way, wire: Wire, ask: Ask, at_once: usize, requests: usize) -> Load {
        Load {
            case: Case {
                way,
                wire,
                ask,
                tools: tools_for(ask),
            },
            at_once,
            requests: self.requests(requests),
        }
    }

    /// Three tables: CPU time with its ratio to the first server, requests per second, latency.
    fn timed(&self, title: &str, loads: &[Load]) -> io::Result<Vec<Table>> {
        let mut cpu = self.table(&format!(
            "{title}: µs of server CPU per request (ratio to the first)"
        ));
        let mut rate = self.table(&format!("{title}: requests per second"));
        let mut latency = self.table(&format!("{title}: latency in µs, p50 / p99"));
        for load in loads {
            let samples = self.rounds_of(*load)?;
            cpu.push(
                load.name(),
                cells(&samples, |own| {
                    let ratios = own
                        .iter()
                        .zip(&samples[0])
                        .map(|(own, first)| own.cpu / first.cpu);
                    let ratio = median(ratios).unwrap_or(1.0);
                    format!("{} ({ratio:.2})", middle(own, |it| it.cpu))
                }),
            );
            rate.push(
                load.name(),
                cells(&samples, |own| middle(own, |it| it.per_second)),
            );
            latency.push(
                load.name(),
                cells(&samples, |own| {
                    format!(
                        "{} / {}",
                        middle(own, |it| it.p50),
                        middle(own, |it| it.p99)
                    )
                }),
            );
        }
        Ok(vec![cpu, rate, latency])
    }

    /// Alternates the servers, so that whatever else the machine does meets them all.
    fn rounds_of(&self, load: Load) -> io::Result<Vec<Vec<Sample>>> {
        let mut samples = vec![Vec::new(); self.servers.len()];
        for _ in 0..self.rounds {
            for (server, samples) in self.servers.iter().zip(&mut samples) {
                if server.serves(load.case.way, load.case.wire) {
                    samples.push(load.measure(self.root, server)?);
                }
            }
        }
        Ok(samples)
    }

    /// A call among few and among many tools.
    fn growth(&self) -> Result<Table, Box<dyn Error>> {
        let mut table = self.table("Instructions of a call as tools grow");
        for tools in [0, 47, 997] {
            let case = Case {
                way: Way::Stdio,
                wire: Wire::Handshake,
                ask: Ask::Add,
                tools,
            };
            let cells = self.cells(
                |server| server.serves(case.way, case.wire),
                |server| Counter::Instructions.per_request(self.root, server, case),
            )?;
            table.push(format!("{} tools", tools + 3), cells);
        }
        Ok(table)
    }

    fn start(&self) -> io::Result<Table> {
        let mut table = self.table("Start to first answer, ms");
        for wire in Wire::BOTH {
            let mut samples = vec![Vec::new(); self.servers.len()];
            for _ in 0..self.rounds * 5 {
                for (server, samples) in self.servers.iter().zip(&mut samples) {
                    if server.serves(Way::Stdio, wire) {
                        samples.push(once::start(self.root, server, wire)? / 1e3);
                    }
                }
            }
            table.push(
                wire.revision(),
                cells(&samples, |own| middle(own, |it| *it)),
            );
        }
        Ok(table)
    }

    fn memory(&self) -> io::Result<Table> {
        let mut table = self.table("Memory, KiB");
        for wire in Wire::BOTH {
            let cells = self.cells(
                |server| server.serves(Way::Stdio, wire),
                |server| once::idle(self.root, server, wire),
            )?;
            table.push(format!("idle over stdio, {}", wire.revision()), cells);
        }
        let cells = self.cells(
            |server| {
                server.name != self.servers[0].name && server.serves(Way::Http, Wire::Handshake)
            },
            |server| once::session(self.root, server),
        )?;
        table.push("each idle session over HTTP", cells);
        Ok(table)
    }

    fn weight(&self) -> Result<Table, Box<dyn Error>> {
        let names = weight::SMALLEST.map(|(name, _)| name);
        let mut weights = Vec::new();
        for (_, package) in weight::SMALLEST {
            weights.push(weight::weigh(self.root, package)?);
        }
        let mut table = Table::new("The smallest stdio server", &names);
        let cells = |of: &dyn Fn(&weight::Weight) -> String| weights.iter().map(of).collect();
        table.push("crates", cells(&|it| it.crates.to_string()));
        table.push("clean release build, s", cells(&|it| figure(it.clean)));
        table.push(
            "debug build after a change, s",
            cells(&|it| figure(it.incremental)),
        );
        table.push("stripped size, KiB", cells(&|it| it.size.to_string()));
        Ok(table)
    }
}

fn tools_for(ask: Ask) -> usize {
    // Together with the three that are called: fifty.
    if ask == Ask::List { 47 } else { 0 }
}

fn counted_cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for way in [Way::Stdio, Way::Http] {
        for wire in Wire::BOTH {
            for ask in [Ask::Add, Ask::Echo(10 << 10), Ask::List] {
                cases.push(Case {
                    way,
                    wire,
                    ask,
                    tools: tools_for(ask),
                });
            }
        }
    }
    cases
}

fn middle<T>(samples: &[T], of: impl Fn(&T) -> f64) -> String {
    median(samples.iter().map(of)).map_or_else(|| NONE.to_owned(), figure)
}

/// One cell for each server, from its samples.
fn cells<T>(samples: &[Vec<T>], cell: impl Fn(&[T]) -> String) -> Vec<String> {
    let cell = |own: &Vec<T>| match own.is_empty() {
        true => NONE.to_owned(),
        false => cell(own),
    };
    samples.iter().map(cell).collect()
}
