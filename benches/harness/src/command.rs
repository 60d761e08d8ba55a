//! The command line.

use std::error::Error;
use std::path::Path;
use std::time::Duration;

use clap::{Parser, ValueEnum};

use crate::figures::Record;
use crate::plan::{Part, Plan};
use crate::{guard, servers};

/// The measurements to take.
#[derive(Parser)]
#[command(name = "cargo xtask bench")]
pub(crate) struct Options {
    /// Measure only these parts. The others keep the figures that were last measured on this
    /// machine.
    #[arg(long, value_delimiter = ',', value_name = "PART")]
    only: Vec<Part>,
    /// Skip these parts. They keep the figures that were last measured on this machine.
    #[arg(long, value_delimiter = ',', value_name = "PART")]
    except: Vec<Part>,
    /// Measure only these servers, by their names in the tables. The figures are only shown.
    #[arg(long, value_delimiter = ',', value_name = "NAME")]
    servers: Vec<String>,
    /// Use fewer and shorter rounds. The figures are only shown.
    #[arg(long)]
    quick: bool,
    /// Measure the servers without building them again.
    #[arg(long)]
    built: bool,
    /// How often each server is run for each timing. The median is used.
    #[arg(long, value_name = "N", default_value_t = 5)]
    rounds: usize,
    /// Compare the instructions of the hot path with the record, and measure nothing else.
    #[arg(long)]
    guard: bool,
    /// Replace the record with the counts of the guard.
    #[arg(long, requires = "guard")]
    accept: bool,
}

/// Takes the measurements. The figures of all servers are written to the results file row by row.
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
