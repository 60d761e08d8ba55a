//! Errors other than a failed check.

use std::error::Error;
use std::fmt::Display;
use std::process::Command;

pub(crate) type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// For `map_err`: names the file or the program that failed.
pub(super) fn at<E: Display>(place: impl Display) -> impl FnOnce(E) -> String {
    move |error| format!("{place}: {error}")
}

/// Runs a program that has to do its work; its output is printed.
///
/// # Errors
///
/// When it can't be started, or fails.
pub(super) fn run(command: &mut Command) -> Result<()> {
    let program = command.get_program().display().to_string();
    let status = command.status().map_err(at(&program))?;
    match status.success() {
        true => Ok(()),
        false => Err(format!("{program}: {status}").into()),
    }
}
