//! `cargo xtask schema adopt`: imports a published schema, and generates and compiles its types. The
//! command is repeated until all questions are settled.

use super::{command, diff, import};
use crate::{codegen, process};
use anyhow::{Context, Error, Result, bail};
use std::fmt::Display;
use std::io::Write;
use std::path::Path;
use std::time::Instant;

/// Options of `cargo xtask schema adopt`.
#[derive(clap::Args)]
pub(crate) struct Adopt {
    /// The published JSON Schema: a file, or an http(s) URL. If absent, generate and check the
    /// stored revisions again.
    source: Option<String>,
    #[command(flatten)]
    import: import::Options,
}

/// The arguments of cargo that test the generated code.
const TEST: &str = "test --quiet --package mcp-runtime-types";

/// Imports, compares, generates and checks. The report of each step is written to `out` as soon as the
/// step ends.
///
/// # Errors
///
/// When a step fails, or decisions are open. Open decisions are listed in `out`.
pub(super) fn run(root: &Path, options: Adopt, out: &mut impl Write) -> Result<()> {
    if let Some(source) = options.source {
        let input = command::input(&source)?;
        let revision = import::revision(&input, &options.import)?;
        let is_protocol = options.import.extension.is_none();
        step(out, "import", || {
            import::import(root, &input, options.import)
        })?;
        let mut older = diff::stored(&root.join("schema"));
        older.retain(|older| is_protocol && *older < revision);
        if let Some(older) = older.last() {
            step(out, "difference", || {
                diff::run(root, older, &revision, false)
            })?;
        }
    }
    let open = step(out, "decisions", || codegen::open(root).map_err(Error::msg))?;
    if !open.is_settled() {
        bail!(
            "decisions are open; add the entries that are listed above, then run \
             `cargo xtask schema adopt`"
        );
    }
    step(out, "generate", || {
        codegen::run(root, &codegen::Options::default()).map_err(Error::msg)
    })?;
    step(out, "compile", || cargo(root, &format!("{TEST} --no-run")))?;
    step(out, "conform", || cargo(root, TEST))?;
    writeln!(
        out,
        "adopted; for the code that you write yourself, see docs/regenerate.md#code-that-you-write"
    )?;
    Ok(())
}

/// Runs one step, and prints its name, report and duration.
fn step<T: Display>(
    out: &mut impl Write,
    name: &str,
    run: impl FnOnce() -> Result<T>,
) -> Result<T> {
    writeln!(out, "==> {name}")?;
    out.flush()?;
    let start = Instant::now();
    let report = run()?;
    let seconds = start.elapsed().as_secs_f64();
    writeln!(out, "{report}--- {name}: {seconds:.1} s\n")?;
    Ok(report)
}

/// Runs cargo in `root` with inherited output.
fn cargo(root: &Path, arguments: &str) -> Result<&'static str> {
    process::run(&mut process::cargo(root, arguments)).context(
        "the messages above name the place. If no entry of schema/overlay.toml explains it, \
         the generator is at fault",
    )?;
    Ok("")
}
