//! Standard streams of other platforms, on tokio's blocking pool.

use std::io;

pub(super) type Input = tokio::io::Stdin;
pub(super) type Output = tokio::io::Stdout;

pub(super) fn input() -> io::Result<Input> {
    Ok(tokio::io::stdin())
}

pub(super) fn output() -> io::Result<Output> {
    Ok(tokio::io::stdout())
}

/// Standard output is not redirected here.
pub(super) struct Redirect;

pub(super) fn redirect() -> io::Result<Redirect> {
    Ok(Redirect)
}
