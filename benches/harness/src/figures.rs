//! Stores the figures of each part in tables, with the circumstances of the measurement.

use std::collections::BTreeMap;
use std::fs;
use std::io::{Error, Result};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::bars::{self, Verdict};
use crate::plan::Part;
use crate::report;

/// The text of a cell whose server does not take part.
pub(super) const NONE: &str = "–";

/// One figure, as displayed text and as a number to compare with a bar.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Cell {
    pub(super) text: String,
    pub(super) figure: Option<f64>,
    /// Why the figure is missing.
    pub(super) reason: Option<String>,
}

impl Cell {
    pub(super) fn of(figure: f64) -> Self {
        Self::showing(report::figure(figure), figure)
    }

    /// Creates a cell whose text shows more than the figure.
    pub(super) fn showing(text: String, figure: f64) -> Self {
        Self {
            text,
            figure: Some(figure),
            reason: None,
        }
    }

    /// Creates a cell that is not compared with a bar.
    pub(super) fn text(text: String) -> Self {
        Self {
            text,
            figure: None,
            reason: None,
        }
    }

    pub(super) fn none(reason: impl Into<String>) -> Self {
        Self {
            text: NONE.to_owned(),
            figure: None,
            reason: Some(reason.into()),
        }
    }
}

/// One measure for all servers.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Row {
    pub(super) name: String,
    pub(super) cells: Vec<Cell>,
    pub(super) verdict: Option<Verdict>,
}

/// A table with one row per measure and one column per server.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Table {
    pub(super) title: String,
    pub(super) columns: Vec<String>,
    pub(super) rows: Vec<Row>,
}

/// The tables of one part, which were measured together.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Measured {
    pub(super) circumstances: String,
    pub(super) tables: Vec<Table>,
}

/// All figures measured on this machine.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Figures {
    pub(super) parts: BTreeMap<Part, Measured>,
}

pub(super) struct Record {
    figures: Figures,
    root: PathBuf,
    /// Whether the figures are saved, or only printed.
    kept: bool,
}

/// The file with the last figures of this machine.
const STORE: &str = "target/bench/figures.json";

const RESULTS: &str = "benches/RESULTS.md";

impl Record {
    /// Starts a record. If figures are saved, the record begins with the figures of earlier runs.
    pub(super) fn open(root: &Path, kept: bool) -> Result<Self> {
        let stored = fs::read(root.join(STORE)).ok().filter(|_| kept);
        let figures = stored.map(|text| serde_json::from_slice(&text));
        Ok(Self {
            figures: figures.transpose()?.unwrap_or_default(),
            root: root.to_path_buf(),
            kept,
        })
    }

    /// Discards the earlier figures of a part.
    pub(super) fn begin(&mut self, part: Part) {
        let measured = Measured {
            circumstances: report::circumstances(&self.root),
            tables: Vec::new(),
        };
        self.figures.parts.insert(part, measured);
    }

    /// Adds a row to a table of a part, prints the row, and saves the record.
    pub(super) fn push(
        &mut self,
        part: Part,
        title: &str,
        columns: &[&str],
        name: impl Into<String>,
        cells: Vec<Cell>,
    ) -> Result<()> {
        let name = name.into();
        let shown = columns.iter().zip(&cells);
        let shown: Vec<_> = shown
            .map(|(column, cell)| format!("{column} {}", cell.text))
            .collect();
        eprintln!("{name}: {}", shown.join("; "));
        let row = Row {
            verdict: bars::judge(part, &name, columns, &cells),
            name,
            cells,
        };
        let measured = self.figures.parts.get_mut(&part);
        let tables = &mut measured
            .ok_or_else(|| Error::other("no part began"))?
            .tables;
        match tables.iter_mut().find(|table| table.title == title) {
            Some(table) => table.rows.push(row),
            None => tables.push(Table {
                title: title.to_owned(),
                columns: columns.iter().map(|it| (*it).to_owned()).collect(),
                rows: vec![row],
            }),
        }
        self.save()
    }

    fn save(&self) -> Result<()> {
        if !self.kept {
            return Ok(());
        }
        let store = self.root.join(STORE);
        fs::create_dir_all(store.parent().unwrap_or(&self.root))?;
        fs::write(store, serde_json::to_vec_pretty(&self.figures)?)?;
        fs::write(self.root.join(RESULTS), self.text()?)
    }

    pub(super) fn text(&self) -> Result<String> {
        let lock = fs::read_to_string(self.root.join("benches/Cargo.lock"))?;
        Ok(report::results(&self.figures, &lock))
    }
}
