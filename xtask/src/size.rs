//! `cargo xtask size`: lines of code and files of each part, against their limits.
//!
//! A line of code is one that is neither blank nor comment, in a file that is no test, outside of
//! test modules.

use anyhow::{Result, ensure};
use std::fmt::Write;
use std::path::Path;

use crate::tidy::Workspace;

/// Parts of the workspace: name, folder, most lines and most files. A file belongs to the innermost
/// folder.
const PARTS: [(&str, &str, usize, Option<usize>); 11] = [
    ("mcp-auth", "mcp-auth/src/", 9_000, None),
    ("mcp-auth, proxy", "mcp-auth/src/proxy/", 1_600, None),
    ("mcp-bindgen", "mcp-bindgen/src/", 3_300, None),
    ("mcp-cli", "mcp-cli/src/", 3_425, None),
    ("mcp-config", "mcp-config/src/", 925, None),
    ("mcp-extensions", "mcp-extensions/src/", 5_000, None),
    ("mcp-types, by hand", "mcp-types/src/", 2_640, None),
    (
        "mcp-types, generated",
        "mcp-types/src/generated/",
        10_500,
        None,
    ),
    ("mcp-macros", "mcp-macros/src/", 4_776, None),
    ("mcp-runtime", "mcp-runtime/src/", 32_720, Some(278)),
    ("xtask", "xtask/src/", 8_500, None),
];

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
        let files: Vec<_> = workspace
            .rust()
            .filter(|it| part(&it.path) == Some(folder))
            .collect();
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

/// The folder of the part to which a file belongs.
fn part(path: &str) -> Option<&'static str> {
    let folders = PARTS.map(|(_, folder, ..)| folder);
    folders
        .into_iter()
        .filter(|it| path.starts_with(it))
        .max_by_key(|it| it.len())
}
