//! `cargo xtask pictures`: the pictures of the documentation, made from what they show.
//!
//! Pictures of a terminal come from programs that run on a pseudo-terminal, the chart comes from
//! `benches/RESULTS.md`, and the diagram of the crates comes from their manifests.

mod chart;
mod command;
mod crates;
mod frame;
mod scenes;
mod terminal;

#[cfg(unix)]
mod pty;
#[cfg(not(unix))]
mod pty {
    use super::scenes::Answer;
    use super::terminal::Terminal;
    use std::path::Path;

    pub(super) fn run<'a>(
        _: &Path,
        _: &str,
        _: &'a [Answer],
        _: &mut Terminal,
    ) -> anyhow::Result<&'a [Answer]> {
        anyhow::bail!("pictures of a terminal can be drawn on Unix only")
    }
}

pub(crate) use command::{Options, run};
