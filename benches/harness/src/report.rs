//! Formats the figures as Markdown tables.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::Path;
use std::process::Command;

use crate::figures::{Figures, NONE, Row, Table};

/// Formats all results, with the bars first. The versions of the SDKs come from the lock file of
/// the benchmarks.
pub(super) fn results(figures: &Figures, lock: &str) -> String {
    let mut text = format!(
        "# Results\n\nWritten by `cargo xtask bench`; the [README](README.md) tells how to read it.\n\n\
         {}\n{}",
        machine(),
        versions(lock),
    );
    text += &bars(figures);
    for measured in figures.parts.values() {
        for (index, measures) in measured.tables.iter().enumerate() {
            text += &table(measures);
            if index == 0 {
                let _ = writeln!(text, "\n{}", measured.circumstances);
            }
        }
    }
    text
}

fn bars(figures: &Figures) -> String {
    let mut text = String::new();
    for (part, measured) in &figures.parts {
        for row in measured.tables.iter().flat_map(|it| &it.rows) {
            if let Some(verdict) = &row.verdict {
                let met = if verdict.met { "met" } else { "**missed**" };
                let bar = &verdict.bar;
                let measured = &verdict.measured;
                let _ = writeln!(
                    text,
                    "| {}: {} | {bar} | {measured} | {met} |",
                    part.name(),
                    row.name
                );
            }
        }
    }
    if text.is_empty() {
        text
    } else {
        format!("\n## The bars\n\n| | bar | measured | |\n|---|---:|---:|---|\n{text}")
    }
}

/// Formats a Markdown table, followed by the reasons for missing figures.
fn table(table: &Table) -> String {
    let mut text = format!("\n## {}\n\n| |", table.title);
    for column in &table.columns {
        let _ = write!(text, " {column} |");
    }
    let _ = write!(text, "\n|---|{}\n", "---:|".repeat(table.columns.len()));
    let mut reasons = BTreeSet::new();
    for Row { name, cells, .. } in &table.rows {
        let texts: Vec<_> = cells.iter().map(|cell| &*cell.text).collect();
        let _ = writeln!(text, "| {name} | {} |", texts.join(" | "));
        let missing = table.columns.iter().zip(cells);
        reasons.extend(missing.filter_map(|(column, cell)| Some((column, cell.reason.as_ref()?))));
    }
    let mut reasons = reasons.into_iter().peekable();
    if reasons.peek().is_some() {
        let reasons: Vec<_> = reasons
            .map(|(column, why)| format!("`{column}` {why}"))
            .collect();
        let _ = writeln!(text, "\n{NONE}: {}.", reasons.join("; "));
    }
    text
}

/// Formats a figure with about three significant digits.
pub(super) fn figure(value: f64) -> String {
    match value.abs() {
        0.0..10.0 => format!("{value:.2}"),
        10.0..100.0 => format!("{value:.1}"),
        100.0..10_000.0 => format!("{value:.0}"),
        _ => format!("{:.1} k", value / 1e3),
    }
}

fn machine() -> String {
    let cpu = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let cpu = cpu.lines().find(|line| line.starts_with("model name"));
    let cpu = cpu
        .and_then(|line| line.split(": ").nth(1))
        .unwrap_or("unknown processor");
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    format!(
        "{cpu}, {cores} cores; {}; {}; {}.",
        first_line("uname", &["-sr"]),
        first_line("rustc", &["--version"]),
        first_line("valgrind", &["--version"]),
    )
}

/// Describes the time, the measured commit, and the load of the machine.
pub(super) fn circumstances(root: &Path) -> String {
    let root = root.display().to_string();
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    format!(
        "{}, commit {}, load {} before.",
        first_line("date", &["--utc", "+%Y-%m-%d %H:%M UTC"]),
        first_line("git", &["-C", &root, "rev-parse", "--short", "HEAD"]),
        load.split(' ').next().unwrap_or_default(),
    )
}

fn first_line(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).output();
    let text = output.map(|it| it.stdout).unwrap_or_default();
    let text = String::from_utf8_lossy(&text).into_owned();
    text.lines().next().unwrap_or_default().to_owned()
}

fn versions(lock: &str) -> String {
    let sdks = ["rmcp", "turbomcp", "pmcp", "rust-mcp-sdk", "hyper", "tokio"];
    let version = |sdk: &&str| {
        let (_, rest) = lock.split_once(&format!("name = \"{sdk}\"\nversion = \""))?;
        Some(format!("{sdk} {}", rest.split('"').next()?))
    };
    let versions: Vec<_> = sdks.iter().filter_map(version).collect();
    format!("{}.\n", versions.join(", "))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::bars::Verdict;
    use crate::figures::{Cell, Measured};
    use crate::plan::Part;

    #[test]
    fn tables_say_why_a_figure_is_missing() {
        let cells = vec![Cell::of(1.234), Cell::none("has no sessions")];
        let measured = Table {
            title: "Speed".to_owned(),
            columns: vec!["ours".to_owned(), "theirs".to_owned()],
            rows: vec![Row {
                name: "a call".to_owned(),
                cells,
                verdict: None,
            }],
        };
        let expected = "\n## Speed\n\n| | ours | theirs |\n|---|---:|---:|\n\
                        | a call | 1.23 | – |\n\n–: `theirs` has no sessions.\n";
        assert_eq!(table(&measured), expected);
    }

    #[test]
    fn bars_stand_before_all_parts() {
        let row = Row {
            name: "a call".to_owned(),
            cells: Vec::new(),
            verdict: Some(Verdict {
                bar: "≤ 2".to_owned(),
                measured: "3".to_owned(),
                met: false,
            }),
        };
        let measured = Measured {
            circumstances: "today".to_owned(),
            tables: vec![Table {
                title: "Speed".to_owned(),
                columns: Vec::new(),
                rows: vec![row],
            }],
        };
        let figures = Figures {
            parts: BTreeMap::from([(Part::Http, measured)]),
        };
        let expected = "| server CPU: a call | ≤ 2 | 3 | **missed** |\n";
        assert!(bars(&figures).ends_with(expected), "{}", bars(&figures));
    }

    #[test]
    fn versions_come_from_the_lock_file() {
        let lock = "[[package]]\nname = \"rmcp\"\nversion = \"3.9.0\"\n";
        assert_eq!(versions(lock), "rmcp 3.9.0.\n");
    }
}
