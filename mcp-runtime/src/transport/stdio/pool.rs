//! Standard streams served by tokio's blocking pool, which works on every platform.

pub(super) type Input = tokio::io::Stdin;
pub(super) type Output = tokio::io::Stdout;

pub(super) fn input() -> Input {
    tokio::io::stdin()
}

pub(super) fn output() -> Output {
    tokio::io::stdout()
}
