//! The parts of the measurements.

use std::io;
use std::path::Path;
use std::time::Duration;

use clap::ValueEnum;
use serde::{Deserialize, Serialize};

use crate::bars::{CLEAN, CRATES, DEAREST, FIRST_CHECK, NEXT_CHECK, OURS, SESSION, STRIPPED};
use crate::counts::{Case, Counter};
use crate::figures::{Cell, Record};
use crate::message::{Ask, Wire};
use crate::report::figure;
use crate::series;
use crate::servers::{Server, Way};
use crate::timing::{Load, Sample};
use crate::{auth, loads, once, weight};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum, Serialize, Deserialize)]
pub(super) enum Part {
    Stdio,
    Http,
    Start,
    Memory,
    Instructions,
    Allocations,
    Growth,
    Auth,
    Weight,
}

impl Part {
    /// Returns the name of the part in the table of bars.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Stdio | Self::Http => "server CPU",
            Self::Start => "start to the first answer",
            Self::Memory => "memory, KiB",
            Self::Instructions => "instructions",
            Self::Allocations => "allocations",
            Self::Growth => "a call as tools grow",
            Self::Auth => "check of an access token",
            Self::Weight => "the smallest stdio server",
        }
    }
}

pub(super) struct Plan<'a> {
    pub(super) root: &'a Path,
    pub(super) servers: &'a [&'static Server],
    pub(super) rounds: usize,
    /// The measuring time of one server in one round.
    pub(super) time: Duration,
}

impl Plan<'_> {
    pub(super) fn measure(&self, part: Part, record: &mut Record) -> io::Result<()> {
        match part {
            Part::Stdio => self.timed(part, "Over stdio", &loads::stdio(), record),
            Part::Http => self.timed(part, "Over HTTP", &loads::http(), record),
            Part::Start => self.start(record),
            Part::Memory => self.memory(record),
            Part::Instructions => {
                let title = "Instructions per request";
                self.counted(part, title, Counter::Instructions, record)
            }
            Part::Allocations => {
                let title = "Allocations per request";
                self.counted(part, title, Counter::Allocations, record)
            }
            Part::Growth => self.growth(record),
            Part::Auth => self.auth(record),
            Part::Weight => self.weight(record),
        }
    }

    fn columns(&self) -> Vec<&'static str> {
        self.servers.iter().map(|server| server.name).collect()
    }

    fn counted(
        &self,
        part: Part,
        title: &str,
        counter: Counter,
        record: &mut Record,
    ) -> io::Result<()> {
        for case in loads::counted() {
            let cells = series::at_once(self.servers, |server| {
                series::cell(server, server.serves(case.way, case.wire), || {
                    counter.per_request(self.root, server, case)
                })
            })?;
            record.push(part, title, &self.columns(), case.name(), cells)?;
        }
        Ok(())
    }

    /// Measures three tables: CPU time with its ratio to the first server, requests per second,
    /// latency.
    fn timed(
        &self,
        part: Part,
        title: &str,
        loads: &[Load],
        record: &mut Record,
    ) -> io::Result<()> {
        let columns = self.columns();
        for load in loads {
            let Case { way, wire, .. } = load.case;
            let series = series::alternate(
                self.servers,
                self.rounds,
                |server| server.serves(way, wire),
                |server| load.measure(self.root, server, self.time),
            )?;
            let mut push = |what: &str, cells| {
                record.push(
                    part,
                    &format!("{title}: {what}"),
                    &columns,
                    load.name(),
                    cells,
                )
            };
            push(
                "server CPU per request, µs (× the limit)",
                series::ratios(&series, |it| it.cpu),
            )?;
            push(
                "requests per second",
                series::texts(&series, |own| middle(own, |it| it.per_second)),
            )?;
            push(
                "latency, µs, p50 / p99",
                series::texts(&series, |own| {
                    let p50 = middle(own, |it| it.p50);
                    let p99 = middle(own, |it| it.p99);
                    format!("{p50} / {p99}")
                }),
            )?;
        }
        Ok(())
    }

    /// Measures a call when the server has few tools and when it has many.
    fn growth(&self, record: &mut Record) -> io::Result<()> {
        let title = "Instructions of a call as tools grow";
        let mut all = vec![Vec::new(); self.servers.len()];
        for tools in [0, 47, 997] {
            let cells = series::at_once(self.servers, |server| {
                let wire = server.oldest(Way::Stdio);
                series::cell(server, wire.is_some(), || {
                    let case = Case {
                        tools,
                        ..Case::new(Way::Stdio, wire.unwrap_or(Wire::Handshake), Ask::Add)
                    };
                    Counter::Instructions.per_request(self.root, server, case)
                })
            })?;
            for (own, cell) in all.iter_mut().zip(&cells) {
                own.extend(cell.figure);
            }
            let name = format!("{} tools", tools + 3);
            record.push(Part::Growth, title, &self.columns(), name, cells)?;
        }
        let ratio = |own: &Vec<f64>| {
            let dearest = own.iter().copied().reduce(f64::max)?;
            Some(Cell::of(dearest / own.iter().copied().reduce(f64::min)?))
        };
        let ratios = all.iter().zip(self.servers);
        let ratios = ratios.map(|(own, server)| ratio(own).unwrap_or(Cell::none(server.lacks)));
        let ratios = ratios.collect();
        record.push(Part::Growth, title, &self.columns(), DEAREST, ratios)
    }

    fn start(&self, record: &mut Record) -> io::Result<()> {
        let title = "From the start to the first answer over stdio, ms (× the limit)";
        for wire in Wire::BOTH {
            let series = series::alternate(
                self.servers,
                self.rounds * 10,
                |server| server.serves(Way::Stdio, wire),
                |server| Ok(once::start(self.root, server, wire)? / 1e3),
            )?;
            let cells = series::ratios(&series, |it| *it);
            record.push(Part::Start, title, &self.columns(), wire.revision(), cells)?;
        }
        Ok(())
    }

    fn memory(&self, record: &mut Record) -> io::Result<()> {
        let columns = self.columns();
        let mut row = |name: &str, cell: &dyn Fn(&'static Server) -> io::Result<Cell>| {
            let cells = self.servers.iter().map(|server| cell(server));
            let cells = cells.collect::<io::Result<_>>()?;
            record.push(Part::Memory, "Memory, KiB", &columns, name, cells)
        };
        row("idle over stdio", &|server| {
            let wire = server.oldest(Way::Stdio);
            series::cell(server, wire.is_some(), || {
                once::idle(self.root, server, wire.unwrap_or(Wire::Handshake))
            })
        })?;
        row("idle over HTTP", &|server| {
            let wire = server.oldest(Way::Http);
            series::cell(server, wire.is_some(), || {
                once::idle_http(self.root, server, wire.unwrap_or(Wire::Handshake))
            })
        })?;
        row(SESSION, &|server| {
            series::cell(server, server.has_sessions(), || {
                once::session(self.root, server)
            })
        })
    }

    /// Measures the check of an `ES256` token with the program `bench-auth`.
    fn auth(&self, record: &mut Record) -> io::Result<()> {
        let check = auth::measure(self.root)?;
        let mut row = |name: &str, figure: f64| {
            let title = "Check of an access token (ES256)";
            record.push(Part::Auth, title, &[OURS], name, vec![Cell::of(figure)])
        };
        row("bare verification of the signature, µs", check.bare / 1e3)?;
        row("first check of a token, µs", check.first / 1e3)?;
        row(FIRST_CHECK, check.first / check.bare)?;
        row(NEXT_CHECK, check.again / 1e3)
    }

    fn weight(&self, record: &mut Record) -> io::Result<()> {
        let smallest = weight::SMALLEST.map(|(_, package)| weight::weigh(self.root, package));
        let smallest = smallest.into_iter().collect::<io::Result<Vec<_>>>()?;
        let columns = weight::SMALLEST.map(|(name, _)| name);
        let mut row = |name: &str, of: fn(&weight::Weight) -> f64| {
            let cells = smallest.iter().map(|weight| Cell::of(of(weight))).collect();
            let title = "The smallest stdio server";
            record.push(Part::Weight, title, &columns, name, cells)
        };
        row(CRATES, |it| it.crates as f64)?;
        row(CLEAN, |it| it.clean)?;
        row("clean debug build, s", |it| it.debug)?;
        row("debug build after a change of the tool, s", |it| {
            it.incremental
        })?;
        row(STRIPPED, |it| it.size)?;

        let mut row = |name: &str, of: fn(&Path, &Server) -> io::Result<f64>| {
            let cells = self.servers.iter();
            let cells = cells.map(|server| of(self.root, server).map(Cell::of));
            let cells = cells.collect::<io::Result<_>>()?;
            let title = "The servers measured here, over stdio and HTTP";
            record.push(Part::Weight, title, &self.columns(), name, cells)
        };
        row(
            "crates, including dependencies of the program",
            weight::crates_of,
        )?;
        row("stripped program, KiB", weight::size_of)
    }
}

fn middle(samples: &[Sample], of: impl Fn(&Sample) -> f64) -> String {
    series::median(samples.iter().map(of)).map_or_else(String::new, figure)
}
