//! Upper bounds that the figures of mcp-runtime must keep.

use serde::{Deserialize, Serialize};

use crate::figures::Cell;
use crate::plan::Part;
use crate::report::figure;

/// An upper bound for a figure of mcp-runtime.
#[derive(Clone, Copy, Debug)]
enum Bar {
    AtMost(f64),
    /// A multiple of the figure of `limit`, for figures that are ratios to `limit`.
    OfLimit(f64),
    /// A fraction of rmcp's figure.
    OfRmcp(f64),
}

use Bar::{AtMost, OfLimit, OfRmcp};

const BARS: &[(Part, &str, Bar)] = &[
    (Part::Instructions, "stdio add, 2025-06-18", AtMost(15e3)),
    (Part::Instructions, "stdio add, 2026-07-28", AtMost(22e3)),
    (
        Part::Instructions,
        "stdio echo 10 KB, 2025-06-18",
        AtMost(400e3),
    ),
    (
        Part::Instructions,
        "stdio echo 10 KB, 2026-07-28",
        AtMost(400e3),
    ),
    (
        Part::Instructions,
        "stdio list of 50, 2025-06-18",
        AtMost(15e3),
    ),
    (
        Part::Instructions,
        "stdio list of 50, 2026-07-28",
        AtMost(15e3),
    ),
    (Part::Instructions, "http add, 2025-06-18", AtMost(38e3)),
    (Part::Instructions, "http add, 2026-07-28", AtMost(46e3)),
    (
        Part::Instructions,
        "http list of 50, 2025-06-18",
        AtMost(80e3),
    ),
    (
        Part::Instructions,
        "http list of 50, 2026-07-28",
        AtMost(80e3),
    ),
    (Part::Allocations, "stdio add, 2025-06-18", AtMost(14.0)),
    (Part::Allocations, "stdio add, 2026-07-28", AtMost(14.0)),
    (
        Part::Stdio,
        "stdio add, 2025-06-18, 1 in flight",
        OfLimit(1.4),
    ),
    (
        Part::Stdio,
        "stdio add, 2026-07-28, 1 in flight",
        OfLimit(1.4),
    ),
    (
        Part::Stdio,
        "stdio add, 2025-06-18, 16 in flight",
        OfLimit(2.0),
    ),
    (
        Part::Stdio,
        "stdio add, 2026-07-28, 16 in flight",
        OfLimit(2.0),
    ),
    (
        Part::Stdio,
        "stdio add, 2025-06-18, 128 in flight",
        OfLimit(2.2),
    ),
    (
        Part::Stdio,
        "stdio add, 2026-07-28, 128 in flight",
        OfLimit(2.2),
    ),
    (
        Part::Stdio,
        "stdio echo 1 MB, 2025-06-18, 1 in flight",
        OfLimit(1.3),
    ),
    (
        Part::Stdio,
        "stdio echo 1 MB, 2026-07-28, 1 in flight",
        OfLimit(1.3),
    ),
    (
        Part::Http,
        "http add, 2025-06-18, 8 connections",
        OfLimit(1.4),
    ),
    (
        Part::Http,
        "http add, 2026-07-28, 8 connections",
        OfLimit(1.4),
    ),
    (Part::Growth, DEAREST, AtMost(1.05)),
    (Part::Start, "2025-06-18", OfLimit(1.3)),
    (Part::Start, "2026-07-28", OfLimit(1.3)),
    (Part::Memory, SESSION, AtMost(4.0)),
    (Part::Auth, FIRST_CHECK, AtMost(1.3)),
    (Part::Auth, NEXT_CHECK, AtMost(5.0)),
    (Part::Weight, CRATES, AtMost(40.0)),
    (Part::Weight, CLEAN, OfRmcp(0.9)),
    (Part::Weight, STRIPPED, OfRmcp(0.9)),
];

/// The names of rows that have a bar.
pub(super) const DEAREST: &str = "the dearest ÷ the cheapest";
pub(super) const SESSION: &str = "each idle session over HTTP";
pub(super) const FIRST_CHECK: &str = "first check of a token ÷ bare verification";
pub(super) const NEXT_CHECK: &str = "check of a token that was seen before, µs";
pub(super) const CRATES: &str = "crates";
pub(super) const CLEAN: &str = "clean release build, s";
pub(super) const STRIPPED: &str = "stripped size, KiB";

/// The columns that a verdict reads.
pub(super) const OURS: &str = "mcp-runtime";
const ON_TOKIO: &str = "limit on tokio";
const RMCP: &str = "rmcp";

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Verdict {
    pub(super) bar: String,
    pub(super) measured: String,
    pub(super) met: bool,
}

/// Compares a row with its bar. Returns `None` if the row has no bar or mcp-runtime was not
/// measured.
pub(super) fn judge(part: Part, name: &str, columns: &[&str], cells: &[Cell]) -> Option<Verdict> {
    let (_, _, bar) = BARS
        .iter()
        .find(|(of, row, _)| *of == part && *row == name)?;
    let of = |server: &str| {
        let index = columns.iter().position(|column| *column == server)?;
        cells.get(index)?.figure
    };
    let ours = of(OURS)?;
    Some(match *bar {
        AtMost(most) => Verdict {
            bar: format!("≤ {}", figure(most)),
            measured: figure(ours),
            met: ours <= most,
        },
        OfLimit(most) => {
            let on_tokio = of(ON_TOKIO).map(|it| format!(", {:.2} × limit on tokio", ours / it));
            Verdict {
                bar: format!("≤ {most} × limit"),
                measured: format!("{ours:.2} × limit{}", on_tokio.unwrap_or_default()),
                met: ours <= most,
            }
        }
        OfRmcp(most) => {
            let share = ours / of(RMCP)?;
            Verdict {
                bar: format!("≤ {most} × rmcp"),
                measured: format!("{share:.2} × rmcp"),
                met: share <= most,
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counts::Case;
    use crate::loads;
    use crate::timing::Load;

    fn judged(part: Part, name: &str, figures: [f64; 2]) -> Option<bool> {
        let cells = figures.map(Cell::of);
        judge(part, name, &[OURS, RMCP], &cells).map(|verdict| verdict.met)
    }

    #[test]
    fn ours_is_held_against_the_bar() {
        let name = "stdio add, 2025-06-18";
        assert_eq!(judged(Part::Instructions, name, [15e3, 1.0]), Some(true));
        assert_eq!(judged(Part::Instructions, name, [15.1e3, 1.0]), Some(false));
        assert_eq!(judged(Part::Weight, STRIPPED, [60.0, 67.0]), Some(true));
        assert_eq!(judged(Part::Weight, STRIPPED, [61.0, 67.0]), Some(false));
        assert_eq!(judged(Part::Http, name, [0.0, 0.0]), None);
    }

    #[test]
    fn a_multiple_of_the_limit_is_told_for_the_one_on_tokio_as_well() {
        let cells = [2.1, 1.5].map(Cell::of);
        let name = "stdio add, 2025-06-18, 16 in flight";
        let verdict = judge(Part::Stdio, name, &[OURS, ON_TOKIO], &cells).unwrap();
        assert_eq!(verdict.measured, "2.10 × limit, 1.40 × limit on tokio");
        assert!(!verdict.met);
    }

    #[test]
    fn each_bar_has_a_row_that_is_measured() {
        for (part, row, _) in BARS {
            let rows: Vec<_> = match part {
                Part::Instructions | Part::Allocations => {
                    loads::counted().into_iter().map(Case::name).collect()
                }
                Part::Stdio => loads::stdio().into_iter().map(Load::name).collect(),
                Part::Http => loads::http().into_iter().map(Load::name).collect(),
                // The names of these rows are constants or revisions.
                Part::Growth | Part::Start | Part::Memory | Part::Auth | Part::Weight => continue,
            };
            assert!(rows.iter().any(|it| it == row), "{row}");
        }
    }
}
