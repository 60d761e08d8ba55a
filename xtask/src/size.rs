//! `cargo xtask size`: lines of code and files of each part, against their limits.
//!
//! A line of code is one that is neither blank nor comment, in a file that is no test, outside of
//! test modules.

use anyhow::{Result, ensure};
use std::fmt::Write;
use std::path::Path;

use crate::tidy::Workspace;

/// Parts of the workspace: name, folder, most lines and most files. Generated files are a part of
/// their own.
const PARTS: [(&str, &str, usize, Option<usize>); 6] = [
    ("mcp-auth", "mcp-auth/src/", 7_100, None),
    ("mcp-types, by hand", "mcp-types/src/", 2_400, None),
    ("mcp-types, generated", GENERATED, 10_500, None),
    ("mcp-macros", "mcp-macros/src/", 4_300, None),
    ("mcp-runtime", "mcp-runtime/src/", 27_600, Some(241)),
    ("xtask", "xtask/src/", 8_500, None),
];

const GENERATED: &str = "mcp-types/src/generated/";

/// Counts the workspace at `root`.
///
/// # Errors
///
/// When a file can't be read, or a part is larger than it may be; the text is the same table.
pub(crate) fn run(root: &Path) -> Result<String> {
    let workspace = Workspace::read(root)?;
    let mut table = String::new();
    let mut is_over = false;
    for (name, folder, max_lines, max_files) in PARTS {
        let files = workspace.rust().filter(|file| {
            file.path.starts_with(folder) && file.is_generated() == (folder == GENERATED)
        });
        let files: Vec<_> = files.collect();
        let code = files.iter().filter(|file| !file.is_test());
        let lines = code.flat_map(|file| file.code()).count();
        is_over |= lines > max_lines || max_files.is_some_and(|max| files.len() > max);
        let of_files = max_files.map_or(String::new(), |max| format!(" of {max}"));
        writeln!(
            table,
            "{name:<22} {lines:>6} lines of {max_lines:>6}, {:>3} files{of_files}",
            files.len(),
        )?;
    }
    ensure!(!is_over, "a part is larger than it may be\n{table}");
    Ok(table)
}
