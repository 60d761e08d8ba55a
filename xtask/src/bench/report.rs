//! The figures, as tables.

use std::fmt::Write;
use std::path::Path;
use std::process::Command;

/// A table: one row a measure, one column a server.
#[derive(Debug)]
pub(super) struct Table {
    title: String,
    columns: Vec<&'static str>,
    rows: Vec<(String, Vec<String>)>,
}

impl Table {
    pub(super) fn new(title: impl Into<String>, columns: &[&'static str]) -> Self {
        Self {
            title: title.into(),
            columns: columns.to_vec(),
            rows: Vec::new(),
        }
    }

    /// Adds a row, and shows it.
    pub(super) fn push(&mut self, name: impl Into<String>, cells: Vec<String>) {
        let name = name.into();
        let shown = self.columns.iter().zip(&cells);
        let shown: Vec<_> = shown
            .map(|(column, cell)| format!("{column} {cell}"))
            .collect();
        eprintln!("{name}: {}", shown.join("; "));
        self.rows.push((name, cells));
    }

    pub(super) fn markdown(&self) -> String {
        let mut text = format!("## {}\n\n| |", self.title);
        for column in &self.columns {
            let _ = write!(text, " {column} |");
        }
        let _ = write!(text, "\n|---|{}\n", "---:|".repeat(self.columns.len()));
        for (name, cells) in &self.rows {
            let _ = writeln!(text, "| {name} | {} |", cells.join(" | "));
        }
        text
    }
}

/// The middle of some figures.
pub(super) fn median(figures: impl IntoIterator<Item = f64>) -> Option<f64> {
    let mut figures: Vec<_> = figures.into_iter().collect();
    figures.sort_unstable_by(f64::total_cmp);
    figures.get(figures.len() / 2).copied()
}

/// A figure with as many digits as mean something.
pub(super) fn figure(value: f64) -> String {
    match value.abs() {
        0.0..10.0 => format!("{value:.2}"),
        10.0..100.0 => format!("{value:.1}"),
        100.0..10_000.0 => format!("{value:.0}"),
        _ => format!("{:.1} k", value / 1e3),
    }
}

/// What there is where a server does not take part.
pub(super) const NONE: &str = "–";

/// The machine, the versions and the day.
pub(super) fn circumstances(root: &Path) -> String {
    let first = |program: &str, arguments: &[&str]| {
        let output = Command::new(program)
            .args(arguments)
            .current_dir(root)
            .output();
        let text = output.map(|it| it.stdout).unwrap_or_default();
        let text = String::from_utf8_lossy(&text).into_owned();
        text.lines().next().unwrap_or_default().to_owned()
    };
    let cpu = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let cpu = cpu.lines().find(|line| line.starts_with("model name"));
    let cpu = cpu
        .and_then(|line| line.split(": ").nth(1))
        .unwrap_or("unknown processor");
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let load = load.split(' ').next().unwrap_or_default();
    format!(
        "{}; commit {}; {cpu}, {cores} cores, load {load} at the end; {}; {}; {}\n",
        first("date", &["--utc", "+%Y-%m-%d"]),
        first("git", &["rev-parse", "--short", "HEAD"]),
        first("uname", &["-sr"]),
        first("rustc", &["--version"]),
        first("valgrind", &["--version"]),
    )
}

/// The versions of the SDKs that are compared, from the lock file of the measurements.
pub(super) fn versions(lock: &str) -> String {
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
    use super::*;

    #[test]
    fn tables_are_written_as_markdown() {
        let mut table = Table::new("Speed", &["ours", "theirs"]);
        table.push("a call", vec![figure(1.234), NONE.to_owned()]);
        let expected = "## Speed\n\n| | ours | theirs |\n|---|---:|---:|\n| a call | 1.23 | – |\n";
        assert_eq!(table.markdown(), expected);
    }

    #[test]
    fn the_median_is_in_the_middle() {
        assert_eq!(median([3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median([]), None);
    }

    #[test]
    fn versions_come_from_the_lock_file() {
        let lock = "[[package]]\nname = \"rmcp\"\nversion = \"3.9.0\"\n";
        assert_eq!(versions(lock), "rmcp 3.9.0.\n");
    }
}
