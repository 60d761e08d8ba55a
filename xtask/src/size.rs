//! `cargo xtask size`: compares the lines of code and the number of files of each part with their limits.
//!
//! Blank lines, comments and tests are not counted. Imports are the lines of `use` and of `mod name;`:
//! many imports suggest that files are too small. Many `pub(…)` suggest that related code is scattered
//! over several files.

use anyhow::{Result, ensure};
use std::fmt::Write;
use std::path::Path;
use syn::Item;
use syn::spanned::Spanned;

use crate::tidy::{File, Workspace};

/// A part of the workspace, with its limits. A file belongs to the part with the innermost folder.
struct Part {
    name: &'static str,
    folder: &'static str,
    max: Size,
    /// Stricter limits, which are a goal that is not reached yet.
    goal: Option<Size>,
}

#[derive(Clone, Copy, PartialEq)]
struct Size {
    lines: usize,
    files: usize,
    /// Lines of imports in 1,000 lines of code.
    imports: usize,
    /// `pub(…)` in 1,000 lines of code.
    restricted: usize,
}

const RUNTIME: Size = Size {
    lines: 36_895,
    files: 271,
    imports: 92,
    restricted: 58,
};
const RUNTIME_GOAL: Size = Size {
    lines: 31_300,
    files: 220,
    imports: 80,
    restricted: 40,
};

const PARTS: [Part; 11] = [
    Part {
        goal: Some(Size::lines(10_400)),
        ..Part::new("mcp-auth", "mcp-auth/src/", 10_860)
    },
    Part::new("mcp-bindgen", "mcp-bindgen/src/", 3_345),
    Part::new("mcp-cli", "mcp-cli/src/", 6_415),
    Part::new("mcp-config", "mcp-config/src/", 1_412),
    Part::new("mcp-extensions", "mcp-extensions/src/", 6_225),
    Part::new("mcp-stores", "mcp-stores/src/", 830),
    Part::new("mcp-types, by hand", "mcp-types/src/", 2_675),
    Part::new("mcp-types, generated", "mcp-types/src/generated/", 10_500),
    Part::new("mcp-macros", "mcp-macros/src/", 4_815),
    Part {
        max: RUNTIME,
        goal: Some(RUNTIME_GOAL),
        ..Part::new("mcp-runtime", "mcp-runtime/src/", 0)
    },
    Part::new("xtask", "xtask/src/", 9_820),
];

impl Part {
    /// Creates a part that limits only the lines.
    const fn new(name: &'static str, folder: &'static str, lines: usize) -> Self {
        Self {
            name,
            folder,
            max: Size::lines(lines),
            goal: None,
        }
    }
}

impl Size {
    const UNLIMITED: Self = Self {
        lines: usize::MAX,
        files: usize::MAX,
        imports: usize::MAX,
        restricted: usize::MAX,
    };

    const fn lines(lines: usize) -> Self {
        Self {
            lines,
            ..Self::UNLIMITED
        }
    }

    fn of(files: &[&File]) -> Self {
        let mut lines = 0;
        let mut imports = 0;
        let mut restricted = 0;
        for file in files.iter().filter(|file| !file.is_test()) {
            for (_, line) in file.code() {
                lines += 1;
                restricted += line.matches("pub(").count();
            }
            imports += file.items.iter().map(import_lines).sum::<usize>();
        }
        let share = |count: usize| (1000 * count).div_ceil(lines.max(1));
        Self {
            lines,
            files: files.len(),
            imports: share(imports),
            restricted: share(restricted),
        }
    }

    fn is_within(self, max: Self) -> bool {
        self.lines <= max.lines
            && self.files <= max.files
            && self.imports <= max.imports
            && self.restricted <= max.restricted
    }
}

/// Counts the lines of an item that is an import or the declaration of a module's file.
fn import_lines(item: &Item) -> usize {
    let is_import = match item {
        Item::Use(_) => true,
        Item::Mod(module) => module.content.is_none(),
        _ => false,
    };
    let span = item.span();
    usize::from(is_import) * (span.end().line - span.start().line + 1)
}

/// Counts the workspace at `root`.
///
/// # Errors
///
/// When a file can't be read, or a part exceeds its limits. The message has the same table.
pub(crate) fn run(root: &Path) -> Result<String> {
    let workspace = Workspace::read(root)?;
    let mut table = String::new();
    let columns = ["lines", "files", "imports in 1,000", "pub(…) in 1,000"];
    let [lines, files, imports, restricted] = columns;
    let mut row = |name: &str, cells: [String; 4]| {
        let [lines, files, imports, restricted] = cells;
        writeln!(
            table,
            "{name:<22}{lines:>18}{files:>12}{imports:>18}{restricted:>18}"
        )
    };
    row("", [lines, files, imports, restricted].map(str::to_owned))?;
    let mut is_over = false;
    for part in &PARTS {
        let files = workspace.rust();
        let files: Vec<_> = files
            .filter(|file| is_in(&file.path, part.folder))
            .collect();
        let size = Size::of(&files);
        is_over |= !size.is_within(part.max);
        row(part.name, cells(size, part.max))?;
        if let Some(goal) = part.goal.filter(|goal| *goal != part.max) {
            row("    the goal", cells(goal, Size::UNLIMITED))?;
        }
    }
    ensure!(!is_over, "a part is larger than it may be\n{table}");
    Ok(table)
}

fn cells(size: Size, max: Size) -> [String; 4] {
    let cell = |value: usize, max: usize| match (value, max) {
        (usize::MAX, _) => String::new(),
        (value, usize::MAX) => value.to_string(),
        (value, max) => format!("{value} of {max}"),
    };
    [
        cell(size.lines, max.lines),
        cell(size.files, max.files),
        cell(size.imports, max.imports),
        cell(size.restricted, max.restricted),
    ]
}

/// Returns true if `folder` is the innermost folder of a part that contains the file.
fn is_in(path: &str, folder: &str) -> bool {
    let folders = PARTS.iter().map(|it| it.folder);
    let innermost = folders
        .filter(|it| path.starts_with(it))
        .max_by_key(|it| it.len());
    innermost == Some(folder)
}
