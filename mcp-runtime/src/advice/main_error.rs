//! Prints the error that `main` returns.
//!
//! The traits below use autoref specialization: each is implemented for a different number of
//! references, and method resolution picks the implementation with the most references whose bounds
//! the type meets.

use std::cell::RefCell;
use std::error::Error;
use std::fmt::Display;
use std::io::{self, Write as _};
use std::ops::Deref;
use std::process::{ExitCode, Termination};

use crate::error::with_causes;

/// The value that `main` has returned.
#[derive(Debug)]
pub struct Ended<T>(RefCell<Option<T>>);

impl<T> Ended<T> {
    /// Takes the value that `main` has returned.
    pub fn new(returned: T) -> Self {
        Self(RefCell::new(Some(returned)))
    }
}

/// For a result whose error is an [`Error`].
pub trait ByError {
    /// Prints the error and its sources.
    fn report(&self) -> ExitCode;
}

/// For a result whose error is a pointer to an [`Error`], such as `Box<dyn Error>`.
pub trait ByPointer {
    /// See [`ByError::report`].
    fn report(&self) -> ExitCode;
}

/// For a result whose error implements only `Display`, such as `String`.
pub trait ByText {
    /// Prints the error.
    fn report(&self) -> ExitCode;
}

/// A type that `main` may return.
#[diagnostic::on_unimplemented(
    message = "`main` cannot return `{Self}`",
    label = "neither `()`, nor an `ExitCode`, nor a `Result` of one",
    note = "write `Result<(), ServeError>`, or print the value inside"
)]
pub trait MainResult: Termination {}

#[diagnostic::do_not_recommend]
impl<T: Termination> MainResult for T {}

/// For any other value that `main` may return.
pub trait ByTermination<T> {
    /// Reports the value as Rust does without the attribute.
    fn report(&self) -> ExitCode
    where
        T: MainResult;
}

impl<T: Termination, E: Error> ByError for &&&Ended<Result<T, E>> {
    fn report(&self) -> ExitCode {
        reported(self.0.take(), |error| with_causes(error))
    }
}

impl<T: Termination, E: Deref<Target: Error>> ByPointer for &&Ended<Result<T, E>> {
    fn report(&self) -> ExitCode {
        reported(self.0.take(), |error| with_causes(&**error))
    }
}

impl<T: Termination, E: Display> ByText for &Ended<Result<T, E>> {
    fn report(&self) -> ExitCode {
        reported(self.0.take(), E::to_string)
    }
}

impl<T> ByTermination<T> for Ended<T> {
    fn report(&self) -> ExitCode
    where
        T: MainResult,
    {
        self.0.take().map_or(ExitCode::SUCCESS, T::report)
    }
}

fn reported<T: Termination, E>(
    ended: Option<Result<T, E>>,
    text: impl FnOnce(&E) -> String,
) -> ExitCode {
    match ended {
        Some(Err(error)) => {
            // If standard error can't be written, the exit code has to suffice.
            let _ = writeln!(io::stderr(), "Error: {}", text(&error));
            ExitCode::FAILURE
        }
        Some(Ok(returned)) => returned.report(),
        None => ExitCode::SUCCESS,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ServeError;

    #[test]
    fn causes_are_printed_once() {
        let error = io::Error::other("127.0.0.1:80: in use");
        let error = ServeError::Open(error);
        let text = with_causes(&error);
        assert_eq!(text.matches("in use").count(), 1, "{text}");
    }

    #[test]
    #[allow(
        clippy::needless_borrow,
        reason = "the type decides how many references are needed"
    )]
    fn each_type_that_main_can_return_is_reported() {
        let failed = |code: ExitCode| format!("{code:?}") != format!("{:?}", ExitCode::SUCCESS);
        let by_error: Result<(), io::Error> = Err(io::Error::other("a"));
        assert!(failed((&&&&Ended::new(by_error)).report()));
        let by_pointer: Result<(), Box<dyn Error + Send + Sync>> = Err("a".into());
        assert!(failed((&&&&Ended::new(by_pointer)).report()));
        let by_text: Result<ExitCode, String> = Err("a".to_owned());
        assert!(failed((&&&&Ended::new(by_text)).report()));
        assert!(failed((&&&&Ended::new(ExitCode::FAILURE)).report()));
        let success: Result<(), io::Error> = Ok(());
        assert!(!failed((&&&&Ended::new(success)).report()));
    }
}
