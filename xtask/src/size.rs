//! `cargo xtask size`: lines of code and files of each part, against their limits.
//!
//! A line of code is one that is neither blank nor comment, in a file that is no test, outside of
//! test modules.

use std::fmt::Write;
use std::path::Path;

use crate::tidy::{File, Workspace};

/// A part of the workspace with what it may come to.
struct Part {
    name: &'static str,
    /// Paths of its files begin with this.
    folder: &'static str,
    /// Only generated files, or only others.
    generated: bool,
    max_lines: usize,
    max_files: Option<usize>,
}

const PARTS: [Part; 5] = [
    Part {
        name: "mcp-types, by hand",
        folder: "mcp-types/src/",
        generated: false,
        max_lines: 2_400,
        max_files: None,
    },
    Part {
        name: "mcp-types, generated",
        folder: "mcp-types/src/",
        generated: true,
        max_lines: 10_500,
        max_files: None,
    },
    Part {
        name: "mcp-macros",
        folder: "mcp-macros/src/",
        generated: false,
        max_lines: 3_500,
        max_files: None,
    },
    Part {
        name: "mcp-runtime",
        folder: "mcp-runtime/src/",
        generated: false,
        max_lines: 24_000,
        max_files: Some(220),
    },
    Part {
        name: "xtask",
        folder: "xtask/src/",
        generated: false,
        max_lines: 7_500,
        max_files: None,
    },
];

/// Counts the workspace at `root`.
///
/// # Errors
///
/// When a file can't be read, or a part is larger than it may be; the text is the same table.
pub(crate) fn run(root: &Path) -> Result<String, Box<dyn std::error::Error>> {
    let workspace = Workspace::read(root)?;
    let mut table = String::new();
    let mut is_over = false;
    for part in &PARTS {
        let of_part = |file: &&File| {
            file.path.starts_with(part.folder) && file.is_generated() == part.generated
        };
        let files: Vec<_> = workspace.rust().filter(of_part).collect();
        let code = files.iter().filter(|file| !file.is_test());
        let lines: usize = code.map(|file| code_lines(file)).sum();
        let over_files = part.max_files.is_some_and(|max| files.len() > max);
        is_over |= lines > part.max_lines || over_files;
        let max_files = part
            .max_files
            .map_or(String::new(), |max| format!(" of {max}"));
        writeln!(
            table,
            "{:<22} {lines:>6} lines of {:>6}, {:>3} files{max_files}",
            part.name,
            part.max_lines,
            files.len(),
        )?;
    }
    match is_over {
        true => Err(format!("a part is larger than it may be\n{table}").into()),
        false => Ok(table),
    }
}

/// The lines of code in a file.
fn code_lines(file: &File) -> usize {
    let tests = file.test_lines();
    let lines = (1..).zip(file.text.lines());
    let code = lines.filter(|(number, line)| {
        let line = line.trim_start();
        !line.is_empty()
            && !line.starts_with("//")
            && !tests.iter().any(|module| module.contains(number))
    });
    code.count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_code_outside_tests_counts() {
        let text = "//! Doc.\n\nuse a; // one\n/// Doc.\nfn f() {\n    // why\n    g();\n}\n\
                    #[cfg(test)]\nmod tests {\n    fn t() {}\n}\n";
        let file = File::new("a/src/b.rs".to_owned(), text.to_owned());
        assert_eq!(code_lines(&file), 4);
    }
}
