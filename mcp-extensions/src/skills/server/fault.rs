//! Faults of skills that are loaded.

use std::fmt;

/// Something that is wrong with a file, or that hosts may read differently.
///
/// It is displayed as `refunds/SKILL.md:3: …`, on a single line.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Finding {
    /// The path of the file or folder, with `/`, below the directory that was loaded.
    pub file: String,
    /// The number of the line, from 1, if a line is the cause.
    pub line: Option<usize>,
    /// The fault, and what to write or do.
    pub text: String,
}

impl Finding {
    pub(super) fn new(file: impl Into<String>, text: impl ToString) -> Self {
        let (file, line, text) = (file.into(), None, text.to_string());
        Self { file, line, text }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Names of files may have control characters, such as the end of a line.
        let (file, text) = (self.file.escape_debug(), &self.text);
        match self.line {
            Some(line) => write!(f, "{file}:{line}: {text}"),
            None => write!(f, "{file}: {text}"),
        }
    }
}

/// The error of skills that can't be loaded. If one skill is wrong, no skill is loaded.
///
/// It is displayed with a line for each fault.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", .faults.iter().map(Finding::to_string).collect::<Vec<_>>().join("\n"))]
pub struct LoadError {
    /// All faults, in the order of files and lines.
    pub faults: Vec<Finding>,
}

impl LoadError {
    pub(super) fn of(file: impl Into<String>, text: impl ToString) -> Self {
        Self {
            faults: vec![Finding::new(file, text)],
        }
    }
}
