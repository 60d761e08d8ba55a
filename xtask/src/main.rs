//! Development tasks of this workspace: `cargo xtask --help`.

mod bindings;
mod check;
mod codegen;
mod conformance;
mod package;
mod pictures;
#[path = "../../benches/harness/src/port.rs"]
mod port;
mod process;
mod schema;
mod size;
mod tidy;

use anyhow::Result;
use clap::{Parser, Subcommand};
use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::thread::JoinHandle;

/// Development tasks of this workspace.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Cli {
    /// Workspace to work on, instead of the one this program was built in.
    #[arg(long, global = true, value_name = "DIR")]
    root: Option<PathBuf>,
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Bring in and compare the published protocol schemas.
    #[command(subcommand)]
    Schema(schema::Command),
    /// Generate the protocol's types from the stored schemas.
    Codegen(codegen::Options),
    /// Print self-contained Rust types for one revision.
    Bindings {
        /// Protocol revision (YYYY-MM-DD).
        revision: String,
    },
    /// Measure performance, also of other SDKs, or check the hot path: runs `benches/harness`.
    #[command(disable_help_flag = true)]
    Bench {
        /// Arguments of the harness; `--help` lists them.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<OsString>,
    },
    /// Run the official conformance suite. Needs npm.
    Conformance(conformance::Options),
    /// Build the packages from what a registry would get.
    Package,
    /// Draw the pictures of the documentation.
    Pictures(pictures::Options),
    /// Run the checks that find most mistakes: house rules, sizes, formatting, clippy and unit tests.
    Check,
    /// Count the lines of code of each part, and compare them with their limits.
    Size,
    /// Check the house rules.
    Tidy,
}

/// Stack size in bytes. Functions that walk through a schema recurse as deep as its types are nested.
const STACK: usize = 512 << 20;

fn main() -> ExitCode {
    let cli = Cli::parse();
    let work = std::thread::Builder::new().stack_size(STACK);
    let work = work.spawn(|| execute(cli)).map(JoinHandle::join);
    match work {
        Ok(Ok(code)) => code,
        _ => ExitCode::FAILURE,
    }
}

fn execute(cli: Cli) -> ExitCode {
    let root = cli.root.unwrap_or_else(workspace);
    match run(&root, cli.task) {
        Ok(text) => print(&text),
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Runs one task, and returns the text for standard output.
fn run(root: &Path, task: Task) -> Result<String> {
    match task {
        Task::Schema(command) => schema::run(root, command),
        Task::Codegen(options) => Ok(codegen::run(root, &options)?),
        Task::Bindings { revision } => bindings::run(root, &revision),
        Task::Bench { arguments } => bench(root, &arguments),
        Task::Conformance(options) => conformance::run(root, &options),
        Task::Package => package::run(root),
        Task::Pictures(options) => pictures::run(root, &options),
        Task::Check => check::run(root),
        Task::Size => size::run(root),
        Task::Tidy => tidy::run(root),
    }
}

/// Builds and runs the benchmark harness, a package of the workspace in `benches`.
fn bench(root: &Path, arguments: &[OsString]) -> Result<String> {
    let harness = "run --quiet --locked --package bench-harness --";
    process::run(process::cargo(&root.join("benches"), harness).args(arguments))?;
    Ok(String::new())
}

/// Returns the folder that contains this package.
fn workspace() -> PathBuf {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    package.parent().unwrap_or(package).to_path_buf()
}

/// Writes a report. A broken pipe (as with `| head`) is not an error.
fn print(text: &str) -> ExitCode {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            eprintln!("error: standard output: {error}");
            ExitCode::FAILURE
        }
        _ => ExitCode::SUCCESS,
    }
}
