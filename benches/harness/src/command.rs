//! The command line.

use std::error::Error;
use std::path::Path;
use std::time::Duration;

use clap::{Parser, ValueEnum};

use crate::figures::Record;
use crate::plan::{Part, Plan};
use crate::{guard, servers};

/// Measurements to take.
#[derive(Parser)]
#[command(name = "cargo xtask bench")]
pub(crate) struct Options {
    /// Only these parts. The others stay as they were measured last on this machine.
    #[arg(long, value_delimiter = ',', value_name = "PART")]
    only: Vec<Part>,
    /// Not these parts. They stay as they were measured last on this machine.
    #[arg(long, value_delimiter = ',', value_name = "PART")]
    except: Vec<Part>,
    /// Only these servers, by the names in the tables. Figures are only shown.
    #[arg(long, value_delimiter = ',', value_name = "NAME")]
    servers: Vec<String>,
    /// Shorter and fewer rounds. Figures are only shown.
    #[arg(long)]
    quick: bool,
    /// Measure the servers as they were built before.
    #[arg(long)]
    built: bool,
    /// How often each server is run for each timing; the median counts.
    #[arg(long, value_name = "N", default_value_t = 5)]
    rounds: usize,
    /// Compare the instructions of the hot path with those on record, and measure nothing else.
    #[arg(long)]
    guard: bool,
    /// Put what the guard counts on record.
    #[arg(long, requires = "guard")]
    accept: bool,
}

/// Measures. Figures of all servers are written to the results' file row by row.
pub(crate) fn run(root: &Path, options: &Options) -> Result<String, Box<dyn Error>> {
    if options.guard {
        return guard::run(root, options.built, options.accept);
    }
    let servers = servers::choose(&options.servers)?;
    if !options.built {
        servers::build(root, &servers)?;
    }
    let kept = options.servers.is_empty() && !options.quick;
    let (rounds, time) = if options.quick {
(1, Duration::from_millis(30))
} else {
(options.rounds, Duration::from_millis(300))
};
    let plan = Plan {
        root,
        servers: &servers,
        rounds,
        time,
    };
    let mut record = Record::open(root, kept)?;
    let wanted = |part: &Part| {
        (options.only.is_empty() || options.only.contains(part)) && !options.except.contains(part)
    };
    for part in Part::value_variants().iter().copied().filter(wanted) {
        record.begin(part);
        plan.measure(part, &mut record)?;
    }
    Ok(record.text()?)
}
