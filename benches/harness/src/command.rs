//! The command line.

use std::error::Error;
use std::path::Path;
use std::time::Duration;

use clap::{Parser, ValueEnum};

use crate::figures::Record;
use crate::plan::{Part, Plan};
use crate::{guard, servers};

/// Runs the measurements
#[derive(Parser)]
#[command(name = "cargo xtask bench")]
pub(crate) struct Options {
    /// Measure only these parts, and keep the last figures of the others on this machine
    #[arg(long, value_delimiter = ',', value_name = "PART")]
    only: Vec<Part>,
    /// Skip these parts, and keep their last figures on this machine
    #[arg(long, value_delimiter = ',', value_name = "PART")]
    except: Vec<Part>,
    /// Measure only these servers, by their names in the tables, and only print the figures
    #[arg(long, value_delimiter = ',', value_name = "NAME")]
    servers: Vec<String>,
    /// Run fewer and shorter rounds, and only print the figures
    #[arg(long)]
    quick: bool,
    /// Use the servers as they were last built
    #[arg(long)]
    built: bool,
    /// Number of runs of each server for each timing; the median is reported
    #[arg(long, value_name = "N", default_value_t = 5)]
    rounds: usize,
    /// Only compare the instructions of the hot path with the record
    #[arg(long)]
    guard: bool,
    /// Replace the record with the counts of this run
    #[arg(long, requires = "guard")]
    accept: bool,
}

/// Takes the measurements. When all servers are measured, each row is saved as soon as it is
/// complete.
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
