//! Finds the calculator's program.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, SystemTime};

use mcp_runtime::transport::ChildProcess;
use mcp_runtime::transport::child_process::Grace;

use crate::Outcome;
use crate::page::Page;

/// Returns the calculator that is next to the tour. If cargo has built only the tour, this function
/// has cargo build the calculator as well.
pub(crate) fn find(page: &Page) -> Outcome<ChildProcess> {
    let tour = std::env::current_exe()?;
    let program = tour.with_file_name(format!("calculator{}", std::env::consts::EXE_SUFFIX));
    if modified(&program) < modified(&tour) {
        page.note("Making sure that the calculator is built …");
        build(&tour)?;
    }
    let patient = Grace {
        close: Duration::from_secs(60),
        ..Grace::default()
    };
    Ok(ChildProcess::new(program).grace(patient))
}

/// Returns when a file was written. `None`, for a missing file, is less than any time.
fn modified(file: &Path) -> Option<SystemTime> {
    file.metadata().and_then(|data| data.modified()).ok()
}

fn build(tour: &Path) -> Outcome<()> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(["build", "--quiet", "--bin", "calculator", "--manifest-path"]);
    command.arg(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"));
    // Cargo names the folder of a program after the profile.
    if tour
        .parent()
        .is_some_and(|folder| folder.ends_with("release"))
    {
        command.arg("--release");
    }
    match command.status()? {
        status if status.success() => Ok(()),
        status => Err(format!("the calculator can't be built ({status})").into()),
    }
}
